package agent

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"github.com/openclaw-go/openclaw/internal/agent/loop"
	"github.com/openclaw-go/openclaw/internal/agent/model"
	"github.com/openclaw-go/openclaw/internal/base/event"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/engine"
	"github.com/openclaw-go/openclaw/internal/session"
	"github.com/openclaw-go/openclaw/internal/tool"
)

// work is one run: it stores messages, forwards what is said and publishes
// events. It is the loop's observer.
type work struct {
	*Runner
	req     Request
	session session.Session
	to      Output
	out     *Outcome
	said    bool // text of the current message was forwarded
	calls   int  // tool calls under way
	stored  bool // the inputs are in the transcript

	engine      engine.Engine
	fixed       int    // tokens before the messages, about
	compactions int    // tries of this run to sum up
	tight       int    // how often what a request may hold was halved
	flushed     bool   // the memory was written in this run
	easy        string // the thinking level that a service wanted instead
	easings     int
}

var _ loop.Observer = (*work)(nil)

// errGone ends a run that its session went on without.
var errGone = fault.New(fault.Canceled, "agent.Run", "the run was given up")

// resume looks for the run's input in the transcript. It reports whether the
// run had already come to its end. Of several inputs that were answered
// together, the answer belongs to the first.
func (w *work) resume(ctx context.Context) (done bool, err error) {
	entries, err := w.Sessions.Entries(ctx, w.session, 0)
	if err != nil {
		return false, err
	}
	var all []llm.Message // failed answers too, which History leaves out
	at := -1
	for _, e := range entries {
		if e.Message == nil {
			continue
		}
		if m := e.Message; m.Role == llm.User && m.Key != "" && w.has(m.Key) {
			at = len(all)
		}
		all = append(all, *e.Message)
	}
	if at < 0 || at == len(all)-1 {
		return false, nil
	}
	var said []llm.Message
	for _, m := range all[at+1:] {
		if m.Role == llm.User && m.Key != "" && !w.has(m.Key) {
			w.out.Took = append(w.out.Took, m.Key)
		}
		if m.Role == llm.Assistant && m.Stop != llm.StopError && m.Stop != llm.StopAborted {
			w.note(m)
			said = append(said, m)
		}
	}
	if at > 0 && all[at-1].Role == llm.User && all[at-1].Key != "" && !w.has(all[at-1].Key) {
		w.out.Texts, said = nil, nil
	}
	for _, m := range said {
		w.told(m)
	}
	last := all[len(all)-1]
	return last.Role == llm.Assistant && len(last.Calls()) == 0 && (last.Stop == llm.StopEnd || last.Stop == llm.StopLength), nil
}

func (w *work) has(key string) bool {
	for _, in := range w.req.Inputs {
		if in.Key == key {
			return true
		}
	}
	return false
}

// inputs stores what the person said and adds it to the messages; what an
// earlier process stored is in them already.
func (w *work) inputs(ctx context.Context, messages []llm.Message) ([]llm.Message, error) {
	w.stored = true
	known := map[string]bool{}
	if w.req.Resume {
		for _, m := range messages {
			if m.Key != "" {
				known[m.Key] = true
			}
		}
	}
	for _, in := range w.req.Inputs {
		if known[in.Key] {
			continue
		}
		m := in.message()
		if err := w.store(ctx, m); err != nil {
			return nil, err
		}
		messages = append(messages, m)
	}
	return messages, nil
}

func (w *work) thinking(m llm.Model) string {
	return cmp.Or(w.easy, w.req.Thinking, w.session.ThinkingLevel, w.Config().Agents.Defaults.ThinkingDefault, model.Thinking(m))
}

// stream asks a's model.
func (w *work) stream(a model.Attempt) func(context.Context, string, []llm.Message, []llm.ToolSpec) iter.Seq2[llm.Event, error] {
	thinking := w.thinking(a.Model)
	if !a.Model.Reasoning {
		thinking = "off"
	}
	return func(ctx context.Context, system string, ms []llm.Message, ts []llm.ToolSpec) iter.Seq2[llm.Event, error] {
		ms = w.assembled(ctx, a.Model, ms)
		return w.pictures.Ask(ms, w.side(), func(ms []llm.Message) iter.Seq2[llm.Event, error] {
			return a.Provider.Stream(ctx, llm.Request{
				Model: a.Model, System: system, Messages: ms, Tools: ts, Thinking: thinking, Session: string(w.session.ID),
				MaxTokens: w.req.MaxTokens,
			})
		})
	}
}

func (w *work) steer() func() []llm.Message {
	if w.req.Steer == nil {
		return nil
	}
	return func() []llm.Message {
		var out []llm.Message
		for _, in := range w.req.Steer() {
			out = append(out, in.message())
		}
		return out
	}
}

