package chat_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/agent"
	"github.com/openclaw-go/openclaw/internal/agent/loop"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/rpc"
	"github.com/openclaw-go/openclaw/internal/tool"
)

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
			p.Agent.Tools = func(agent.Use) *loop.Toolset {
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
	p.Agent.Tools = func(agent.Use) *loop.Toolset {
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
