package client

import (
	"context"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
)

// Keep dials and calls use with the connection, again and again: after use or
// the connection ended with something that time may mend, it waits (one
// second, doubling up to thirty) and dials anew. lost, when not nil, hears of
// each such error first. Keep returns when ctx ends, when use returns nil, and
// at once for an error that another attempt won't change.
func Keep(ctx context.Context, o Options, use func(context.Context, *Conn) error, lost func(error, time.Duration)) error {
	const first, most = time.Second, 30 * time.Second
	wait := first
	for {
		conn, err := Dial(ctx, o)
		if err == nil {
			wait = first
			err = use(ctx, conn)
			_ = conn.Close()
		}
		if err == nil || ctx.Err() != nil {
			return err
		}
		if k := fault.KindOf(err); k != fault.Unavailable && k != fault.Timeout {
			return err
		}
		if lost != nil {
			lost(err, wait)
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
		wait = min(2*wait, most)
	}
}
