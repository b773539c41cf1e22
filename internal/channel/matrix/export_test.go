package matrix

import (
	"encoding/json"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/backoff"
	"github.com/openclaw-go/openclaw/internal/base/markdown"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// Quick is Kind with short pauses.
func Quick() channel.Kind {
	k := Kind()
	k.New = func(env channel.Env, raw json.RawMessage) (channel.Channel, error) {
		return assemble(env, raw, backoff.Policy{Min: 10 * time.Millisecond, Max: 100 * time.Millisecond}, 500*time.Millisecond)
	}
	return k
}

// HTML renders Markdown as it is sent.
func HTML(source string) string {
	d := html("")
	return breaks(markdown.Render(markdown.Parse(source), &d))
}
