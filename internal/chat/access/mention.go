package access

import (
	"regexp"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/config"
)

// Names are the patterns by which people address the agents of one
// configuration. They are made once per configuration and safe for concurrent
// use.
type Names struct {
	general []*regexp.Regexp // nil where messages.groupChat says nothing
	said    bool
	own     map[id.Agent][]*regexp.Regexp
	derived map[id.Agent][]*regexp.Regexp
}

// Bounds of what is compiled and read for each message of a group.
const (
	maxPatterns    = 100
	maxPatternSize = 1000
	maxAddressed   = 16 << 10 // bytes of a text
)

// NewNames compiles the patterns of cfg: an agent's own, else the general ones,
// else its name and emoji. One that can't be compiled, or that would match any
// text, addresses nobody.
func NewNames(cfg *config.Config) *Names {
	n := &Names{own: map[id.Agent][]*regexp.Regexp{}, derived: map[id.Agent][]*regexp.Regexp{}}
	general := cfg.Messages.GroupChat.MentionPatterns
	n.general, n.said = compiled(general), general != nil
	for _, a := range cfg.Agents.List {
		if a.GroupChat.MentionPatterns != nil {
			n.own[a.ID] = compiled(a.GroupChat.MentionPatterns)
		}
		n.derived[a.ID] = compiled(derived(a.Identity))
	}
	return n
}

// derived is how an agent is called when no patterns are set.
func derived(who config.Identity) []string {
	var out []string
	if words := strings.Fields(who.Name); len(words) > 0 {
		for i, w := range words {
			words[i] = regexp.QuoteMeta(w)
		}
		// \b knows only ASCII; names in other scripts end at anything but a letter.
		out = append(out, `(?:^|[^\pL\pN_])@?`+strings.Join(words, `\s+`)+`(?:[^\pL\pN_]|$)`)
	}
	if e := invisible.Replace(strings.TrimSpace(who.Emoji)); e != "" {
		out = append(out, regexp.QuoteMeta(e))
	}
	return out
}

func compiled(patterns []string) []*regexp.Regexp {
	out := []*regexp.Regexp{}
	for _, p := range patterns {
		if p = strings.TrimSpace(p); p == "" || len(p) > maxPatternSize || len(out) == maxPatterns {
			continue
		}
		if re, err := regexp.Compile("(?i)" + p); err == nil && !re.MatchString("") {
			out = append(out, re)
		}
	}
	return out
}

// Address tells whether text calls one of agents.
func (n *Names) Address(text string, agents ...id.Agent) bool {
	if len(text) > maxAddressed {
		text = text[:maxAddressed]
	}
	text = invisible.Replace(text)
	for _, a := range agents {
		list, ok := n.own[a]
		switch {
		case ok:
		case n.said:
			list = n.general
		default:
			list = n.derived[a]
		}
		for _, re := range list {
			if re.MatchString(text) {
				return true
			}
		}
	}
	return false
}

// invisible takes out what some networks put around names.
var invisible = strings.NewReplacer( //nolint:gochecknoglobals // a constant table
	"\u200b", "", "\u200c", "", "\u200d", "", "\u200e", "", "\u200f", "", "\u202a", "", "\u202b", "", "\u202c", "", "\u202d", "", "\u202e", "",
	"\u2060", "", "\u2066", "", "\u2067", "", "\u2068", "", "\u2069", "", "\ufeff", "",
)
