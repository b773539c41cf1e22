// Package agent runs an agent once: open the session, choose a model, build
// the prompt, drive the loop, store what was said. [Runner.Run] is the whole
// story, top to bottom.
package agent

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"log/slog"
	"time"

	"github.com/openclaw-go/openclaw/internal/agent/compaction"
	"github.com/openclaw-go/openclaw/internal/agent/images"
	"github.com/openclaw-go/openclaw/internal/agent/loop"
	"github.com/openclaw-go/openclaw/internal/agent/model"
	"github.com/openclaw-go/openclaw/internal/base/event"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/settings"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/engine"
	"github.com/openclaw-go/openclaw/internal/hook"
	"github.com/openclaw-go/openclaw/internal/machine"
	"github.com/openclaw-go/openclaw/internal/provider"
	"github.com/openclaw-go/openclaw/internal/session"
	"github.com/openclaw-go/openclaw/internal/tool"
)

// Request asks for a run.
type Request struct {
	Run      id.Run
	Session  id.SessionKey
	Inputs   []Input     // what the person said, oldest first
	Origin   msg.Address // zero when no chat is behind it
	Conn     id.Conn     // the connection that gets tool events
	Owner    bool
	Model    string // provider/model; overrides the session's
	Thinking string // overrides the session's
	System   string // added to the system prompt
	Timeout  time.Duration
	// Tools are policies of where the input came from: each takes away of what
	// the agent may use. Skills are those it may use there; nil is all.
	Tools  []settings.ToolPolicy
	Skills []string
	// Theirs are tools of whoever asks: a call of one ends the run
	// ([Outcome.Handed]).
	Theirs    []llm.ToolSpec
	MaxTokens int // of each answer of the model; 0 is the model's own bound
	// Resume says that an earlier process may have begun this run; what its
	// transcript already holds isn't asked or done again.
	Resume bool
	// Steer returns more input to take up during the run; may be nil.
	Steer func() []Input
	// Gone reports that nobody waits for the run any more and its session may
	// have gone on: it writes nothing then. May be nil.
	Gone func() bool
}

// Input is one message of a person. Key names its inbox entry.
type Input struct {
	Key    string
	Text   string
	Images []llm.Block
}

func (in Input) message() llm.Message {
	c := append(llm.Content{llm.Text(in.Text)}, in.Images...)
	return llm.Message{Role: llm.User, Content: c, Key: in.Key, Time: time.Now().UnixMilli()}
}

// Outcome is what a run produced.
type Outcome struct {
	Texts   []string // the texts of its assistant messages, in order
	Usage   llm.Usage
	Last    llm.Usage // of the last model call
	Model   llm.Model
	Session id.Session
	Stop    llm.StopReason
	Started time.Time
	Ended   time.Time
	Partial string // what had arrived of an answer that was stopped
	// Handed are the calls of the asker's own tools that the run ended with.
	Handed []llm.Call
	// Took are the keys of the inputs that came during the run and are in its
	// transcript: they are answered by it.
	Took []string
	// GivenUp says that the run didn't end when it was stopped; what it came to
	// isn't known.
	GivenUp bool
}

// Aborted is the cause with which a run is stopped on somebody's wish.
type Aborted struct{ Origin string } // rpc, stop, timeout, stuck, interrupt

func (a *Aborted) Error() string { return "aborted" }

// Timeout reports whether it was the clock that stopped the run.
func (a *Aborted) Timeout() bool { return a.Origin == "timeout" }

// Unwrap makes its kind fault.Canceled.
func (a *Aborted) Unwrap() error { return context.Canceled }

// Output gets what a run says as it comes.
type Output struct {
	Fresh func()            // a new assistant message begins
	Delta func(text string) // more of it
	// Progress is called whenever something happened; tools says that calls are
	// being made, which may be silent for longer. May be nil.
	Progress func(tools bool)
	// Watch is told more of what happens; may be nil.
	Watch Watcher
}

// Watcher follows a run, in order and from one goroutine at a time.
type Watcher interface {
	// Model names the model that is asked from now on and how hard it thinks.
	Model(m llm.Model, thinking string)
	// Thinking is more of the model's thoughts before what it says next.
	Thinking(text string)
	// Said is a complete message of the model, already stored; of a resumed run
	// also those that an earlier process stored.
	Said(m llm.Message)
	// ToolStart and ToolEnd are the begin and the end of a call.
	ToolStart(c llm.Call)
	ToolEnd(c llm.Call, r tool.Result)
}

