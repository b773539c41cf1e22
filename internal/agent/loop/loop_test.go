package loop_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/agent/loop"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/tool"
)

// trace is an observer that writes down what it is told.
type trace struct {
	mu    sync.Mutex
	lines []string
	fail  string // the message text that can't be stored
}

func (t *trace) add(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, fmt.Sprintf(format, args...))
}

func (t *trace) TurnStart()                        { t.add("turn_start") }
func (t *trace) Delta(s string)                    { t.add("delta %s", s) }
func (t *trace) Thinking(s string)                 { t.add("thinking %s", s) }
func (t *trace) ToolStart(c llm.Call)              { t.add("tool_start %s", c.ID) }
func (t *trace) ToolUpdate(c llm.Call, p string)   { t.add("tool_update %s %s", c.ID, p) }
func (t *trace) ToolEnd(c llm.Call, r tool.Result) { t.add("tool_end %s %v", c.ID, r.IsError) }
func (t *trace) TurnEnd(m llm.Message, rs []llm.Message) {
	t.add("turn_end %s %d", m.Stop, len(rs))
}

func (t *trace) Message(_ context.Context, m llm.Message) error {
	what := m.Text()
	if m.Role == llm.ToolRole {
		what = m.CallID + "=" + what
	}
	if t.fail != "" && strings.Contains(what, t.fail) {
		return errors.New("disk full")
	}
	t.add("message %s %s", m.Role, what)
	return nil
}

// script answers model calls one after the other.
type script struct {
	answers []any // llm.Message or error
	seen    [][]llm.Message
}

func (s *script) stream(_ context.Context, _ string, ms []llm.Message, _ []llm.ToolSpec) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		s.seen = append(s.seen, slices.Clone(ms))
		next := s.answers[0]
		s.answers = s.answers[1:]
		switch x := next.(type) {
		case error:
			if yield(llm.Event{Type: llm.TextDelta, Delta: "half"}, nil) {
				yield(llm.Event{}, x)
			}
		case llm.Message:
			if t := x.Text(); t != "" && !yield(llm.Event{Type: llm.TextDelta, Delta: t}, nil) {
				return
			}
			yield(llm.Event{Type: llm.Done, Message: x}, nil)
		}
	}
}

func say(text string) llm.Message {
	return llm.Message{Content: llm.Content{llm.Text(text)}, Stop: llm.StopEnd}
}

func call(calls ...llm.Call) llm.Message {
	m := llm.Message{Stop: llm.StopTool}
	for _, c := range calls {
		m.Content = append(m.Content, llm.Block{Type: llm.CallBlock, Call: &c})
	}
	return m
}

func user(text string) llm.Message {
	return llm.Message{Role: llm.User, Content: llm.Content{llm.Text(text)}}
}

func echo(name string, run func(context.Context, tool.Call) (tool.Result, error)) tool.Tool {
	return tool.Func(llm.ToolSpec{Name: name, Schema: json.RawMessage(`{"type":"object"}`)}, run)
}

func once(ms ...llm.Message) func() []llm.Message {
	return func() []llm.Message { out := ms; ms = nil; return out }
}

// The order of the steps is that of the loop that the seed document quotes:
// turn_start; pending messages; the assistant's message; tool calls; turn_end;
// steering; and, when the agent would stop, follow-up messages.
func TestOrder(t *testing.T) {
	t.Parallel()
	second := make(chan struct{})
	slow := echo("slow", func(context.Context, tool.Call) (tool.Result, error) { <-second; return tool.Text("slow done"), nil })
	fast := echo("fast", func(_ context.Context, c tool.Call) (tool.Result, error) {
		defer close(second)
		return tool.Text("fast done"), nil
	})
	steers := [][]llm.Message{nil, {user("also this")}, nil, nil}
	s := &script{answers: []any{
		call(llm.Call{ID: "a", Name: "slow"}, llm.Call{ID: "b", Name: "fast"}), say("both done"), say("bye"),
	}}
	obs := &trace{}
	added, err := loop.Do(t.Context(), loop.Run{
		Messages: []llm.Message{user("hi")}, Tools: loop.NewToolset([]tool.Tool{slow, fast}), Stream: s.stream,
		Steer: func() []llm.Message {
			out := steers[0]
			steers = steers[1:]
			return out
		},
		FollowUp: once(user("one more thing")),
	}, obs)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"turn_start", // the first turn
		"message assistant ", "tool_start a", "tool_start b", "tool_end b false", "tool_end a false",
		"message toolResult a=slow done", "message toolResult b=fast done", // results in call order
		"turn_end toolUse 2",
		"turn_start", "message user also this", // steered in before the next model call
		"delta both done", "message assistant both done", "turn_end stop 0",
		"turn_start", "message user one more thing", // a follow-up goes on
		"delta bye", "message assistant bye", "turn_end stop 0",
	}
	if d := cmp.Diff(want, obs.lines); d != "" {
		t.Errorf("steps (-want +got):\n%s", d)
	}
	if len(added) != 7 {
		t.Errorf("added %d messages, want 7", len(added))
	}
	if n := len(s.seen[2]); n != 7 {
		t.Errorf("the third model call saw %d messages, want 7", n)
	}
}

