package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/agent"
	"github.com/openclaw-go/openclaw/internal/agent/loop"
	"github.com/openclaw-go/openclaw/internal/agent/model"
	"github.com/openclaw-go/openclaw/internal/base/event"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/hook"
	"github.com/openclaw-go/openclaw/internal/provider"
	"github.com/openclaw-go/openclaw/internal/session"
	"github.com/openclaw-go/openclaw/internal/store"
	"github.com/openclaw-go/openclaw/internal/tool"
)

// step is one answer of a scripted model: an error, or a message.
type step struct {
	err  error
	text string
	call string // a tool to call first
}

// models offers two models that answer from one script.
type models struct {
	mu    sync.Mutex
	steps []step
	asked []string // model/number of messages
	seen  [][]llm.Message
}

func (m *models) Attempts(context.Context, id.Agent, string) iter.Seq[model.Attempt] {
	return func(yield func(model.Attempt) bool) {
		for _, name := range []string{"first", "second"} {
			if !yield(model.Attempt{Model: llm.Model{Provider: "fake", ID: name, API: "openai-completions", ContextWindow: 100_000}, Provider: m}) {
				return
			}
		}
	}
}

func (m *models) Report(context.Context, model.Attempt, error) {}

func (m *models) Stream(_ context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		m.mu.Lock()
		m.asked = append(m.asked, req.Model.ID)
		m.seen = append(m.seen, append([]llm.Message(nil), req.Messages...))
		s := step{text: "end of the script"}
		if len(m.steps) > 0 {
			s, m.steps = m.steps[0], m.steps[1:]
		}
		m.mu.Unlock()
		if s.err != nil {
			yield(llm.Event{}, s.err)
			return
		}
		out := llm.Message{Role: llm.Assistant, Stop: llm.StopEnd, Usage: &llm.Usage{Input: 10, Output: 1, Total: 11}, Model: req.Model.ID, Provider: "fake"}
		if s.call != "" {
			out.Stop = llm.StopTool
			out.Content = llm.Content{{Type: llm.CallBlock, Call: &llm.Call{ID: "c" + s.call, Name: s.call, Args: json.RawMessage(`{}`)}}}
		} else {
			out.Content = llm.Content{llm.Text(s.text)}
		}
		yield(llm.Event{Type: llm.Done, Message: out}, nil)
	}
}

type rig struct {
	*agent.Runner
	m   *models
	ran int
}

func newRig(t *testing.T, steps ...step) *rig {
	t.Helper()
	dir := t.TempDir()
	cfg := &config.Config{Paths: config.Paths{Home: dir, State: dir}}
	cfg.Agents.Defaults.Workspace = filepath.Join(dir, "ws")
	cfg.Agents.Defaults.SkipBootstrap = true
	get := func() *config.Config { return cfg }
	db, err := store.Open(t.Context(), store.Options{StateDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{m: &models{steps: steps}}
	book := &session.Book{Store: db, Config: get, Now: time.Now}
	t.Cleanup(func() {
		if err := errors.Join(book.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	})
	work := tool.Func(llm.ToolSpec{Name: "work", Schema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, tool.Call) (tool.Result, error) {
		r.ran++
		return tool.Text("worked"), nil
	})
	tools := loop.NewToolset([]tool.Tool{work})
	r.Runner = &agent.Runner{
		Sessions: book, Models: r.m, Hooks: new(hook.Set), Bus: event.NewBus(), Config: get, Log: slog.New(slog.DiscardHandler),
		Tools:   func(agent.Use) *loop.Toolset { return tools },
		Prompts: &agent.Prompts{Config: get, Default: func(id.Agent) llm.Model { return llm.Model{} }},
	}
	return r
}

func (r *rig) run(t *testing.T, key, text string, resume bool) (agent.Outcome, error) {
	t.Helper()
	return r.Run(t.Context(), agent.Request{
		Run: id.Run("run-" + key), Session: "agent:main:main", Owner: true, Resume: resume, Inputs: []agent.Input{{Key: key, Text: text}},
	}, agent.Output{Fresh: func() {}, Delta: func(string) {}})
}

func refused(k fault.Kind) error { return fault.New(k, "fake", "no") }

func TestFailover(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		steps []step
		asked string // who was asked
		text  string
		kind  fault.Kind // of the error, when there is one
	}{
		{"the first answers", []step{{text: "hi"}}, "first", "hi", 0},
		{"refused key: the next at once", []step{{err: refused(fault.Unauthenticated)}, {text: "hi"}}, "first second", "hi", 0},
		{"rate limit: the next at once", []step{{err: refused(fault.RateLimited)}, {text: "hi"}}, "first second", "hi", 0},
		{"no such model: the next", []step{{err: refused(fault.NotFound)}, {text: "hi"}}, "first second", "hi", 0},
		{"a bad request is not tried again", []step{{err: refused(fault.Invalid)}}, "first", "", fault.Invalid},
		{"both keys refused: no third try", []step{{err: refused(fault.Unauthenticated)}, {err: refused(fault.Unauthenticated)}}, "first second", "", fault.Unauthenticated},
		{"both overloaded: again after a pause", []step{{err: refused(fault.Unavailable)}, {err: refused(fault.Unavailable)}, {text: "hi"}}, "first second first", "hi", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, tc.steps...)
			out, err := r.run(t, "k", "hello", false)
			if got := strings.Join(r.m.asked, " "); got != tc.asked {
				t.Errorf("asked %s, want %s", got, tc.asked)
			}
			if strings.Join(out.Texts, "") != tc.text || tc.text == "" && fault.KindOf(err) != tc.kind || tc.text != "" && err != nil {
				t.Errorf("texts %q, error %v", out.Texts, err)
			}
		})
	}
}

