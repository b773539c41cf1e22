package queue_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/chat/queue"
)

type log struct {
	mu      sync.Mutex
	batches [][]string
	causes  []error
	now     int
	most    int
}

func (l *log) run(hold time.Duration) func(ctx context.Context, b queue.Batch[string]) {
	return func(ctx context.Context, b queue.Batch[string]) {
		l.mu.Lock()
		l.batches = append(l.batches, slices.Clone(b.Items))
		l.now++
		l.most = max(l.most, l.now)
		l.mu.Unlock()
		select {
		case <-time.After(hold):
		case <-ctx.Done():
		}
		l.mu.Lock()
		l.now--
		l.causes = append(l.causes, context.Cause(ctx))
		l.mu.Unlock()
	}
}

func (l *log) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.batches)
}

func limit(n int) func(string) int { return func(string) int { return n } }
func always(string, string) bool   { return true }
func never(string, string) bool    { return false }
func key(s string) id.SessionKey   { return id.SessionKey("agent:main:" + s) }
func sameLetter(a, b string) bool  { return a[0] == b[0] }

func TestCollectMergesWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l log
		q := queue.New(limit(4), sameLetter, l.run(time.Second))
		for i, it := range []string{"a1", "a2", "a3", "b1", "a4"} {
			if behind := q.Submit(t.Context(), key("s"), it, queue.Wait{}).Behind; behind != (i > 0) {
				t.Errorf("Submit(%s) behind = %v", it, behind)
			}
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		want := [][]string{{"a1"}, {"a2", "a3"}, {"b1"}, {"a4"}}
		if !slices.EqualFunc(l.batches, want, slices.Equal) {
			t.Errorf("batches %v, want %v", l.batches, want)
		}
	})
}

func TestOneAtATimePerSessionAndABoundInAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l log
		q := queue.New(limit(3), never, l.run(time.Second))
		for i := range 12 {
			q.Submit(t.Context(), key(string(rune('a'+i%6))), "x", queue.Wait{})
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(l.batches) != 12 || l.most != 3 {
			t.Errorf("%d batches, %d at once; want 12 and 3", len(l.batches), l.most)
		}
	})
}

func TestAbortStopsOnlyWhatMatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l log
		q := queue.New(limit(4), always, l.run(time.Hour))
		q.Submit(t.Context(), key("s"), "x", queue.Wait{})
		synctest.Wait()
		stop := errors.New("stop")
		if got := q.Abort(key("s"), stop, func(s string) bool { return s == "y" }); got != nil {
			t.Errorf("Abort of another run stopped %v", got)
		}
		if got := q.Abort(key("s"), stop, nil); len(got) != 1 {
			t.Errorf("Abort = %v", got)
		}
		synctest.Wait()
		if len(l.causes) != 1 || !errors.Is(l.causes[0], stop) {
			t.Errorf("causes %v", l.causes)
		}
	})
}

func TestDropEmptiesALane(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l log
		q := queue.New(limit(1), never, l.run(time.Second))
		q.Submit(t.Context(), key("busy"), "x", queue.Wait{})
		q.Submit(t.Context(), key("s"), "y", queue.Wait{})
		if got := q.Drop(key("s")); len(got) != 1 {
			t.Errorf("Drop = %v", got)
		}
		q.Submit(t.Context(), key("s"), "z", queue.Wait{})
		time.Sleep(time.Minute)
		synctest.Wait()
		if want := [][]string{{"x"}, {"z"}}; !slices.EqualFunc(l.batches, want, slices.Equal) {
			t.Errorf("batches %v, want %v", l.batches, want)
		}
	})
}

func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l log
		q := queue.New(limit(4), never, l.run(time.Hour))
		q.Submit(t.Context(), key("s"), "x", queue.Wait{})
		q.Submit(t.Context(), key("s"), "waits", queue.Wait{})
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		start := time.Now()
		q.Close(ctx)
		if d := time.Since(start); d != 5*time.Second {
			t.Errorf("Close took %v, want the 5 s of grace", d)
		}
		if len(l.batches) != 1 || !errors.Is(l.causes[0], queue.ErrShutdown) {
			t.Errorf("batches %v, causes %v", l.batches, l.causes)
		}
		if q.Submit(t.Context(), key("t"), "late", queue.Wait{}); len(l.batches) != 1 {
			t.Error("a closed queue started something")
		}
	})
}

