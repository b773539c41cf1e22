package chat

import (
	"cmp"
	"context"
	"sync/atomic"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/event"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/chat/access"
	"github.com/openclaw-go/openclaw/internal/chat/inbox"
	"github.com/openclaw-go/openclaw/internal/chat/reply"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/session"
)

// admit asks the gate about in and finds its session. It finishes what isn't
// for a run of its own: what is refused, what is said beside the agent, notices,
// and what goes to several agents as a message for each.
func (h *Handler) admit(ctx context.Context, w *Work, in msg.Inbound) (may, done bool, err error) {
	d, err := h.Access.Admit(ctx, in)
	if err != nil {
		return false, true, err
	}
	table := h.router.For(h.Config())
	w.Session, w.Owner = table.Resolve(in).Session, d.Owner
	w.Prompt, w.Tools, w.Skills, w.History = d.Prompt, d.Tools, d.Skills, h.historyLimit(w.Session.Agent(), d)
	switch {
	case in.Notice && (d.Verdict == access.Respond || d.Verdict == access.Listen):
		return false, true, h.notice(ctx, *w, in)
	case d.Verdict == access.Listen:
		return false, true, h.overhear(ctx, *w, in)
	case d.Verdict != access.Respond:
		h.Log.InfoContext(ctx, "message not admitted", "channel", in.At.Channel, "from", in.From.ID, "reason", d.Reason)
		return false, true, h.finish(ctx, *w, d.Text, nil)
	}
	if agents, one := table.Broadcast(in); len(agents) > 0 {
		return false, true, h.spread(ctx, *w, agents, one)
	}
	return h.Access.MayCommand(in, d), false, nil
}

// spread turns a message into one for each of agents, or for the first of them
// when they go one after the other. They are stored as the message itself is
// done: a crash leaves all or nothing, and an agent that finished isn't asked
// again.
func (h *Handler) spread(ctx context.Context, w Work, agents []id.Agent, one bool) error {
	in := joined(w.In)
	in.ID = w.In[len(w.In)-1].ID
	in.Mentioned = true // for the agents it was
	in.Attachments = nil
	for _, x := range w.In {
		in.Attachments = append(in.Attachments, x.Attachments...)
	}
	said, told, err := h.overheard(ctx, w)
	if err != nil {
		return err
	}
	in.Before = said
	f, err := h.finished(ctx, w, reply.Text{Silent: true}, Result{Run: w.Run, Status: "ok"})
	if err != nil {
		return err
	}
	f.Told = told
	for i, a := range agents {
		in.Agent, in.Then = a, nil
		if one {
			in.Then = agents[i+1:]
		}
		f.Next = append(f.Next, in)
		if one {
			break
		}
	}
	h.Log.DebugContext(ctx, "chat.spread", "key", w.Keys[0], "agents", len(agents))
	return h.settle(ctx, f)
}

// after are the messages for the agents that waited for those of w.
func after(ins []msg.Inbound) (next []msg.Inbound) {
	for _, in := range ins {
		if len(in.Then) > 0 {
			in.Agent, in.Then = in.Then[0], in.Then[1:]
			next = append(next, in)
		}
	}
	return next
}

// settle stores what came of messages and lets it go on its way.
func (h *Handler) settle(ctx context.Context, f inbox.Finished) error {
	if err := h.Inbox.Store.Finish(ctx, f); err != nil {
		return err
	}
	h.onward(ctx, f)
	return nil
}

// onward sends out what f stored.
func (h *Handler) onward(ctx context.Context, f inbox.Finished) {
	h.Outbox.Kick(f.Outs)
	h.Inbox.Pass(ctx, f.Next)
}

// notice ends a notice: the next turn of its session is told.
func (h *Handler) notice(ctx context.Context, w Work, in msg.Inbound) error {
	const longest = 500
	line := inbox.Event{Session: w.Session, Text: text.Ellipsis(oneLine(in.Text), longest), At: received(in)}
	f, err := h.finished(ctx, w, reply.Text{Silent: true}, Result{Run: w.Run, Status: "ok"})
	if err != nil {
		return err
	}
	f.Event = &line
	if err := h.settle(ctx, f); err != nil {
		return err
	}
	h.Bus.Publish(event.SystemEvent{Session: w.Session, Text: line.Text})
	return nil
}

