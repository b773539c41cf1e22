package access

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/settings"
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
	Listen                 // said beside the agent: context of its next turn, no run
)

// Decision is a verdict and what it rests on.
type Decision struct {
	Verdict Verdict
	Owner   bool   // may use what is reserved for the owner
	Code    string // Pair only
	Reason  string // for the log
	Text    string // what to tell the sender; "" is nothing
	// What the room of a group asks of a run.
	Prompt  string                // added to the system prompt
	Skills  []string              // nil is all
	Tools   []settings.ToolPolicy // each narrows what the run may use
	History *int                  // how much of what was said beside the agent it is told; nil is the usual
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
	// Activation is what was set in the conversation of a message of a group:
	// "always" answers without a mention, "mention" needs one whatever the room's
	// configuration says, and "" leaves it to that. Nil is never set.
	Activation func(context.Context, msg.Inbound) (string, error)
	Store      Store
	Log        *slog.Logger
	Now        func() time.Time // nil is time.Now

	bots talks

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
	r := roomRules(kind, acc, in)
	s.bots = r.Bots
	if in.From.Bot && r.Bots == "mentions" && !direct(in) && !g.addressed(in) {
		return Decision{Reason: "a bot that didn't mention the agent"}, nil
	}
	var d Decision
	var err error
	if direct(in) {
		d, err = g.direct(ctx, in, acc, r, s)
	} else {
		d, err = g.group(ctx, in, acc, r, s)
	}
	if d.Verdict == Respond {
		d.Owner = g.owner(in.At.Channel, acc.Common, s)
		d.Tools = s.toolRules(r.Tools)
	}
	if d.Verdict == Respond || d.Verdict == Listen {
		if why := g.bots.count(in, d.Verdict == Respond, g.now()); why != "" {
			return Decision{Reason: why}, err
		}
	}
	return d, err
}

func direct(in msg.Inbound) bool { return in.At.Kind == msg.Direct || in.At.Kind == "" }

// direct applies what is said about the chat, and dmPolicy.
func (g *Gate) direct(ctx context.Context, in msg.Inbound, acc config.Account, r channel.Rules, s sender) (Decision, error) {
	c := acc.Common
	if s.kind.Rules != nil {
		r = channel.Rules{} // those are of rooms
	}
	switch {
	case r.Disabled:
		return Decision{Reason: "the chat is disabled"}, nil
	case r.InTopic && in.At.Thread == "":
		return Decision{Reason: "the chat is heard only in a topic"}, nil
	case r.Allow != nil && !s.on(r.Allow) && (!hasStar(r.Allow) || !s.heard()):
		return Decision{Reason: "not on the chat's list"}, nil
	}
	if r.Allow != nil {
		c.AllowFrom = r.Allow
	}
	c.DMPolicy = cmp.Or(r.Policy, c.DMPolicy)
	d, err := g.directly(ctx, in, c, r, s)
	if d.Verdict == Respond {
		d.Prompt, d.Skills = r.Prompt, r.Skills
	}
	return d, err
}

// directly applies dmPolicy.
func (g *Gate) directly(ctx context.Context, in msg.Inbound, c config.ChannelSection, r channel.Rules, s sender) (Decision, error) {
	listed := s.on(c.AllowFrom)
	switch c.DMPolicy {
	case "disabled":
		return Decision{Reason: "dmPolicy is disabled"}, nil
	case "open":
		if listed || (hasStar(c.AllowFrom) || r.Listed) && s.heard() {
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
	if in.Notice {
		return Decision{Reason: "a notice about somebody who isn't let in"}, nil
	}
	return g.pair(ctx, in)
}

// group applies groupPolicy, the rules of the room, its lists and the need of a
// mention. What pairing let in counts in direct chats only.
func (g *Gate) group(ctx context.Context, in msg.Inbound, acc config.Account, r channel.Rules, s sender) (Decision, error) {
	let, why := g.lets(in, acc.Common, r, s)
	if !let {
		return Decision{Reason: why}, nil
	}
	d := Decision{Verdict: Respond, Reason: why, Prompt: r.Prompt, Skills: r.Skills, History: r.History}
	if in.Notice || in.Native || in.Agent != "" || g.addressed(in) {
		return d, nil
	}
	needed := r.Mention == nil || *r.Mention
	if g.Activation != nil {
		set, err := g.Activation(ctx, in)
		if err != nil {
			return Decision{Reason: "the activation of the group can't be read"}, err
		}
		if set != "" {
			needed = set != "always"
		}
	}
	// Who may give commands needs no mention for one.
	if !needed || g.IsCommand != nil && g.IsCommand(in.Text) && g.mayCommand(in, acc, r, s) {
		return d, nil
	}
	d.Verdict, d.Reason = Listen, "not mentioned"
	return d, nil
}

// lets tells whether the group and the sender in it are let in.
func (g *Gate) lets(in msg.Inbound, c config.ChannelSection, r channel.Rules, s sender) (ok bool, why string) {
	policy := cmp.Or(r.Policy, c.GroupPolicy)
	switch policy {
	case "disabled":
		return false, "groupPolicy is disabled"
	case "", "allowlist":
		if !r.Listed {
			return false, "the group is not under groups"
		}
	case "open":
		if !r.Listed && r.Others && !s.kind.PublicRooms {
			return false, "the group is not under groups"
		}
	default:
		return false, "groupPolicy has an unknown value: " + policy
	}
	if r.Disabled {
		return false, "the group is disabled"
	}
	return g.inGroup(policy, r, c, s, in.Room.Roles)
}

// addressed tells whether a message of a group is for the agent: it says so, it
// matches a pattern, or it answers what the agent wrote.
func (g *Gate) addressed(in msg.Inbound) bool {
	return in.Mentioned || in.Quote != nil && in.Quote.Self || g.Mentions != nil && g.Mentions(in)
}

// inGroup tells whether the sender may speak in a group that is let in.
func (g *Gate) inGroup(policy string, r channel.Rules, c config.ChannelSection, s sender, roles []string) (ok bool, why string) {
	pass := func(list []string, star bool, name string) (bool, string) {
		switch {
		case s.on(list):
			return true, "on " + name
		case star && hasStar(list) && s.heard():
			return true, name + " is open"
		}
		return false, "not on " + name
	}
	if r.Allow != nil || r.Roles != nil {
		if s.heard() && slices.ContainsFunc(r.Roles, func(x string) bool { return x != "" && slices.Contains(roles, x) }) {
			return true, "has one of the room's roles"
		}
		return pass(r.Allow, true, "the room's list")
	}
	if s.kind.PublicRooms && len(c.GroupAllowFrom) > 0 {
		return pass(c.GroupAllowFrom, true, "groupAllowFrom")
	}
	if policy == "open" {
		if !s.heard() && !s.on(c.GroupAllowFrom) {
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
// name that others could take, nor pairing; and a chat isn't one.
func (g *Gate) owner(ch id.Channel, c config.ChannelSection, s sender) bool {
	if s.from.Chat {
		return false
	}
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
		if o != "*" && !g.elsewhere(ch, o) && s.is(o) {
			return true
		}
	}
	return false
}