// broken stores what had arrived of an answer that failed or was stopped. A
// run that the shutdown cut leaves no mark: the next process goes on with it.
func (w *work) broken(ctx context.Context, err error) {
	b, ok := errors.AsType[*loop.Broken](err)
	if !ok {
		return
	}
	m := b.Partial
	w.out.Partial, w.out.Stop = m.Text(), m.Stop
	a, aborted := errors.AsType[*Aborted](err)
	if m.Stop == llm.StopAborted && !aborted {
		return
	}
	if aborted {
		m.Abort = &llm.Abort{Aborted: true, Origin: a.Origin, Run: string(w.req.Run)}
		m.Key = string(w.req.Run) + ":assistant"
	}
	m.API, m.Provider, m.Model = w.out.Model.API, w.out.Model.Provider, w.out.Model.ID
	if serr := w.store(context.WithoutCancel(ctx), m); serr != nil {
		w.Log.ErrorContext(ctx, "the end of a run isn't in the transcript", "run", w.req.Run, "err", serr)
	}
}

// note adds a message of the model to the outcome.
func (w *work) note(m llm.Message) {
	if t := m.Text(); t != "" {
		w.out.Texts = append(w.out.Texts, t)
	}
	if m.Usage != nil {
		w.out.Usage.Add(*m.Usage)
		w.out.Last = *m.Usage
	}
	w.out.Stop, w.out.Handed = m.Stop, nil
	for _, c := range m.Calls() {
		if slices.ContainsFunc(w.req.Theirs, func(t llm.ToolSpec) bool { return t.Name == c.Name }) {
			w.out.Handed = append(w.out.Handed, c)
		}
	}
}

// side is the longest side of a picture in pixels, 1200 by default (recorded:
// cli/defaults.json).
func (w *work) side() int { return cmp.Or(w.Config().Agents.Defaults.ImageMaxDimensionPx, 1200) }

// alive tells that the run goes on.
func (w *work) alive() {
	if w.to.Progress != nil {
		w.to.Progress(w.calls > 0)
	}
}

// TurnStart begins a model call.
func (w *work) TurnStart() {
	w.said = false
	w.alive()
}

// Delta forwards text.
func (w *work) Delta(text string) {
	w.alive()
	if !w.said {
		w.said = true
		w.to.Fresh()
	}
	w.to.Delta(text)
}

// Thinking forwards thoughts.
func (w *work) Thinking(text string) {
	w.alive()
	if w.to.Watch != nil {
		w.to.Watch.Thinking(text)
	}
}

// told passes a complete message of the model on.
func (w *work) told(m llm.Message) {
	if w.to.Watch != nil {
		w.to.Watch.Said(m)
	}
}

// ToolStart tells that a call begins.
func (w *work) ToolStart(c llm.Call) {
	w.calls++
	w.alive()
	w.to.Fresh() // what was held back of the text before the call is let go first
	if w.to.Watch != nil {
		w.to.Watch.ToolStart(c)
	}
	w.Bus.Publish(event.ToolStarted{Run: w.req.Run, Session: w.req.Session, Conn: w.req.Conn, Call: c})
}

// ToolUpdate tells what a call has put out so far.
func (w *work) ToolUpdate(c llm.Call, partial string) {
	w.alive()
	w.Bus.Publish(event.ToolUpdated{Run: w.req.Run, Session: w.req.Session, Conn: w.req.Conn, Call: c, Partial: partial})
}

// ToolEnd tells how a call ended.
func (w *work) ToolEnd(c llm.Call, r tool.Result) {
	w.calls--
	w.alive()
	if w.to.Watch != nil {
		w.to.Watch.ToolEnd(c, r)
	}
	w.Bus.Publish(event.ToolEnded{
		Run: w.req.Run, Session: w.req.Session, Conn: w.req.Conn, Call: c, Meta: r.Meta, Result: r.Content, IsError: r.IsError,
	})
}

// Message stores m.
func (w *work) Message(ctx context.Context, m llm.Message) error {
	if m.Role == llm.Assistant {
		w.note(m)
	}
	err := w.store(ctx, m)
	if err == nil && m.Role == llm.User && m.Key != "" {
		w.out.Took = append(w.out.Took, m.Key)
	}
	if err == nil && m.Role == llm.Assistant {
		w.told(m)
	}
	return err
}

// store writes m into the transcript, unless the session went on without this
// run.
func (w *work) store(ctx context.Context, m llm.Message) error {
	if w.req.Gone != nil && w.req.Gone() {
		return errGone
	}
	return w.Sessions.Append(ctx, w.session, w.pictures.Message(m, w.side()))
}

// TurnEnd ends a model call and its tools.
func (w *work) TurnEnd(llm.Message, []llm.Message) {}

// Note writes what the run used into its session's index entry.
func (o Outcome) Note(s *session.Session) {
	now := time.Now().UnixMilli()
	s.Updated = now
	s.SystemSent = true
	s.AbortedLastRun = o.Stop == llm.StopAborted
	if o.Model.ID != "" {
		s.ModelProvider, s.Model, s.ContextTokens = o.Model.Provider, o.Model.ID, o.Model.ContextWindow
	}
	if o.Last.Total > 0 || o.Last.Input > 0 {
		s.InputTokens, s.OutputTokens = o.Usage.Input, o.Usage.Output
		s.CacheRead, s.CacheWrite = o.Usage.CacheRead, o.Usage.CacheWrite
		s.TotalTokens, s.TotalTokensFresh = o.Last.Input+o.Last.CacheRead+o.Last.CacheWrite, true
	}
}
