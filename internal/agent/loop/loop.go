// Package loop is the agent loop: ask the model, run the tools that it asks
// for, ask again, until it has nothing more to do. It keeps no state, reads no
// configuration and stores nothing.
//
// It has two nested loops. The inner one runs turns while there are tool calls
// to answer or messages steered in between; the outer one takes up follow-up
// messages that waited for the agent to stop.
package loop

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/tool"
)

// Run is what the loop works with.
type Run struct {
	System   string
	Messages []llm.Message // history, then the new prompt
	Tools    *Toolset
	Scope    tool.Scope

	// Stream asks the model.
	Stream func(ctx context.Context, system string, ms []llm.Message, tools []llm.ToolSpec) iter.Seq2[llm.Event, error]
	// Room makes room for a model call: it returns the messages with which the
	// run goes on, the same ones or fewer. May be nil.
	Room func(ctx context.Context, ms []llm.Message) []llm.Message
	// Steer returns messages to put before the next model call; FollowUp those
	// to go on with when the agent would stop. Both may be nil.
	Steer    func() []llm.Message
	FollowUp func() []llm.Message
	// Tripped tells why calls of this run are blocked, "" when none are. The
	// model then has a few turns to say what is in the way. May be nil.
	Tripped func() string
	// Max is the most model calls; 0 is 200.
	Max int
}

// Observer is told what happens, in order, from one goroutine at a time.
type Observer interface {
	TurnStart()
	Delta(text string)
	Thinking(text string)
	ToolStart(c llm.Call)
	ToolUpdate(c llm.Call, partial string)
	ToolEnd(c llm.Call, r tool.Result)
	// Message takes a complete new message. It must be stored before it
	// returns; an error ends the run.
	Message(ctx context.Context, m llm.Message) error
	TurnEnd(m llm.Message, results []llm.Message)
}

// Broken is the error of a model call that failed or was stopped half-way.
type Broken struct {
	Partial llm.Message // what had arrived; Stop is StopError or StopAborted
	Err     error
}

func (b *Broken) Error() string { return b.Err.Error() }
func (b *Broken) Unwrap() error { return b.Err }

// Toolset is tools ready to be offered and called; it is built once and shared.
type Toolset struct {
	Specs  []llm.ToolSpec
	byName map[string]tool.Tool
	serial map[string]bool
	handed map[string]bool // tools of the asker
	// Unknown answers a call of a tool that isn't in the set; nil says only
	// that there is none.
	Unknown func(name string) tool.Result
}

// NewToolset returns a set of ts.
func NewToolset(ts []tool.Tool) *Toolset {
	s := &Toolset{byName: make(map[string]tool.Tool, len(ts)), serial: map[string]bool{}}
	for _, t := range ts {
		spec := t.Spec()
		s.Specs = append(s.Specs, spec)
		s.byName[spec.Name] = t
		if ser, ok := t.(tool.Serial); ok && ser.Serial() {
			s.serial[spec.Name] = true
		}
	}
	return s
}

// With returns s and tools that belong to whoever asked for the run. A call of
// one isn't made here: it ends the run once the other calls beside it are done.
func (s *Toolset) With(asker []llm.ToolSpec) (*Toolset, error) {
	if len(asker) == 0 {
		return s, nil
	}
	out := *s
	out.Specs, out.handed = slices.Clone(s.Specs), make(map[string]bool, len(asker))
	for _, spec := range asker {
		if s.byName[spec.Name] != nil || out.handed[spec.Name] {
			return nil, fault.New(fault.Invalid, "loop.With", "there is a tool "+spec.Name+" already; call yours something else")
		}
		out.Specs, out.handed[spec.Name] = append(out.Specs, spec), true
	}
	return &out, nil
}

// Only returns those of s that are named.
func (s *Toolset) Only(names ...string) *Toolset {
	out := *s
	out.Specs, out.byName = nil, map[string]tool.Tool{}
	for _, spec := range s.Specs {
		if t := s.byName[spec.Name]; t != nil && slices.Contains(names, spec.Name) {
			out.Specs, out.byName[spec.Name] = append(out.Specs, spec), t
		}
	}
	return &out
}

// ends reports whether calls hands something to the asker.
func (s *Toolset) ends(calls []llm.Call) bool {
	return slices.ContainsFunc(calls, func(c llm.Call) bool { return s.handed[c.Name] })
}

// Tool returns the tool of that name, nil when there is none.
func (s *Toolset) Tool(name string) tool.Tool { return s.byName[name] }

// Do runs the loop and returns the messages that it added. When a model call
// fails the error is a *[Broken]; the messages added before it stand.
func Do(ctx context.Context, r Run, obs Observer) ([]llm.Message, error) {
	l := &looper{Run: r, obs: obs, left: r.Max}
	if l.left == 0 {
		l.left = 200
	}
	pending := take(r.Steer)
	for {
		if err := l.turns(ctx, pending); err != nil {
			return l.added, err
		}
		if pending = take(r.FollowUp); len(pending) == 0 {
			return l.added, nil
		}
	}
}

type looper struct {
	Run
	obs   Observer
	added []llm.Message
	left  int
	vain  int           // turns in a row in which every call failed
	after int           // turns with calls since the breaker tripped
	early []llm.Message // steered in while the calls of a turn ran
}

// maxAfter is how many turns may still call tools once some are blocked for
// senseless repetition.
const maxAfter = 3

// maxVain is how many turns in a row may bring nothing but failed calls. A
// model that goes on after that doesn't read what it is told.
const maxVain = 20

