// Package queue runs one thing at a time per session and a bounded number in
// each pool. What waits behind a running item is merged into the next batch,
// kept for its own, taken up by what runs, or let go when there is too much of
// it, as its [Wait] says.
//
// Waiting items are only a view: whoever submits has stored them, and what is
// still waiting when the process ends is submitted again by the next one.
package queue

import (
	"context"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
)

// ErrShutdown is the cause with which running batches are stopped when the
// process ends; such a batch is taken up again at the next start.
var ErrShutdown = fault.New(fault.Canceled, "queue", "the gateway is shutting down")

// Queue is a set of lanes, one for each session.
type Queue[T any] struct {
	limit func(pool string) int
	joins func(a, b T) bool
	run   func(ctx context.Context, b Batch[T])

	mu     sync.Mutex
	lanes  map[id.SessionKey]*lane[T]
	ready  map[string][]id.SessionKey // lanes that wait for a slot of a pool, first come first served
	busy   map[string]int
	closed bool
	wg     sync.WaitGroup
}

// Batch is what runs at once.
type Batch[T any] struct {
	Items []T
	// Dropped are items that there was no room for and that Items are to be told
	// about, oldest first.
	Dropped []T
}

type lane[T any] struct {
	waiting []entry[T]
	dropped []T // to be told to the next batch
	lost    int // let go since the lane was last empty
	batch   []T // what runs now, with what it took up on the way
	pool    string
	queued  bool // the lane is in ready
	fresh   bool // nothing of it ran yet: it needn't be quiet first
	over    bool // what runs has come to its end; see Over
	// ctx is that of the latest item, without its end. Were it that of the batch
	// before, each batch would hold on to all that ever ran.
	ctx    context.Context //nolint:containedctx // see above
	cancel context.CancelCauseFunc
}

type entry[T any] struct {
	it    T
	how   Wait
	at    time.Time
	taken bool // what ran has seen it; it waits for its own turn all the same
}

// New returns a queue that runs at most limit(pool) batches at once in each
// pool. A batch is one item and those right behind it that join it; only items
// that join a running one are taken up by it.
func New[T any](limit func(pool string) int, joins func(a, b T) bool, run func(ctx context.Context, b Batch[T])) *Queue[T] {
	return &Queue[T]{
		limit: limit, joins: joins, run: run,
		lanes: map[id.SessionKey]*lane[T]{}, ready: map[string][]id.SessionKey{}, busy: map[string]int{},
	}
}

// Submitted is what became of an item.
type Submitted[T any] struct {
	Behind  bool // another batch of the lane was running or waiting
	Dropped []T  // let go for good; may have the item itself
	Lost    int  // how many were let go since the lane was last empty
}

// Submit queues an item and returns at once. After Close it does nothing.
func (q *Queue[T]) Submit(ctx context.Context, key id.SessionKey, it T, how Wait) Submitted[T] {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return Submitted[T]{}
	}
	l, behind := q.lanes[key]
	if !behind {
		l = &lane[T]{fresh: true}
		q.lanes[key] = l
	}
	if behind && l.over && len(l.waiting) == 0 {
		behind, l.fresh = false, true
	}
	out := Submitted[T]{Behind: behind}
	if fits, gone := l.room(it, how); !fits {
		out.Dropped, out.Lost = gone, l.lost
		return out
	} else if len(gone) > 0 {
		out.Dropped, out.Lost = gone, l.lost
	}
	l.waiting = append(l.waiting, entry[T]{it: it, how: how, at: time.Now()})
	l.ctx = context.WithoutCancel(ctx) // a batch outlives the request that submitted it
	if how.Interrupt != nil && l.cancel != nil && !l.over {
		l.cancel(how.Interrupt)
	}
	q.offerLocked(key, l)
	q.startLocked()
	return out
}

// offerLocked puts a lane that has something to run in line for a slot, at once
// or when it has been quiet for long enough.
func (q *Queue[T]) offerLocked(key id.SessionKey, l *lane[T]) {
	if l.cancel != nil || l.queued || len(l.waiting) == 0 {
		return
	}
	if d := l.quiet(time.Now()); d > 0 {
		time.AfterFunc(d, func() {
			q.mu.Lock()
			defer q.mu.Unlock()
			if q.lanes[key] == l && !q.closed {
				q.offerLocked(key, l)
				q.startLocked()
			}
		})
		return
	}
	l.queued, l.pool = true, l.waiting[0].how.Pool
	q.ready[l.pool] = append(q.ready[l.pool], key)
}

