package slack

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/markdown"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// at is the conversation of a message of Slack.
func (b *bot) at(ctx context.Context, op string, to msg.Address, m id.Message) (destination, error) {
	if !stamp(string(m)) {
		return destination{}, fault.New(fault.Invalid, op, "not a message of Slack, which is named by its time (1700000000.000100): "+strconv.Quote(string(m)))
	}
	return b.destination(ctx, to)
}

// Edit implements [channel.Editor].
func (b *bot) Edit(ctx context.Context, to msg.Address, m id.Message, s string) error {
	d, err := b.at(ctx, "slack.Edit", to, m)
	if err != nil {
		return err
	}
	s, blocks := b.controls(s)
	if blocks == nil {
		blocks = []any{} // none, instead of those that are there
	}
	shown := b.render(markdown.Parse(s))
	switch {
	case shown == "":
		return fault.New(fault.Invalid, "slack.Edit", "nothing to show: the text is empty")
	case text.UTF16(shown) > maxEdit:
		return fault.New(fault.Invalid, "slack.Edit", "Slack takes at most 4000 characters in a message that is changed")
	}
	return b.api.call(ctx, "chat.update", params{"channel": d.conversation, "ts": string(m), "text": shown, "parse": "none", "blocks": blocks}, nil)
}

// Delete implements [channel.Deleter].
func (b *bot) Delete(ctx context.Context, to msg.Address, m id.Message) error {
	d, err := b.at(ctx, "slack.Delete", to, m)
	if err != nil {
		return err
	}
	err = b.api.call(ctx, "chat.delete", params{"channel": d.conversation, "ts": string(m)}, nil)
	if refused(err, "message_not_found") {
		return nil // it is gone
	}
	return err
}

// React implements [channel.Reactor].
func (b *bot) React(ctx context.Context, to msg.Address, m id.Message, emoji string, on bool) error {
	d, err := b.at(ctx, "slack.React", to, m)
	if err != nil {
		return err
	}
	if emoji == "" && !on {
		return b.unreact(ctx, d, m)
	}
	name := shortcode(emoji)
	if name == "" {
		return fault.New(fault.Invalid, "slack.React", "Slack knows emoji by name, such as eyes or :white_check_mark:, not "+strconv.Quote(emoji))
	}
	return b.react(ctx, d, string(m), name, on)
}

func (b *bot) react(ctx context.Context, d destination, ts, name string, on bool) error {
	method := "reactions.add"
	if !on {
		method = "reactions.remove"
	}
	err := b.api.call(ctx, method, params{"channel": d.conversation, "timestamp": ts, "name": name}, nil)
	if refused(err, "already_reacted", "no_reaction") {
		return nil // as wanted
	}
	return err
}

