package agent

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/openclaw-go/openclaw/internal/agent/compaction"
	"github.com/openclaw-go/openclaw/internal/agent/loop"
	"github.com/openclaw-go/openclaw/internal/agent/model"
	"github.com/openclaw-go/openclaw/internal/base/event"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/engine"
	"github.com/openclaw-go/openclaw/internal/hook"
	"github.com/openclaw-go/openclaw/internal/session"
)

const (
	maxCompactions = 3 // of one run
	maxTight       = 4 // times that a request is halved when that didn't help
	compactTime    = 5 * time.Minute
	compactPulse   = 10 * time.Second
)

// Compactions is a [Watcher] that is also told when the older part of the
// conversation was summed up.
type Compactions interface {
	// Compacted tells how often that happened in this session until now.
	Compacted(c engine.Compacted, count int)
}

func (r *Runner) engine() engine.Engine {
	if r.Engine != nil {
		if e := r.Engine(); e != nil {
			return e
		}
	}
	return &compaction.Legacy{} // its Assemble needs nothing
}

// window is how many tokens a request to m may be, 0 when nobody knows.
func (w *work) window(m llm.Model) int { return compaction.Window(w.Config().Agents.Defaults, m) }

// budget is how many tokens the messages of a request to m may be at most.
func (w *work) budget(m llm.Model, ms []llm.Message) int {
	n := 0
	if window := w.window(m); window > 0 {
		answer := window / 10
		if m.MaxTokens > 0 {
			answer = min(m.MaxTokens, window/4)
		}
		n = max(window-answer-w.fixed, 1)
	}
	if w.tight > 0 { // the model counts in another way
		n = max(min(cmp.Or(n, compaction.Size(ms)), compaction.Size(ms))>>w.tight, 1)
	}
	return n
}

// assembled is what of ms goes into a request.
func (w *work) assembled(ctx context.Context, m llm.Model, ms []llm.Message) []llm.Message {
	a, err := w.engine.Assemble(ctx, engine.Assemble{Session: w.place(), Model: m, Messages: ms, Budget: w.budget(m, ms)})
	if err != nil {
		w.Log.WarnContext(ctx, "the context engine failed; everything is sent", "engine", w.engine.Info().ID, "run", w.req.Run, "err", err)
		a.Messages = ms
	}
	if !cached(m) {
		return a.Messages
	}
	return compaction.Prune(a.Messages, w.Config().Agents.Defaults.ContextPruning, w.window(m), time.Now())
}

// cached tells whether m's service forgets what it cached after a while:
// pruning is made for those.
func cached(m llm.Model) bool { return m.API == "anthropic-messages" || m.Provider == "openrouter" }

// room returns what the loop calls before each model call: near the end of the
// window the memory is written, then the older part is summed up.
func (w *work) room(a model.Attempt, turn loop.Run) func(context.Context, []llm.Message) []llm.Message {
	return func(ctx context.Context, ms []llm.Message) []llm.Message {
		window := w.window(a.Model)
		if window <= 0 || w.Engine == nil || w.engine.Info().OwnsCompaction {
			return ms
		}
		conf := w.Config().Agents.Defaults.Compaction
		limit := window - compaction.Reserve(conf, window)
		used := compaction.Used(ms, w.fixed)
		if used > limit-compaction.Soft(conf) {
			w.remember(ctx, a, turn, ms)
		}
		if used <= limit || w.compactions >= maxCompactions {
			return ms
		}
		c := engine.Compact{Model: a.Model, Budget: max(limit-w.fixed, 1), Tokens: used}
		if w.compact(ctx, c) {
			return w.reread(ctx, ms)
		}
		w.compactions = maxCompactions // what didn't help now won't help in a moment
		return ms
	}
}

// smaller makes room after a model refused ms as too long: it has the older
// part summed up, then sends less and less of it. It reports false when
// nothing is left to do.
func (w *work) smaller(ctx context.Context, m llm.Model, ms []llm.Message) ([]llm.Message, bool) {
	if w.compactions < maxCompactions && w.Engine != nil {
		size := compaction.Size(ms)
		c := engine.Compact{Model: m, Budget: max(size/2, 1), Tokens: size, Force: true, Overflow: true}
		if w.compact(ctx, c) {
			return w.reread(ctx, ms), true
		}
		w.compactions = maxCompactions
	}
	if w.tight++; w.tight > maxTight {
		return nil, false
	}
	return w.reread(ctx, ms), true
}

func tooLong(m llm.Model, err error) error {
	return &fault.Error{
		Kind: fault.Invalid, Op: "agent.Run", Err: err,
		Hint: "The conversation doesn't fit into " + m.String() + ", even shortened. Write /new to start afresh, or choose a model with a larger window.",
	}
}