func TestModelErrorEndsTheTurn(t *testing.T) {
	t.Parallel()
	obs := &trace{}
	s := &script{answers: []any{fault.New(fault.Unavailable, "test", "503 busy")}}
	added, err := loop.Do(t.Context(), loop.Run{Messages: []llm.Message{user("hi")}, Tools: loop.NewToolset(nil), Stream: s.stream}, obs)
	b, ok := errors.AsType[*loop.Broken](err)
	if !ok || b.Partial.Text() != "half" || b.Partial.Stop != llm.StopError || fault.KindOf(err) != fault.Unavailable {
		t.Fatalf("error = %v, partial %+v", err, b)
	}
	if len(added) != 0 {
		t.Errorf("a failed call added %d messages", len(added))
	}
	if d := cmp.Diff([]string{"turn_start", "delta half", "turn_end error 0"}, obs.lines); d != "" {
		t.Error(d)
	}
}

func TestAbortWhileAToolRuns(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("told to stop")
	tl := echo("wait", func(ctx context.Context, _ tool.Call) (tool.Result, error) {
		cancel(stopped)
		<-ctx.Done()
		return tool.Result{}, ctx.Err()
	})
	obs := &trace{}
	s := &script{answers: []any{call(llm.Call{ID: "a", Name: "wait"})}}
	added, err := loop.Do(ctx, loop.Run{Tools: loop.NewToolset([]tool.Tool{tl}), Stream: s.stream}, obs)
	if !errors.Is(err, stopped) {
		t.Fatalf("error = %v, want the cause of the stop", err)
	}
	if len(added) != 2 || !added[1].IsError || added[1].CallID != "a" {
		t.Errorf("the stopped call has no result: %+v", added)
	}
}

func TestEveryCallGetsAResult(t *testing.T) {
	t.Parallel()
	tools := loop.NewToolset([]tool.Tool{
		echo("panics", func(context.Context, tool.Call) (tool.Result, error) { panic("boom") }),
		echo("fails", func(context.Context, tool.Call) (tool.Result, error) {
			return tool.Result{}, fault.New(fault.NotFound, "t", "no such thing")
		}),
		echo("empty", func(context.Context, tool.Call) (tool.Result, error) { return tool.Result{}, nil }),
	})
	for _, tc := range []struct{ name, args, want string }{
		{"panics", `{}`, "failed inside"},
		{"fails", `{}`, "no such thing"},
		{"empty", `{}`, "(no output)"},
		{"nobody", `{}`, "Tool nobody not found"},
		{"fails", `{"a":`, "not valid JSON"},
	} {
		s := &script{answers: []any{call(llm.Call{ID: "x", Name: tc.name, Args: json.RawMessage(tc.args)}), say("ok")}}
		added, err := loop.Do(t.Context(), loop.Run{Tools: tools, Stream: s.stream}, &trace{})
		if err != nil || len(added) != 3 || !strings.Contains(added[1].Text(), tc.want) {
			t.Errorf("%s(%s): %v, %+v; want a result with %q", tc.name, tc.args, err, added, tc.want)
		}
	}
}

func TestNothingGoesOnThatIsNotStored(t *testing.T) {
	t.Parallel()
	ran := false
	tl := echo("t", func(context.Context, tool.Call) (tool.Result, error) { ran = true; return tool.Text("x"), nil })
	s := &script{answers: []any{llm.Message{Content: llm.Content{llm.Text("calling"), {Type: llm.CallBlock, Call: &llm.Call{ID: "a", Name: "t"}}}}}}
	_, err := loop.Do(t.Context(), loop.Run{Tools: loop.NewToolset([]tool.Tool{tl}), Stream: s.stream}, &trace{fail: "calling"})
	if err == nil || ran {
		t.Errorf("error %v, tool ran %v; the call must be stored before it is made", err, ran)
	}
}

func TestBound(t *testing.T) {
	t.Parallel()
	tl := echo("t", func(context.Context, tool.Call) (tool.Result, error) { return tool.Text("again"), nil })
	s := &script{}
	for range 10 {
		s.answers = append(s.answers, call(llm.Call{ID: "a", Name: "t"}))
	}
	_, err := loop.Do(t.Context(), loop.Run{Tools: loop.NewToolset([]tool.Tool{tl}), Stream: s.stream, Max: 5}, &trace{})
	if fault.KindOf(err) != fault.Conflict || len(s.seen) != 5 {
		t.Errorf("error %v after %d calls, want a stop after 5", err, len(s.seen))
	}
}