// TestBatchesHoldNothingOfThoseBefore: a batch that began when another ended
// once had its context, and with it those of all before.
func TestBatchesHoldNothingOfThoseBefore(t *testing.T) {
	t.Parallel()
	var last string
	q := queue.New(limit(1), never, func(ctx context.Context, _ queue.Batch[string]) {
		last = fmt.Sprint(ctx) // one batch at a time
	})
	for i := range 50 {
		q.Submit(t.Context(), id.SessionKey(fmt.Sprint("s", i%3)), "x", queue.Wait{})
	}
	q.Close(t.Context())
	if n := strings.Count(last, "WithoutCancel"); n != 1 {
		t.Errorf("the context of the last batch is %d deep: %s", n, last)
	}
}

func TestQuietBeforeTheNextBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l log
		q := queue.New(limit(4), always, l.run(time.Second))
		how := queue.Wait{Quiet: time.Second}
		start := time.Now()
		q.Submit(t.Context(), key("s"), "now", how)
		synctest.Wait()
		if l.count() != 1 {
			t.Fatal("the first item of an idle lane waited")
		}
		for i := range 4 {
			time.Sleep(600 * time.Millisecond)
			synctest.Wait()
			q.Submit(t.Context(), key("s"), fmt.Sprint("w", i), how)
		}
		for l.count() < 2 {
			time.Sleep(10 * time.Millisecond)
			synctest.Wait()
		}
		if d := time.Since(start).Round(100 * time.Millisecond); d != 3400*time.Millisecond || len(l.batches[1]) != 4 {
			t.Errorf("after %v: %v, want all four together a second after the last", d, l.batches)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
	})
}

func TestQuietHasAnEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l log
		q := queue.New(limit(4), always, l.run(time.Second))
		for i := range 40 {
			q.Submit(t.Context(), key("s"), "x", queue.Wait{Quiet: time.Second})
			time.Sleep(500 * time.Millisecond)
			synctest.Wait()
			if i > 12 && l.count() < 2 {
				t.Fatal("somebody who never pauses isn't heard")
			}
		}
		time.Sleep(time.Minute)
		synctest.Wait()
	})
}

func TestCap(t *testing.T) {
	for _, tc := range []struct {
		drop    queue.DropPolicy
		batches string
		dropped string
	}{
		{queue.DropOld, "[[run] [c d]]", "[a b]"},
		{queue.DropNew, "[[run] [a b]]", "[c d]"},
		{queue.DropSummarize, "[[run] [c d told a b]]", "[]"},
	} {
		t.Run(string(tc.drop), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var l log
				run := l.run(time.Second)
				q := queue.New(limit(4), always, func(ctx context.Context, b queue.Batch[string]) {
					if len(b.Dropped) > 0 {
						b.Items = append(append(slices.Clone(b.Items), "told"), b.Dropped...)
					}
					run(ctx, b)
				})
				how := queue.Wait{Cap: 2, Drop: tc.drop}
				dropped := []string{}
				q.Submit(t.Context(), key("s"), "run", how)
				for _, it := range []string{"a", "b", "c", "d"} {
					dropped = append(dropped, q.Submit(t.Context(), key("s"), it, how).Dropped...)
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				if got := fmt.Sprint(l.batches); got != tc.batches || fmt.Sprint(dropped) != tc.dropped {
					t.Errorf("batches %v, dropped %v; want %s and %s", got, dropped, tc.batches, tc.dropped)
				}
			})
		})
	}
}

