package access

import (
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/config"
)

// sender is a person with all the forms that a list may name them by.
type sender struct {
	kind   channel.Kind
	from   msg.Sender
	names  bool // names count
	ids    []string
	byName []string
}

func (s *sender) prepare() {
	if s.kind.Forms != nil {
		s.ids, s.byName = s.kind.Forms(s.from)
	} else if s.from.ID != "" {
		s.ids = []string{string(s.from.ID)}
	}
	if !s.names {
		s.byName = nil
	}
}

// on tells whether list names the sender. A star names nobody.
func (s *sender) on(list []string) bool {
	return slices.ContainsFunc(list, s.is)
}

// is tells whether an entry names the sender: the whole of it, never a part.
func (s *sender) is(entry string) bool {
	e := normalized(s.kind, entry)
	if e == "" || e == "*" {
		return false
	}
	return slices.Contains(s.ids, e) || slices.Contains(s.byName, e)
}

// normalized is an entry in the form of an id, or "" when it can't match.
func normalized(k channel.Kind, entry string) string {
	e := strings.TrimSpace(entry)
	if e == "*" || e == "" {
		return e
	}
	if k.Normalize != nil {
		return k.Normalize(e)
	}
	return e
}

func hasStar(list []string) bool {
	return slices.ContainsFunc(list, func(e string) bool { return strings.TrimSpace(e) == "*" })
}

// rules are what groups says about one group and thread.
type rules struct {
	listed   bool // the group or "*" is there
	others   bool // groups are listed
	disabled bool
	mention  bool
	policy   string
	allow    []string // nil is none
}

// rulesFor merges "*", the group and its topic, the nearer over the farther.
func rulesFor(c config.ChannelSection, at msg.Address) rules {
	r := rules{mention: true, others: len(c.Groups) > 0}
	apply := func(g config.Group) {
		if g.Enabled != nil {
			r.disabled = !*g.Enabled
		}
		if g.RequireMention != nil {
			r.mention = *g.RequireMention
		}
		if g.GroupPolicy != "" {
			r.policy = g.GroupPolicy
		}
		if g.AllowFrom != nil {
			r.allow = g.AllowFrom
		}
	}
	topic := func(g config.Group) {
		if t, ok := g.Topics[string(at.Thread)]; ok && at.Thread != "" {
			apply(t)
		}
	}
	if star, ok := c.Groups["*"]; ok {
		r.listed = true
		apply(star)
		topic(star)
	}
	if g, ok := find(c.Groups, string(at.Peer)); ok {
		r.listed = true
		apply(g)
		topic(g)
	}
	return r
}

// rulesOf are the rules of a network whose rooms don't stand under groups.
func rulesOf(k channel.Rules) rules {
	r := rules{mention: true, others: k.Others, listed: k.Listed, disabled: k.Disabled, policy: k.Policy, allow: k.Allow}
	if k.Mention != nil {
		r.mention = *k.Mention
	}
	return r
}

// find looks a group up, the exact spelling first.
func find(groups map[string]config.Group, peer string) (config.Group, bool) {
	if g, ok := groups[peer]; ok && peer != "*" {
		return g, true
	}
	for k, g := range groups {
		if k != "*" && strings.EqualFold(strings.TrimSpace(k), peer) {
			return g, true
		}
	}
	return config.Group{}, false
}
