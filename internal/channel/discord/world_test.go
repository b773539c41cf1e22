package discord_test

import (
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel/discord/discordtest"
)

// What changes in a guild is known from then on.
func TestWorld(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := build(t, config(s, "")).up()
	in := func(text string, raw object) msg.Inbound {
		t.Helper()
		s.Write(discordtest.Message{Channel: discordtest.General, Author: discordtest.Person, Content: text, Raw: raw})
		return wait(t, r.got, "a message")
	}
	if m := in("one", nil); m.Room.Name != "general" {
		t.Errorf("received %+v", m)
	}
	s.Event("CHANNEL_UPDATE", object{"id": discordtest.General, "type": 0, "guild_id": discordtest.Guild, "name": "renamed"})
	s.Event("GUILD_ROLE_UPDATE", object{"guild_id": discordtest.Guild, "role": object{"id": discordtest.Role, "name": "Officers"}})
	if m := in("<@&"+discordtest.Role+"> in <#"+discordtest.General+">", nil); m.Room.Name != "renamed" || m.Text != "@Officers in #renamed" || m.Mentioned {
		t.Errorf("received %+v", m)
	}
	s.Event("GUILD_UPDATE", object{"id": discordtest.Guild, "name": "Foes", "roles": []any{}})
	s.Event("THREAD_LIST_SYNC", object{"guild_id": discordtest.Guild, "threads": []any{object{"id": "4400000000000000001", "type": 11, "name": "late", "guild_id": discordtest.Guild, "parent_id": discordtest.General}}})
	if m := in("<@&"+discordtest.BotRole+"> see <#4400000000000000001>", nil); m.Room.GuildName != "Foes" || m.Mentioned || m.Text != "@role "+discordtest.BotRole+" see #late" {
		t.Errorf("received %+v", m)
	}
	s.Event("CHANNEL_DELETE", object{"id": discordtest.General})
	s.Event("GUILD_DELETE", object{"id": discordtest.Guild, "unavailable": true}) // an outage, not a farewell
	if m := in("four", nil); m.Room.GuildName != "Foes" || m.Room.Name != "general" {
		t.Errorf("received %+v", m)
	}
	s.Event("GUILD_DELETE", object{"id": discordtest.Guild})
	if m := in("five", nil); m.Room.GuildName != discordtest.Name {
		t.Errorf("received %+v", m)
	}
}

// Without an answer to who and where, a message is still handed on.
func TestUnknownWorld(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := build(t, config(s, "")).up()
	s.Event("MESSAGE_CREATE", object{"id": "77", "type": 0, "channel_id": "88", "guild_id": "99", "author": object{"id": "66", "username": "x"}, "content": "hello"})
	if m := wait(t, r.got, "a message"); m.Text != "hello" || m.At.Kind != msg.Channel || m.At.Peer != "88" || m.Room.Guild != "99" {
		t.Errorf("received %+v", m)
	}
}
