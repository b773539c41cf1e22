package chat_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/agent/loop"
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
	"github.com/openclaw-go/openclaw/internal/rpc"
	"github.com/openclaw-go/openclaw/internal/session"
	"github.com/openclaw-go/openclaw/internal/tool"
)

// wire is a channel that remembers what a person sees of it.
type wire struct {
	limit int // characters of a message; 0 is none
	media int64

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
	return channel.Limits{Text: n.limit, Media: n.media, Idempotent: n.keys != nil}
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

// MSG-01: text, a call, text with a preview on: each text once, in order, and
// the preview becomes the answer.
func TestPreviewBecomesTheAnswer(t *testing.T) {
	t.Parallel()
	long := letters(40)
	net := &wire{limit: 300}
	m := &teller{turns: []turnOf{
		{pieces: []string{"Let me have a look at the files ", "for you."}, call: "c1"},
		{pieces: pieces(long, 40), wait: "end"},
	}, gates: map[string]chan struct{}{"end": make(chan struct{})}}
	p := furnish(t, t.TempDir(), net, m, `{}`, "")
	defer p.crash()
	p.says(written1(1, "hi"))
	net.until(p, "a preview that is changed", func() bool { return net.edits > 0 && len(net.shown) == 1 && len([]rune(net.shown[0].text)) == 300 })
	close(m.gates["end"])
	whole := "Let me have a look at the files for you.\n\n" + long
	p.shows(net.Split(whole)...)
	if v, err := p.db.ChannelState(t.Context(), "telegram", "default", "preview/x"); v != "" || err != nil {
		t.Error(v, err)
	}
}

// When the last change is refused the answer is sent once and the preview goes.
func TestRefusedChangeIsSentOnce(t *testing.T) {
	t.Parallel()
	net := &wire{}
	net.fail = func(op, text string) error {
		if op == "edit" && strings.Contains(text, "END") {
			return fault.New(fault.Invalid, "wire", "can't be edited")
		}
		return nil
	}
	m := &teller{turns: []turnOf{{pieces: []string{"This is the beginning of a long answer.", " END"}, wait: "end"}}, gates: map[string]chan struct{}{"end": make(chan struct{})}}
	p := furnish(t, t.TempDir(), net, m, `{}`, "")
	defer p.crash()
	p.says(written1(1, "hi"))
	p.shows("This is the beginning of a long answer.")
	close(m.gates["end"])
	p.shows("This is the beginning of a long answer. END")
	if net.shown[0] != nil {
		t.Error("the preview is still there")
	}
}

// A process that ends while a preview is shown leaves it to the next one, which
// finishes it.
func TestPreviewIsFinishedByTheNextProcess(t *testing.T) {
	t.Parallel()
	dir, net := t.TempDir(), &wire{}
	m := &teller{turns: []turnOf{{pieces: []string{"This is the beginning of a long answer.", " END"}, wait: "end"}}, gates: map[string]chan struct{}{"end": make(chan struct{})}}
	p := furnish(t, dir, net, m, `{}`, "")
	p.says(written1(1, "hi"))
	p.shows("This is the beginning of a long answer.")
	p.crash()
	close(m.gates["end"])
	p = furnish(t, dir, net, m, `{}`, "")
	defer p.crash()
	if n, err := p.Inbox.Recover(t.Context()); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	p.shows("This is the beginning of a long answer. END")
	if len(net.shown) != 1 {
		t.Errorf("%d messages were sent, want the preview alone", len(net.shown))
	}
}

const blocked = `{"agents":{"defaults":{"workspace":"/nonexistent","blockStreamingChunk":{"minChars":40,"maxChars":120},"blockStreamingCoalesce":{"idleMs":0}}}}`

func TestBlocksAreShownAsTheyCome(t *testing.T) {
	t.Parallel()
	net := &wire{}
	text := "The first paragraph is long enough to go.\n\nThe second paragraph is long enough as well.\n\n```go\nfunc a() {\n\n\tb()\n}\n// " +
		strings.Repeat("x", 150) + "\n```\n\nThe end."
	m := &teller{turns: []turnOf{{pieces: append(pieces(text, 7), ""), wait: "end"}}, gates: map[string]chan struct{}{"end": make(chan struct{})}}
	p := furnish(t, t.TempDir(), net, m, `{"blockStreaming":true}`, blocked)
	defer p.crash()
	p.says(written1(1, "hi"))
	p.until("blocks before the end", func() bool { return len(net.sees()) >= 2 })
	close(m.gates["end"])
	want := []string{
		"The first paragraph is long enough to go.", "The second paragraph is long enough as well.",
		"```go\nfunc a() {\n\n\tb()\n}\n// " + strings.Repeat("x", 150) + "\n```", "The end.",
	}
	p.shows(want...)
}

// Blocks that an earlier process stored aren't shown again, whether the model
// says the same or something else.
func TestBlocksAreNotRepeatedAfterACrash(t *testing.T) {
	t.Parallel()
	const one, two = "The first paragraph is long enough to go.", "The second paragraph is long enough as well."
	for name, tc := range map[string]struct {
		again string
		want  []string
	}{
		"the same":  {one + "\n\n" + two + "\n\nThe end.", []string{one, two, "The end."}},
		"different": {one + "\n\nIn other words now, for once and for all.", []string{one, two, "In other words now, for once and for all."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, net := t.TempDir(), &wire{}
			m := &teller{turns: []turnOf{{pieces: append(pieces(one+"\n\n"+two+"\n\nThe ", 9), "end."), wait: "end"}}, gates: map[string]chan struct{}{"end": make(chan struct{})}}
			p := furnish(t, dir, net, m, `{"blockStreaming":true}`, blocked)
			p.says(written1(1, "hi"))
			p.shows(one, two)
			p.crash()
			m.turns, m.asked = []turnOf{{pieces: pieces(tc.again, 5)}}, 0
			p = furnish(t, dir, net, m, `{"blockStreaming":true}`, blocked)
			defer p.crash()
			if n, err := p.Inbox.Recover(t.Context()); n != 1 || err != nil {
				t.Fatal(n, err)
			}
			p.shows(tc.want...)
		})
	}
}

func TestSilenceShowsNothing(t *testing.T) {
	t.Parallel()
	for name, section := range map[string]string{"plain": `{"streaming":"off"}`, "preview": `{}`, "blocks": `{"blockStreaming":true}`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			net := &wire{}
			m := &teller{turns: []turnOf{{pieces: []string{"NO", "_RE", "PLY"}}, {pieces: []string{"Fine, that is all there is to say here."}}}}
			p := furnish(t, t.TempDir(), net, m, section, blocked)
			defer p.crash()
			p.says(written1(1, "hi"))
			p.until("the first run", func() bool { m.mu.Lock(); defer m.mu.Unlock(); return m.asked == 1 })
			p.says(written1(2, "and now?"))
			p.shows("Fine, that is all there is to say here.")
		})
	}
}