func take(from func() []llm.Message) []llm.Message {
	if from == nil {
		return nil
	}
	return from()
}

// turns is the inner loop: one turn after the other until the model has no
// call left to answer and nothing was steered in.
func (l *looper) turns(ctx context.Context, pending []llm.Message) error {
	for more := true; more || len(pending) > 0; pending = l.steered() {
		l.obs.TurnStart()
		for _, m := range pending {
			if err := l.add(ctx, m); err != nil {
				return err
			}
		}
		if l.left--; l.left < 0 {
			return fault.New(fault.Conflict, "loop.Do", "I stopped: this took more model calls than one message may cause. Ask again in smaller steps.")
		}
		if l.Room != nil {
			l.Messages = l.Room(ctx, l.Messages)
		}
		answer, err := l.ask(ctx)
		if err != nil {
			l.obs.TurnEnd(answer, nil)
			return &Broken{Partial: answer, Err: err}
		}
		if err := l.add(ctx, answer); err != nil {
			return err
		}
		calls := answer.Calls()
		results, err := l.runTools(ctx, calls)
		if err != nil {
			return err
		}
		l.obs.TurnEnd(answer, results)
		if err := ctx.Err(); err != nil {
			return &Broken{Partial: aborted(nil, err), Err: context.Cause(ctx)}
		}
		if l.Tools.ends(calls) {
			return nil
		}
		if len(calls) > 0 && l.Tripped != nil {
			if why := l.Tripped(); why != "" {
				if l.after++; l.after > maxAfter {
					return fault.New(fault.Conflict, "loop.Do", "I stopped: the model went on calling tools that only repeat themselves. Ask again in other words, or choose another model.")
				}
			}
		}
		if more = len(calls) > 0; !more || slices.ContainsFunc(results, func(m llm.Message) bool { return !m.IsError }) {
			l.vain = 0
			continue
		}
		if l.vain++; l.vain >= maxVain {
			return fault.New(fault.Conflict, "loop.Do", fmt.Sprintf("I stopped: the model called tools %d times in a row and every call failed. Ask again in other words, or choose another model.", maxVain))
		}
	}
	return nil
}

// steered returns what was steered in since the model was last asked.
func (l *looper) steered() []llm.Message {
	out := append(l.early, take(l.Steer)...)
	l.early = nil
	return out
}

func (l *looper) add(ctx context.Context, m llm.Message) error {
	l.Messages = append(l.Messages, m)
	l.added = append(l.added, m)
	return l.obs.Message(context.WithoutCancel(ctx), m) // what happened is stored, also when the run was just stopped
}

// ask streams one answer. With an error it returns what had arrived.
func (l *looper) ask(ctx context.Context) (llm.Message, error) {
	var text strings.Builder
	start := time.Now().UnixMilli()
	partial := func(err error) (llm.Message, error) {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		m := aborted(&text, err)
		m.Time = start
		return m, err
	}
	for ev, err := range l.Stream(ctx, l.System, l.Messages, l.Tools.Specs) {
		switch {
		case err != nil:
			return partial(err)
		case ev.Type == llm.TextDelta:
			text.WriteString(ev.Delta)
			l.obs.Delta(ev.Delta)
		case ev.Type == llm.ThinkingDelta:
			l.obs.Thinking(ev.Delta)
		case ev.Type == llm.Done:
			ev.Message.Role = llm.Assistant
			if ev.Message.Time == 0 {
				ev.Message.Time = start
			}
			return ev.Message, nil
		}
	}
	return partial(fault.New(fault.Unavailable, "loop.ask", "the model's answer broke off"))
}

func aborted(text *strings.Builder, err error) llm.Message {
	m := llm.Message{Role: llm.Assistant, Content: llm.Content{}, Usage: &llm.Usage{}, Stop: llm.StopError, Error: err.Error(), Time: time.Now().UnixMilli()}
	if k := fault.KindOf(err); k == fault.Canceled {
		m.Stop, m.Error = llm.StopAborted, "Request was aborted"
	}
	if text != nil && text.Len() > 0 {
		m.Content = llm.Content{llm.Text(text.String())}
	}
	return m
}

// call runs one call; whatever happens, the model gets a result.
func (l *looper) call(ctx context.Context, c llm.Call, update func(string)) (r tool.Result) {
	t := l.Tools.byName[c.Name]
	switch {
	case l.Tools.handed[c.Name]:
		return tool.Result{Content: []llm.Block{llm.Text(handedOver)}}
	case t == nil && l.Tools.Unknown != nil:
		return l.Tools.Unknown(c.Name)
	case t == nil:
		return tool.Errorf("Tool %s not found", c.Name)
	}
	defer func() {
		if p := recover(); p != nil {
			r = tool.Errorf("The tool %s failed inside: %v", c.Name, p)
		}
	}()
	if !json.Valid(c.Args) && len(c.Args) > 0 {
		return tool.Errorf("%s: the arguments are not valid JSON. They must match %s", c.Name, t.Spec().Schema)
	}
	r, err := t.Run(ctx, tool.Call{Call: c, Scope: l.Scope, Update: update})
	switch {
	case err == nil:
	case ctx.Err() != nil:
		r = tool.Errorf("The call was stopped before it ended; what it did so far stands.")
	default:
		r = tool.Errorf("%s", reason(err))
	}
	if len(r.Content) == 0 {
		r.Content = []llm.Block{llm.Text("(no output)")}
	}
	return r
}

func reason(err error) string {
	if fault.KindOf(err) == fault.Internal {
		return fmt.Sprintf("The tool failed: %v", err)
	}
	return fault.Hint(err)
}