// errNone reports that there is nothing to try.
var errNone = fault.New(fault.Unavailable, "agent.Run", "no model is configured; see openclaw models status")

// Models says what to try for a run; *model.Resolver is one.
type Models interface {
	Attempts(ctx context.Context, a id.Agent, ref string) iter.Seq[model.Attempt]
	Report(ctx context.Context, a model.Attempt, err error)
}

// Use is who is about to use tools, for whom and where: all that the policy of
// tools looks at.
type Use struct {
	Agent id.Agent
	Owner bool
	Rooms []settings.ToolPolicy // of where the input came from; each takes away
}

// Runner runs agents.
type Runner struct {
	Sessions *session.Book
	Models   Models
	// Tools returns what a run may use; it is built once per use and version of
	// the configuration.
	Tools   func(Use) *loop.Toolset
	Prompts *Prompts
	Hooks   *hook.Set
	Machine machine.Machine
	Bus     *event.Bus
	Config  func() *config.Config
	// Tripped tells why tool calls of a run are blocked, or ""; may be nil.
	Tripped func(id.Run) string
	// Engine manages what of a conversation a model gets; nil shortens what is
	// too long and never sums up.
	Engine func() engine.Engine
	// Ended is called when a run is over, for what was kept for it; may be nil.
	Ended func(id.Run)
	Log   *slog.Logger

	pictures images.Keeper
	seen     seen
}

// Run runs the agent once.
func (r *Runner) Run(ctx context.Context, req Request, to Output) (out Outcome, err error) {
	r.Log.DebugContext(ctx, "agent.Run", "run", req.Run, "session", req.Session)
	out.Started = time.Now()
	r.Bus.Publish(event.RunStarted{Run: req.Run, Session: req.Session, Conn: req.Conn, At: out.Started})
	defer func() {
		if r.Ended != nil {
			r.Ended(req.Run)
		}
		out.Ended = time.Now()
		r.Bus.Publish(event.RunEnded{Run: req.Run, Session: req.Session, Usage: out.Usage, Err: err, At: out.Ended})
	}()

	cfg := r.Config()
	ctx, cancel := context.WithTimeoutCause(ctx, r.timeout(cfg, req), &Aborted{Origin: "timeout"})
	defer cancel()

	a := req.Session.Agent()
	s, _, err := r.Sessions.Open(ctx, req.Session)
	if err != nil {
		return out, err
	}
	out.Session = s.ID
	history, err := r.Sessions.History(ctx, s)
	if err != nil {
		return out, err
	}
	w := &work{Runner: r, req: req, session: s, to: to, out: &out, engine: r.engine()}
	w.bootstrap(ctx)
	defer func() { // what the person said stays said, even when the run was stopped at once
		if err != nil && !w.stored && asAborted(ctx) {
			_, serr := w.inputs(context.WithoutCancel(ctx), history)
			err = errors.Join(err, serr)
		}
	}()
	messages := usable(history)
	before := len(messages)
	if req.Resume {
		if done, err := w.resume(ctx); done || err != nil {
			return out, err
		}
	}

	tools, err := r.Tools(Use{Agent: a, Owner: req.Owner, Rooms: req.Tools}).With(req.Theirs)
	if err != nil {
		return out, err
	}
	ref := cmp.Or(req.Model, override(s))
	system, _, err := r.Prompts.System(ctx, a, req, ref, w.thinking(r.Prompts.model(a, ref)), tools.Specs)
	if err != nil {
		return out, err
	}
	w.fixed = compaction.Tokens(system) + compaction.Schemas(tools.Specs)
	p := &hook.Prompt{System: system, Messages: messages}
	if err := r.Hooks.Prompt.Run(ctx, p); err != nil {
		return out, err
	}
	turn := loop.Run{
		System: p.System, Messages: p.Messages, Tools: tools, Steer: w.steer(), FollowUp: nil,
		Scope: tool.Scope{
			Agent: a, Session: req.Session, Run: req.Run, Origin: req.Origin, Owner: req.Owner, Machine: r.Machine,
			Workspace: cfg.Workspace(a), StateDir: cfg.Paths.State,
		},
	}
	if r.Tripped != nil {
		turn.Tripped = func() string { return r.Tripped(req.Run) }
	}
	err = w.attempts(ctx, turn, ref)
	if err != nil {
		w.broken(ctx, err)
	}
	w.after(ctx, before)
	return out, err
}

