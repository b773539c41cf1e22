package matrix

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/event"
	mid "maunium.net/go/mautrix/id"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// arguments are those of all actions.
type arguments struct {
	Room    string     `json:"channelId"`
	Message id.Message `json:"messageId"`
	User    string     `json:"userId"`
	Limit   int        `json:"limit"`
}

// Actions implements [channel.Actor]. What a gate closes isn't there.
func (b *bot) Actions() []channel.Action {
	const (
		room = `"channelId":{"type":"string","description":"Id or alias of the room, !room:server or #alias:server."}`
		end  = `,"additionalProperties":false}`
	)
	all := []channel.Action{
		{
			Name: "reactions", Description: "List the reactions to a Matrix message, and who gave them.", Run: b.action("reactions", b.reactions),
			Schema: json.RawMessage(`{"type":"object","properties":{` + room + `,"messageId":{"type":"string"},"limit":{"type":"integer","minimum":1,"maximum":100}},"required":["channelId","messageId"]` + end),
		},
		{
			Name: "member-info", Description: "Look up a Matrix user by full id: the name shown, and the membership of a room if one is given.", Run: b.action("member-info", b.memberInfo),
			Schema: json.RawMessage(`{"type":"object","properties":{"userId":{"type":"string","description":"@user:server"},` + room + `},"required":["userId"]` + end),
		},
		{
			Name: "channel-info", Description: "Look up a Matrix room: its name, topic, alias and how many are in it.", Run: b.action("channel-info", b.channelInfo),
			Schema: json.RawMessage(`{"type":"object","properties":{` + room + `},"required":["channelId"]` + end),
		},
	}
	return slices.DeleteFunc(all, func(a channel.Action) bool { return !b.Allows(a.Name) })
}

func (b *bot) action(name string, run func(context.Context, arguments) (any, error)) func(context.Context, json.RawMessage) (any, error) {
	return func(ctx context.Context, raw json.RawMessage) (any, error) {
		var a arguments
		if err := json.Unmarshal(raw, &a); err != nil {
			return nil, fault.New(fault.Invalid, "matrix."+name, "the arguments can't be read; ids are strings")
		}
		return run(ctx, a)
	}
}

func (b *bot) roomOf(ctx context.Context, s string) (mid.RoomID, error) {
	if u := userID(bare(s)); u != "" {
		return b.where(ctx, msg.Address{Kind: msg.Direct, Peer: id.Peer(u)})
	}
	return b.where(ctx, msg.Address{Kind: msg.Group, Peer: id.Peer(bare(s))})
}

func (b *bot) reactions(ctx context.Context, a arguments) (any, error) {
	const op, most = "matrix.reactions", 100
	r, err := b.roomOf(ctx, a.Room)
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(string(a.Message), "$") {
		return nil, fault.New(fault.Invalid, op, "messageId must be an event's id, which begins with $")
	}
	limit := a.Limit
	if limit <= 0 || limit > most {
		limit = most
	}
	resp, err := b.cli.GetRelations(ctx, r, mid.EventID(a.Message), &mautrix.ReqGetRelations{RelationType: event.RelAnnotation, EventType: event.EventReaction, Limit: limit})
	if err != nil {
		return nil, classify(op, err)
	}
	by := map[string][]string{}
	for _, ev := range resp.Chunk {
		relates, _ := ev.Content.Raw["m.relates_to"].(map[string]any)
		if key, _ := relates["key"].(string); key != "" {
			by[key] = append(by[key], string(ev.Sender))
		}
	}
	out := []map[string]any{}
	for key, users := range by {
		out = append(out, map[string]any{"emoji": key, "count": len(users), "users": users})
	}
	slices.SortFunc(out, func(x, y map[string]any) int { return strings.Compare(x["emoji"].(string), y["emoji"].(string)) })
	return map[string]any{"reactions": out}, nil
}

func (b *bot) memberInfo(ctx context.Context, a arguments) (any, error) {
	const op = "matrix.member-info"
	u := userID(bare(a.User))
	if u == "" {
		return nil, fault.New(fault.Invalid, op, "userId must be a full id such as @alice:example.org")
	}
	p, err := b.cli.GetProfile(ctx, mid.UserID(u))
	if err != nil {
		return nil, classify(op, err)
	}
	out := map[string]any{"userId": u, "displayName": p.DisplayName, "avatarUrl": p.AvatarURL.String()}
	if a.Room != "" {
		r, err := b.roomOf(ctx, a.Room)
		if err != nil {
			return nil, err
		}
		var m event.MemberEventContent
		if err := b.cli.StateEvent(ctx, r, event.StateMember, u, &m); err == nil {
			out["membership"] = m.Membership
		}
	}
	return out, nil
}

func (b *bot) channelInfo(ctx context.Context, a arguments) (any, error) {
	r, err := b.roomOf(ctx, a.Room)
	if err != nil {
		return nil, err
	}
	x := b.room(ctx, r, "")
	members, err := b.cli.JoinedMembers(ctx, r)
	if err != nil {
		return nil, classify("matrix.channel-info", err)
	}
	return map[string]any{
		"channelId": r, "name": x.name, "topic": x.topic, "alias": x.alias, "encrypted": x.encrypted, "direct": x.direct, "members": len(members.Joined),
	}, nil
}
