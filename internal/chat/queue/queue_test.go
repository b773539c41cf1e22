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

func (l *log) run(hold time.Duration) func(ctx context.Context, batch []string) {
	return func(ctx context.Context, batch []string) {
		l.mu.Lock()
		l.batches = append(l.batches, slices.Clone(batch))
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

func limit(n int) func() int      { return func() int { return n } }
func always(string, string) bool  { return true }
func never(string, string) bool   { return false }
func key(s string) id.SessionKey  { return id.SessionKey("agent:main:" + s) }
func sameLetter(a, b string) bool { return a[0] == b[0] }

func TestCollectMergesWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l log
		q := queue.New(limit(4), sameLetter, l.run(time.Second))
		for i, it := range []string{"a1", "a2", "a3", "b1", "a4"} {
			if behind := q.Submit(t.Context(), key("s"), it); behind != (i > 0) {
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
			q.Submit(t.Context(), key(string(rune('a'+i%6))), "x")
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
		q.Submit(t.Context(), key("s"), "x")
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
		q.Submit(t.Context(), key("busy"), "x")
		q.Submit(t.Context(), key("s"), "y")
		if got := q.Drop(key("s")); len(got) != 1 {
			t.Errorf("Drop = %v", got)
		}
		q.Submit(t.Context(), key("s"), "z")
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
		q.Submit(t.Context(), key("s"), "x")
		q.Submit(t.Context(), key("s"), "waits")
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
		if q.Submit(t.Context(), key("t"), "late"); len(l.batches) != 1 {
			t.Error("a closed queue started something")
		}
	})
}

// TestBatchesHoldNothingOfThoseBefore: a batch that began when another ended
// once had its context, and with it those of all before.
func TestBatchesHoldNothingOfThoseBefore(t *testing.T) {
	t.Parallel()
	var last string
	q := queue.New(func() int { return 1 }, func(string, string) bool { return false }, func(ctx context.Context, _ []string) {
		last = fmt.Sprint(ctx) // one batch at a time
	})
	for i := range 50 {
		q.Submit(t.Context(), id.SessionKey(fmt.Sprint("s", i%3)), "x")
	}
	q.Close(t.Context())
	if n := strings.Count(last, "WithoutCancel"); n != 1 {
		t.Errorf("the context of the last batch is %d deep: %s", n, last)
	}
}
