package discord

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// arguments are those of all actions.
type arguments struct {
	Guild   string `json:"guildId"`
	Channel string `json:"channelId"`
	Message string `json:"messageId"`
	User    string `json:"userId"`
	Role    string `json:"roleId"`
	Minutes int    `json:"durationMinutes"`
	Until   string `json:"until"`
	Days    int    `json:"deleteMessageDays"`
	Reason  string `json:"reason"`

	Status       string `json:"status"`
	Activity     string `json:"activityName"`
	ActivityType *int   `json:"activityType"`
	ActivityURL  string `json:"activityUrl"`

	Stickers several `json:"stickerId"`
	Text     string  `json:"message"`
	Event    string  `json:"eventName"`
	Start    string  `json:"startTime"`
	End      string  `json:"endTime"`
	About    string  `json:"desc"`
	Location string  `json:"location"`
	Kind     string  `json:"eventType"`

	Name     string  `json:"name"`
	Topic    *string `json:"topic"`
	Type     int     `json:"type"`
	Parent   string  `json:"parentId"`
	Position *int    `json:"position"`
}

// deed is an action before it is one of a channel.
type deed struct {
	name, gate, about string
	needs             []string // keys that are ids
	optional          string   // of the schema: more properties
	run               func(ctx context.Context, a arguments) (any, error)
}

// Actions implements [channel.Actor]: what only Discord has. What a gate closes
// isn't there.
func (b *bot) Actions() []channel.Action {
	const reason = `,"reason":{"type":"string","description":"For the server's audit log."}`
	var out []channel.Action
	for _, d := range []deed{
		{"member-info", "memberInfo", "Look up a member of a Discord server: names, roles, when they joined.", []string{"guildId", "userId"}, "", b.memberInfo},
		{"role-info", "roleInfo", "List the roles of a Discord server.", []string{"guildId"}, "", b.roleInfo},
		{"channel-info", "channelInfo", "Look up a Discord channel: name, topic, type, parent.", []string{"channelId"}, "", b.channelInfo},
		{"emoji-list", "reactions", "List the own emoji of a Discord server.", []string{"guildId"}, "", b.emojiList},
		{"reactions", "reactions", "List the reactions to a Discord message, and who gave them.", []string{"channelId", "messageId"}, "", b.reactions},
		{"event-list", "events", "List the scheduled events of a Discord server.", []string{"guildId"}, "", b.eventList},
		{"permissions", "permissions", "Say what the bot may do in a Discord channel.", []string{"channelId"}, "", b.permissionList},
		{"voice-status", "voiceStatus", "Say in which voice channel a member of a Discord server is.", []string{"guildId", "userId"}, "", b.voiceStatus},
		{"thread-list", "threads", "List the open threads of a Discord server.", []string{"guildId"}, "", b.threadList},
		{"channel-create", "channels", "Create a channel in a Discord server.", []string{"guildId"}, channelKeys + reason, b.channelCreate},
		{"channel-edit", "channels", "Change the name, topic, category or position of a Discord channel.", []string{"channelId"}, channelKeys + reason, b.channelEdit},
		{"channel-delete", "channels", "Delete a Discord channel with all that is in it.", []string{"channelId"}, reason, b.channelDelete},
		{"channel-move", "channels", "Put a Discord channel under another category, or at another position.", []string{"channelId"}, `,"parentId":{"type":"string","description":"Id of its category."},"position":{"type":"integer","minimum":0}` + reason, b.channelEdit},
		{"category-create", "channels", "Create a category in a Discord server.", []string{"guildId"}, categoryKeys + reason, b.categoryCreate},
		{"category-edit", "channels", "Change the name or position of a category of a Discord server.", []string{"channelId"}, categoryKeys + reason, b.channelEdit},
		{"category-delete", "channels", "Delete a category of a Discord server; its channels stay.", []string{"channelId"}, reason, b.channelDelete},
		{"event-create", "events", "Create a scheduled event in a Discord server.", []string{"guildId"}, eventKeys + reason, b.eventCreate},
		{"sticker", "stickers", "Send up to three stickers by id to a Discord channel.", []string{"channelId"}, `,"stickerId":{"type":"array","items":{"type":"string"},"maxItems":3},"message":{"type":"string"}`, b.sticker},
		{"set-presence", "presence", "Set what the bot is shown to be doing on Discord.", nil, `"status":{"type":"string","enum":["online","dnd","idle","invisible"]},"activityName":{"type":"string"},"activityType":{"type":"integer","minimum":0,"maximum":5},"activityUrl":{"type":"string"}`, b.setPresence},
		{"role-add", "roles", "Give a member of a Discord server a role.", []string{"guildId", "userId", "roleId"}, reason, b.roleAdd},
		{"role-remove", "roles", "Take a role from a member of a Discord server.", []string{"guildId", "userId", "roleId"}, reason, b.roleRemove},
		{"timeout", "moderation", "Silence a member of a Discord server for some minutes; 0 ends it.", []string{"guildId", "userId"}, `,"durationMinutes":{"type":"integer","minimum":0,"maximum":40320},"until":{"type":"string","description":"A time instead, as 2026-01-31T12:00:00Z."}` + reason, b.silence},
		{"kick", "moderation", "Remove a member from a Discord server.", []string{"guildId", "userId"}, reason, b.kick},
		{"ban", "moderation", "Ban a member from a Discord server.", []string{"guildId", "userId"}, `,"deleteMessageDays":{"type":"integer","minimum":0,"maximum":7}` + reason, b.ban},
	} {
		if b.allowed(d.gate) {
			out = append(out, d.action())
		}
	}
	return out
}

