package signal

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
		return assemble(env, raw, backoff.Policy{Min: 10 * time.Millisecond, Max: 100 * time.Millisecond})
	}
	return k
}

// Inbound reads one event of the daemon as the account Bot would.
func Inbound(raw []byte) bool {
	b := &bot{cfg: Config{Account: "+15559990000"}}
	var r received
	if json.Unmarshal(raw, &r) != nil {
		return false
	}
	_, ok := b.inbound(r)
	return ok
}