// What runs takes up what is at the head of its lane and joins it; a message
// for steer-backlog comes again.
func TestTake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l log
		var took, again []string
		var q *queue.Queue[string]
		run := l.run(time.Second)
		q = queue.New(limit(4), sameLetter, func(ctx context.Context, b queue.Batch[string]) {
			run(ctx, b)
			if l.count() == 1 {
				took, again = q.Take(key("s"))
				if more, twice := q.Take(key("s")); len(more)+len(twice) > 0 {
					t.Errorf("a second Take = %v, %v", more, twice)
				}
			}
		})
		q.Submit(t.Context(), key("s"), "a1", queue.Wait{Mode: queue.Steer})
		q.Submit(t.Context(), key("s"), "a2", queue.Wait{Mode: queue.Steer})
		q.Submit(t.Context(), key("s"), "a3", queue.Wait{Mode: queue.Backlog})
		q.Submit(t.Context(), key("s"), "b1", queue.Wait{Mode: queue.Steer})
		q.Submit(t.Context(), key("s"), "a4", queue.Wait{Mode: queue.Steer})
		time.Sleep(time.Minute)
		synctest.Wait()
		if fmt.Sprint(took, again) != "[a2] [a3]" {
			t.Errorf("took %v, again %v", took, again)
		}
		if got := fmt.Sprint(l.batches); got != "[[a1] [a3] [b1] [a4]]" {
			t.Errorf("batches %s", got)
		}
	})
}

func TestInterrupt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l log
		q := queue.New(limit(4), always, l.run(time.Hour))
		stop := errors.New("newer")
		how := queue.Wait{Mode: queue.Interrupt, Interrupt: stop}
		q.Submit(t.Context(), key("s"), "a", how)
		time.Sleep(time.Second)
		synctest.Wait()
		q.Submit(t.Context(), key("s"), "b", how)
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if got := fmt.Sprint(l.batches); got != "[[a] [b]]" || !errors.Is(l.causes[0], stop) || l.causes[1] != nil {
			t.Errorf("batches %s, causes %v", got, l.causes)
		}
	})
}

func TestPoolsHaveBoundsOfTheirOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l log
		q := queue.New(func(pool string) int { return map[string]int{"": 1, "cron": 2}[pool] }, never, l.run(time.Second))
		for i := range 4 {
			q.Submit(t.Context(), key(fmt.Sprint("m", i)), "m", queue.Wait{})
			q.Submit(t.Context(), key(fmt.Sprint("c", i)), "c", queue.Wait{Pool: "cron"})
		}
		synctest.Wait()
		if l.count() != 3 {
			t.Errorf("%d run at once, want one and two", l.count())
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if l.count() != 8 || l.most != 3 {
			t.Errorf("%d batches, %d at once", l.count(), l.most)
		}
	})
}

func TestReturn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l log
		var q *queue.Queue[string]
		run := l.run(time.Second)
		q = queue.New(limit(1), always, func(ctx context.Context, b queue.Batch[string]) {
			run(ctx, b)
			items, _ := q.Take(key("s"))
			q.Return(key("s"), items)
		})
		for _, it := range []string{"a", "b", "c"} {
			q.Submit(t.Context(), key("s"), it, queue.Wait{Mode: queue.Steer})
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := fmt.Sprint(l.batches); got != "[[a] [b] [c]]" {
			t.Errorf("batches %s", got)
		}
	})
}

// Who hears that a batch is over and writes at once isn't behind it and needn't
// be quiet, though the lane isn't free yet; whoever comes next is.
func TestOverIsBeforeTheLaneIsFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l log
		var q *queue.Queue[string]
		stop := errors.New("stop")
		wait := queue.Wait{Mode: queue.Interrupt, Quiet: time.Hour, Interrupt: stop}
		var behind []bool
		q = queue.New(limit(4), never, func(ctx context.Context, b queue.Batch[string]) {
			if b.Items[0] == "a" {
				q.Over(key("s"))
				for _, it := range []string{"b", "c"} {
					behind = append(behind, q.Submit(ctx, key("s"), it, wait).Behind)
				}
				if got := q.Abort(key("s"), stop, nil); got != nil || ctx.Err() != nil {
					t.Errorf("what was over is stopped: %v, %v", got, context.Cause(ctx))
				}
			}
			l.run(time.Second)(ctx, b)
		})
		q.Submit(t.Context(), key("s"), "a", wait)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if !slices.Equal(behind, []bool{false, true}) {
			t.Errorf("behind: %v, want false, true", behind)
		}
		if n := l.count(); n != 2 { // a and b; c waits until it is quiet
			t.Errorf("%d batches after ten seconds, want 2", n)
		}
		time.Sleep(6 * time.Hour)
		synctest.Wait()
		if want := [][]string{{"a"}, {"b"}, {"c"}}; !slices.EqualFunc(l.batches, want, slices.Equal) {
			t.Errorf("batches %v, want %v", l.batches, want)
		}
	})
}