// unreact takes back all reactions of ours.
func (b *bot) unreact(ctx context.Context, d destination, m id.Message) error {
	me, err := b.self(ctx)
	if err != nil {
		return err
	}
	var ans struct {
		Message message `json:"message"`
	}
	if err := b.api.call(ctx, "reactions.get", params{"channel": d.conversation, "timestamp": string(m), "full": "true"}, &ans); err != nil {
		return err
	}
	for _, r := range ans.Message.Reactions {
		if slices.Contains(r.Users, me.User) {
			if err := b.react(ctx, d, string(m), r.Name, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// Pin implements [channel.Pinner].
func (b *bot) Pin(ctx context.Context, to msg.Address, m id.Message, on bool) error {
	d, err := b.at(ctx, "slack.Pin", to, m)
	if err != nil {
		return err
	}
	method := "pins.add"
	if !on {
		method = "pins.remove"
	}
	err = b.api.call(ctx, method, params{"channel": d.conversation, "timestamp": string(m)}, nil)
	if refused(err, "already_pinned", "no_pin") {
		return nil // as wanted
	}
	return err
}

// Pins implements [channel.Pinner].
func (b *bot) Pins(ctx context.Context, at msg.Address) ([]msg.Inbound, error) {
	d, err := b.destination(ctx, at)
	if err != nil {
		return nil, err
	}
	var ans struct {
		Items []struct {
			Type    string  `json:"type"`
			Message message `json:"message"`
		} `json:"items"`
	}
	if err := b.api.call(ctx, "pins.list", params{"channel": d.conversation}, &ans); err != nil {
		return nil, err
	}
	var ms []message
	for _, it := range ans.Items {
		if it.Type == "message" {
			ms = append(ms, it.Message)
		}
	}
	return b.told(ctx, d, ms)
}

// Read implements [channel.Reader]: a conversation, or a thread of it.
func (b *bot) Read(ctx context.Context, at msg.Address, page channel.Page) ([]msg.Inbound, error) {
	d, err := b.destination(ctx, at)
	if err != nil {
		return nil, err
	}
	const usual, most = 20, 200
	limit := min(cmp.Or(max(page.Limit, 0), usual), most)
	for _, m := range []id.Message{page.Before, page.After, page.Around} {
		if m != "" && !stamp(string(m)) {
			return nil, fault.New(fault.Invalid, "slack.Read", "not a message of Slack: "+strconv.Quote(string(m)))
		}
	}
	q := params{"channel": d.conversation, "limit": strconv.Itoa(limit), "latest": string(page.Before), "oldest": string(page.After)}
	if page.Around != "" {
		// Up to it, and it too; what came later is not asked for twice.
		q["latest"], q["inclusive"] = string(page.Around), "true"
	}
	if d.thread == "" {
		var ans history
		if err := b.api.call(ctx, "conversations.history", q, &ans); err != nil {
			return nil, err
		}
		return b.told(ctx, d, ans.Messages)
	}
	// Replies come oldest first; the newest are wanted.
	const pages = 5
	q["ts"], q["limit"] = d.thread, strconv.Itoa(most)
	var ms []message
	for range pages {
		var ans history
		if err := b.api.call(ctx, "conversations.replies", q, &ans); err != nil {
			return nil, err
		}
		ms = append(ms, ans.Messages...)
		if ans.Meta.Cursor == "" {
			break
		}
		q["cursor"] = ans.Meta.Cursor
	}
	slices.SortFunc(ms, func(x, y message) int { return when(y.TS).Compare(when(x.TS)) })
	return b.told(ctx, d, ms[:min(len(ms), limit)])
}

// told are messages as people read them, ours included.
func (b *bot) told(ctx context.Context, d destination, ms []message) ([]msg.Inbound, error) {
	me, err := b.self(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]msg.Inbound, 0, len(ms))
	for _, m := range ms {
		if !stamp(m.TS) {
			continue
		}
		thread := threadOf(&m)
		at, where := b.place(ctx, "", d.conversation, thread, "")
		in := msg.Inbound{
			ID: id.Message(m.TS), From: b.sender(ctx, m), At: at, Room: where, Received: when(m.TS),
			Text: b.said(ctx, me, m), Attachments: files(m.Files), ReplyTo: id.Message(thread),
		}
		if b.own(me, m) {
			in.From = msg.Sender{ID: id.Peer(me.User), Name: me.Name, Username: me.Name, Bot: true}
		}
		out = append(out, in)
	}
	return out, nil
}

// Thread implements [channel.Threader]: a thread is a message and the answers
// to it.
func (b *bot) Thread(ctx context.Context, to msg.Address, m id.Message, name string) (msg.Address, error) {
	if m == "" {
		r, err := b.Send(ctx, msg.Outbound{ID: id.NewDelivery(), To: msg.Address{Kind: to.Kind, Peer: to.Peer}, Text: name})
		if err != nil {
			return to, err
		}
		m = r.IDs[0]
	}
	if !stamp(string(m)) {
		return to, fault.New(fault.Invalid, "slack.Thread", "not a message of Slack: "+strconv.Quote(string(m)))
	}
	to.Thread = id.Thread(m)
	return to, nil
}

// Typing implements [channel.Typer]. Slack shows it in threads of apps that are
// assistants; typingReaction is for everywhere else.
func (b *bot) Typing(ctx context.Context, to msg.Address) error {
	d, err := b.destination(ctx, to)
	if err != nil {
		return err
	}
	if err := b.dress(ctx, d, to); err != nil {
		return err
	}
	if d.thread == "" || b.noStatus.Load() {
		return nil
	}
	err = b.api.call(ctx, "assistant.threads.setStatus", params{"channel_id": d.conversation, "thread_ts": d.thread, "status": "is typing..."}, nil)
	if k := fault.KindOf(err); k == fault.Forbidden || k == fault.Invalid || k == fault.NotFound {
		if refused(err, "missing_scope", "unknown_method", "not_allowed_token_type") {
			b.noStatus.Store(true)
		}
		return nil // not an assistant: nothing is shown
	}
	return err
}

// dress puts the typing reaction on the newest message of a conversation.
func (b *bot) dress(ctx context.Context, d destination, to msg.Address) error {
	name := shortcode(b.cfg.TypingReaction)
	key := placeKey(to)
	ts, ok := b.last.Get(key)
	if worn, _ := b.shown.Get(key); name == "" || !ok || worn == ts {
		return nil
	}
	b.undress(ctx, d, to)
	if err := b.react(ctx, d, ts, name, true); err != nil {
		return err
	}
	b.shown.Put(key, ts)
	return nil
}

// undress takes the typing reaction off again.
func (b *bot) undress(ctx context.Context, d destination, to msg.Address) {
	name := shortcode(b.cfg.TypingReaction)
	if name == "" {
		return
	}
	if ts, ok := b.shown.Take(placeKey(to)); ok {
		if err := b.react(ctx, d, ts, name, false); err != nil {
			b.log.WarnContext(ctx, "slack typing reaction stays", "channel", ID, "err", err)
		}
	}
}