func received(in msg.Inbound) time.Time {
	if in.Received.IsZero() {
		return time.Now()
	}
	return in.Received
}

// usualHistory is how much of a room is told when nothing is set, as recorded.
const usualHistory = 50

// historyLimit is how much of what was said beside agent a it is told: what the
// room or the account says, else the agent, else all.
func (h *Handler) historyLimit(a id.Agent, d access.Decision) int {
	cfg := h.Config()
	e, _ := cfg.Agent(a)
	for _, n := range []*int{d.History, e.GroupChat.HistoryLimit, cfg.Messages.GroupChat.HistoryLimit} {
		if n != nil {
			return min(max(*n, 0), 10*usualHistory)
		}
	}
	return usualHistory
}

// overhear keeps what was said beside the agent.
func (h *Handler) overhear(ctx context.Context, w Work, in msg.Inbound) error {
	h.Log.DebugContext(ctx, "message kept as context", "channel", in.At.Channel, "from", in.From.ID)
	f, err := h.finished(ctx, w, reply.Text{Silent: true}, Result{Run: w.Run, Status: "ok"})
	if err != nil {
		return err
	}
	if w.History > 0 {
		const longest = 2000
		words := in.Text
		for _, x := range w.In {
			for _, a := range x.Attachments {
				words += "\n[attachment " + cmp.Or(a.Name, a.MIME, "file") + "]"
			}
		}
		f.Overheard = &inbox.Overheard{
			Room: roomOf(in.At), Sender: label(in.From), Text: text.Ellipsis(words, longest), At: received(in), Most: w.History,
		}
	}
	return h.settle(ctx, f)
}

// overheard is what was said in the room of w beside the agent.
func (h *Handler) overheard(ctx context.Context, w Work) (said []msg.Said, told inbox.Told, err error) {
	at := w.In[0].At
	if w.In[0].Client != nil || at.Kind == msg.Direct || at.Kind == "" || w.In[0].Agent != "" {
		return nil, told, nil
	}
	lines, err := h.Inbox.Store.Overheard(ctx, roomOf(at))
	if err != nil || len(lines) == 0 {
		return nil, told, err
	}
	told = inbox.Told{Room: roomOf(at)}
	for _, l := range lines {
		told.UpTo = max(told.UpTo, l.ID)
	}
	for _, l := range lines[max(0, len(lines)-w.History):] {
		said = append(said, msg.Said{From: l.Sender, Text: l.Text, At: l.At})
	}
	return said, told, nil
}

func roomOf(at msg.Address) string {
	at.Kind = ""
	return string(at.Channel) + "\x1f" + string(at.Account) + "\x1f" + string(at.Peer) + "\x1f" + string(at.Thread)
}

// Addresses tells whether a text calls one of the agents that would get it by
// name; it is what [access.Gate] asks.
func (h *Handler) Addresses(in msg.Inbound) bool {
	cfg := h.Config()
	table := h.router.For(cfg)
	agents, _ := table.Broadcast(in)
	if len(agents) == 0 {
		agents = []id.Agent{table.Resolve(in).Agent}
	}
	return h.names.of(cfg).Address(in.Text, agents...)
}

// Activation is what /activation set in the session that a message of a group
// goes to; it is what [access.Gate] asks.
func (h *Handler) Activation(ctx context.Context, in msg.Inbound) (string, error) {
	s, _, err := h.Agent.Sessions.Get(ctx, h.router.For(h.Config()).Resolve(in).Session)
	return s.GroupActivation, err
}

// maySend tells whether the session's send policy lets an answer go out.
func (h *Handler) maySend(ctx context.Context, w Work) (bool, error) {
	if w.Reply.To.Channel == "" {
		return true, nil
	}
	s, _, err := h.Agent.Sessions.Get(ctx, w.Session)
	s.Key = w.Session
	return session.MaySend(h.Config().Session, s, w.Reply.To), err
}

// names keeps the patterns of the configuration in force.
type names struct{ cur atomic.Pointer[namesOf] }

type namesOf struct {
	cfg   *config.Config
	names *access.Names
}

func (n *names) of(cfg *config.Config) *access.Names {
	c := n.cur.Load()
	if c == nil || c.cfg != cfg {
		c = &namesOf{cfg, access.NewNames(cfg)}
		n.cur.Store(c)
	}
	return c.names
}
