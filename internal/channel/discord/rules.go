package discord

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// found is what guilds says about the place of a message.
type found struct {
	guild        Guild
	room, star   Room
	listed       bool // the guild is there
	named, stars bool // its channels name the room, or have a star
}

// find looks a message's guild up by its id, its slug, and then the star; and in
// it the room. A thread has the entry of its own id, or that of the room it
// belongs to: its name is whatever a member called it.
func find(guilds map[string]Guild, in msg.Inbound) (f found) {
	if in.Room.Guild == "" {
		return f
	}
	f.guild, f.listed = findGuild(guilds, in.Room)
	if !f.listed {
		return f
	}
	f.star, f.stars = f.guild.Channels["*"]
	keys := []string{string(in.At.Peer)}
	if in.Room.Parent != "" {
		keys = append(keys, string(in.Room.Parent))
	}
	for _, want := range keys {
		for k, r := range f.guild.Channels {
			if roomKey(k) == want {
				f.room, f.named = r, true
				return f
			}
		}
	}
	name := slug(in.Room.Name)
	for k, r := range f.guild.Channels {
		if n := roomKey(k); name != "" && n != "*" && !snowflake(n) && slug(n) == name {
			f.room, f.named = r, true
			return f
		}
	}
	if f.stars {
		f.room = f.star
	}
	return f
}

func findGuild(guilds map[string]Guild, where msg.Room) (Guild, bool) {
	for k, g := range guilds {
		if k = strings.TrimSpace(k); k == where.Guild || k == "guild:"+where.Guild {
			return g, true
		}
	}
	if name := slug(where.GuildName); name != "" {
		for k, g := range guilds {
			if k != "*" && !snowflake(k) && (slug(k) == name || g.Slug != "" && slug(g.Slug) == name) {
				return g, true
			}
		}
	}
	g, ok := guilds["*"]
	return g, ok
}

// roomKey is a key of channels without what people put before an id.
func roomKey(k string) string {
	k = strings.TrimSpace(k)
	if p := "channel:"; len(k) > len(p) && strings.EqualFold(k[:len(p)], p) {
		k = k[len(p):]
	}
	if strings.HasPrefix(k, "<#") && strings.HasSuffix(k, ">") {
		k = k[2 : len(k)-1]
	}
	return strings.TrimPrefix(k, "#")
}

// rules says what a section has on the room of a message. Rooms are under their
// guilds; group conversations have their switch under dm.
func rules(section json.RawMessage, in msg.Inbound) channel.Rules {
	var c struct {
		Guilds    map[string]Guild `json:"guilds"`
		DM        DM               `json:"dm"`
		AllowBots any              `json:"allowBots"`
	}
	var r channel.Rules
	dec := json.NewDecoder(bytes.NewReader(section))
	dec.UseNumber() // ids keep their digits
	if dec.Decode(&c) != nil {
		r.Disabled, r.Others = true, true // what can't be read opens nothing
		return r
	}
	r.Bots = bots(c.AllowBots)
	if in.At.Kind == msg.Direct {
		return r
	}
	if in.Room.Guild == "" { // a group conversation
		r.Disabled = !c.DM.GroupEnabled || len(c.DM.GroupChannels) > 0 && !listsRoom(c.DM.GroupChannels, in)
		r.Others = true
		if r.Listed = !r.Disabled; r.Listed {
			r.Allow, r.Policy = []string{"*"}, "allowlist" // groupPolicy is about guilds
		}
		return r
	}
	r.Others = len(c.Guilds) > 0
	f := find(c.Guilds, in)
	if !f.listed {
		return r
	}
	r.Listed = true
	if len(f.guild.Channels) > 0 && !f.named && !f.stars {
		r.Disabled = true // of a guild that lists its channels, the others are closed
		return r
	}
	r.Disabled = !f.on()
	r.Mention = first(f.room.RequireMention, f.star.RequireMention, f.guild.RequireMention)
	r.Prompt, r.Skills = f.room.SystemPrompt, f.room.Skills
	r.Allow, r.Roles = f.people()
	r.Tools = channel.ToolsSaid(
		channel.ToolRules{All: f.room.Tools, BySender: f.room.ToolsBySender},
		channel.ToolRules{All: f.star.Tools, BySender: f.star.ToolsBySender},
		channel.ToolRules{All: f.guild.Tools, BySender: f.guild.ToolsBySender},
	)
	return r
}

// on tells whether the room is let in, where its guild is.
func (f found) on() bool {
	return yes(f.room.Enabled, true) && yes(f.room.Allow, true) && (len(f.guild.Channels) == 0 || f.named || f.stars)
}

// people are who may speak in the room: the lists of the room, else those of
// the guild; without any, whoever is there.
func (f found) people() (allow, roleIDs []string) {
	users, roles := f.room.Users, f.room.Roles
	if users == nil && roles == nil {
		users, roles = f.star.Users, f.star.Roles
	}
	if users == nil && roles == nil {
		users, roles = f.guild.Users, f.guild.Roles
	}
	if users == nil && roles == nil {
		return []string{"*"}, nil
	}
	for _, x := range words(roles) {
		x = strings.TrimSpace(x)
		if rest, ok := strings.CutPrefix(x, "<@&"); ok {
			x = strings.TrimSuffix(rest, ">")
		}
		if x = strings.TrimPrefix(x, "role:"); snowflake(x) {
			roleIDs = append(roleIDs, x)
		}
	}
	return words(users), roleIDs
}

// admits tells whether the lists of the room let somebody speak, as far as this
// package judges: the gate of the path has the last word.
func (f found) admits(in msg.Inbound, names bool) bool {
	if !f.listed || !f.on() || in.From.Bot {
		return false
	}
	allow, roles := f.people()
	for _, x := range roles {
		if slices.Contains(in.Room.Roles, x) {
			return true
		}
	}
	ids, byName := forms(in.From)
	if names {
		ids = append(ids, byName...)
	}
	return slices.ContainsFunc(allow, func(e string) bool {
		n := normalize(e)
		return n == "*" || slices.Contains(ids, n)
	})
}

// bots reads allowBots: a boolean, or "mentions".
func bots(v any) string {
	switch v := v.(type) {
	case bool:
		if v {
			return "on"
		}
		return "off"
	case string:
		if v == "mentions" || v == "off" || v == "on" {
			return v
		}
		return "off"
	}
	return ""
}

func listsRoom(list []any, in msg.Inbound) bool {
	for _, w := range words(list) {
		k := roomKey(strings.TrimPrefix(strings.TrimSpace(w), "group:"))
		if w == "*" || k == string(in.At.Peer) || k != "" && !snowflake(k) && slug(k) == slug(in.Room.Name) {
			return true
		}
	}
	return false
}
