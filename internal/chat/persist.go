package chat

import (
	"context"
	"log/slog"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
)

// persist calls put, which stores an answer, again and again while the disk is
// full or busy: the answer goes out when there is room, without a restart.
// Meanwhile its session waits. It returns the error when ctx ends, and one that
// time doesn't heal at once.
func persist(ctx context.Context, log *slog.Logger, put func() error) error {
	const longest = 5 * time.Second
	for delay, told := 250*time.Millisecond, false; ; delay = min(2*delay, longest) {
		err := put()
		if err == nil || fault.KindOf(err) != fault.Unavailable {
			return err
		}
		if !told {
			log.ErrorContext(ctx, "an answer waits to be stored", "err", err)
			told = true
		}
		t := time.NewTimer(delay)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return err
		}
	}
}