// What the first model's attempt did stands: the second goes on from there.
func TestToolsDontRunTwiceAcrossAttempts(t *testing.T) {
	t.Parallel()
	r := newRig(t, step{call: "work"}, step{err: refused(fault.RateLimited)}, step{text: "done"})
	out, err := r.run(t, "k", "hello", false)
	if err != nil || r.ran != 1 || strings.Join(out.Texts, "") != "done" {
		t.Errorf("ran %d times, texts %q, error %v", r.ran, out.Texts, err)
	}
	last := r.m.seen[len(r.m.seen)-1]
	if len(last) != 3 || last[2].Role != llm.ToolRole {
		t.Errorf("the second model saw %d messages, want the call and its result too", len(last))
	}
}

func TestTooLongLeavesOutTheOldest(t *testing.T) {
	t.Parallel()
	var steps []step
	for range 8 {
		steps = append(steps, step{text: strings.Repeat("x", 4000)})
	}
	r := newRig(t, steps...)
	for i := range 8 {
		if _, err := r.run(t, string(rune('a'+i)), "question "+string(rune('a'+i)), false); err != nil {
			t.Fatal(err)
		}
	}
	r.m.steps = []step{{err: &fault.Error{Kind: fault.Invalid, Op: "fake", Err: provider.ErrOverflow}}, {text: "short now"}}
	out, err := r.run(t, "z", "last", false)
	if err != nil || strings.Join(out.Texts, "") != "short now" {
		t.Fatalf("texts %q, error %v", out.Texts, err)
	}
	n := len(r.m.seen)
	before, after := r.m.seen[n-2], r.m.seen[n-1]
	if len(before) != 17 || len(after) >= len(before) || after[0].Role != llm.User || after[len(after)-1].Text() != "last" {
		t.Errorf("%d messages, then %d", len(before), len(after))
	}
	s, _, _ := r.Sessions.Get(t.Context(), "agent:main:main")
	if h, err := r.Sessions.History(t.Context(), s); err != nil || len(h) != 18 {
		t.Errorf("the transcript has %d messages, want all 18 (%v)", len(h), err)
	}
}

func TestResume(t *testing.T) {
	t.Parallel()
	r := newRig(t, step{text: "answer"})
	if _, err := r.run(t, "k", "hello", false); err != nil {
		t.Fatal(err)
	}
	// The run had ended, its reply was not stored: it is read, not made again.
	out, err := r.run(t, "k", "hello", true)
	if err != nil || strings.Join(out.Texts, "") != "answer" || len(r.m.asked) != 1 {
		t.Errorf("texts %q, asked %v, error %v", out.Texts, r.m.asked, err)
	}
	// An input that never reached the transcript is asked as if new.
	out, err = r.run(t, "other", "and this", true)
	if err != nil || strings.Join(out.Texts, "") != "end of the script" {
		t.Errorf("texts %q, error %v", out.Texts, err)
	}
}

// Two messages that were answered together: the answer belongs to the first.
func TestResumeOfABatch(t *testing.T) {
	t.Parallel()
	r := newRig(t, step{text: "both"})
	_, err := r.Run(t.Context(), agent.Request{
		Run: "r", Session: "agent:main:main", Inputs: []agent.Input{{Key: "k1", Text: "one"}, {Key: "k2", Text: "two"}},
	}, agent.Output{Fresh: func() {}, Delta: func(string) {}})
	if err != nil {
		t.Fatal(err)
	}
	first, err1 := r.run(t, "k1", "one", true)
	second, err2 := r.run(t, "k2", "two", true)
	if err1 != nil || err2 != nil || strings.Join(first.Texts, "") != "both" || len(second.Texts) != 0 || len(r.m.asked) != 1 {
		t.Errorf("first %q, second %q, asked %v, errors %v %v", first.Texts, second.Texts, r.m.asked, err1, err2)
	}
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	slow := tool.Func(llm.ToolSpec{Name: "work", Schema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, _ tool.Call) (tool.Result, error) {
		<-ctx.Done()
		return tool.Result{}, ctx.Err()
	})
	r.Tools = func(agent.Use) *loop.Toolset { return loop.NewToolset([]tool.Tool{slow}) }
	r.m.steps = []step{{call: "work"}}
	_, err := r.Run(t.Context(), agent.Request{
		Run: "r", Session: "agent:main:main", Timeout: 50 * time.Millisecond, Inputs: []agent.Input{{Key: "k", Text: "x"}},
	}, agent.Output{Fresh: func() {}, Delta: func(string) {}})
	if a, ok := errors.AsType[*agent.Aborted](err); !ok || a.Origin != "timeout" {
		t.Errorf("error %v, want a stop by the timeout", err)
	}
	s, _, _ := r.Sessions.Get(t.Context(), "agent:main:main")
	h, err := r.Sessions.History(t.Context(), s)
	if err != nil || len(h) < 3 || h[2].Role != llm.ToolRole || !h[2].IsError {
		t.Errorf("the stopped call has no result: %d messages, %v", len(h), err)
	}
}
