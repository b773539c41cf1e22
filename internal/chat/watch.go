package chat

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/agent"
)

// Patience is how long a run may show no sign of life: no piece of an answer,
// no step of a tool. A run that takes longer is stopped, and its session goes
// on.
type Patience struct {
	Model time.Duration // while the model answers; 10 minutes
	Tools time.Duration // while tools work, which say little; 35 minutes
	Grace time.Duration // how long a stopped run may take to end; 20 seconds
}

// drive runs the agent and holds a lease over it that its progress renews. A
// stopped run that doesn't end within the grace is given up: it writes nothing
// any more, and the session goes on without it.
func (h *Handler) drive(ctx context.Context, req agent.Request, to agent.Output) (agent.Outcome, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	l := &lease{
		model: cmp.Or(h.Patience.Model, 10*time.Minute), tools: cmp.Or(h.Patience.Tools, 35*time.Minute),
		over: func() { cancel(&agent.Aborted{Origin: "stuck"}) },
	}
	l.renew(false)
	defer l.end()
	hears := &listener{to: to}
	req.Gone = hears.left
	to.Fresh, to.Delta, to.Progress = hears.fresh, hears.delta, l.renew

	type ran struct {
		out agent.Outcome
		err error
	}
	done := make(chan ran, 1) // room for the one result, so that a run given up can end
	start := time.Now()
	go func() {
		out, err := h.Agent.Run(ctx, req, to)
		done <- ran{out, err}
	}()
	select {
	case r := <-done:
		return r.out, r.err
	case <-ctx.Done():
	}
	t := time.NewTimer(cmp.Or(h.Patience.Grace, 20*time.Second))
	defer t.Stop()
	select {
	case r := <-done:
		return r.out, r.err
	case <-t.C:
	}
	hears.leave()
	h.Log.ErrorContext(ctx, "a stopped run doesn't end and is given up", "run", req.Run, "session", req.Session)
	return agent.Outcome{Started: start, Ended: time.Now(), GivenUp: true}, context.Cause(ctx)
}

// listener passes on what a run says until it is given up; after leave has
// returned nothing more comes.
type listener struct {
	to agent.Output

	mu   sync.Mutex
	gone bool
}

func (l *listener) fresh() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.gone {
		l.to.Fresh()
	}
}

func (l *listener) delta(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.gone {
		l.to.Delta(text)
	}
}

func (l *listener) left() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.gone
}

func (l *listener) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.gone = true
}

// lease ends unless it is renewed.
type lease struct {
	model, tools time.Duration
	over         func()

	mu    sync.Mutex
	timer *time.Timer
	ended bool
}

func (l *lease) renew(tools bool) {
	d := l.model
	if tools {
		d = l.tools
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.ended:
	case l.timer == nil:
		l.timer = time.AfterFunc(d, l.over)
	default:
		l.timer.Reset(d)
	}
}

func (l *lease) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	l.timer.Stop()
}
