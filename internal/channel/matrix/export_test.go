package matrix

import (
	"encoding/json"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/backoff"
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