func (d deed) action() channel.Action {
	props := make([]string, 0, len(d.needs))
	for _, k := range d.needs {
		props = append(props, strconv.Quote(k)+`:{"type":"string","description":"A Discord id."}`)
	}
	required, _ := json.Marshal(append([]string{}, d.needs...))
	return channel.Action{
		Name: d.name, Description: d.about,
		Schema: json.RawMessage(`{"type":"object","properties":{` + strings.Join(props, ",") + d.optional + `},"required":` + string(required) + `,"additionalProperties":false}`),
		Run: func(ctx context.Context, raw json.RawMessage) (any, error) {
			op := "discord." + d.name
			var a arguments
			if err := json.Unmarshal(raw, &a); err != nil {
				return nil, fault.New(fault.Invalid, op, "the arguments can't be read; ids are strings")
			}
			a.User = strings.Trim(normalize(a.User), "*")
			if strings.HasPrefix(a.Channel, "channel:") || strings.HasPrefix(a.Channel, "<#") {
				a.Channel = strings.Trim(strings.TrimPrefix(a.Channel, "channel:"), "<#>")
			}
			given := map[string]string{"guildId": a.Guild, "channelId": a.Channel, "messageId": a.Message, "userId": a.User, "roleId": a.Role}
			for _, k := range d.needs {
				if !snowflake(given[k]) {
					return nil, fault.New(fault.Invalid, op, k+" must be an id, a number of about 18 digits as a string")
				}
			}
			return d.run(ctx, a)
		},
	}
}

func (b *bot) memberInfo(ctx context.Context, a arguments) (any, error) {
	var m member
	if err := b.api.get(ctx, "/guilds/"+a.Guild+"/members/"+a.User, nil, &m); err != nil {
		return nil, err
	}
	if m.User == nil {
		m.User = &user{ID: a.User}
	}
	return map[string]any{
		"id": m.User.ID, "username": m.User.handle(), "name": clean(m.User.shown()), "nick": clean(m.Nick), "roles": m.Roles,
		"joinedAt": m.Joined, "timeoutUntil": m.Timeout, "bot": m.User.Bot,
	}, nil
}

func (b *bot) roleInfo(ctx context.Context, a arguments) (any, error) {
	var rs []role
	if err := b.api.get(ctx, "/guilds/"+a.Guild+"/roles", nil, &rs); err != nil {
		return nil, err
	}
	out := []map[string]any{}
	for _, r := range rs {
		out = append(out, map[string]any{"id": r.ID, "name": clean(r.Name), "position": r.Position, "managed": r.Managed, "permissions": r.Permissions})
	}
	return map[string]any{"roles": out}, nil
}

func (b *bot) channelInfo(ctx context.Context, a arguments) (any, error) {
	var r room
	if err := b.api.get(ctx, "/channels/"+a.Channel, nil, &r); err != nil {
		return nil, err
	}
	return map[string]any{
		"id": r.ID, "name": clean(r.Name), "topic": r.Topic, "type": r.Type, "guildId": r.GuildID, "parentId": r.ParentID,
		"thread": r.thread(), "forum": r.forum(), "nsfw": r.NSFW,
	}, nil
}

func (b *bot) emojiList(ctx context.Context, a arguments) (any, error) {
	var es []emoji
	if err := b.api.get(ctx, "/guilds/"+a.Guild+"/emojis", nil, &es); err != nil {
		return nil, err
	}
	out := []map[string]any{}
	for _, e := range es {
		out = append(out, map[string]any{"id": e.ID, "name": clean(e.Name), "animated": e.Animated, "use": e.Name + ":" + e.ID})
	}
	return map[string]any{"emoji": out}, nil
}

func (b *bot) reactions(ctx context.Context, a arguments) (any, error) {
	path := "/channels/" + a.Channel + "/messages/" + a.Message
	var m message
	if err := b.api.get(ctx, path, nil, &m); err != nil {
		return nil, err
	}
	const most = 20
	out := []map[string]any{}
	for _, r := range m.Reactions[:min(len(m.Reactions), most)] {
		name := r.Emoji.Name
		if r.Emoji.ID != "" {
			name += ":" + r.Emoji.ID
		}
		var us []user
		if p := emojiPath(name); p != "" {
			if err := b.api.get(ctx, path+"/reactions/"+p, url.Values{"limit": {"50"}}, &us); err != nil {
				return nil, err
			}
		}
		var who []map[string]string
		for _, u := range us {
			who = append(who, map[string]string{"id": u.ID, "name": clean(u.shown())})
		}
		out = append(out, map[string]any{"emoji": name, "count": r.Count, "users": who})
	}
	return map[string]any{"reactions": out}, nil
}

