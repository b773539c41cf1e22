package chat_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/agent/model"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/chat"
	"github.com/openclaw-go/openclaw/internal/chat/access"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/media"
	"github.com/openclaw-go/openclaw/internal/session"
)

// wire is a channel that remembers what a person sees of it.
type wire struct {
	limit int // characters of a message; 0 is none
	media int64
	album int // files of one message

	mu     sync.Mutex
	shown  []*shownMessage
	edits  int
	typed  int
	reacts []string
	fail   func(op, text string) error // may be nil
	keys   map[id.Delivery]bool        // not nil: a delivery is shown once
	files  map[string]string
}

type shownMessage struct {
	id, text, reply string
	files           []string
}

func (n *wire) Run(ctx context.Context, _ channel.Receiver) error { <-ctx.Done(); return nil }
func (n *wire) Limits() channel.Limits {
	return channel.Limits{Text: n.limit, Media: n.media, Album: n.album, Idempotent: n.keys != nil}
}

func (n *wire) Send(_ context.Context, out msg.Outbound) (msg.Receipt, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.fail != nil {
		if err := n.fail("send", out.Text); err != nil {
			return msg.Receipt{}, err
		}
	}
	if n.keys != nil && n.keys[out.ID] {
		return msg.Receipt{At: time.Now()}, nil
	}
	if n.keys != nil {
		n.keys[out.ID] = true
	}
	m := &shownMessage{id: fmt.Sprint("m", len(n.shown)), text: out.Text, reply: string(out.ReplyTo)}
	for _, a := range out.Attachments {
		m.files = append(m.files, a.MIME)
	}
	n.shown = append(n.shown, m)
	return msg.Receipt{IDs: []id.Message{id.Message(m.id)}, At: time.Now()}, nil
}

func (n *wire) Edit(_ context.Context, _ msg.Address, m id.Message, text string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.fail != nil {
		if err := n.fail("edit", text); err != nil {
			return err
		}
	}
	for _, s := range n.shown {
		if s != nil && s.id == string(m) {
			s.text = text
			n.edits++
			return nil
		}
	}
	return fault.New(fault.NotFound, "wire.Edit", "no such message")
}

func (n *wire) Delete(_ context.Context, _ msg.Address, m id.Message) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	for i, s := range n.shown {
		if s != nil && s.id == string(m) {
			n.shown[i] = nil
		}
	}
	return nil
}

func (n *wire) Typing(context.Context, msg.Address) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.typed++
	return nil
}

func (n *wire) React(_ context.Context, _ msg.Address, m id.Message, emoji string, on bool) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.reacts = append(n.reacts, fmt.Sprint(m, emoji, on))
	return nil
}

func (n *wire) Fetch(_ context.Context, a msg.Attachment) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader(n.files[a.Ref])), nil
}

func (n *wire) Split(text string) []string {
	if n.limit == 0 {
		return []string{text}
	}
	var out []string
	for rs := []rune(text); len(rs) > 0; {
		k := min(n.limit, len(rs))
		out, rs = append(out, string(rs[:k])), rs[k:]
	}
	return out
}

// sees is the texts of the messages that are there.
func (n *wire) sees() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	var out []string
	for _, m := range n.shown {
		if m != nil {
			out = append(out, m.text)
		}
	}
	return out
}

// turnOf is what the model says in one call: pieces of text, after thoughts,
// with a call of the tool "work" at the end.
type turnOf struct {
	thoughts string
	pieces   []string
	call     string
	wait     string // for this gate before the last piece
}

// teller is a model that says what it is told to.
type teller struct {
	mu    sync.Mutex
	turns []turnOf
	gates map[string]chan struct{}
	asked int
	saw   []llm.Message // of the last call
	spoke string        // the last gate that was waited at
	// byCall has the second turn said once the call of the first was answered.
	byCall bool
}

func (m *teller) Attempts(context.Context, id.Agent, string) iter.Seq[model.Attempt] {
	return func(yield func(model.Attempt) bool) {
		yield(model.Attempt{Model: llm.Model{Provider: "fake", ID: "lab/fake-1", ContextWindow: 128000}, Provider: m})
	}
}
func (m *teller) Report(context.Context, model.Attempt, error) {}

func (m *teller) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		m.mu.Lock()
		t := m.turns[min(m.asked, len(m.turns)-1)]
		if m.byCall {
			t = m.turns[0]
			if req.Messages[len(req.Messages)-1].Role == llm.ToolRole {
				t = m.turns[1]
			}
		}
		m.asked++
		m.saw = req.Messages
		gate := m.gates[t.wait]
		m.mu.Unlock()
		out := llm.Message{Role: llm.Assistant, Stop: llm.StopEnd, Usage: &llm.Usage{Input: 1100, Output: 70}, Provider: "fake", Model: "fake-1"}
		if t.thoughts != "" {
			out.Content = append(out.Content, llm.Block{Type: llm.ThinkingBlock, Text: t.thoughts})
			if !yield(llm.Event{Type: llm.ThinkingDelta, Delta: t.thoughts}, nil) {
				return
			}
		}
		for i, p := range t.pieces {
			if gate != nil && i == len(t.pieces)-1 {
				m.mu.Lock()
				m.spoke = t.wait
				m.mu.Unlock()
				select {
				case <-gate:
				case <-ctx.Done():
					yield(llm.Event{}, ctx.Err())
					return
				}
			}
			if !yield(llm.Event{Type: llm.TextDelta, Delta: p}, nil) {
				return
			}
		}
		if text := strings.Join(t.pieces, ""); text != "" {
			out.Content = append(out.Content, llm.Text(text))
		}
		if t.call != "" {
			out.Stop = llm.StopTool
			out.Content = append(out.Content, llm.Block{Type: llm.CallBlock, Call: &llm.Call{ID: t.call, Name: "work", Args: json.RawMessage(`{"command":"ls -la"}`)}})
		}
		yield(llm.Event{Type: llm.Done, Message: out}, nil)
	}
}

