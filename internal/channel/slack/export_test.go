package slack

import (
	"context"
	"encoding/json"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/backoff"
	"github.com/openclaw-go/openclaw/internal/base/markdown"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// Hurry makes c's waits short.
func Hurry(c channel.Channel) channel.Channel {
	c.(*bot).time = timing{
		retry: backoff.Policy{Min: 20 * time.Millisecond, Max: 100 * time.Millisecond},
		hello: 500 * time.Millisecond, ping: time.Second, pong: 2 * time.Second, check: 200 * time.Millisecond, lookup: 3 * time.Second,
		note: 20 * time.Millisecond, quiet: time.Minute,
	}
	return c
}

// Read reads one delivery as a bot does that knows nobody.
func Read(kind string, raw []byte) (ins []msg.Inbound) {
	made, err := build(channel.Env{}, json.RawMessage(`{"botToken":"xoxb-1","appToken":"xapp-1","apiRoot":"http://127.0.0.1:1/api","slashCommand":{"enabled":true},"dm":{"groupEnabled":true}}`))
	if err != nil {
		panic(err)
	}
	b := made.(*bot)
	b.time.lookup = 0
	b.me = self{User: "U0CLAW", Bot: "B0CLAW", Name: "claw"}
	_, _ = b.deliver(context.Background(), kind, raw, func(_ context.Context, in msg.Inbound) error {
		ins = append(ins, in)
		return nil
	})
	return ins
}

// Unpack reads the body of a request.
func Unpack(contentType string, body []byte) (kind string, payload json.RawMessage, err error) {
	return unpack(contentType, body)
}

// Render writes Markdown as mrkdwn.
func Render(source, tables string) string {
	b := &bot{dialect: dialect(tables)}
	b.cfg.Markdown.Tables = tables
	return b.render(markdown.Parse(source))
}
