package backoff_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/backoff"
)

func TestDelay(t *testing.T) {
	t.Parallel()
	p := backoff.Policy{Min: time.Second, Max: 10 * time.Second, Jitter: -1}
	for n, want := range map[int]int{1: 1, 2: 2, 3: 4, 4: 8, 5: 10, 1000: 10} {
		if got := p.Delay(n).Seconds(); got != float64(want) {
			t.Errorf("Delay(%d) = %v s, want %v", n, got, want)
		}
	}
	for range 1000 {
		if d := (backoff.Policy{}).Delay(100); d < 45*time.Second || d > time.Minute {
			t.Fatalf("Delay(100) of the zero policy = %v", d)
		}
	}
}

func TestWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		b := backoff.Backoff{Policy: backoff.Policy{Min: time.Second, Jitter: -1}}
		for range 3 {
			if err := b.Wait(t.Context(), 0); err != nil {
				t.Fatal(err)
			}
		}
		if d := time.Since(start); d != 7*time.Second || b.Failures() != 3 {
			t.Errorf("3 waits took %v", d)
		}
		b.Reset()
		if err := b.Wait(t.Context(), 30*time.Second); err != nil || time.Since(start) != 37*time.Second {
			t.Errorf("a wait of at least 30 s ended after %v: %v", time.Since(start), err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := b.Wait(ctx, 0); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Wait with a context that ends = %v", err)
		}
	})
}
