// Package queue runs one thing at a time per session and a bounded number in
// all. What waits behind a running item is merged into the next batch or kept
// for its own, as the mode says.
//
// Waiting items are only a view: whoever submits has stored them, and what is
// still waiting when the process ends is submitted again by the next one.
package queue

import (
	"context"
	"sync"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
)

// ErrShutdown is the cause with which running batches are stopped when the
// process ends; such a batch is taken up again at the next start.
var ErrShutdown = fault.New(fault.Canceled, "queue", "the gateway is shutting down")

// Queue is a set of lanes, one for each session.
type Queue[T any] struct {
	limit func() int
	merge func(a, b T) bool
	run   func(ctx context.Context, batch []T)

	mu     sync.Mutex
	lanes  map[id.SessionKey]*lane[T]
	ready  []id.SessionKey // lanes that wait for a slot, first come first served
	busy   int
	closed bool
	wg     sync.WaitGroup
}

type lane[T any] struct {
	waiting []T
	batch   []T // what runs now
	// ctx is that of the latest item, without its end. Were it that of the batch
	// before, each batch would hold on to all that ever ran.
	ctx    context.Context //nolint:containedctx // see above
	cancel context.CancelCauseFunc
}

// New returns a queue that runs at most limit() batches at once. A batch is one
// item and those right behind it that merge with it.
func New[T any](limit func() int, merge func(a, b T) bool, run func(ctx context.Context, batch []T)) *Queue[T] {
	return &Queue[T]{limit: limit, merge: merge, run: run, lanes: map[id.SessionKey]*lane[T]{}}
}

// Submit queues an item and returns at once. behind reports whether another
// batch of the lane was running or waiting. After Close it does nothing.
func (q *Queue[T]) Submit(ctx context.Context, key id.SessionKey, it T) (behind bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	l, behind := q.lanes[key]
	if !behind {
		l = &lane[T]{}
		q.lanes[key] = l
		q.ready = append(q.ready, key)
	}
	l.waiting = append(l.waiting, it)
	l.ctx = context.WithoutCancel(ctx) // a batch outlives the request that submitted it
	q.startLocked()                    //nolint:contextcheck // a lane runs with the context of what it holds
	return behind
}

// startLocked gives free slots to the lanes that wait.
func (q *Queue[T]) startLocked() {
	for len(q.ready) > 0 && q.busy < max(q.limit(), 1) && !q.closed {
		key := q.ready[0]
		q.ready = q.ready[1:]
		l := q.lanes[key]
		n := 1
		for n < len(l.waiting) && q.merge(l.waiting[0], l.waiting[n]) {
			n++
		}
		l.batch = l.waiting[:n:n]
		l.waiting = l.waiting[n:]
		var runCtx context.Context
		runCtx, l.cancel = context.WithCancelCause(l.ctx)
		q.busy++
		q.wg.Go(func() { q.work(runCtx, key, l) })
	}
}

func (q *Queue[T]) work(ctx context.Context, key id.SessionKey, l *lane[T]) {
	q.run(ctx, l.batch)
	q.mu.Lock()
	defer q.mu.Unlock()
	l.cancel(nil)
	l.batch, l.cancel = nil, nil
	q.busy--
	if len(l.waiting) == 0 {
		delete(q.lanes, key)
	} else {
		q.ready = append(q.ready, key)
	}
	q.startLocked() //nolint:contextcheck // a lane runs with the context of what it holds
}

// Abort stops the running batch of a lane when match accepts one of its items
// (a nil match accepts any), with cause. It returns the items of that batch.
func (q *Queue[T]) Abort(key id.SessionKey, cause error, match func(T) bool) []T {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.lanes[key]
	if l == nil || l.cancel == nil || !matches(l.batch, match) {
		return nil
	}
	l.cancel(cause)
	return l.batch
}

func matches[T any](batch []T, match func(T) bool) bool {
	if match == nil {
		return true
	}
	for _, it := range batch {
		if match(it) {
			return true
		}
	}
	return false
}

// Drop removes what waits in a lane and returns it.
func (q *Queue[T]) Drop(key id.SessionKey) []T {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.lanes[key]
	if l == nil {
		return nil
	}
	dropped := l.waiting
	l.waiting = nil
	if l.cancel == nil { // nothing runs: the lane goes
		delete(q.lanes, key)
		for i, k := range q.ready {
			if k == key {
				q.ready = append(q.ready[:i], q.ready[i+1:]...)
				break
			}
		}
	}
	return dropped
}

// Close stops the queue: nothing new starts, what runs may go on until ctx
// ends and is then stopped with [ErrShutdown]. It returns when nothing runs.
func (q *Queue[T]) Close(ctx context.Context) {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	idle := make(chan struct{})
	go func() { q.wg.Wait(); close(idle) }()
	select {
	case <-idle:
		return
	case <-ctx.Done():
	}
	q.mu.Lock()
	for _, l := range q.lanes {
		if l.cancel != nil {
			l.cancel(ErrShutdown)
		}
	}
	q.mu.Unlock()
	<-idle
}