func (b *bot) eventList(ctx context.Context, a arguments) (any, error) {
	var es []struct {
		ID          string `json:"id"`
		Name        string `json:"name"`
		Description string `json:"description"`
		Start       string `json:"scheduled_start_time"`
		End         string `json:"scheduled_end_time"`
		Channel     string `json:"channel_id"`
		Status      int    `json:"status"`
	}
	if err := b.api.get(ctx, "/guilds/"+a.Guild+"/scheduled-events", nil, &es); err != nil {
		return nil, err
	}
	out := []map[string]any{}
	for _, e := range es {
		out = append(out, map[string]any{"id": e.ID, "name": clean(e.Name), "description": clean(e.Description), "start": e.Start, "end": e.End, "channelId": e.Channel, "status": e.Status})
	}
	return map[string]any{"events": out}, nil
}

func (b *bot) permissionList(ctx context.Context, a arguments) (any, error) {
	var r room
	if err := b.api.get(ctx, "/channels/"+a.Channel, nil, &r); err != nil {
		return nil, err
	}
	may, err := b.permissions(ctx, r)
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"channelId": r.ID, "bits": strconv.FormatUint(may, 10), "view": may&mayView != 0, "send": may&maySend != 0,
		"readHistory": may&mayReadBack != 0, "sendInThreads": may&maySendThread != 0,
	}, nil
}

func (b *bot) voiceStatus(ctx context.Context, a arguments) (any, error) {
	var v struct {
		Channel string `json:"channel_id"`
		Mute    bool   `json:"mute"`
		Deaf    bool   `json:"deaf"`
	}
	err := b.api.get(ctx, "/guilds/"+a.Guild+"/voice-states/"+a.User, nil, &v)
	if fault.KindOf(err) == fault.NotFound {
		return map[string]any{"connected": false}, nil
	}
	return map[string]any{"connected": v.Channel != "", "channelId": v.Channel, "mute": v.Mute, "deaf": v.Deaf}, err
}

func (b *bot) roleAdd(ctx context.Context, a arguments) (any, error) {
	return b.done(ctx, call{method: "PUT", path: "/guilds/" + a.Guild + "/members/" + a.User + "/roles/" + a.Role, reason: clean(a.Reason)})
}

func (b *bot) roleRemove(ctx context.Context, a arguments) (any, error) {
	return b.done(ctx, call{method: "DELETE", path: "/guilds/" + a.Guild + "/members/" + a.User + "/roles/" + a.Role, reason: clean(a.Reason)})
}

func (b *bot) silence(ctx context.Context, a arguments) (any, error) {
	const most = 28 * 24 * 60 // minutes
	var until any
	switch {
	case a.Until != "":
		t, err := time.Parse(time.RFC3339, a.Until)
		if err != nil {
			return nil, fault.New(fault.Invalid, "discord.timeout", "until must be a time, as 2026-01-31T12:00:00Z")
		}
		until = t.UTC().Format(time.RFC3339)
	case a.Minutes > most || a.Minutes < 0:
		return nil, fault.New(fault.Invalid, "discord.timeout", "Discord silences for at most 28 days (40320 minutes)")
	case a.Minutes > 0:
		until = time.Now().Add(time.Duration(a.Minutes) * time.Minute).UTC().Format(time.RFC3339)
	}
	return b.done(ctx, call{
		method: "PATCH", path: "/guilds/" + a.Guild + "/members/" + a.User, reason: clean(a.Reason),
		body: map[string]any{"communication_disabled_until": until},
	})
}

func (b *bot) kick(ctx context.Context, a arguments) (any, error) {
	return b.done(ctx, call{method: "DELETE", path: "/guilds/" + a.Guild + "/members/" + a.User, reason: clean(a.Reason)})
}

func (b *bot) ban(ctx context.Context, a arguments) (any, error) {
	const most, day = 7, 24 * 60 * 60
	if a.Days < 0 || a.Days > most {
		return nil, fault.New(fault.Invalid, "discord.ban", "deleteMessageDays must be 0 to 7")
	}
	return b.done(ctx, call{
		method: "PUT", path: "/guilds/" + a.Guild + "/bans/" + a.User, reason: clean(a.Reason),
		body: map[string]any{"delete_message_seconds": a.Days * day},
	})
}

func (b *bot) done(ctx context.Context, c call) (any, error) {
	if err := b.api.do(ctx, c); err != nil {
		return nil, err
	}
	return map[string]any{"ok": true}, nil
}