func TestVerboseReasoningUsageAndPrefix(t *testing.T) {
	t.Parallel()
	net := &wire{}
	m := &teller{turns: []turnOf{
		{thoughts: "I look first.", pieces: []string{"Let me see."}, call: "c1"},
		{pieces: []string{"It is done."}},
	}}
	p := furnish(t, t.TempDir(), net, m, `{"responsePrefix":"[{identity.name}|{model}|{modelFull}|{provider}|{nope}]"}`,
		`{"agents":{"list":[{"id":"main","identity":{"name":"Claw"}}],"defaults":{"verboseDefault":"full"}}}`)
	defer p.crash()
	p.cfg.Agents.Defaults.Workspace = t.TempDir()
	p.set(func(s sessionFields) { *s.reasoning, *s.usage = "on", "tokens" })
	p.says(written1(1, "hi"))
	pre := "[Claw|fake-1|fake/lab/fake-1|fake|{nope}] "
	p.shows(
		pre+"Reasoning:\n_I look first._", pre+"Let me see.", pre+"🛠️ work: `ls -la`", pre+"🛠️ work\n```\nworked\n```",
		pre+"It is done.\nUsage: 2.2k in / 140 out",
	)
}

func TestReplyThreading(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		section, text string
		want          []string
	}{
		{`{"streaming":"off"}`, "abcdef", []string{"", ""}},
		{`{"streaming":"off","replyToMode":"first"}`, "abcdef", []string{"in1", ""}},
		{`{"streaming":"off","replyToMode":"all"}`, "abcdef", []string{"in1", "in1"}},
		{`{"streaming":"off","replyToMode":"off"}`, "[[reply_to_current]]abcdef", []string{"in1", ""}},
		{`{"streaming":"off"}`, "[[reply_to:42]] abcdef", []string{"42", ""}},
		{`{"streaming":"off","replyToMode":"off","replyToModeByChatType":{"direct":"all"}}`, "abcdef", []string{"in1", "in1"}},
	} {
		t.Run(tc.section+tc.text, func(t *testing.T) {
			t.Parallel()
			net := &wire{limit: 3}
			p := furnish(t, t.TempDir(), net, &teller{turns: []turnOf{{pieces: []string{tc.text}}}}, tc.section, "")
			defer p.crash()
			p.says(written1(1, "hi"))
			p.shows("abc", "def")
			for i, m := range net.shown {
				if m.reply != tc.want[i] {
					t.Errorf("message %d answers %q, want %q", i, m.reply, tc.want[i])
				}
			}
		})
	}
}

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

