package slack_test

import (
	"testing"

	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/channel/channeltest"
)

func TestGates(t *testing.T) {
	t.Parallel()
	s := server(t)
	channeltest.Gates(t, func(t *testing.T, actions string) channel.Channel {
		t.Helper()
		return build(t, config(s, `,"actions":`+actions)).ch
	}, map[string][]string{
		"messages":  {"send", "reply", "broadcast", "thread-reply", "thread-create", "edit", "delete", "unsend", "read"},
		"reactions": {"react", "reactions"}, "pins": {"pin", "unpin", "pins", "list-pins"}, "search": {"search"},
		"memberInfo": {"member-info"}, "channelInfo": {"channel-info", "channel-list"}, "emojiList": {"emoji-list"},
		"permissions": nil,
	})
}
