package discord

import (
	"context"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/text"
)

// channelKeys are what can be said of a channel.
const channelKeys = `,"name":{"type":"string"},"topic":{"type":"string"},"type":{"type":"integer","description":"0 text, 2 voice, 4 category, 5 announcements, 15 forum."},"parentId":{"type":"string","description":"Id of its category."},"position":{"type":"integer","minimum":0}`

func (b *bot) threadList(ctx context.Context, a arguments) (any, error) {
	var ans struct {
		Threads []room `json:"threads"`
	}
	if err := b.api.get(ctx, "/guilds/"+a.Guild+"/threads/active", nil, &ans); err != nil {
		return nil, err
	}
	out := []map[string]any{}
	for _, r := range ans.Threads {
		out = append(out, map[string]any{"id": r.ID, "name": clean(r.Name), "parentId": r.ParentID})
	}
	return map[string]any{"threads": out}, nil
}

// channelBody is what a says of a channel.
func channelBody(op string, a arguments) (map[string]any, error) {
	const mostName, mostTopic = 100, 1024
	body := map[string]any{}
	if name := strings.TrimSpace(a.Name); name != "" {
		body["name"] = text.Fit(clean(name), mostName, text.UTF16)
	}
	if a.Topic != nil {
		body["topic"] = text.Fit(text.Valid(*a.Topic), mostTopic, text.UTF16)
	}
	if a.Parent != "" {
		if !snowflake(a.Parent) {
			return nil, fault.New(fault.Invalid, op, "parentId must be the id of a category")
		}
		body["parent_id"] = a.Parent
	}
	if a.Position != nil {
		body["position"] = *a.Position
	}
	return body, nil
}

func (b *bot) channelCreate(ctx context.Context, a arguments) (any, error) {
	const op = "discord.channel-create"
	body, err := channelBody(op, a)
	if err != nil {
		return nil, err
	}
	if body["name"] == nil {
		return nil, fault.New(fault.Invalid, op, "name is missing: say what the channel is called")
	}
	body["type"] = a.Type
	var r room
	if err := b.api.do(ctx, call{method: "POST", path: "/guilds/" + a.Guild + "/channels", body: body, into: &r, reason: clean(a.Reason)}); err != nil {
		return nil, err
	}
	return map[string]any{"ok": true, "id": r.ID, "name": clean(r.Name)}, nil
}

func (b *bot) channelEdit(ctx context.Context, a arguments) (any, error) {
	const op = "discord.channel-edit"
	body, err := channelBody(op, a)
	if err != nil {
		return nil, err
	}
	if len(body) == 0 {
		return nil, fault.New(fault.Invalid, op, "nothing to change: give name, topic, parentId or position")
	}
	return b.done(ctx, call{method: "PATCH", path: "/channels/" + a.Channel, body: body, reason: clean(a.Reason)})
}

func (b *bot) channelDelete(ctx context.Context, a arguments) (any, error) {
	return b.done(ctx, call{method: "DELETE", path: "/channels/" + a.Channel, reason: clean(a.Reason)})
}

// setPresence holds until the connection is made anew.
func (b *bot) setPresence(ctx context.Context, a arguments) (any, error) {
	const op, most = "discord.set-presence", 128
	switch a.Status {
	case "", "online", "dnd", "idle", "invisible":
	default:
		return nil, fault.New(fault.Invalid, op, "status must be online, dnd, idle or invisible")
	}
	l := b.now.Load()
	if l == nil {
		return nil, fault.New(fault.Unavailable, op, "the bot isn't connected now")
	}
	p := presence(a.Status, text.Fit(clean(a.Activity), most, text.UTF16), a.ActivityType, a.ActivityURL)
	if p == nil {
		p = presence("online", "", nil, "")
	}
	if err := l.write(ctx, opPresence, p); err != nil {
		return nil, err
	}
	return map[string]any{"ok": true}, nil
}
