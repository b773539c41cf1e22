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
	names  bool   // names count
	bots   string // allowBots of the room: on, mentions, or nothing
	ids    []string
	byName []string // those that count
	// allNames are the names whether or not they count, for what only takes away.
	allNames []string
}

func (s *sender) prepare() {
	if s.kind.Forms != nil {
		s.ids, s.byName = s.kind.Forms(s.from)
	} else if s.from.ID != "" {
		s.ids = []string{string(s.from.ID)}
	}
	s.allNames = s.byName
	if !s.names {
		s.byName = nil
	}
}

// heard tells whether a star, an open policy or a role speaks for the sender: a
// bot needs its own entry unless bots are let in.
func (s *sender) heard() bool { return !s.from.Bot || s.bots == "on" || s.bots == "mentions" }

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

// roomRules are what the section of an account says about the room of in.
func roomRules(k channel.Kind, acc config.Account, in msg.Inbound) channel.Rules {
	var r channel.Rules
	switch {
	case k.Rules != nil:
		r = k.Rules(acc.Raw, in)
	case direct(in):
		r = directRules(acc.Common, in.At)
	default:
		r = groupRules(acc.Common, in.At)
	}
	if r.Bots == "" {
		r.Bots = string(acc.Common.AllowBots)
	}
	if r.History == nil {
		r.History = acc.Common.HistoryLimit
	}
	return r
}

// groupRules merges "*", the group and its topic, the nearer over the farther.
func groupRules(c config.ChannelSection, at msg.Address) channel.Rules {
	r := channel.Rules{Others: len(c.Groups) > 0}
	if star, ok := c.Groups["*"]; ok {
		r.Listed = true
		applyPlace(&r, star, at)
	}
	if g, ok := find(c.Groups, string(at.Peer)); ok {
		r.Listed = true
		applyPlace(&r, g, at)
	}
	return r
}

// directRules merges "*", the direct chat and its topic. Listed says that the
// policy is of this chat alone.
func directRules(c config.ChannelSection, at msg.Address) channel.Rules {
	var r channel.Rules
	policy := ""
	for _, key := range []string{"*", string(at.Peer)} {
		d, ok := c.Direct[key]
		if !ok {
			continue
		}
		applyPlace(&r, d.Group, at)
		if d.DMPolicy != "" {
			policy, r.Listed = d.DMPolicy, key != "*"
		}
		if d.RequireTopic != nil {
			r.InTopic = *d.RequireTopic
		}
	}
	r.Policy = policy // what is said about groups doesn't hold here
	return r
}

// applyPlace puts what g and its topic say over r.
func applyPlace(r *channel.Rules, g config.Group, at msg.Address) {
	apply(r, g)
	if t, ok := g.Topics[string(at.Thread)]; ok && at.Thread != "" {
		apply(r, t)
	}
}

func apply(r *channel.Rules, g config.Group) {
	if g.Tools != nil || g.ToolsBySender != nil {
		r.Tools = append([]channel.ToolRules{{All: g.Tools, BySender: g.ToolsBySender}}, r.Tools...)
	}
	if g.Enabled != nil {
		r.Disabled = !*g.Enabled
	}
	if g.RequireMention != nil {
		r.Mention = g.RequireMention
	}
	if g.GroupPolicy != "" {
		r.Policy = g.GroupPolicy
	}
	if g.AllowFrom != nil {
		r.Allow = g.AllowFrom
	}
	if g.SystemPrompt != "" {
		r.Prompt = g.SystemPrompt
	}
	if g.Skills != nil {
		r.Skills = g.Skills
	}
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
