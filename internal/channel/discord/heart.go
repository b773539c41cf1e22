package discord

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/backoff"
	"github.com/openclaw-go/openclaw/internal/base/fault"
)

// beats sends heartbeats, and notices a connection that died without a word.
func (l *link) beats(ctx context.Context, every time.Duration) error {
	wait := time.Duration(rand.Float64() * float64(every)) //nolint:gosec // spreads load
	l.ack.Store(true)
	t := time.NewTimer(wait)
	defer t.Stop()
	for {
		asked := false
		select {
		case <-t.C:
		case <-l.beat:
			asked = true
		case <-ctx.Done():
			return ctx.Err()
		}
		if !asked {
			if !l.ack.Load() && !l.stuck.Load() {
				return fault.New(fault.Unavailable, "discord.heartbeat", "the connection is dead: a heartbeat wasn't answered")
			}
			l.ack.Store(false)
			t.Reset(every)
		}
		var seq any
		if n := l.done.Load(); n >= 0 {
			seq = n
		}
		if err := l.write(ctx, opHeartbeat, seq); err != nil {
			return l.reason(ctx, err)
		}
	}
}

// reason is why a write failed: what the other side said when it ended the
// connection, which the reader comes to know, tells more than that it did.
func (l *link) reason(ctx context.Context, err error) error {
	t := time.NewTimer(l.time.lookup)
	defer t.Stop()
	select {
	case <-l.over:
		return l.why
	case <-t.C:
	case <-ctx.Done():
	}
	return err
}

// notes writes behind until ctx ends.
func (l *link) notes(ctx context.Context) error {
	for {
		if err := backoff.Sleep(ctx, l.time.note); err != nil {
			return err
		}
		l.flush(ctx)
	}
}