// parlor is a house with one person on a wire.
type parlor struct {
	*house
	net *wire
	cfg *config.Config
}

// furnish opens a house on dir whose configuration has the given sections.
func furnish(t *testing.T, dir string, net *wire, m *teller, section, more string) *parlor {
	t.Helper()
	return furnishOn(t, dir, net, net, m, section, more)
}

func furnishOn(t *testing.T, dir string, ch channel.Channel, net *wire, m *teller, section, more string) *parlor {
	t.Helper()
	h := open(t, dir, &mind{})
	cfg := h.Config()
	if more != "" {
		if err := json.Unmarshal([]byte(more), cfg); err != nil {
			t.Fatal(err)
		}
	}
	cfg.Channels = map[id.Channel]json.RawMessage{"telegram": json.RawMessage(section)}
	h.Agent.Models = m
	h.Marks, h.PreviewEvery = h.db, time.Millisecond
	h.Files = &media.Store{Dir: dir + "/media", Log: slog.New(slog.DiscardHandler)}
	h.Access = &access.Gate{
		Log: h.Log, Commands: func() config.Commands { return config.Commands{} },
		Account: func(ch id.Channel, a id.Account) (config.Account, bool) {
			return config.Account{ID: a, Enabled: true, Common: config.ChannelSection{DMPolicy: "open", GroupPolicy: "open", AllowFrom: []string{"*"}, Groups: map[string]config.Group{"*": {RequireMention: new(bool)}}}}, true
		},
		Kind: func(id.Channel) (channel.Kind, bool) { return channel.Kind{ID: "telegram"}, true },
	}
	t.Cleanup(h.Outbox.Attach(context.WithoutCancel(t.Context()), "telegram", "default", ch))
	h.Outbox.Ready("telegram", "default", true)
	return &parlor{house: h, net: net, cfg: cfg}
}

func written1(n int, text string) msg.Inbound {
	return msg.Inbound{
		ID: id.Message(fmt.Sprint("in", n)), From: msg.Sender{ID: "7", Name: "Al"}, Text: text, Received: time.Now(), Mentioned: true,
		At: msg.Address{Channel: "telegram", Account: "default", Kind: msg.Direct, Peer: "7"},
	}
}

func (p *parlor) says(in msg.Inbound) {
	p.t.Helper()
	if err := p.Inbox.Accept(p.t.Context(), in); err != nil {
		p.t.Fatal(err)
	}
}

// shows waits until the person sees exactly want.
func (p *parlor) shows(want ...string) {
	p.t.Helper()
	p.until(fmt.Sprintf("the person sees %q", want), func() bool { return cmp.Equal(p.net.sees(), want) })
	if d := cmp.Diff(want, p.net.sees()); d != "" {
		p.t.Error(d)
	}
}

func letters(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "Sentence %d is here. ", i)
		if i%5 == 4 {
			b.WriteString("\n\n")
		}
	}
	return strings.TrimSpace(b.String())
}

func pieces(s string, n int) []string {
	var out []string
	for len(s) > 0 {
		k := min(n, len(s))
		out, s = append(out, s[:k]), s[k:]
	}
	return out
}

func (n *wire) until(p *parlor, what string, ok func() bool) {
	p.t.Helper()
	p.until(what, func() bool { n.mu.Lock(); defer n.mu.Unlock(); return ok() })
}

var _ chat.Marks = (interface {
	ChannelState(ctx context.Context, c id.Channel, a id.Account, key string) (string, error)
	SetChannelState(ctx context.Context, c id.Channel, a id.Account, key, value string) error
})(nil)

type sessionFields struct{ reasoning, usage *string }

// set changes the session's settings.
func (p *parlor) set(change func(sessionFields)) {
	p.t.Helper()
	s, _, err := p.Agent.Sessions.Open(p.t.Context(), "agent:main:main")
	if err != nil {
		p.t.Fatal(err)
	}
	_ = s
	if _, err := p.Agent.Sessions.Update(p.t.Context(), "agent:main:main", func(s *session.Session) error {
		change(sessionFields{&s.ReasoningLevel, &s.ResponseUsage})
		return nil
	}); err != nil {
		p.t.Fatal(err)
	}
}

// streaming is a wire that shows messages as they are written.
type streaming struct {
	wire
	closes func() error
	drops  int
}

func (n *streaming) Stream(ctx context.Context, out msg.Outbound) (channel.Stream, error) {
	r, err := n.Send(ctx, out)
	if err != nil {
		return nil, err
	}
	return &written2{n: n, m: r.IDs[0]}, nil
}

type written2 struct {
	n *streaming
	m id.Message
}

func (w *written2) Append(_ context.Context, text string) error {
	w.n.mu.Lock()
	defer w.n.mu.Unlock()
	for _, s := range w.n.shown {
		if s != nil && s.id == string(w.m) {
			s.text += text
		}
	}
	return nil
}

func (w *written2) Close(context.Context) (msg.Receipt, error) {
	return msg.Receipt{IDs: []id.Message{w.m}}, w.n.closes()
}

func (w *written2) Drop(ctx context.Context) error {
	w.n.drops++
	return w.n.Delete(ctx, msg.Address{}, w.m)
}
