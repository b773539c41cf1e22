package chat

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/session"
)

// typingMode says when the answer to w is shown to be on its way: never, at
// once, with the first thought or with the first text.
func typingMode(cfg *config.Config, s session.Session, w Work) string {
	mode := cmp.Or(cfg.Session.TypingMode, cfg.Agents.Defaults.TypingMode)
	if mode == "thinking" && s.ReasoningLevel != "stream" {
		return "never" // as recorded: no thoughts, no sign
	}
	if mode != "" {
		return mode
	}
	for _, in := range w.In {
		if in.At.Kind == msg.Direct || in.Mentioned {
			return "instant"
		}
	}
	return "message"
}

func typingEvery(cfg *config.Config) time.Duration {
	return time.Duration(cmp.Or(cfg.Session.TypingSeconds, cfg.Agents.Defaults.TypingIntervalSeconds, 6)) * time.Second
}

// typing shows that an answer is on its way, from its beginning until it is
// stopped. A nil one shows nothing.
type typing struct {
	mode  string
	begin func()

	once   sync.Once
	wg     sync.WaitGroup
	cancel context.CancelFunc
}

func newTyping(ctx context.Context, h *Handler, c channel.Channel, to msg.Address, mode string, every time.Duration) *typing {
	t := &typing{mode: mode}
	who, ok := channel.As[channel.Typer](c)
	if !ok || mode == "never" {
		t.mode = "never"
	}
	ctx, t.cancel = context.WithCancel(ctx)
	t.begin = func() {
		t.wg.Go(func() {
			tick := time.NewTicker(every)
			defer tick.Stop()
			for {
				if err := who.Typing(ctx, to); err != nil && ctx.Err() == nil {
					h.Log.DebugContext(ctx, "typing not shown", "err", err)
				}
				select {
				case <-tick.C:
				case <-ctx.Done():
					return
				}
			}
		})
	}
	if t.mode == "instant" {
		t.once.Do(t.begin)
	}
	return t
}

// note tells that there are thoughts, or text.
func (t *typing) note(thinking bool) {
	if t.mode == "message" && !thinking || t.mode == "thinking" {
		t.once.Do(t.begin)
	}
}

func (t *typing) stop() {
	if t == nil {
		return
	}
	t.once.Do(func() {}) // it doesn't begin any more
	t.cancel()
	t.wg.Wait()
}
