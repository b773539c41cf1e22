package compaction_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/internal/agent/compaction"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/engine"
	"github.com/openclaw-go/openclaw/internal/provider"
	"github.com/openclaw-go/openclaw/internal/session"
)

// book is one conversation in memory.
type book struct {
	ms   []llm.Message
	last session.Compaction
	at   int
}

func (b *book) Located(context.Context, session.Session) ([]llm.Message, []string, error) {
	var ms []llm.Message
	var at []string
	if b.last.Summary != "" {
		ms = append(ms, llm.Message{Role: llm.User, Content: llm.Content{llm.Text(b.last.Summary)}, Key: "compaction:x"})
		at = append(at, "x")
	}
	for i, m := range b.ms[b.at:] {
		ms = append(ms, m)
		at = append(at, fmt.Sprint(b.at+i))
	}
	return ms, at, nil
}

func (b *book) Summary(context.Context, session.Session) (session.Compaction, error) {
	return b.last, nil
}

func (b *book) AppendCompaction(_ context.Context, _ session.Session, c session.Compaction) error {
	b.last = c
	_, err := fmt.Sscan(c.FirstKept, &b.at)
	return err
}

func (b *book) Get(context.Context, id.SessionKey) (session.Session, bool, error) {
	return session.Session{ID: "s"}, true, nil
}

// writer is a model that sums up: it refuses what is longer than its window.
type writer struct {
	window int
	says   func(prompt string) (string, error)
	asked  []string
}

func (w *writer) model(context.Context, id.Agent, string) (compaction.Ask, int) {
	return func(_ context.Context, system, prompt string, _ int) (string, error) {
		w.asked = append(w.asked, prompt)
		if w.window > 0 && compaction.Tokens(system+prompt) > w.window {
			return "", &fault.Error{Kind: fault.Invalid, Op: "w", Err: provider.ErrOverflow}
		}
		return w.says(prompt)
	}, w.window
}

func legacy(b *book, w *writer, conf config.Compaction) *compaction.Legacy {
	c := &config.Config{}
	c.Agents.Defaults.Compaction = conf
	return &compaction.Legacy{Book: b, Model: w.model, Config: func() *config.Config { return c }}
}

func notes(string) (string, error) { return "## Goal\nThe notes.", nil }

func user(s string) llm.Message {
	return llm.Message{Role: llm.User, Content: llm.Content{llm.Text(s)}}
}

func said(s string) llm.Message {
	return llm.Message{Role: llm.Assistant, Content: llm.Content{llm.Text(s)}, Stop: llm.StopEnd}
}

func called(n int, result string) []llm.Message {
	c := fmt.Sprint("c", n)
	return []llm.Message{
		{Role: llm.Assistant, Content: llm.Content{{Type: llm.CallBlock, Call: &llm.Call{ID: c, Name: "read", Args: json.RawMessage(`{"path":"f` + c + `"}`)}}}, Stop: llm.StopTool},
		{Role: llm.ToolRole, CallID: c, ToolName: "read", Content: llm.Content{llm.Text(result)}},
	}
}

// whole fails unless each result stands behind its call and nothing begins
// with a result.
func whole(t *testing.T, ms []llm.Message) {
	t.Helper()
	open := map[string]bool{}
	for i, m := range ms {
		for _, c := range m.Calls() {
			open[c.ID] = true
		}
		if m.Role == llm.ToolRole && !open[m.CallID] {
			t.Fatalf("message %d is a result without its call", i)
		}
	}
}