// startLocked gives free slots to the lanes that wait.
func (q *Queue[T]) startLocked() {
	for pool, keys := range q.ready {
		for len(keys) > 0 && q.busy[pool] < max(q.limit(pool), 1) && !q.closed {
			key := keys[0]
			keys = keys[1:]
			l := q.lanes[key]
			b := l.next(q.joins)
			var runCtx context.Context
			runCtx, l.cancel = context.WithCancelCause(l.ctx)
			q.busy[pool]++
			q.wg.Go(func() { q.work(runCtx, key, l, b) })
		}
		q.ready[pool] = keys
	}
}

func (q *Queue[T]) work(ctx context.Context, key id.SessionKey, l *lane[T], b Batch[T]) {
	q.run(ctx, b)
	q.mu.Lock()
	defer q.mu.Unlock()
	l.cancel(nil)
	l.batch, l.cancel, l.over = nil, nil, false
	q.busy[l.pool]--
	if len(l.waiting) == 0 {
		delete(q.lanes, key)
	}
	q.offerLocked(key, l)
	q.startLocked()
}

// Over tells that what runs in a lane has come to its end. Call it before
// telling anybody: who hears of the end and answers it at once isn't behind it,
// though the lane takes a moment to be free.
func (q *Queue[T]) Over(key id.SessionKey) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if l := q.lanes[key]; l != nil && l.cancel != nil {
		l.over = true
	}
}

// Take returns what waits in a lane to be taken up by what runs there; it
// belongs to the running batch from now on. again tells which of them come once
// more as an item of their own. Only what is at the head of the lane is taken,
// so that nothing overtakes.
func (q *Queue[T]) Take(key id.SessionKey) (items []T, again []T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.lanes[key]
	if l == nil || l.cancel == nil {
		return nil, nil
	}
	keep := l.waiting[:0]
	for i := range l.waiting {
		e := l.waiting[i]
		if !e.how.Mode.steers() || !q.joins(l.batch[0], e.it) {
			keep = append(keep, l.waiting[i:]...)
			break
		}
		if e.how.Mode == Steer {
			items = append(items, e.it)
			continue
		}
		if !e.taken {
			e.taken = true
			again = append(again, e.it)
		}
		keep = append(keep, e)
	}
	clear(l.waiting[len(keep):])
	l.waiting = keep
	l.batch = append(l.batch[:len(l.batch):len(l.batch)], items...)
	return items, again
}

// Return gives back what the running batch took up and didn't use: it comes
// next, for itself.
func (q *Queue[T]) Return(key id.SessionKey, items []T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.lanes[key]
	if l == nil {
		return
	}
	back := make([]entry[T], 0, len(items)+len(l.waiting))
	for _, it := range items {
		back = append(back, entry[T]{it: it, how: Wait{Mode: Followup, Pool: l.pool}})
	}
	l.waiting = append(back, l.waiting...)
}

// Waiting returns how many items wait in a lane.
func (q *Queue[T]) Waiting(key id.SessionKey) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	if l := q.lanes[key]; l != nil {
		return len(l.waiting)
	}
	return 0
}

// Busy reports whether something runs or waits in a lane.
func (q *Queue[T]) Busy(key id.SessionKey) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.lanes[key] != nil
}

// Abort stops the running batch of a lane when match accepts one of its items
// (a nil match accepts any), with cause. It returns the items of that batch.
func (q *Queue[T]) Abort(key id.SessionKey, cause error, match func(T) bool) []T {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.lanes[key]
	if l == nil || l.cancel == nil || l.over || !matches(l.batch, match) {
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
	dropped := l.dropped
	for _, e := range l.waiting {
		dropped = append(dropped, e.it)
	}
	l.waiting, l.dropped, l.lost = nil, nil, 0
	if l.cancel == nil { // nothing runs: the lane goes
		delete(q.lanes, key)
		keys := q.ready[l.pool]
		for i, k := range keys {
			if l.queued && k == key {
				q.ready[l.pool] = append(keys[:i:i], keys[i+1:]...)
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
