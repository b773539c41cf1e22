package telegram

import (
	"context"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/backoff"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// Hurry makes c's waits short.
func Hurry(c channel.Channel) channel.Channel {
	c.(*bot).time = timing{
		poll: 2 * time.Second, album: 150 * time.Millisecond, quiet: time.Minute, check: 300 * time.Millisecond,
		retry:    backoff.Policy{Min: 20 * time.Millisecond, Max: 100 * time.Millisecond},
		conflict: backoff.Policy{Min: 30 * time.Millisecond, Max: 100 * time.Millisecond},
	}
	return c
}

// Read reads one update as a bot does.
func Read(raw []byte) []msg.Inbound {
	u, _, err := parseUpdate(raw)
	if err != nil {
		return nil
	}
	b := &bot{world: newWorld(), moved: map[int64]string{}, me: user{ID: 424242, Username: "claw_bot"}}
	ins, _ := b.messages(context.Background(), []update{u})
	return ins
}