func load(t *testing.T, name string) (ms []llm.Message) {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(strings.TrimSpace(string(raw)), "\n") {
		var e struct {
			Type    string
			Message llm.Message
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if e.Type == "message" {
			ms = append(ms, e.Message)
		}
	}
	return ms
}

// CMP-03: one message of the person, then only calls and results, the last
// result larger than what may stay.
func TestLongTurn(t *testing.T) {
	t.Parallel()
	b := &book{ms: load(t, "testdata/cmp-03.jsonl")}
	w := &writer{window: 2500, says: notes}
	e := legacy(b, w, config.Compaction{KeepRecentTokens: 300, ReserveTokens: 500})
	const budget = 1800
	done, err := e.Compact(t.Context(), engine.Compact{Budget: budget, Tokens: 5000})
	if err != nil || !done.Compacted || done.After >= done.Before {
		t.Fatalf("%+v, %v", done, err)
	}
	ms, _, _ := b.Located(t.Context(), session.Session{})
	whole(t, ms)
	if ms[1].Role == llm.ToolRole {
		t.Error("the kept part begins with a result")
	}
	a, err := e.Assemble(t.Context(), engine.Assemble{Messages: ms, Budget: budget})
	if err != nil || a.Tokens > budget {
		t.Errorf("%d tokens of %d, %v", a.Tokens, budget, err)
	}
	whole(t, a.Messages)
	var all strings.Builder
	for _, m := range a.Messages {
		all.WriteString(m.Text())
	}
	for _, want := range []string{"Audit all six hosts", "OPS-7781", "bytes left out"} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("%q is lost: %.3000s", want, all.String())
		}
	}
	// Again there is nothing to gain: it says so, and asks no model.
	n := len(w.asked)
	again, err := e.Compact(t.Context(), engine.Compact{Budget: budget, Tokens: 5000, Force: true, Overflow: true})
	if err != nil || again.Compacted || again.Reason == "" || len(w.asked) > n+1 {
		t.Errorf("again: %+v, %v, %d more requests", again, err, len(w.asked)-n)
	}
}

// CMP-01: the history is three times the window of the model that sums up.
func TestSummaryInPieces(t *testing.T) {
	t.Parallel()
	b := &book{}
	for i := range 60 {
		b.ms = append(b.ms, user(fmt.Sprintf("question %d about ORDER-%d %s", i, i, strings.Repeat("word ", 60))))
		b.ms = append(b.ms, called(i, strings.Repeat("line\n", 400))...)
		b.ms = append(b.ms, said(fmt.Sprintf("answer %d %s", i, strings.Repeat("word ", 60))))
	}
	w := &writer{window: 4000, says: notes}
	if n := compaction.Size(b.ms); n < 3*w.window {
		t.Fatalf("the history is only %d tokens", n)
	}
	done, err := legacy(b, w, config.Compaction{}).Compact(t.Context(), engine.Compact{Budget: 3000, Tokens: 40000})
	if err != nil || !done.Compacted {
		t.Fatalf("%+v, %v", done, err)
	}
	if len(w.asked) < 3 || len(w.asked) > 48 {
		t.Errorf("%d requests", len(w.asked))
	}
	for i, p := range w.asked {
		if compaction.Tokens(p) > w.window {
			t.Errorf("request %d is over the window", i)
		}
		if i > 0 && !strings.Contains(p, "<notes-so-far>") {
			t.Errorf("request %d doesn't have the notes", i)
		}
	}
	if !strings.Contains(b.last.Summary, "## Files read") || !slices.Contains(b.last.Read, "fc50") {
		t.Errorf("files: %v, %s", b.last.Read, b.last.Summary)
	}
	if !strings.Contains(b.last.Summary, "ORDER-50") {
		t.Errorf("identifiers: %s", b.last.Summary)
	}
}

// A window that is smaller than the catalogue says: pieces get smaller until
// they fit.
func TestPiecesShrink(t *testing.T) {
	t.Parallel()
	b := &book{}
	for i := range 20 {
		b.ms = append(b.ms, user(strings.Repeat(fmt.Sprint("w", i, " "), 500)), said("ok"))
	}
	w := &writer{window: 2500, says: notes}
	e := legacy(b, w, config.Compaction{})
	e.Model = func(ctx context.Context, a id.Agent, ref string) (compaction.Ask, int) {
		ask, _ := w.model(ctx, a, ref)
		return ask, 16_000
	}
	done, err := e.Compact(t.Context(), engine.Compact{Budget: 2000, Tokens: 9000})
	if err != nil || !done.Compacted || len(w.asked) > 50 {
		t.Fatalf("%+v, %v, %d requests", done, err, len(w.asked))
	}
}

