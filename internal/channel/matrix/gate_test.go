package matrix_test

import (
	"testing"

	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/channel/channeltest"
	"github.com/openclaw-go/openclaw/internal/channel/matrix"
)

func TestGates(t *testing.T) {
	t.Parallel()
	channeltest.Gates(t, func(t *testing.T, actions string) channel.Channel {
		t.Helper()
		c, err := matrix.Quick().New(channel.Env{}, config("http://127.0.0.1:1", `,"actions":`+actions))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}, map[string][]string{
		"messages":  {"send", "reply", "broadcast", "thread-reply", "edit", "delete", "unsend", "read"},
		"reactions": {"react", "reactions"}, "pins": {"pin", "unpin", "pins", "list-pins"},
		"memberInfo": {"member-info"}, "channelInfo": {"channel-info", "channel-list"},
	})
}
