package access

import (
	"fmt"
	"maps"
	"slices"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/feature"
)

// Findings tells what in an account's access rules can't mean what it seems
// to: each closes where its author may have thought to open, or the reverse.
func Findings(ch id.Channel, acc config.Account, k channel.Kind) []feature.Finding {
	c := acc.Common
	where := "channels." + string(ch)
	if acc.ID != id.DefaultAccount && acc.ID != "" {
		where += ".accounts." + string(acc.ID)
	}
	var out []feature.Finding
	add := func(severity, text, mend string) {
		out = append(out, feature.Finding{Severity: severity, Text: text, Mend: mend})
	}
	if !slices.Contains([]string{"", "pairing", "allowlist", "open", "disabled"}, c.DMPolicy) {
		add("error", fmt.Sprintf("%s.dmPolicy: %q is no policy, so nobody is let in", where, c.DMPolicy),
			"use pairing, allowlist, open or disabled")
	}
	if !policy(c.GroupPolicy) {
		add("error", fmt.Sprintf("%s.groupPolicy: %q is no policy, so groups are closed", where, c.GroupPolicy),
			"use allowlist, open or disabled")
	}
	star := hasStar(c.AllowFrom)
	switch {
	case c.DMPolicy == "open" && !star:
		add("error", where+`.dmPolicy is open, but allowFrom has no "*", so only listed people are let in`,
			`put "*" into `+where+".allowFrom, or use pairing")
	case c.DMPolicy == "allowlist" && !names(k, c.AllowFrom):
		add("warning", where+".dmPolicy is allowlist and allowFrom names nobody, so nobody is let in",
			"openclaw config set "+where+`.allowFrom '["<id>"]'`)
	case star && c.DMPolicy != "open":
		add("warning", where+`.allowFrom has "*", which opens nothing unless dmPolicy is open`, "remove it, or set "+where+".dmPolicy to open")
	}
	entries(k, where+".allowFrom", c.AllowFrom, c.DangerouslyAllowNameMatching, add)
	entries(k, where+".groupAllowFrom", c.GroupAllowFrom, c.DangerouslyAllowNameMatching, add)
	for _, name := range slices.Sorted(maps.Keys(c.Groups)) {
		group(k, where+".groups."+name, c.Groups[name], c.DangerouslyAllowNameMatching, add)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Direct)) {
		d := c.Direct[name]
		at := where + ".direct." + name
		if !slices.Contains([]string{"", "pairing", "allowlist", "open", "disabled"}, d.DMPolicy) {
			add("error", fmt.Sprintf("%s.dmPolicy: %q is no policy, so nobody is let in there", at, d.DMPolicy),
				"use pairing, allowlist, open or disabled")
		}
		group(k, at, d.Group, c.DangerouslyAllowNameMatching, add)
	}
	return out
}

func group(k channel.Kind, where string, g config.Group, byName bool, add func(severity, text, mend string)) {
	if !policy(g.GroupPolicy) {
		add("error", fmt.Sprintf("%s.groupPolicy: %q is no policy, so the group is closed", where, g.GroupPolicy),
			"use allowlist, open or disabled")
	}
	if g.AllowFrom != nil && !hasStar(g.AllowFrom) && !names(k, g.AllowFrom) {
		add("warning", where+".allowFrom names nobody, so nobody is heard there", "add ids, or remove allowFrom")
	}
	entries(k, where+".allowFrom", g.AllowFrom, byName, add)
	for _, t := range slices.Sorted(maps.Keys(g.Topics)) {
		group(k, where+".topics."+t, g.Topics[t], byName, add)
	}
}

// entries reports what can't match anybody.
func entries(k channel.Kind, where string, list []string, byName bool, add func(severity, text, mend string)) {
	for _, e := range list {
		n := normalized(k, e)
		switch {
		case n == "":
			add("warning", fmt.Sprintf("%s: %q can never match anybody on %s", where, e, k.Label), "correct or remove it")
		case n != "*" && !byName && k.IsName != nil && k.IsName(n):
			add("warning", fmt.Sprintf("%s: %q is a name that others can take, so it isn't matched", where, e),
				"use the full id, as the log and the pairing message show it")
		}
	}
}

// names tells whether list names at least one person.
func names(k channel.Kind, list []string) bool {
	return slices.ContainsFunc(list, func(e string) bool {
		n := normalized(k, e)
		return n != "" && n != "*"
	})
}

func policy(p string) bool { return slices.Contains([]string{"", "allowlist", "open", "disabled"}, p) }
