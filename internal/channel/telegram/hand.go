package telegram

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// hand hands a message on. One that makes the receiver panic comes again a few
// times and is then set aside: it would hold up all that stands behind it for
// ever.
func (b *bot) hand(ctx context.Context, recv channel.Receiver, in msg.Inbound) (err error) {
	const most = 3
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		n := b.panicked(in.DedupeKey())
		b.log.ErrorContext(ctx, "telegram message panicked", "message", in.ID, "times", n, "panic", p)
		if n < most {
			err = fault.New(fault.Unavailable, "telegram.Run", "a message made the gateway fail inside; see the log")
			return
		}
		raw, _ := json.Marshal(in)
		b.setAside(ctx, raw, string(in.ID), fmt.Errorf("it panicked %d times", n))
	}()
	return recv(ctx, in)
}

func (b *bot) panicked(key string) int {
	const most = 100
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.panics == nil || len(b.panics) >= most {
		b.panics = map[string]int{}
	}
	b.panics[key]++
	return b.panics[key]
}
