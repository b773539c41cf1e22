// Package backoff spaces out repeated attempts: each wait is longer than the
// one before, up to a bound, and jittered so that many clients that lost the
// same server don't come back in step.
package backoff

import (
	"context"
	"math/rand/v2"
	"time"
)

// Policy says how long to wait. The zero value waits 1 s to 60 s, doubling,
// with a quarter of jitter.
type Policy struct {
	Min, Max time.Duration
	Factor   float64 // of one wait to the next; 0 is 2
	Jitter   float64 // share of a wait that is random, 0 to 1; negative is none, 0 is 0.25
}

// Delay is the wait before attempt n+1, after n attempts failed; n is 1 or
// more.
func (p Policy) Delay(n int) time.Duration {
	lo, hi, factor := p.Min, p.Max, p.Factor
	if lo <= 0 {
		lo = time.Second
	}
	if hi <= 0 {
		hi = max(time.Minute, lo)
	}
	if factor < 1 {
		factor = 2
	}
	d := float64(lo)
	for i := 1; i < n && d < float64(hi); i++ {
		d *= factor
	}
	d = min(d, float64(hi))
	jitter := p.Jitter
	if jitter == 0 {
		jitter = 0.25
	}
	if jitter > 0 {
		d -= d * min(jitter, 1) * rand.Float64() //nolint:gosec // spreads load, guards nothing
	}
	return time.Duration(d)
}

// Backoff counts failures in a row. It is for one goroutine.
type Backoff struct {
	Policy
	n int
}

// Next counts a failure and returns the wait before the next attempt.
func (b *Backoff) Next() time.Duration {
	b.n++
	return b.Delay(b.n)
}

// Failures is the number of failures since the last Reset.
func (b *Backoff) Failures() int { return b.n }

// Reset forgets the failures, after a success.
func (b *Backoff) Reset() { b.n = 0 }

// Wait counts a failure and waits, at least as long as least (a server's
// Retry-After; 0 is none). It returns the context's error when that ends first.
func (b *Backoff) Wait(ctx context.Context, least time.Duration) error {
	return Sleep(ctx, max(b.Next(), least))
}

// Sleep waits for d or until ctx ends, and then returns its error.
func Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
