package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/agent"
	"github.com/openclaw-go/openclaw/internal/agent/compaction"
	"github.com/openclaw-go/openclaw/internal/agent/loop"
	"github.com/openclaw-go/openclaw/internal/agent/model"
	"github.com/openclaw-go/openclaw/internal/base/event"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/engine"
	"github.com/openclaw-go/openclaw/internal/provider"
	"github.com/openclaw-go/openclaw/internal/session"
	"github.com/openclaw-go/openclaw/internal/tool"
)

// strict is a model that counts what it is sent and refuses what is over its
// window, as real ones do.
type strict struct {
	mu     sync.Mutex
	window int // what it takes
	says   int // what the catalogue says of it
	script func(req llm.Request) (llm.Message, error)
	asked  []llm.Request
	sums   int // summaries that it wrote
	refuse int // requests that were too long
	worst  float64

	reasoning bool
}

func (m *strict) Attempts(context.Context, id.Agent, string) iter.Seq[model.Attempt] {
	return func(yield func(model.Attempt) bool) {
		for _, name := range []string{"first", "second"} {
			if !yield(model.Attempt{Model: llm.Model{Provider: "fake", ID: name, API: "openai-completions", ContextWindow: m.says, MaxTokens: 200, Reasoning: m.reasoning}, Provider: m}) {
				return
			}
		}
	}
}

func (m *strict) Report(context.Context, model.Attempt, error) {}

// measure counts as a tokenizer of about four bytes a token does.
func measure(req llm.Request) int {
	n := len(req.System)
	for _, t := range req.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Schema) + 20
	}
	for _, x := range req.Messages {
		for _, b := range x.Content {
			n += len(b.Text) + 16
			if b.Call != nil {
				n += len(b.Call.Args) + len(b.Call.Name) + 20
			}
		}
	}
	return n / 4
}

func (m *strict) Stream(_ context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		m.mu.Lock()
		defer m.mu.Unlock()
		n := measure(req)
		m.asked = append(m.asked, req)
		if n > m.window {
			m.refuse++
			yield(llm.Event{}, &fault.Error{Kind: fault.Invalid, Op: "fake", Err: provider.ErrOverflow})
			return
		}
		var out llm.Message
		if strings.Contains(req.System, "You keep the memory") {
			m.sums++
			out = llm.Message{Content: llm.Content{llm.Text(fmt.Sprintf("## Goal\nsummary %d", m.sums))}, Stop: llm.StopEnd}
		} else {
			var err error
			if out, err = m.script(req); err != nil {
				yield(llm.Event{}, err)
				return
			}
			fixed := compaction.Tokens(req.System) + compaction.Schemas(req.Tools)
			if got := compaction.Used(req.Messages, fixed); n > 200 {
				m.worst = max(m.worst, max(float64(got)/float64(n), float64(n)/float64(got)))
			}
		}
		out.Role, out.Provider, out.Model = llm.Assistant, "fake", req.Model.ID
		o := int64(len(out.Text())/4 + 4)
		for _, c := range out.Calls() {
			o += int64(len(c.Args)+len(c.Name))/4 + 8
		}
		out.Usage = &llm.Usage{Input: int64(n), Output: o, Total: int64(n) + o}
		yield(llm.Event{Type: llm.Done, Message: out}, nil)
	}
}

func newStrict(t *testing.T, m *strict) *rig {
	t.Helper()
	r := newRig(t)
	r.Models = m
	at := func(llm.Model) llm.Model {
		return llm.Model{Provider: "fake", ID: "first", ContextWindow: m.says, MaxTokens: 200}
	}
	r.Prompts.Default = func(id.Agent) llm.Model { return at(llm.Model{}) }
	r.Prompts.Lookup = func(string) (llm.Model, error) { return at(llm.Model{}), nil }
	e := &compaction.Legacy{Book: r.Sessions, Model: r.Ask, Config: r.Config}
	r.Engine = func() engine.Engine { return e }
	return r
}

func ends(text string) llm.Message {
	return llm.Message{Content: llm.Content{llm.Text(text)}, Stop: llm.StopEnd}
}