// A pause as a person makes it is between blocks, not before the first.
func TestHumanDelay(t *testing.T) {
	t.Parallel()
	net := &wire{}
	m := &teller{turns: []turnOf{{pieces: pieces("The first paragraph is long enough to go.\n\nThe second paragraph is long enough as well.\n\nThe end.", 7)}}}
	p := furnish(t, t.TempDir(), net, m, `{"blockStreaming":true}`, blocked)
	defer p.crash()
	p.cfg.Agents.Defaults.HumanDelay = config.HumanDelay{Mode: "custom", MinMs: new(int), MaxMs: new(int)}
	*p.cfg.Agents.Defaults.HumanDelay.MinMs, *p.cfg.Agents.Defaults.HumanDelay.MaxMs = 200, 250
	start := time.Now()
	p.says(written1(1, "hi"))
	p.until("the first block", func() bool { return len(net.sees()) > 0 })
	p.until("all blocks", func() bool { return len(net.sees()) == 3 })
	if d := time.Since(start); d < 400*time.Millisecond {
		t.Errorf("three blocks took %v, want two pauses of 200 ms", d)
	}
}

// Pieces that follow each other closely are one message; a pause lets go what
// there is.
func TestCoalescing(t *testing.T) {
	t.Parallel()
	net := &wire{}
	m := &teller{turns: []turnOf{{pieces: []string{"A short paragraph.\n\nAnother short one.\n\nA third one here.\n\n", "and ", "the rest."}, wait: "g"}}, gates: map[string]chan struct{}{"g": make(chan struct{})}}
	p := furnish(t, t.TempDir(), net, m, `{"blockStreaming":true,"blockStreamingCoalesce":{"minChars":20,"maxChars":500,"idleMs":30}}`,
		`{"agents":{"defaults":{"blockStreamingChunk":{"minChars":10,"maxChars":60}}}}`)
	defer p.crash()
	p.says(written1(1, "hi"))
	p.shows("A short paragraph.\n\nAnother short one.\n\nA third one here.")
	close(m.gates["g"])
	p.shows("A short paragraph.\n\nAnother short one.\n\nA third one here.", "and the rest.")
}

func TestBlocksAtTheEndOfTheMessage(t *testing.T) {
	t.Parallel()
	net := &wire{}
	m := &teller{turns: []turnOf{{pieces: []string{"The first paragraph is long enough to go.\n\nThe second paragraph is long enough as well.\n\nThe end of it is here, and it is long enough too.", " Now."}, wait: "g"}}, gates: map[string]chan struct{}{"g": make(chan struct{})}}
	p := furnish(t, t.TempDir(), net, m, `{"blockStreaming":true}`, blocked)
	defer p.crash()
	p.cfg.Agents.Defaults.BlockStreamingBreak = "message_end"
	p.says(written1(1, "hi"))
	p.until("the model is asked", func() bool { m.mu.Lock(); defer m.mu.Unlock(); return m.asked == 1 })
	time.Sleep(50 * time.Millisecond)
	if got := net.sees(); len(got) != 0 {
		t.Errorf("shown before the message is complete: %q", got)
	}
	close(m.gates["g"])
	p.shows("The first paragraph is long enough to go.\n\nThe second paragraph is long enough as well.", "The end of it is here, and it is long enough too. Now.")
}

// What a tool says to the same place in the run is not said again, and stands
// where it belongs.
func TestWhatAToolSentIsNotShownAgain(t *testing.T) {
	t.Parallel()
	for name, section := range map[string]string{"plain": `{"streaming":"off"}`, "preview": `{}`, "blocks": `{"blockStreaming":true}`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			net := &wire{}
			m := &teller{turns: []turnOf{{pieces: []string{"I write to you now, as you wanted."}, call: "c1"}, {pieces: []string{"The report is ready for you."}}}}
			p := furnish(t, t.TempDir(), net, m, section, "")
			defer p.crash()
			at := written1(1, "").At
			p.Agent.Tools = func(id.Agent, bool) *loop.Toolset {
				return loop.NewToolset([]tool.Tool{tool.Func(llm.ToolSpec{Name: "work", Schema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, c tool.Call) (tool.Result, error) {
					return tool.Text("sent"), p.Say(ctx, c.Scope.Run, msg.Outbound{To: at, Text: "The report is ready  for you."})
				})})
			}
			p.says(written1(1, "hi"))
			p.shows("I write to you now, as you wanted.", "The report is ready  for you.")
			p.says(written1(2, "thanks"))
			p.until("the second answer", func() bool { return len(net.sees()) >= 3 })
		})
	}
}

