package slack

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// Actions implements [channel.Actor]: what only Slack has.
func (b *bot) Actions() []channel.Action {
	var out []channel.Action
	if b.allowed("memberInfo") {
		out = append(out, channel.Action{
			Name: "member-info", Description: "Look up a member of the Slack workspace by id.", Run: b.memberInfo,
			Schema: json.RawMessage(`{"type":"object","properties":{"userId":{"type":"string","description":"Id of the member, U0123ABCD."}},"required":["userId"],"additionalProperties":false}`),
		})
	}
	if b.allowed("channelInfo") {
		out = append(out, channel.Action{
			Name: "channel-info", Description: "Look up a Slack channel by id: its name, topic and purpose.", Run: b.channelInfo,
			Schema: json.RawMessage(`{"type":"object","properties":{"channelId":{"type":"string","description":"Id of the channel, C0123ABCD."}},"required":["channelId"],"additionalProperties":false}`),
		})
	}
	if b.allowed("emojiList") {
		out = append(out, channel.Action{
			Name: "emoji-list", Description: "List the workspace's own emoji by name.", Run: b.emojiList,
			Schema: json.RawMessage(`{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":1000}},"additionalProperties":false}`),
		})
	}
	if b.allowed("reactions") {
		out = append(out, channel.Action{
			Name: "reactions", Description: "List the reactions to a Slack message, and who gave them.", Run: b.reactions,
			Schema: json.RawMessage(`{"type":"object","properties":{"channelId":{"type":"string"},"messageId":{"type":"string","description":"Its time, 1700000000.000100."}},"required":["channelId","messageId"],"additionalProperties":false}`),
		})
	}
	return out
}

func arguments(op string, raw json.RawMessage, into any) error {
	if err := json.Unmarshal(raw, into); err != nil {
		return fault.New(fault.Invalid, op, "the arguments can't be read")
	}
	return nil
}

func (b *bot) memberInfo(ctx context.Context, raw json.RawMessage) (any, error) {
	var a struct {
		UserID string `json:"userId"`
	}
	if err := arguments("slack.member-info", raw, &a); err != nil {
		return nil, err
	}
	person := normalize(a.UserID)
	if userID(person) == "" {
		return nil, fault.New(fault.Invalid, "slack.member-info", "userId must be an id, such as U0123ABCD")
	}
	var ans struct {
		User user `json:"user"`
	}
	if _, err := b.api.as(ctx, b.reader(), "users.info", params{"user": person}, &ans); err != nil {
		return nil, err
	}
	u := ans.User
	return map[string]any{
		"id": u.ID, "name": u.Name, "realName": clean(u.RealName), "displayName": clean(u.Profile.DisplayName), "title": clean(u.Profile.Title),
		"status": clean(u.Profile.StatusText), "email": clean(u.Profile.Email), "timezone": u.TZ, "bot": u.IsBot, "deleted": u.Deleted,
	}, nil
}

func (b *bot) channelInfo(ctx context.Context, raw json.RawMessage) (any, error) {
	var a struct {
		ChannelID string `json:"channelId"`
	}
	if err := arguments("slack.channel-info", raw, &a); err != nil {
		return nil, err
	}
	d, err := b.destination(ctx, msg.Address{Peer: id.Peer(a.ChannelID)})
	if err != nil {
		return nil, err
	}
	var ans struct {
		Channel room `json:"channel"`
	}
	if _, err := b.api.as(ctx, b.reader(), "conversations.info", params{"channel": d.conversation, "include_num_members": "true"}, &ans); err != nil {
		return nil, err
	}
	r := ans.Channel
	return map[string]any{
		"id": r.ID, "name": r.Name, "topic": r.Topic.Value, "purpose": r.Purpose.Value, "private": r.Private, "archived": r.Archived, "member": r.Member, "members": r.Members,
	}, nil
}

func (b *bot) emojiList(ctx context.Context, raw json.RawMessage) (any, error) {
	var a struct {
		Limit int `json:"limit"`
	}
	if len(raw) > 0 {
		if err := arguments("slack.emoji-list", raw, &a); err != nil {
			return nil, err
		}
	}
	var ans struct {
		Emoji map[string]string `json:"emoji"`
	}
	if _, err := b.api.as(ctx, b.reader(), "emoji.list", params{}, &ans); err != nil {
		return nil, err
	}
	names := slices.Sorted(mapKeys(ans.Emoji))
	const usual, most = 200, 1000
	limit := a.Limit
	if limit <= 0 {
		limit = usual
	}
	return map[string]any{"emoji": names[:min(len(names), limit, most)], "total": len(names)}, nil
}

func (b *bot) reactions(ctx context.Context, raw json.RawMessage) (any, error) {
	var a struct {
		ChannelID string     `json:"channelId"`
		MessageID id.Message `json:"messageId"`
	}
	if err := arguments("slack.reactions", raw, &a); err != nil {
		return nil, err
	}
	d, err := b.at(ctx, "slack.reactions", msg.Address{Peer: id.Peer(a.ChannelID)}, a.MessageID)
	if err != nil {
		return nil, err
	}
	var ans struct {
		Message message `json:"message"`
	}
	if err := b.api.call(ctx, "reactions.get", params{"channel": d.conversation, "timestamp": string(a.MessageID), "full": "true"}, &ans); err != nil {
		return nil, err
	}
	out := []map[string]any{}
	for _, r := range ans.Message.Reactions {
		out = append(out, map[string]any{"name": r.Name, "count": r.Count, "users": r.Users})
	}
	return map[string]any{"reactions": out}, nil
}