// attempts goes through the models to try, and through them again while the
// error says that waiting may help. What one attempt stored stands: the next
// goes on from there, so tools don't run twice.
func (w *work) attempts(ctx context.Context, turn loop.Run, ref string) error {
	err := errNone
	first := true
	for round := range 4 {
		for a := range w.Models.Attempts(ctx, w.req.Session.Agent(), ref) {
			if w.out.Model.String() != a.Model.String() {
				w.easy = ""
			}
			w.out.Model = a.Model
			if w.to.Watch != nil {
				w.to.Watch.Model(a.Model, w.thinking(a.Model))
			}
			if serr := w.Sessions.SetModel(ctx, w.session, a.Model, w.thinking(a.Model)); serr != nil {
				return serr
			}
			if first {
				first = false
				added, aerr := w.inputs(ctx, turn.Messages)
				if aerr != nil {
					return aerr
				}
				turn.Messages = added
			}
			turn.Stream, turn.Room = w.stream(a), w.room(a, turn)
			var added []llm.Message
			added, err = w.fitted(ctx, a, &turn)
			w.Models.Report(ctx, a, err)
			if err == nil || !worthAnother(ctx, err) {
				return err
			}
			if turn.Messages = append(turn.Messages, added...); w.compactions > 0 {
				turn.Messages = w.reread(ctx, turn.Messages)
			}
			w.Log.WarnContext(ctx, "model call failed", "run", w.req.Run, "model", a.Model.String(), "round", round, "err", err)
		}
		if !worthWaiting(err) || !sleep(ctx, time.Second<<round) {
			return err
		}
	}
	return err
}

// fitted runs the loop. When the model says that the conversation is too long,
// room is made, and when it refuses to think that hard, it thinks less; then it
// is asked again. What was said and done until then stands in the transcript.
func (w *work) fitted(ctx context.Context, a model.Attempt, turn *loop.Run) (added []llm.Message, err error) {
	for {
		var more []llm.Message
		more, err = loop.Do(ctx, *turn, w)
		added = append(added, more...)
		if err != nil && ctx.Err() == nil && w.easier(a.Model, err) {
			turn.Stream, turn.Messages, added = w.stream(a), append(turn.Messages, more...), nil
			continue
		}
		if !errors.Is(err, provider.ErrOverflow) || ctx.Err() != nil {
			return added, err
		}
		ms, ok := w.smaller(ctx, a.Model, append(turn.Messages, more...))
		if !ok {
			return added, tooLong(a.Model, err)
		}
		turn.Messages, added = ms, nil
	}
}

// worthAnother reports whether a different model or credential may succeed.
func worthAnother(ctx context.Context, err error) bool {
	if ctx.Err() != nil {
		return false
	}
	switch fault.KindOf(err) {
	case fault.RateLimited, fault.Unavailable, fault.Unauthenticated, fault.Forbidden, fault.Timeout, fault.NotFound:
		return true
	}
	return false
}

// worthWaiting reports whether the same request may succeed later.
func worthWaiting(err error) bool {
	if errors.Is(err, errNone) {
		return false
	}
	switch fault.KindOf(err) {
	case fault.RateLimited, fault.Unavailable, fault.Timeout:
		return true
	}
	return false
}

func (r *Runner) timeout(cfg *config.Config, req Request) time.Duration {
	switch {
	case req.Timeout > 0:
		return req.Timeout
	case cfg.Agents.Defaults.TimeoutSeconds > 0:
		return time.Duration(cfg.Agents.Defaults.TimeoutSeconds) * time.Second
	}
	return 10 * time.Minute
}

func override(s session.Session) string {
	if s.ModelOverride == "" {
		return ""
	}
	if s.ProviderOverride != "" {
		return s.ProviderOverride + "/" + s.ModelOverride
	}
	return s.ModelOverride
}

// asAborted reports whether somebody, not the end of the process, stopped ctx.
func asAborted(ctx context.Context) bool {
	_, ok := errors.AsType[*Aborted](context.Cause(ctx))
	return ok
}

// sleep waits for d; it reports false when ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
