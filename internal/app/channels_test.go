package app

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/event"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/chat/outbox"
	"github.com/openclaw-go/openclaw/internal/config"
)

// quietOutbox holds nothing.
type quietOutbox struct{ outbox.Store }

func (quietOutbox) DueOutbound(context.Context, id.Channel, id.Account, time.Time, int) ([]outbox.Item, error) {
	return nil, nil
}
func (quietOutbox) OpenOutbound(context.Context) ([]outbox.Item, error) { return nil, nil }

// pulse is a channel whose transport lives for a while.
type pulse struct {
	env   channel.Env
	beats int // signs of life in each connection, a minute apart
	runs  *atomic.Int64
}

func (p *pulse) Run(ctx context.Context, _ channel.Receiver) error {
	p.runs.Add(1)
	p.env.Status(nil)
	for range p.beats {
		p.env.Alive()
		select {
		case <-time.After(time.Minute):
		case <-ctx.Done():
			return nil
		}
	}
	<-ctx.Done()
	return nil
}

func (*pulse) Send(context.Context, msg.Outbound) (msg.Receipt, error) { return msg.Receipt{}, nil }
func (*pulse) Limits() channel.Limits                                  { return channel.Limits{} }

// A transport that stops showing life is connected anew; one that never shows
// any is left alone, since silence is no fault.
func TestHealthCheck(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		beats int
		every time.Duration
		again bool
	}{
		{"dead transport", 3, 5 * time.Minute, true},
		{"living transport", 1000, 5 * time.Minute, false},
		{"transport without signs", 0, 5 * time.Minute, false},
		{"check turned off", 3, 0, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				runs := new(atomic.Int64)
				c := &channels{
					kinds: []channel.Kind{{ID: "irc", New: func(env channel.Env, _ json.RawMessage) (channel.Channel, error) {
						return &pulse{env, tc.beats, runs}, nil
					}}},
					out: &outbox.Outbox{Store: quietOutbox{}, Log: slog.New(slog.DiscardHandler)}, bus: new(event.Bus),
					log: slog.New(slog.DiscardHandler), getenv: func(string) string { return "" },
					secret:      func(_ context.Context, raw json.RawMessage) (json.RawMessage, error) { return raw, nil },
					healthCheck: func() time.Duration { return tc.every },
				}
				cfg := &config.Config{Channels: map[id.Channel]json.RawMessage{"irc": json.RawMessage(`{}`)}}
				c.apply(t.Context(), cfg)
				<-time.After(30 * time.Minute)
				if n := runs.Load(); (n > 1) != tc.again {
					t.Errorf("connected %d times in half an hour", n)
				}
				c.close()
			})
		})
	}
}