func TestModelFails(t *testing.T) {
	t.Parallel()
	var ms []llm.Message
	for i := range 30 {
		ms = append(ms, user(fmt.Sprintf("fact %d: the code is %d", i, 100000+i)), said(strings.Repeat("long answer ", 40)))
	}
	down := func(string) (string, error) { return "", fault.New(fault.Unavailable, "w", "down") }
	empty := func(string) (string, error) { return "  ", nil }
	for name, says := range map[string]func(string) (string, error){"down": down, "empty": empty} {
		b := &book{ms: ms}
		e := legacy(b, &writer{says: says}, config.Compaction{})
		// On a person's wish nothing changes, and they learn why.
		done, err := e.Compact(t.Context(), engine.Compact{Force: true})
		if err == nil || done.Compacted || b.last.Summary != "" {
			t.Errorf("%s: %+v, %v", name, done, err)
		}
		// When the conversation can't go on as it is, it gets shorter all the same.
		done, err = e.Compact(t.Context(), engine.Compact{Force: true, Overflow: true, Budget: 1500})
		if err != nil || !done.Compacted || !strings.Contains(b.last.Summary, "No model could be asked") || !strings.Contains(b.last.Summary, "100010") {
			t.Errorf("%s: %+v, %v: %s", name, done, err, b.last.Summary)
		}
	}
	b := &book{ms: ms}
	ctx, cancel := context.WithCancel(t.Context())
	e := legacy(b, &writer{says: func(string) (string, error) { cancel(); return "", ctx.Err() }}, config.Compaction{})
	if _, err := e.Compact(ctx, engine.Compact{Force: true, Overflow: true}); err == nil || !errors.Is(err, context.Canceled) || b.last.Summary != "" {
		t.Errorf("stopped: %v", err)
	}
}

func TestNothingToDo(t *testing.T) {
	t.Parallel()
	w := &writer{says: notes}
	for name, tt := range map[string]struct {
		ms []llm.Message
		c  engine.Compact
	}{
		"empty":        {nil, engine.Compact{Force: true}},
		"one message":  {[]llm.Message{user("hi")}, engine.Compact{Force: true}},
		"fits already": {[]llm.Message{user("hi"), said("ho"), user("hi"), said("ho")}, engine.Compact{Budget: 1000, Tokens: 10}},
	} {
		b := &book{ms: tt.ms}
		done, err := legacy(b, w, config.Compaction{}).Compact(t.Context(), tt.c)
		if err != nil || done.Compacted || done.Reason == "" {
			t.Errorf("%s: %+v, %v", name, done, err)
		}
	}
	if len(w.asked) > 0 {
		t.Errorf("asked: %q", w.asked)
	}
}

func TestWishesAndPolicies(t *testing.T) {
	t.Parallel()
	var ms []llm.Message
	for i := range 40 {
		ms = append(ms, user(fmt.Sprintf("see TICKET-%d %s", i, strings.Repeat("x ", 300))), said("fine"))
	}
	for name, tt := range map[string]struct {
		conf config.Compaction
		want []string
		not  []string
	}{
		"strict": {config.Compaction{}, []string{"Copy every identifier", "The person asks: decisions only"}, nil},
		"off":    {config.Compaction{IdentifierPolicy: "off"}, nil, []string{"Copy every identifier"}},
		"custom": {config.Compaction{IdentifierPolicy: "custom", IdentifierInstructions: "keep colours", CustomInstructions: "in verse"}, []string{"keep colours", "in verse"}, []string{"Copy every identifier"}},
	} {
		w, b := &writer{says: notes}, &book{ms: ms}
		if done, err := legacy(b, w, tt.conf).Compact(t.Context(), engine.Compact{Force: true, Budget: 4000, Instructions: "decisions only"}); err != nil || !done.Compacted {
			t.Fatalf("%s: %+v, %v", name, done, err)
		}
		for _, s := range tt.want {
			if !strings.Contains(w.asked[0], s) {
				t.Errorf("%s: %q isn't asked for", name, s)
			}
		}
		for _, s := range tt.not {
			if strings.Contains(w.asked[0], s) {
				t.Errorf("%s: %q is asked for", name, s)
			}
		}
		if off := tt.conf.IdentifierPolicy == "off"; strings.Contains(b.last.Summary, "## Identifiers") == off {
			t.Errorf("%s: %s", name, b.last.Summary)
		}
	}
}