func history(t *testing.T, r *rig) []llm.Message {
	t.Helper()
	s, _, err := r.Sessions.Get(t.Context(), "agent:main:main")
	if err != nil {
		t.Fatal(err)
	}
	h, err := r.Sessions.History(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// Near the end of the window the older part is summed up before the model is
// asked; the transcript keeps all, and taking the summary back shows it again.
func TestCompactsNearTheWindow(t *testing.T) {
	t.Parallel()
	m := &strict{window: 6000, says: 6000, script: func(llm.Request) (llm.Message, error) { return ends(strings.Repeat("word ", 300)), nil }}
	r := newStrict(t, m)
	sub := r.Bus.Subscribe(4096)
	defer sub.Close()
	for i := range 24 {
		if _, err := r.run(t, fmt.Sprint("k", i), fmt.Sprintf("question %d of CASE-%d", i, i), false); err != nil {
			t.Fatal(i, err)
		}
	}
	if m.refuse > 0 || m.sums == 0 {
		t.Fatalf("%d requests were refused, %d summaries", m.refuse, m.sums)
	}
	s, _, _ := r.Sessions.Get(t.Context(), "agent:main:main")
	if s.CompactionCount < 2 || s.CompactionCount > m.sums {
		t.Errorf("the session counts %d compactions, the model wrote %d", s.CompactionCount, m.sums)
	}
	h := history(t, r)
	if !session.IsSummary(h[0]) || !strings.Contains(h[0].Text(), "CASE-1") {
		t.Errorf("it begins with %.300s", h[0].Text())
	}
	var begun, done int
	for len(sub.C) > 0 {
		switch e := (<-sub.C).(type) {
		case event.Compacting:
			begun++
		case event.Compacted:
			if e.Done {
				done++
			}
		}
	}
	if begun != s.CompactionCount || done != s.CompactionCount {
		t.Errorf("%d begun, %d done", begun, done)
	}
	for range s.CompactionCount {
		if ok, err := r.Sessions.UndoCompaction(t.Context(), s); err != nil || !ok {
			t.Fatal(ok, err)
		}
	}
	if h := history(t, r); len(h) != 48 || h[0].Text() != "question 0 of CASE-0" {
		t.Errorf("taken back, there are %d messages, beginning with %.100s", len(h), h[0].Text())
	}
	if ok, err := r.Sessions.UndoCompaction(t.Context(), s); ok || err != nil {
		t.Errorf("nothing is left to take back: %v, %v", ok, err)
	}
}

// The catalogue is wrong about the window: the model refuses, the conversation
// is summed up, and the turn goes on where it was; no call runs twice.
func TestOverflowInTheMiddleOfATurn(t *testing.T) {
	t.Parallel()
	turn := 0
	m := &strict{window: 3000, says: 100_000}
	m.script = func(req llm.Request) (llm.Message, error) {
		if last := req.Messages[len(req.Messages)-1]; last.Role == llm.User && strings.Contains(last.Text(), "work now") || last.Role == llm.ToolRole && turn < 6 {
			turn++
			return llm.Message{Stop: llm.StopTool, Content: llm.Content{{Type: llm.CallBlock, Call: &llm.Call{ID: fmt.Sprint("call", turn), Name: "work", Args: json.RawMessage(`{}`)}}}}, nil
		}
		return ends("finished"), nil
	}
	r := newStrict(t, m)
	ran := 0
	work := tool.Func(llm.ToolSpec{Name: "work", Schema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, tool.Call) (tool.Result, error) {
		ran++
		return tool.Text(strings.Repeat("output line\n", 300)), nil
	})
	set := loop.NewToolset([]tool.Tool{work})
	r.Tools = func(agent.Use) *loop.Toolset { return set }
	out, err := r.run(t, "k", "work now on TASK-42", false)
	if err != nil || !slices.Equal(out.Texts, []string{"finished"}) || ran != 6 {
		t.Fatalf("texts %q, %d calls ran, %v", out.Texts, ran, err)
	}
	if m.refuse == 0 || m.sums == 0 {
		t.Errorf("%d refused, %d summaries", m.refuse, m.sums)
	}
	last := m.asked[len(m.asked)-1]
	if all := fmt.Sprint(last.Messages); !strings.Contains(all, "TASK-42") {
		t.Errorf("the task is lost: %.1000s", all)
	}
}

// Nothing helps: the run ends with words, after few requests, and the session
// can be used by a model that takes it.
func TestHopelesslyLong(t *testing.T) {
	t.Parallel()
	m := &strict{window: 10, says: 100_000, script: func(llm.Request) (llm.Message, error) { return ends("ok"), nil }}
	r := newStrict(t, m)
	_, err := r.run(t, "k", strings.Repeat("long ", 2000), false)
	if err == nil || !strings.Contains(fault.Hint(err), "/new") || len(m.asked) > 12 {
		t.Fatalf("%d requests: %v", len(m.asked), err)
	}
	m.window = 100_000
	if out, err := r.run(t, "k2", "short", false); err != nil || out.Texts[0] != "ok" {
		t.Errorf("afterwards: %q, %v", out.Texts, err)
	}
}

// Before the summary the memory is written, unseen, once for each.
func TestMemoryIsWrittenFirst(t *testing.T) {
	t.Parallel()
	m := &strict{window: 6000, says: 6000}
	flushes := 0
	m.script = func(req llm.Request) (llm.Message, error) {
		if strings.Contains(req.Messages[len(req.Messages)-1].Text(), "NO_REPLY") {
			flushes++
			return llm.Message{Stop: llm.StopTool, Content: llm.Content{{Type: llm.CallBlock, Call: &llm.Call{ID: "f", Name: "write", Args: json.RawMessage(`{}`)}}}}, nil
		}
		if last := req.Messages[len(req.Messages)-1]; last.Role == llm.ToolRole {
			return ends("NO_REPLY"), nil
		}
		return ends(strings.Repeat("word ", 300)), nil
	}
	r := newStrict(t, m)
	wrote := 0
	write := tool.Func(llm.ToolSpec{Name: "write", Schema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, tool.Call) (tool.Result, error) {
		wrote++
		return tool.Text("written"), nil
	})
	exec := tool.Func(llm.ToolSpec{Name: "exec", Schema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, tool.Call) (tool.Result, error) { return tool.Text(""), nil })
	set := loop.NewToolset([]tool.Tool{exec, write})
	r.Tools = func(agent.Use) *loop.Toolset { return set }
	for i := range 14 {
		out, err := r.run(t, fmt.Sprint("k", i), "question", false)
		if err != nil || len(out.Texts) != 1 || strings.Contains(out.Texts[0], "NO_REPLY") {
			t.Fatal(out.Texts, err)
		}
	}
	s, _, _ := r.Sessions.Get(t.Context(), "agent:main:main")
	if wrote == 0 || wrote != flushes || wrote < s.CompactionCount || wrote > s.CompactionCount+1 {
		t.Errorf("written %d times for %d summaries", wrote, s.CompactionCount)
	}
	for _, req := range m.asked {
		if strings.Contains(req.Messages[len(req.Messages)-1].Text(), "NO_REPLY") && len(req.Tools) != 1 {
			t.Errorf("the memory turn has %d tools", len(req.Tools))
		}
	}
	for _, x := range history(t, r) {
		if strings.Contains(x.Text(), "NO_REPLY") {
			t.Error("the memory turn is in the transcript")
		}
	}
}

// An engine of one's own is asked in the order of its contract.
type watching struct{ calls []string }

func (w *watching) call(s string)     { w.calls = append(w.calls, s) }
func (w *watching) Info() engine.Info { return engine.Info{ID: "watching", OwnsCompaction: true} }
func (w *watching) Ingest(context.Context, engine.Ingest) (bool, error) {
	w.call("ingest")
	return true, nil
}

func (w *watching) Assemble(_ context.Context, a engine.Assemble) (engine.Assembled, error) {
	w.call(fmt.Sprint("assemble ", len(a.Messages)))
	return engine.Assembled{Messages: a.Messages[len(a.Messages)-1:]}, nil
}

func (w *watching) Compact(context.Context, engine.Compact) (engine.Compacted, error) {
	w.call("compact")
	return engine.Compacted{}, nil
}

func (w *watching) Bootstrap(_ context.Context, s engine.Session) error {
	w.call("bootstrap")
	return nil
}

func (w *watching) IngestBatch(_ context.Context, b engine.Batch) (int, error) {
	w.call(fmt.Sprint("batch ", len(b.Messages)))
	return len(b.Messages), nil
}

func (w *watching) AfterTurn(_ context.Context, x engine.Turn) error {
	w.call(fmt.Sprint("turn ", len(x.Messages), " before ", x.Before))
	return nil
}

func TestEngineOfOnesOwn(t *testing.T) {
	t.Parallel()
	overflow := true
	m := &strict{window: 100_000, says: 100_000, script: func(llm.Request) (llm.Message, error) {
		if overflow {
			overflow = false
			return llm.Message{}, &fault.Error{Kind: fault.Invalid, Op: "fake", Err: provider.ErrOverflow}
		}
		return ends("ok"), nil
	}}
	r := newStrict(t, m)
	w := &watching{}
	r.Engine = func() engine.Engine { return w }
	for _, k := range []string{"a", "b"} {
		if _, err := r.run(t, k, "hi", false); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"bootstrap", "assemble 1", "compact", "assemble 1", "batch 2", "turn 2 before 0", "assemble 3", "batch 2", "turn 4 before 2"}
	if diff := cmp.Diff(want, w.calls); diff != "" {
		t.Error(diff)
	}
	if n := len(m.asked[len(m.asked)-1].Messages); n != 1 {
		t.Errorf("%d messages were sent, the engine gave one", n)
	}
}

// 500 turns with tools, failures and a small window: no dead end, each call has
// one result, the estimate is near what the model counts.
func TestLongConversation(t *testing.T) {
	t.Parallel()
	turns := 500
	if testing.Short() {
		turns = 100
	}
	rnd := rand.New(rand.NewPCG(7, 7))
	calls := 0
	m := &strict{window: 4000, says: 6000}
	m.script = func(req llm.Request) (llm.Message, error) {
		switch rnd.IntN(20) {
		case 0:
			return llm.Message{}, fault.New(fault.RateLimited, "fake", "slow down")
		case 1:
			return llm.Message{}, fault.New(fault.Unauthenticated, "fake", "bad key")
		}
		if last := req.Messages[len(req.Messages)-1]; last.Role == llm.User && rnd.IntN(2) == 0 || last.Role == llm.ToolRole && rnd.IntN(3) == 0 {
			out := llm.Message{Stop: llm.StopTool}
			for range 1 + rnd.IntN(2) {
				calls++
				out.Content = append(out.Content, llm.Block{Type: llm.CallBlock, Call: &llm.Call{ID: fmt.Sprint("call", calls), Name: "work", Args: json.RawMessage(`{}`)}})
			}
			return out, nil
		}
		return ends(strings.Repeat("word ", 5+rnd.IntN(200))), nil
	}
	r := newStrict(t, m)
	ran := map[string]int{}
	work := tool.Func(llm.ToolSpec{Name: "work", Schema: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, c tool.Call) (tool.Result, error) {
		ran[c.ID]++
		return tool.Text(strings.Repeat("output line\n", ran[c.ID]*len(c.ID)*20)), nil
	})
	serial := loop.NewToolset([]tool.Tool{alone{work}})
	r.Tools = func(agent.Use) *loop.Toolset { return serial }
	for i := range turns {
		out, err := r.run(t, fmt.Sprint("k", i), fmt.Sprintf("question %d %s", i, strings.Repeat("and ", i%50)), false)
		if err != nil {
			if k := fault.KindOf(err); k == fault.RateLimited || k == fault.Unauthenticated {
				continue // both models failed, by the dice
			}
			t.Fatalf("turn %d: %v", i, err)
		}
		if len(out.Texts) == 0 {
			t.Fatalf("turn %d has no answer", i)
		}
	}
	for c, n := range ran {
		if n != 1 {
			t.Errorf("%s ran %d times", c, n)
		}
	}
	for _, req := range m.asked {
		open := map[string]int{}
		for _, x := range req.Messages {
			for _, c := range x.Calls() {
				open[c.ID]++
			}
			if x.Role == llm.ToolRole {
				open[x.CallID]--
			}
		}
		for c, n := range open {
			if n != 0 {
				t.Fatalf("%s has %d results too few", c, n)
			}
		}
	}
	if m.sums < turns/50 || m.refuse == 0 {
		t.Errorf("only %d summaries, %d requests were too long", m.sums, m.refuse)
	}
	if m.worst > 1.15 {
		t.Errorf("the estimate was off by %.2f", m.worst)
	}
	t.Logf("%d requests, %d refused as too long, %d summaries, estimate off by at most %.3f", len(m.asked), m.refuse, m.sums, m.worst)
}

// alone is a tool whose calls don't run side by side.
type alone struct{ tool.Tool }

func (alone) Serial() bool { return true }
