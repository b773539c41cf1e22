package chat

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/agent"
	"github.com/openclaw-go/openclaw/internal/base/event"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/chat/reply"
	"github.com/openclaw-go/openclaw/internal/session"
)

// Marks keeps small values for an account durably; *store.DB is one.
type Marks interface {
	ChannelState(ctx context.Context, c id.Channel, a id.Account, key string) (string, error)
	SetChannelState(ctx context.Context, c id.Channel, a id.Account, key, value string) error
}

// talk is how one run speaks to those who wait for it.
type talk struct {
	h      *Handler
	run    id.Run
	stream *reply.Stream   // to clients
	say    *reply.Composer // to the chat; nil when nobody is written to
	typing *typing
	mood   *mood // nil when the message doesn't show it
}

// talks knows the runs that speak to a chat.
type talks struct {
	mu sync.Mutex
	by map[id.Run]*talk
}

// talk begins to answer w.
func (h *Handler) talk(ctx context.Context, w Work) (*talk, error) {
	t := &talk{h: h, run: w.Run}
	t.stream = &reply.Stream{Emit: func(text string, fresh bool) {
		h.Bus.Publish(event.RunDelta{Run: w.Run, Session: w.Session, Text: text, Fresh: fresh})
		h.results.delta(w.Run, text)
	}}
	to := w.Reply.To
	if to.Channel == "" {
		return t, nil
	}
	c := h.channel(ctx, to, w.Recovered)
	s, _, err := h.Agent.Sessions.Get(ctx, w.Session)
	if err != nil {
		return t, err
	}
	s.VerboseLevel, s.ReasoningLevel = cmp.Or(w.Once.Verbose, s.VerboseLevel), cmp.Or(w.Once.Reasoning, s.ReasoningLevel)
	cfg := h.Config()
	t.typing = newTyping(ctx, h, c, to, typingMode(cfg, s, w), typingEvery(cfg))
	tmpl := w.Reply
	tmpl.Run, tmpl.Session = w.Run, w.Session
	say := &reply.Composer{
		Settings: h.settings(s, w.Session.Agent(), w), Base: base(w), Template: tmpl, Log: h.Log, Put: h.put,
		Split: func(text string) []string { return h.split(to, text) },
		Note:  t.typing.note,
	}
	if c != nil {
		say.Album = c.Limits().Album
	}
	if h.Files != nil {
		say.Attach = func(ctx context.Context, ref string) (msg.Attachment, error) {
			return h.attach(ctx, w.Session.Agent(), to, ref)
		}
	}
	left := h.previews(ctx, c, say, w)
	known := h.known
	if !w.Recovered {
		known = nil
	}
	if err := say.Begin(ctx, known, left); err != nil {
		return t, err
	}
	t.say, t.mood = say, h.newMood(ctx, c, w, say)
	h.talks.mu.Lock()
	defer h.talks.mu.Unlock()
	if h.talks.by == nil {
		h.talks.by = map[id.Run]*talk{}
	}
	h.talks.by[w.Run] = t
	return t, nil
}

