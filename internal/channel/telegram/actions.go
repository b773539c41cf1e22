package telegram

import (
	"cmp"
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// Allows implements [channel.Gate]: what channels.telegram.actions leaves open.
func (b *bot) Allows(action string) bool {
	switch action {
	case "send", "reply", "thread-reply", "broadcast":
		return b.allows("sendMessage")
	case "poll":
		return b.allows("poll")
	case "react":
		return b.allows("reactions")
	case "edit":
		return b.allows("editMessage")
	case "delete", "unsend":
		return b.allows("deleteMessage")
	case "thread-create", "topic-create":
		return b.allows("createForumTopic")
	case "sticker", "sticker-search":
		return b.allows("sticker")
	}
	return true
}

// arguments are those of all actions.
type arguments struct {
	To     string `json:"to"`
	FileID string `json:"fileId"`
	Query  string `json:"query"`
	Limit  int    `json:"limit"`
	Reply  string `json:"replyTo"`
}

// Actions implements [channel.Actor]. What a gate closes isn't there.
func (b *bot) Actions() []channel.Action {
	if !b.allows("sticker") {
		return nil
	}
	return []channel.Action{
		{
			Name: "sticker", Description: "Send a Telegram sticker by the fileId that sticker-search found.",
			Schema: json.RawMessage(`{"type":"object","properties":{"to":{"type":"string","description":"Chat id, with :topic:<id> for a topic."},"fileId":{"type":"string"},"replyTo":{"type":"string"}},"required":["to","fileId"]}`),
			Run:    b.sticker,
		},
		{
			Name: "sticker-search", Description: "Find Telegram stickers among those that people sent, by emoji or name of their set.",
			Schema: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer","minimum":1,"maximum":50}},"required":["query"]}`),
			Run:    b.stickers,
		},
	}
}

func (b *bot) sticker(ctx context.Context, raw json.RawMessage) (any, error) {
	const op = "telegram.sticker"
	var p arguments
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, fault.Wrap(fault.Invalid, op, err)
	}
	if p.FileID = strings.TrimSpace(p.FileID); p.FileID == "" || strings.ContainsAny(p.FileID, "/: ") {
		return nil, fault.New(fault.Invalid, op, "fileId is missing, or is none: sticker-search finds them")
	}
	at, err := target(p.To)
	if err != nil {
		return nil, err
	}
	a, err := b.api()
	if err != nil {
		return nil, err
	}
	to, err := b.target(at)
	if err != nil {
		return nil, err
	}
	m, err := b.follow(ctx, &to, func(d destination) (m message, err error) {
		fields := d.params()
		fields["sticker"] = p.FileID
		if q := b.quote(msg.Outbound{ReplyTo: id.Message(p.Reply)}); q != nil {
			fields["reply_parameters"] = q
		}
		err = a.call(ctx, "sendSticker", fields, &m, 0)
		return m, err
	})
	if err != nil {
		return nil, err
	}
	b.wrote(ctx, m.Chat.ID, m.ID)
	return map[string]any{"ok": true, "messageId": strconv.FormatInt(m.ID, 10)}, nil
}

func (b *bot) stickers(_ context.Context, raw json.RawMessage) (any, error) {
	var p arguments
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, fault.Wrap(fault.Invalid, "telegram.stickers", err)
	}
	const usual, most = 5, 50
	limit := min(cmp.Or(max(p.Limit, 0), usual), most)
	query := strings.ToLower(strings.TrimSpace(p.Query))
	b.world.mu.Lock()
	defer b.world.mu.Unlock()
	out := []map[string]any{}
	for _, s := range b.world.stickers {
		if len(out) < limit && query != "" && (strings.Contains(s.Emoji, query) || strings.Contains(strings.ToLower(s.Set), query)) {
			out = append(out, map[string]any{"fileId": s.ID, "emoji": printable(s.Emoji), "setName": printable(s.Set)})
		}
	}
	return map[string]any{"ok": true, "stickers": out}, nil
}
