package telegram

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/markdown"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/text"
)

// Typing implements [channel.Typer].
func (b *bot) Typing(ctx context.Context, to msg.Address) error {
	return b.act(ctx, "sendChatAction", to, map[string]any{"action": "typing"})
}

// Edit implements [channel.Editor].
func (b *bot) Edit(ctx context.Context, to msg.Address, m id.Message, text string) error {
	doc := markdown.Parse(text)
	p := map[string]any{
		"message_id": number(m), "text": markdown.Render(doc, &b.dialect), "parse_mode": "HTML",
		"link_preview_options": map[string]any{"is_disabled": b.cfg.LinkPreview == nil || !*b.cfg.LinkPreview},
	}
	err := b.act(ctx, "editMessageText", to, p)
	r, ok := errors.AsType[*refusal](err)
	switch {
	case !ok:
		return err
	case r.says("message is not modified"):
		return nil
	case r.says("there is no text in the message to edit"): // it is a file with a caption
		p["caption"] = p["text"]
		delete(p, "text")
		delete(p, "link_preview_options")
		return b.act(ctx, "editMessageCaption", to, p)
	case r.says("can't parse entities"):
		plain := markdown.Plain()
		p["text"] = markdown.Render(doc, &plain)
		delete(p, "parse_mode")
		return b.act(ctx, "editMessageText", to, p)
	}
	return err
}

// React implements [channel.Reactor]; the bot has one reaction, so any is taken back.
func (b *bot) React(ctx context.Context, to msg.Address, m id.Message, emoji string, on bool) error {
	reactions := []map[string]string{}
	if on && emoji != "" {
		reactions = append(reactions, map[string]string{"type": "emoji", "emoji": emoji})
	}
	return b.act(ctx, "setMessageReaction", to, map[string]any{"message_id": number(m), "reaction": reactions})
}

// Delete implements [channel.Deleter].
func (b *bot) Delete(ctx context.Context, to msg.Address, m id.Message) error {
	return b.act(ctx, "deleteMessage", to, map[string]any{"message_id": number(m)})
}

// act calls a method about a chat.
func (b *bot) act(ctx context.Context, method string, at msg.Address, p map[string]any) error {
	return b.ask(ctx, method, at, p, nil)
}

// ask calls a method about a chat for its result.
func (b *bot) ask(ctx context.Context, method string, at msg.Address, p map[string]any, result any) error {
	a, err := b.api()
	if err != nil {
		return err
	}
	to, err := b.target(at)
	if err != nil {
		return err
	}
	if p == nil {
		p = map[string]any{}
	}
	p["chat_id"] = to.params()["chat_id"]
	if method == "sendChatAction" && to.thread != 0 {
		p["message_thread_id"] = to.thread // here also the general topic by its number
	}
	return a.call(ctx, method, p, result, 0)
}

func number(m id.Message) int64 {
	n, err := strconv.ParseInt(string(m), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// Pin implements [channel.Pinner].
func (b *bot) Pin(ctx context.Context, to msg.Address, m id.Message, on bool) error {
	if on {
		return b.act(ctx, "pinChatMessage", to, map[string]any{"message_id": number(m), "disable_notification": true})
	}
	return b.act(ctx, "unpinChatMessage", to, map[string]any{"message_id": number(m)})
}

// Pins implements [channel.Pinner]: Telegram tells bots only the newest.
func (b *bot) Pins(ctx context.Context, at msg.Address) ([]msg.Inbound, error) {
	var c struct {
		Pinned *message `json:"pinned_message"`
	}
	if err := b.ask(ctx, "getChat", at, nil, &c); err != nil || c.Pinned == nil {
		return nil, err
	}
	m := c.Pinned
	in := msg.Inbound{ID: id.Message(strconv.FormatInt(m.ID, 10)), At: b.address(m), Received: now(m.Date)}
	in.From, _ = sender(m)
	if in.Text = text.Valid(described(m, cmp.Or(m.Text, m.Caption))); in.Text == "" {
		in.Text = named(attachments(m))
	}
	return []msg.Inbound{in}, nil
}

// Thread implements [channel.Threader]: a new topic of a forum. Telegram has
// none that begin at a message.
func (b *bot) Thread(ctx context.Context, to msg.Address, _ id.Message, name string) (msg.Address, error) {
	const most = 128
	if !b.allows("createForumTopic") {
		return to, fault.New(fault.Forbidden, "telegram.Thread", "topics aren't made here: openclaw config set channels.telegram.actions.createForumTopic true")
	}
	name = text.Fit(strings.TrimSpace(text.Valid(name)), most, text.UTF16)
	var made struct {
		Thread int64 `json:"message_thread_id"`
	}
	if err := b.ask(ctx, "createForumTopic", to, map[string]any{"name": name}, &made); err != nil {
		return to, err
	}
	to.Thread = id.Thread(strconv.FormatInt(made.Thread, 10))
	if n, err := strconv.ParseInt(string(to.Peer), 10, 64); err == nil {
		b.world.mu.Lock()
		b.world.changed = put(b.world.topics, topicKey(n, made.Thread), name) || b.world.changed
		b.world.mu.Unlock()
	}
	return to, nil
}
