package access

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/config"
)

// Verdict is what to do with a message.
type Verdict int

// The verdicts. Ignore is the zero value: who isn't let in is kept out.
const (
	Ignore  Verdict = iota // no run, no answer, no download
	Pair                   // the sender waits for the owner; Text, if any, tells how
	Respond                // let the agent see it
)

// Decision is a verdict and what it rests on.
type Decision struct {
	Verdict Verdict
	Owner   bool   // may use what is reserved for the owner
	Code    string // Pair only
	Reason  string // for the log
	Text    string // what to tell the sender; "" is nothing
}

// Gate applies the policies of the channels. Everything that isn't opened in
// so many words is closed: an unknown policy, an empty list, an entry that
// can't be read.
type Gate struct {
	// Account returns the section of an account with the channel's values under
	// its own; it is asked for each message.
	Account func(id.Channel, id.Account) (config.Account, bool)
	// Commands returns the commands section, for the owners.
	Commands func() config.Commands
	// Kind returns the channel's kind, for how its people are named.
	Kind func(id.Channel) (channel.Kind, bool)
	// Mentions tells whether a text addresses the agent by one of the configured
	// patterns; nil is never.
	Mentions func(msg.Inbound) bool
	// IsCommand tells whether a text is a command; from a listed person one needs
	// no mention. Nil is never.
	IsCommand func(text string) bool
	Store     Store
	Log       *slog.Logger
	Now       func() time.Time // nil is time.Now

	mu   sync.Mutex
	told map[string]id.Message // by sender: the message that was answered with a code
}

// Admit decides about one message.
func (g *Gate) Admit(ctx context.Context, in msg.Inbound) (Decision, error) {
	acc, ok := g.Account(in.At.Channel, in.At.Account)
	if !ok || !acc.Enabled || acc.Common.Enabled != nil && !*acc.Common.Enabled {
		return Decision{Reason: "the account is not configured or disabled"}, nil
	}
	kind, _ := g.Kind(in.At.Channel)
	s := sender{kind: kind, from: in.From, names: acc.Common.DangerouslyAllowNameMatching}
	s.prepare()
	if len(s.ids) == 0 && len(s.byName) == 0 {
		return Decision{Reason: "the sender has no id"}, nil
	}
	var d Decision
	var err error
	if in.At.Kind == msg.Direct || in.At.Kind == "" {
		d, err = g.direct(ctx, in, acc, s)
	} else {
		d = g.group(in, acc, s)
	}
	if d.Verdict == Respond {
		d.Owner = g.owner(in.At.Channel, acc.Common, s)
	}
	return d, err
}

// direct applies dmPolicy.
func (g *Gate) direct(ctx context.Context, in msg.Inbound, acc config.Account, s sender) (Decision, error) {
	c := acc.Common
	listed := s.on(c.AllowFrom)
	switch c.DMPolicy {
	case "disabled":
		return Decision{Reason: "dmPolicy is disabled"}, nil
	case "open":
		if listed || hasStar(c.AllowFrom) && !in.From.Bot {
			return Decision{Verdict: Respond, Reason: "dmPolicy is open"}, nil
		}
		return Decision{Reason: `dmPolicy is open, but allowFrom has no "*"`}, nil
	case "allowlist", "pairing", "":
	default:
		return Decision{Reason: "dmPolicy has an unknown value: " + c.DMPolicy}, nil
	}
	if listed {
		return Decision{Verdict: Respond, Reason: "on allowFrom"}, nil
	}
	if c.DMPolicy == "allowlist" {
		return Decision{Reason: "not on allowFrom"}, nil
	}
	stored, err := g.Store.Allowed(ctx, in.At.Channel, in.At.Account)
	if err != nil {
		return Decision{Reason: "the stored allow list can't be read"}, err
	}
	for _, p := range stored {
		if s.is(string(p)) {
			return Decision{Verdict: Respond, Reason: "paired"}, nil
		}
	}
	if in.From.Bot {
		return Decision{Reason: "bots can't pair"}, nil
	}
	return g.pair(ctx, in)
}

// group applies groupPolicy, the groups, their lists and the need of a
// mention. What pairing let in counts in direct chats only.
func (g *Gate) group(in msg.Inbound, acc config.Account, s sender) Decision {
	c := acc.Common
	r := rulesFor(c, in.At)
	if s.kind.Rules != nil {
		r = rulesOf(s.kind.Rules(acc.Raw, in))
	}
	policy := c.GroupPolicy
	if r.policy != "" {
		policy = r.policy
	}
	switch policy {
	case "disabled":
		return Decision{Reason: "groupPolicy is disabled"}
	case "", "allowlist":
		if !r.listed {
			return Decision{Reason: "the group is not under groups"}
		}
	case "open":
		if !r.listed && r.others && !s.kind.PublicRooms {
			return Decision{Reason: "the group is not under groups"}
		}
	default:
		return Decision{Reason: "groupPolicy has an unknown value: " + policy}
	}
	if r.disabled {
		return Decision{Reason: "the group is disabled"}
	}
	listed, why := g.inGroup(policy, r, c, s)
	if !listed {
		return Decision{Reason: why}
	}
	if r.mention && !in.Mentioned && (g.Mentions == nil || !g.Mentions(in)) {
		if g.IsCommand == nil || !g.IsCommand(in.Text) || !s.on(r.allow) && !s.on(c.GroupAllowFrom) && !s.on(c.AllowFrom) {
			return Decision{Reason: "not mentioned"}
		}
	}
	return Decision{Verdict: Respond, Reason: why}
}

// inGroup tells whether the sender may speak in a group that is let in.
func (g *Gate) inGroup(policy string, r rules, c config.ChannelSection, s sender) (ok bool, why string) {
	pass := func(list []string, star bool, name string) (bool, string) {
		switch {
		case s.on(list):
			return true, "on " + name
		case star && hasStar(list) && !s.from.Bot:
			return true, name + " is open"
		}
		return false, "not on " + name
	}
	if r.allow != nil {
		return pass(r.allow, true, "the group's allowFrom")
	}
	if s.kind.PublicRooms && len(c.GroupAllowFrom) > 0 {
		return pass(c.GroupAllowFrom, true, "groupAllowFrom")
	}
	if policy == "open" {
		if s.from.Bot && !s.on(c.GroupAllowFrom) {
			return false, "a bot that is on no list"
		}
		return true, "groupPolicy is open"
	}
	if c.GroupAllowFrom != nil || s.kind.PublicRooms {
		return pass(c.GroupAllowFrom, true, "groupAllowFrom")
	}
	// A star that opened direct chats opens groups too; one that opened nothing
	// doesn't.
	return pass(c.AllowFrom, c.DMPolicy == "open", "allowFrom")
}

// owner tells whether the sender is on commands.ownerAllowFrom or, without
// one, on the account's own list. A star makes nobody an owner, neither does a
// name that others could take, nor pairing.
func (g *Gate) owner(ch id.Channel, c config.ChannelSection, s sender) bool {
	s.byName = nil
	var owners []string
	if g.Commands != nil {
		owners = g.Commands().OwnerAllowFrom
	}
	if len(owners) == 0 {
		return s.on(c.AllowFrom)
	}
	for _, o := range owners {
		o = strings.TrimSpace(o)
		if where, _, ok := strings.Cut(o, ":"); ok && !strings.EqualFold(where, string(ch)) {
			if _, other := g.Kind(id.Channel(strings.ToLower(where))); other {
				continue // an owner on another network
			}
		}
		if o != "*" && s.is(o) {
			return true
		}
	}
	return false
}