func TestUnknownToolNamesOthers(t *testing.T) {
	t.Parallel()
	set := loop.NewToolset([]tool.Tool{echo("exec", nil)})
	set.Unknown = func(name string) tool.Result { return tool.Errorf("no %s; did you mean exec?", name) }
	s := &script{answers: []any{call(llm.Call{ID: "x", Name: "bash"}), say("ok")}}
	added, err := loop.Do(t.Context(), loop.Run{Tools: set, Stream: s.stream}, &trace{})
	if err != nil || len(added) != 3 || added[1].Text() != "no bash; did you mean exec?" || !added[1].IsError {
		t.Errorf("%v, %+v", err, added)
	}
}

// Once calls are blocked for repetition, a model that goes on calling is
// stopped; one that answers is not.
func TestTripped(t *testing.T) {
	t.Parallel()
	tl := echo("t", func(context.Context, tool.Call) (tool.Result, error) { return tool.Text("again"), nil })
	why := func() string { return "blocked" }
	s := &script{}
	for range 10 {
		s.answers = append(s.answers, call(llm.Call{ID: "a", Name: "t"}))
	}
	_, err := loop.Do(t.Context(), loop.Run{Tools: loop.NewToolset([]tool.Tool{tl}), Stream: s.stream, Tripped: why}, &trace{})
	if fault.KindOf(err) != fault.Conflict || len(s.seen) != 4 {
		t.Errorf("error %v after %d calls, want a stop after 4", err, len(s.seen))
	}
	s = &script{answers: []any{call(llm.Call{ID: "a", Name: "t"}), say("it is blocked")}}
	if _, err := loop.Do(t.Context(), loop.Run{Tools: loop.NewToolset([]tool.Tool{tl}), Stream: s.stream, Tripped: why}, &trace{}); err != nil {
		t.Error(err)
	}
}

// serial makes a tool one that runs alone.
type serial struct{ tool.Tool }

func (serial) Serial() bool { return true }

// What comes while a call runs is seen at its end: the calls that haven't begun
// are skipped, each with a result, and the message follows the results.
func TestSteeringSkipsWhatHasNotBegun(t *testing.T) {
	t.Parallel()
	var ran []string
	tl := serial{echo("t", func(_ context.Context, c tool.Call) (tool.Result, error) {
		ran = append(ran, c.ID)
		return tool.Text("did " + c.ID), nil
	})}
	s := &script{answers: []any{
		call(llm.Call{ID: "a", Name: "t"}, llm.Call{ID: "b", Name: "t"}, llm.Call{ID: "c", Name: "t"}), say("as you wish"),
	}}
	polls := 0
	obs := &trace{}
	added, err := loop.Do(t.Context(), loop.Run{
		Messages: []llm.Message{user("hi")}, Tools: loop.NewToolset([]tool.Tool{tl}), Stream: s.stream,
		Steer: func() []llm.Message {
			if polls++; polls == 3 { // after the second call
				return []llm.Message{user("stop that")}
			}
			return nil
		},
	}, obs)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(ran, []string{"a", "b"}) {
		t.Errorf("calls made: %v, want a and b", ran)
	}
	if len(added) != 6 || !added[3].IsError || added[3].CallID != "c" || !strings.Contains(added[3].Text(), "Not run") || added[4].Text() != "stop that" {
		t.Errorf("added %+v", added)
	}
}

// What comes while the model gives its last answer is the next turn of the same
// run.
func TestSteeringAfterTheLastAnswerGoesOn(t *testing.T) {
	t.Parallel()
	s := &script{answers: []any{say("done"), say("that too")}}
	polls := 0
	added, err := loop.Do(t.Context(), loop.Run{
		Messages: []llm.Message{user("hi")}, Tools: loop.NewToolset(nil), Stream: s.stream,
		Steer: func() []llm.Message {
			if polls++; polls == 2 {
				return []llm.Message{user("and this")}
			}
			return nil
		},
	}, &trace{})
	if err != nil || len(added) != 3 || added[1].Text() != "and this" || added[2].Text() != "that too" {
		t.Errorf("added %+v, %v", added, err)
	}
}

// A tool of the asker ends the run: its call is handed over with a result that
// says so, and what stands beside it is done.
func TestAskersTools(t *testing.T) {
	t.Parallel()
	own := echo("own", func(context.Context, tool.Call) (tool.Result, error) { return tool.Text("done"), nil })
	set, err := loop.NewToolset([]tool.Tool{own}).With([]llm.ToolSpec{{Name: "theirs"}})
	if err != nil {
		t.Fatal(err)
	}
	s := &script{answers: []any{call(llm.Call{ID: "a", Name: "own"}, llm.Call{ID: "b", Name: "theirs"})}}
	added, err := loop.Do(t.Context(), loop.Run{Messages: []llm.Message{user("hi")}, Tools: set, Stream: s.stream}, &trace{})
	if err != nil || len(added) != 3 || added[1].Text() != "done" || !strings.Contains(added[2].Text(), "their next message brings its result") {
		t.Errorf("added %+v, %v", added, err)
	}
	if _, err := set.With([]llm.ToolSpec{{Name: "own"}}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a name that is taken: %v", err)
	}
}
