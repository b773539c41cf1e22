package guard

import (
	"fmt"
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/settings"
	"github.com/openclaw-go/openclaw/internal/config"
)

// Layer is one step of the policy of tools: whether it lets a tool pass, and why
// not. A layer only takes away.
type Layer func(name string) (allowed bool, reason string)

// Policy returns which tools an agent may use under cfg, and why not. It looks
// at nothing but its arguments; make it once for each configuration.
//
// A tool must pass every layer, in this order: tools.deny and the agent's deny;
// the profile (the agent's, else tools.profile; none is full) with alsoAllow on
// top; tools.allow and the agent's allow, where they are set; and then what
// holds for one run only, in the order of more: today the room that it answers
// in ([Narrowed]). Entries are names, groups (group:fs) and patterns with *, in
// any case.
func Policy(cfg *config.Config, agent id.Agent, more ...Layer) Layer {
	layers := append(layersOf(cfg, agent), more...)
	return func(name string) (bool, string) {
		n := canonical(name)
		for _, l := range layers {
			if ok, why := l(n); !ok {
				return false, why
			}
		}
		return true, ""
	}
}

// Narrowed is the layer of a policy that stands somewhere else than under tools
// or an agent; where says where, for the reason. What it allows is allowed only
// as far as all other layers allow it: alsoAllow adds to its own allow, and
// alone takes nothing away.
func Narrowed(where string, p settings.ToolPolicy) Layer {
	deny, allow, also := compile(p.Deny), compile(p.Allow), compile(p.AlsoAllow)
	return func(name string) (bool, string) {
		n := canonical(name)
		switch {
		case deny.has(n):
			return false, where + " denies it"
		case len(p.Allow) > 0 && !allow.has(n) && !also.has(n):
			return false, where + " doesn't allow it"
		}
		return true, ""
	}
}

// layersOf are the layers that hold for all runs of an agent.
func layersOf(cfg *config.Config, agent id.Agent) []Layer {
	var own config.AgentTools
	for _, a := range cfg.Agents.List {
		if a.ID == agent {
			own = a.Tools
		}
	}
	at := "tools."
	profile := cfg.Tools.Profile
	if own.Profile != "" {
		profile, at = own.Profile, "the agent's tools."
	}
	members, known := profileTools(profile)
	also := compile(cfg.Tools.AlsoAllow)
	return []Layer{
		denies(cfg.Tools.Deny, "tools.deny lists it"),
		denies(own.Deny, "the agent's tools.deny lists it"),
		func(string) (bool, string) {
			return known, fmt.Sprintf("%sprofile %q is none of minimal, coding, messaging, full", at, profile)
		},
		allows(members, also, fmt.Sprintf("%sprofile %s doesn't include it", at, profile)),
		allows(cfg.Tools.Allow, also, "tools.allow doesn't list it"),
		allows(own.Allow, list{}, "the agent's tools.allow doesn't list it"),
	}
}

func denies(entries []string, why string) Layer {
	l := compile(entries)
	return func(name string) (bool, string) { return !l.has(name), why }
}

// allows lets pass what is on entries, or in also; no entries let everything
// pass.
func allows(entries []string, also list, why string) Layer {
	l := compile(entries)
	return func(name string) (bool, string) {
		return len(entries) == 0 || l.has(name) || also.has(name), why
	}
}

// Profiles returns the profiles, other than full, that include a tool.
func Profiles(name string) []string {
	var out []string
	for _, p := range []string{"minimal", "coding", "messaging"} {
		if members, _ := profileTools(p); compile(members).has(canonical(name)) {
			out = append(out, p)
		}
	}
	return out
}

// profileTools returns what a profile includes; nil is everything.
func profileTools(profile string) (members []string, known bool) {
	switch profile {
	case "minimal":
		return []string{"session_status"}, true
	case "coding":
		return []string{
			"group:fs", "group:runtime", "group:web", "group:memory", "group:sessions", "cron", "image",
		}, true
	case "messaging":
		return []string{"group:messaging", "sessions_list", "sessions_history", "sessions_send", "session_status"}, true
	case "full", "":
		return nil, true
	}
	return nil, false
}

func group(name string) []string {
	switch name {
	case "group:fs":
		return []string{"read", "write", "edit", "apply_patch", "ls", "grep", "find"}
	case "group:runtime":
		return []string{"exec", "process"}
	case "group:web":
		return []string{"web_search", "web_fetch"}
	case "group:memory":
		return []string{"memory_search", "memory_get"}
	case "group:sessions":
		return []string{"sessions_list", "sessions_history", "sessions_send", "sessions_spawn", "sessions_yield", "subagents", "session_status"}
	case "group:ui":
		return []string{"browser", "canvas"}
	case "group:messaging":
		return []string{"message"}
	case "group:automation":
		return []string{"cron", "gateway"}
	case "group:nodes":
		return []string{"nodes"}
	case "group:agents":
		return []string{"agents_list"}
	case "group:media":
		return []string{"image", "tts"}
	case "group:openclaw":
		var all []string
		for _, g := range []string{"fs", "runtime", "web", "memory", "sessions", "ui", "messaging", "automation", "nodes", "agents", "media"} {
			all = append(all, group("group:"+g)...)
		}
		return all
	}
	return nil
}

// canonical is the name that entries are compared with.
func canonical(name string) string {
	switch n := strings.ToLower(strings.TrimSpace(name)); n {
	case "bash":
		return "exec"
	case "apply-patch":
		return "apply_patch"
	default:
		return n
	}
}

// list is a list of entries ready to be asked.
type list struct {
	names    map[string]bool
	patterns []string
}

func compile(entries []string) list {
	l := list{names: make(map[string]bool, len(entries))}
	for _, e := range entries {
		e = canonical(e)
		members := group(e)
		switch {
		case members != nil:
			for _, m := range members {
				l.names[m] = true
			}
		case strings.Contains(e, "*"):
			l.patterns = append(l.patterns, e)
		default:
			l.names[e] = true
		}
	}
	return l
}

func (l list) has(name string) bool {
	return l.names[name] || slices.ContainsFunc(l.patterns, func(p string) bool { return wild(p, name) })
}

// wild matches a pattern in which * stands for anything.
func wild(pattern, s string) bool {
	parts := strings.Split(pattern, "*")
	if !strings.HasPrefix(s, parts[0]) {
		return false
	}
	s = s[len(parts[0]):]
	for _, p := range parts[1 : len(parts)-1] {
		i := strings.Index(s, p)
		if i < 0 {
			return false
		}
		s = s[i+len(p):]
	}
	return strings.HasSuffix(s, parts[len(parts)-1])
}
