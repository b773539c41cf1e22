package test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/channel/telegram/telegramtest"
	"github.com/openclaw-go/openclaw/test/harness"
)

// A message that the network doesn't take at once is queued, not failed: the
// caller is told so, and it goes out.
func TestMessageSendQueues(t *testing.T) {
	t.Parallel()
	p := newPhone(t, nil).online(t)
	p.tg.Fail("sendMessage", telegramtest.Fault{Status: 500})
	code, out := run(t, p.Gateway, 40*time.Second, "message", "send", "--channel", "telegram", "--target", "7", "-m", "late", "--json")
	var r struct {
		Payload struct {
			Queued    bool
			MessageID string
		}
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 || !r.Payload.Queued || r.Payload.MessageID == "" {
		t.Fatalf("%d: %s", code, out)
	}
	harness.Until(t, 30*time.Second, "it arrives", func() bool {
		shown := p.tg.Shown()
		return len(shown) == 1 && shown[0] == "late"
	})
}