// compact has the engine sum up, and reports whether that made it shorter.
func (w *work) compact(ctx context.Context, c engine.Compact) bool {
	w.compactions++
	c.Session = w.place()
	defer w.pulse()()
	done, err := w.Runner.compact(ctx, w.req.Run, w.engine, c)
	if err != nil {
		w.Log.WarnContext(ctx, "the conversation couldn't be summed up", "run", w.req.Run, "session", w.req.Session, "err", err)
		return false
	}
	if !done.Compacted {
		return false
	}
	w.session.CompactionCount++
	if x, ok := w.to.Watch.(Compactions); ok {
		x.Compacted(done, w.session.CompactionCount)
	}
	return true
}

// pulse tells that the run goes on while something takes long; the caller ends
// it.
func (w *work) pulse() (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		t := time.NewTicker(compactPulse)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				w.alive()
			case <-done:
				return
			}
		}
	}()
	return func() { close(done); <-ended }
}

// compact is one compaction, with all who want to know of it.
func (r *Runner) compact(ctx context.Context, run id.Run, e engine.Engine, c engine.Compact) (done engine.Compacted, err error) {
	ctx, cancel := context.WithTimeout(ctx, compactTime)
	defer cancel()
	key := c.Session.Key
	if err := r.Hooks.Compacting.Run(ctx, hook.Compaction{Session: key, Before: c.Tokens}); err != nil {
		return done, err
	}
	r.Bus.Publish(event.Compacting{Run: run, Session: key})
	defer func() { r.Bus.Publish(event.Compacted{Run: run, Session: key, Done: done.Compacted}) }()
	done, err = e.Compact(ctx, c)
	if err != nil || !done.Compacted {
		return done, err
	}
	r.Log.InfoContext(ctx, "conversation summed up", "session", key, "before", done.Before, "after", done.After)
	_, err = r.Sessions.Update(ctx, key, func(s *session.Session) error {
		s.CompactionCount++
		s.TotalTokens, s.TotalTokensFresh = int64(done.After), true
		return nil
	})
	return done, errors.Join(err, r.Hooks.Compacted.Run(ctx, hook.Compaction{Session: key, Before: done.Before, After: done.After}))
}

// reread returns what the transcript holds now, or ms when it can't be read.
func (w *work) reread(ctx context.Context, ms []llm.Message) []llm.Message {
	history, err := w.Sessions.History(ctx, w.session)
	if err != nil {
		w.Log.WarnContext(ctx, "the transcript can't be read", "run", w.req.Run, "err", err)
		return ms
	}
	p := &hook.Prompt{Messages: usable(history)}
	if err := w.Hooks.Prompt.Run(ctx, p); err != nil {
		w.Log.WarnContext(ctx, "a hook refused the messages", "run", w.req.Run, "err", err)
		return ms
	}
	return p.Messages
}

func (w *work) place() engine.Session {
	return engine.Session{Key: w.req.Session, ID: w.session.ID, File: w.session.SessionFile}
}

// Compact sums up the older part of a conversation on a person's wish. It
// leaves a run of the session alone.
func (r *Runner) Compact(ctx context.Context, key id.SessionKey, m llm.Model, instructions string) (engine.Compacted, error) {
	s, ok, err := r.Sessions.Get(ctx, key)
	if err != nil || !ok {
		return engine.Compacted{Reason: "there is no conversation yet"}, err
	}
	return r.compact(ctx, "", r.engine(), engine.Compact{
		Session: engine.Session{Key: key, ID: s.ID, File: s.SessionFile}, Model: m, Force: true, Instructions: instructions,
	})
}

// Ask returns how to ask the model that ref means to agent a, or the agent's
// own, and the window of it.
func (r *Runner) Ask(_ context.Context, a id.Agent, ref string) (compaction.Ask, int) {
	m := r.Prompts.model(a, ref)
	return func(ctx context.Context, system, prompt string, most int) (string, error) {
		err := errNone
		tries := 0
		for at := range r.Models.Attempts(ctx, a, ref) {
			var text string
			text, err = once(ctx, at, system, prompt, most)
			r.Models.Report(ctx, at, err)
			if tries++; err == nil || !worthAnother(ctx, err) || tries >= maxTries {
				return text, err
			}
		}
		return "", err
	}, compaction.Window(r.Config().Agents.Defaults, m)
}

const maxTries = 4 // model calls of one question

// once asks one model one question.
func once(ctx context.Context, a model.Attempt, system, prompt string, most int) (string, error) {
	req := llm.Request{
		Model: a.Model, System: system, MaxTokens: most, Thinking: "off",
		Messages: []llm.Message{{Role: llm.User, Content: llm.Content{llm.Text(prompt)}, Time: time.Now().UnixMilli()}},
	}
	for e, err := range a.Provider.Stream(ctx, req) {
		if err != nil {
			return "", err
		}
		if e.Type == llm.Done {
			return e.Message.Text(), nil
		}
	}
	return "", fault.New(fault.Unavailable, "agent.once", "the model's answer broke off")
}
