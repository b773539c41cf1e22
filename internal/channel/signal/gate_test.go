package signal_test

import (
	"testing"

	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/channel/channeltest"
	"github.com/openclaw-go/openclaw/internal/channel/signal"
)

func account(t *testing.T, more string) channel.Channel {
	t.Helper()
	c, err := signal.Quick().New(channel.Env{}, config("http://127.0.0.1:1", more))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestGates(t *testing.T) {
	t.Parallel()
	channeltest.Gates(t, func(t *testing.T, actions string) channel.Channel {
		t.Helper()
		return account(t, `,"actions":`+actions)
	}, map[string][]string{"reactions": {"react"}})
	for level, want := range map[string]bool{"off": false, "ack": false, "minimal": true, "extensive": true} {
		if got := account(t, `,"reactionLevel":"`+level+`"`).(channel.Gate).Allows("react"); got != want {
			t.Errorf("reactionLevel %s: the agent may react: %t", level, got)
		}
	}
}