// channel is the way to a place; nil when there is none now: then the answer
// waits in the outbox. After a restart it is given a moment to come up.
func (h *Handler) channel(ctx context.Context, to msg.Address, wait bool) channel.Channel {
	const patience, look = 5 * time.Second, 50 * time.Millisecond
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(look)
	defer tick.Stop()
	for {
		c, ok := h.Outbox.Channel(to.Channel, to.Account)
		if ok || !wait {
			return c
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// previews lets say show previews where the channel can change messages, and
// returns the one that an earlier process left.
func (h *Handler) previews(ctx context.Context, c channel.Channel, say *reply.Composer, w Work) (left id.Message) {
	to, key := w.Reply.To, "preview/"+say.Base
	if h.Marks == nil {
		return ""
	}
	if w.Recovered {
		v, err := h.Marks.ChannelState(ctx, to.Channel, to.Account, key)
		if err != nil {
			h.Log.WarnContext(ctx, "the preview of an earlier process can't be found", "run", w.Run, "err", err)
		}
		left = id.Message(v)
	}
	note := func(ctx context.Context, m id.Message) error {
		return h.Marks.SetChannelState(ctx, to.Channel, to.Account, key, string(m))
	}
	say.Forget = func(ctx context.Context) error { return note(ctx, "") }
	_, edits := channel.As[channel.Editor](c)
	_, streams := channel.As[channel.Streamer](c)
	if !edits && !streams || say.Settings.Preview == "off" || !h.Hooks.Outbound.Empty() {
		return left // what hooks may change isn't shown before they saw it
	}
	say.Show = &reply.Preview{
		Channel: c, Template: say.Template, Split: say.Split, Note: note, Log: h.Log, Every: h.PreviewEvery,
		Native: say.Settings.Preview == "partial",
		Free:   func(ctx context.Context) bool { return !h.Outbox.Waits(ctx, to) },
	}
	return left
}

// base names what is stored while w is answered. It is made of its first
// message, so that another process that goes on finds it.
func base(w Work) string {
	name := string(w.Run)
	if len(w.Keys) > 0 {
		name = w.Keys[0]
	}
	if len(w.In) > 0 { // a key that is forgotten may come again
		name += w.In[0].Received.UTC().Format(time.RFC3339Nano)
	}
	sum := sha256.Sum256([]byte(name))
	return "run-" + hex.EncodeToString(sum[:12])
}

// settings are those of the place that w is answered at. The network waits for
// the answer to what it made a command of itself, and knows it by the command's
// id.
func (h *Handler) settings(s session.Session, agent id.Agent, w Work) reply.Settings {
	set := reply.For(h.Config(), s, agent, w.Reply.To)
	if n := len(w.In); n > 0 && w.In[n-1].Native {
		set.ReplyTo, set.Preview = "all", "off"
	}
	return set
}

// plainly is how an answer without a run looks: one of a command.
func (h *Handler) plainly(ctx context.Context, w Work) (set reply.Settings, prefix string, err error) {
	var s session.Session
	agent := h.Config().DefaultAgent()
	if w.Session != "" {
		agent = w.Session.Agent()
		if s, _, err = h.Agent.Sessions.Get(ctx, w.Session); err != nil {
			return set, "", err
		}
	}
	set = h.settings(s, agent, w)
	return set, reply.Filled(set.Prefix, set.Identity, llm.Model{Provider: s.ModelProvider, ID: s.Model}, s.ThinkingLevel), nil
}

// setAside is the name of the preview that an answer to in may have left, so
// that what its sender is told takes its place.
func (h *Handler) setAside(ctx context.Context, key string, in msg.Inbound) id.Message {
	if h.Marks == nil {
		return ""
	}
	m, err := h.Marks.ChannelState(ctx, in.At.Channel, in.At.Account, "preview/"+base(Work{Keys: []string{key}, In: []msg.Inbound{in}}))
	if err != nil {
		h.Log.WarnContext(ctx, "a preview can't be found", "key", key, "err", err)
	}
	return id.Message(m)
}

// known returns what is stored in the outbox under an ID.
func (h *Handler) known(ctx context.Context, d id.Delivery) (msg.Outbound, bool, error) {
	it, ok, err := h.Outbox.Store.Outbound(ctx, d)
	return it.Out, ok, err
}

// put stores pieces of an answer for delivery.
func (h *Handler) put(ctx context.Context, outs []msg.Outbound) error {
	for i := range outs {
		if err := h.Hooks.Outbound.Run(ctx, &outs[i]); err != nil {
			return err
		}
	}
	return h.Outbox.Send(context.WithoutCancel(ctx), outs...) // what was said is shown, also when the run is stopped
}

// output is where the run says what it says.
func (t *talk) output() agent.Output {
	if t.say == nil {
		return agent.Output{Fresh: t.stream.Fresh, Delta: t.stream.Delta}
	}
	out := agent.Output{
		Fresh: func() { t.stream.Fresh(); t.say.Fresh() },
		Delta: func(text string) { t.stream.Delta(text); t.say.Delta(text) },
		Watch: t.say,
	}
	if t.mood != nil {
		delta := out.Delta
		out.Watch, out.Delta = t.mood, func(text string) { delta(text); t.mood.alive() }
	}
	return out
}

// quiet ends what shows that the run goes on.
func (t *talk) quiet() {
	t.stream.Flush()
	t.typing.stop()
	t.h.talks.mu.Lock()
	defer t.h.talks.mu.Unlock()
	delete(t.h.talks.by, t.run)
}

// leave ends the talk for another process to go on with.
func (t *talk) leave() {
	t.mood.leave()
	if t.say != nil {
		t.say.Close()
	}
}

// rest adds to outs what is still to be sent when the run has ended.
func (t *talk) rest(ctx context.Context, outs []msg.Outbound, w Work, out agent.Outcome, text reply.Text, err error) ([]msg.Outbound, error) {
	if t.say == nil {
		return outs, nil
	}
	e := reply.End{Usage: out.Usage, Session: w.Session}
	if err != nil {
		e.Instead, e.Keep = &text, asAborted(err) != nil
	}
	outs = t.say.Finish(ctx, e)
	for i := range outs {
		if err := t.h.Hooks.Outbound.Run(ctx, &outs[i]); err != nil {
			return nil, err
		}
	}
	return outs, nil
}

// done notes that what rest returned is stored.
func (t *talk) done(ctx context.Context, err error) {
	if t.say != nil && err == nil {
		t.say.Done(ctx)
	}
}

// Say sends messages for a run that goes on: in their place among what the run
// says itself, which is not shown again where they say it. The tool with which
// an agent writes messages uses it.
func (h *Handler) Say(ctx context.Context, run id.Run, outs ...msg.Outbound) error {
	if len(outs) == 0 {
		return nil
	}
	h.talks.mu.Lock()
	t := h.talks.by[run]
	h.talks.mu.Unlock()
	if t == nil || t.say.Template.To != outs[0].To {
		return h.put(ctx, outs)
	}
	return t.say.Beside(ctx, outs)
}
