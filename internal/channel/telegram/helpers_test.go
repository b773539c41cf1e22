package telegram_test

import (
	"errors"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
)

func address(to string) msg.Address { return msg.Address{Peer: id.Peer(to)} }

func retryAfter(err error) time.Duration {
	if r, ok := errors.AsType[channel.RetryAfter](err); ok {
		return r.After
	}
	return 0
}

func sendTo(t *testing.T, c channel.Channel) error {
	t.Helper()
	_, err := c.Send(t.Context(), msg.Outbound{ID: "x", To: address("7"), Text: "x"})
	return err
}

// eventually waits until ok.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for range 3000 {
		if ok() {
			return
		}
		<-time.After(5 * time.Millisecond)
	}
	t.Fatalf("waited in vain for %s", what)
}
