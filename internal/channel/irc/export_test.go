package irc

import (
	"time"

	"golang.org/x/time/rate"

	"github.com/openclaw-go/openclaw/internal/base/backoff"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// Hurry makes c's waits short.
func Hurry(c channel.Channel) channel.Channel {
	b := c.(*bot)
	b.time = timing{
		dial: 5 * time.Second, idle: 300 * time.Millisecond, dead: 300 * time.Millisecond,
		confirm: 5 * time.Second, rejoin: 100 * time.Millisecond,
		retry: backoff.Policy{Min: 20 * time.Millisecond, Max: 100 * time.Millisecond}, rate: 1000, burst: 100,
	}
	b.flood = rate.NewLimiter(b.time.rate, b.time.burst)
	return c
}

// Wrap is wrap.
func Wrap(text string, room int) []string { return wrap(text, room) }

// Names is names.
func Names(text, nick string) bool { return names(text, nick) }

// Body is body.
func Body(s, nick string) (string, bool) { return body(s, nick) }