func TestSendWithFiles(t *testing.T) {
	t.Parallel()
	net := &wire{media: 1 << 20, limit: 5}
	p := furnish(t, t.TempDir(), net, &teller{turns: []turnOf{{pieces: []string{"x"}}}}, `{}`, "")
	defer p.crash()
	ws := t.TempDir()
	p.cfg.Agents.Defaults.Workspace = ws
	if err := os.WriteFile(ws+"/a.png", []byte(pixel), 0o600); err != nil {
		t.Fatal(err)
	}
	call := func(params string) error {
		for _, m := range p.Methods() {
			if m.Name == "send" {
				_, err := m.Call(t.Context(), &rpc.Caller{}, json.RawMessage(params))
				return err
			}
		}
		return errors.New("no such method")
	}
	for range 2 { // the caller repeats itself
		if err := call(`{"to":"7","channel":"telegram","message":"hello you","mediaUrl":"a.png","idempotencyKey":"k"}`); err != nil {
			t.Fatal(err)
		}
	}
	p.shows("hello", " you")
	if d := cmp.Diff([]string{"image/png"}, net.shown[0].files); d != "" {
		t.Error(d)
	}
	if err := call(`{"to":"7","channel":"telegram","mediaUrl":"/etc/passwd","idempotencyKey":"l"}`); err == nil || !strings.Contains(err.Error(), "only files of the workspace") {
		t.Errorf("a file from elsewhere: %v", err)
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

func TestStreamedInTheNetworksOwnWay(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		close error
		drops int
	}{"closed": {nil, 0}, "refused": {fault.New(fault.Invalid, "wire", "no"), 1}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			net := &streaming{closes: func() error { return tc.close }}
			m := &teller{turns: []turnOf{{pieces: []string{"This is the beginning of a long answer.", " END"}, wait: "end"}}, gates: map[string]chan struct{}{"end": make(chan struct{})}}
			p := furnishOn(t, t.TempDir(), net, &net.wire, m, `{}`, "")
			defer p.crash()
			p.says(written1(1, "hi"))
			p.shows("This is the beginning of a long answer.")
			close(m.gates["end"])
			p.shows("This is the beginning of a long answer. END")
			p.until("the run ends", func() bool {
				it, ok, err := p.Inbox.Store.Inbound(t.Context(), written1(1, "").DedupeKey())
				return err == nil && ok && it.Done
			})
			p.shows("This is the beginning of a long answer. END")
			if net.drops != tc.drops || net.edits != 0 {
				t.Errorf("taken back %d times, changed %d times", net.drops, net.edits)
			}
		})
	}
}

// What a tool says stands above what the run says after it, also when the
// preview so far said the same.
func TestAPreviewGivesWayToWhatAToolSays(t *testing.T) {
	t.Parallel()
	net := &wire{}
	gate := make(chan struct{})
	m := &teller{turns: []turnOf{{pieces: []string{"The report is ready for you, all of it."}, call: "c1"}, {pieces: []string{"I have sent it to you just now."}}}}
	p := furnish(t, t.TempDir(), net, m, `{}`, "")
	defer p.crash()
	at := written1(1, "").At
	p.Agent.Tools = func(id.Agent, bool) *loop.Toolset {
		return loop.NewToolset([]tool.Tool{tool.Func(llm.ToolSpec{Name: "work", Schema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, c tool.Call) (tool.Result, error) {
			<-gate
			return tool.Text("sent"), p.Say(ctx, c.Scope.Run, msg.Outbound{To: at, Text: "The report is ready for you, all of it."})
		})})
	}
	p.says(written1(1, "hi"))
	p.until("the preview", func() bool { return len(net.sees()) == 1 })
	close(gate)
	p.shows("The report is ready for you, all of it.", "I have sent it to you just now.")
}

// A command's answer has the prefix too, with what is known filled in.
func TestPrefixOfACommand(t *testing.T) {
	t.Parallel()
	net := &wire{}
	p := furnish(t, t.TempDir(), net, &teller{turns: []turnOf{{pieces: []string{"x"}}}}, `{"responsePrefix":"auto"}`,
		`{"agents":{"list":[{"id":"main","identity":{"name":"Claw"}}]}}`)
	defer p.crash()
	p.says(written1(1, "/stop"))
	p.until("an answer", func() bool { return len(net.sees()) == 1 })
	if got := net.sees()[0]; !strings.HasPrefix(got, "[Claw] ") {
		t.Errorf("shown %q", got)
	}
}
