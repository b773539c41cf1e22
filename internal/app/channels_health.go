package app

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// noted tells when the network takes a message.
type noted struct {
	channel.Channel
	sent func()
}

// Unwrap implements [channel.Wrapper].
func (n noted) Unwrap() channel.Channel { return n.Channel }

func (n noted) Send(ctx context.Context, out msg.Outbound) (msg.Receipt, error) {
	r, err := n.Channel.Send(ctx, out)
	if err == nil {
		n.sent()
	}
	return r, err
}

// watched runs ch and breaks its connection off when its transport, which has
// shown life before, shows none for two checks. Silence of people is no reason:
// it is the transport's own heartbeat that counts.
func (c *channels) watched(ctx context.Context, log *slog.Logger, ch channel.Channel, r *accountRun) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	defer wg.Wait()
	if every := c.healthCheck(); every > 0 {
		c.note(r, func(s *AccountStatus) { s.Alive = time.Time{} })
		wg.Go(func() { c.watch(ctx, log, r, every, cancel) })
	}
	err := c.guarded(ctx, ch, r)
	if cause := context.Cause(ctx); cause != nil && fault.KindOf(cause) == fault.Unavailable {
		err = cause
	}
	cancel(nil)
	return err
}

func (c *channels) watch(ctx context.Context, log *slog.Logger, r *accountRun, every time.Duration, stop context.CancelCauseFunc) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		c.mu.Lock()
		alive, up := r.status.Alive, r.status.Connected
		c.mu.Unlock()
		if up && !alive.IsZero() && time.Since(alive) > 2*every {
			log.WarnContext(ctx, "channel shows no life, connecting again", "since", alive)
			stop(fault.New(fault.Unavailable, "channel", "the connection showed no life"))
			return
		}
	}
}
