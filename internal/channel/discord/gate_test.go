package discord_test

import (
	"testing"

	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/channel/channeltest"
)

func TestGates(t *testing.T) {
	t.Parallel()
	channeltest.Gates(t, func(t *testing.T, actions string) channel.Channel {
		t.Helper()
		_, c := newAccount(t, `,"actions":`+actions)
		return c
	}, map[string][]string{
		"messages":  {"send", "reply", "broadcast", "edit", "delete", "unsend", "read"},
		"reactions": {"react", "reactions", "emoji-list"}, "polls": {"poll"},
		"pins": {"pin", "unpin", "pins", "list-pins"}, "threads": {"thread-create", "thread-reply", "thread-list"},
		"search": {"search"}, "permissions": {"permissions"}, "memberInfo": {"member-info"}, "roleInfo": {"role-info"},
		"channelInfo": {"channel-info", "channel-list"}, "channels": {"channel-create", "channel-edit", "channel-delete", "channel-move", "category-create", "category-edit", "category-delete"},
		"voiceStatus": {"voice-status"}, "events": {"event-list", "event-create"}, "roles": {"role-add", "role-remove"},
		"moderation": {"timeout", "kick", "ban"}, "presence": {"set-presence"},
		"stickers": {"sticker"}, "emojiUploads": nil, "stickerUploads": nil,
	})
}
