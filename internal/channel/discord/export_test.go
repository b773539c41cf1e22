package discord

import (
	"context"
	"encoding/json"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/backoff"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// Hurry makes c's waits short.
func Hurry(c channel.Channel) channel.Channel {
	c.(*bot).time = timing{
		retry: backoff.Policy{Min: 20 * time.Millisecond, Max: 100 * time.Millisecond}, invalid: 30 * time.Millisecond,
		hello: 5 * time.Second, lookup: 3 * time.Second, note: 20 * time.Millisecond, quiet: time.Minute,
		hold: 300 * time.Millisecond, call: 10 * time.Second,
	}
	return c
}

// Read reads one event as a bot does that knows nobody.
func Read(kind string, raw []byte) (ins []msg.Inbound) {
	made, err := build(channel.Env{}, json.RawMessage(`{"token":"x","apiRoot":"http://127.0.0.1:1/api","dm":{"groupEnabled":true},"guilds":{"*":{"reactionNotifications":"all"}}}`))
	if err != nil {
		panic(err)
	}
	b := made.(*bot)
	b.time.lookup, b.time.call = 0, 0
	b.me = self{ID: "1000000000000000001", Name: "claw", App: "1"}
	b.world.guild(guild{ID: "3", Name: "G", Roles: []role{{ID: "4", Name: "R"}}})
	_ = b.deliver(context.Background(), frame{Type: kind, Data: raw}, func(_ context.Context, in msg.Inbound) error {
		ins = append(ins, in)
		return nil
	})
	return ins
}

// Render writes Markdown as Discord reads it.
func Render(source, tables string) string {
	made, err := build(channel.Env{}, json.RawMessage(`{"token":"x","markdown":{"tables":"`+tables+`"}}`))
	if err != nil {
		panic(err)
	}
	return made.(*bot).shown(source)
}

// OggLength is the length of a voice note.
func OggLength(data []byte) time.Duration { return oggLength(data) }
