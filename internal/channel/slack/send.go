package slack

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/markdown"
	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// deliveryType is the event_type of the metadata of what we send: its payload
// holds the delivery's id, by which a message that may have been shown is found
// before it is sent again.
const deliveryType = "openclaw_delivery"

// repeated marks a message that may have been shown before, where Slack doesn't
// let us look.
const repeated = "(may be a repeat) "

// Send delivers one message. Text that doesn't fit goes as several.
func (b *bot) Send(ctx context.Context, out msg.Outbound) (msg.Receipt, error) {
	b.log.DebugContext(ctx, "slack.Send", "to", out.To.Peer)
	var r msg.Receipt
	blocks, err := nativeBlocks(out.Native)
	if err != nil {
		return r, err
	}
	parts := b.Split(out.Text)
	files, named := b.sendable(out.Attachments)
	parts = append(parts, named...)
	if len(parts)+len(files) == 0 && blocks == nil {
		return r, fault.New(fault.Invalid, "slack.Send", "nothing to send: the text is empty")
	}
	if len(parts) == 0 && blocks != nil {
		parts = []string{"(see above)"} // what notifications show
	}
	to, err := b.destination(ctx, out.To)
	if err != nil {
		return r, err
	}
	if strings.HasPrefix(string(out.ReplyTo), "slash:") {
		return b.respond(ctx, to, out, parts)
	}
	if to.thread == "" && stamp(string(out.ReplyTo)) && b.opensThread(out) {
		to.thread = string(out.ReplyTo)
	}
	var before sent
	if out.Doubt {
		if before, err = b.find(ctx, to, out.ID); err != nil {
			return r, err
		}
		if before.blind && len(parts) > 0 {
			parts[0] = repeated + parts[0]
		}
	}
	for i, p := range parts {
		ts := before.parts[i]
		if ts == "" {
			p, made := b.controls(p)
			post := b.post(to, b.render(markdown.Parse(p)))
			post["blocks"] = made
			post["metadata"] = map[string]any{"event_type": deliveryType, "event_payload": map[string]any{"id": string(out.ID), "part": i}}
			if i == len(parts)-1 {
				if blocks == nil {
					blocks = b.buttons(post["text"].(string), out.Buttons) //nolint:forcetypeassert // post put a string there
				}
				if blocks != nil {
					post["blocks"] = blocks
				}
			}
			if ts, err = b.postMessage(ctx, post); err != nil {
				return r, err
			}
		}
		r.IDs = append(r.IDs, id.Message(ts))
		r.At = when(ts)
	}
	for _, f := range files {
		if before.has(f) {
			continue
		}
		if err := b.sendFile(ctx, to, f); err != nil {
			return r, err
		}
		r.At = time.Now()
	}
	if to.thread != "" {
		b.threads.Put(to.conversation+"/"+to.thread, true)
	}
	b.undress(ctx, to, out.To)
	return r, nil
}

// opensThread says whether an answer begins a thread under what it answers.
func (b *bot) opensThread(out msg.Outbound) bool {
	return out.Run == "" || b.cfg.replyMode(cmp.Or(string(out.To.Kind), chatType(out.To.Peer))) != "off"
}

func chatType(p id.Peer) string {
	if p == "" {
		return ""
	}
	switch p[0] {
	case 'U', 'W', 'D', 'u', 'w', 'd':
		return string(msg.Direct)
	}
	return string(msg.Channel)
}

// post are the arguments of a message. Previews of links are off: they fetch
// what a model wrote.
func (b *bot) post(to destination, mrkdwn string) params {
	return params{
		"channel": to.conversation, "thread_ts": to.thread, "text": mrkdwn, "mrkdwn": "true", "parse": "none",
		"unfurl_links": "false", "unfurl_media": "false",
	}
}

// postMessage posts, and when Slack can't read the blocks, the text alone.
func (b *bot) postMessage(ctx context.Context, p params) (ts string, err error) {
	var ans struct {
		TS string `json:"ts"`
	}
	err = b.api.call(ctx, "chat.postMessage", p, &ans)
	if refused(err, "invalid_blocks", "invalid_blocks_format") {
		b.log.WarnContext(ctx, "slack refused the blocks, sending the text", "channel", ID, "err", err)
		delete(p, "blocks")
		err = b.api.call(ctx, "chat.postMessage", p, &ans)
	}
	return ans.TS, err
}

// destination is a conversation and a thread in it.
type destination struct{ conversation, thread string }

// destination is where an address leads; a conversation with a person is opened.
func (b *bot) destination(ctx context.Context, at msg.Address) (destination, error) {
	var d destination
	to, err := target(string(at.Peer))
	if err != nil {
		return d, fault.New(fault.Invalid, "slack.Send", fault.Hint(err))
	}
	d.conversation = string(to.Peer)
	if t := string(at.Thread); t != "" {
		if !stamp(t) {
			return d, fault.New(fault.Invalid, "slack.Send", "not a thread of Slack, which is named by the time of its first message (1700000000.000100): "+strconv.Quote(t))
		}
		d.thread = t
	}
	if c := d.conversation[0]; c != 'U' && c != 'W' {
		return d, nil
	}
	if c, ok := b.dms.Get(d.conversation); ok {
		d.conversation = c
		return d, nil
	}
	var ans struct {
		Channel room `json:"channel"`
	}
	if err := b.api.call(ctx, "conversations.open", params{"users": d.conversation}, &ans); err != nil {
		return d, err
	}
	if !idLike(ans.Channel.ID) {
		return d, fault.New(fault.Unavailable, "slack.conversations.open", "Slack named no conversation")
	}
	b.dms.Put(d.conversation, ans.Channel.ID)
	d.conversation = ans.Channel.ID
	return d, nil
}

// sent is what of a delivery is there already.
type sent struct {
	parts map[int]string // their ids, by number
	files []file
	blind bool // Slack doesn't let us look
}

func (s sent) has(f msg.Attachment) bool {
	for _, x := range s.files {
		if x.Name == fileName(f) && (f.Size <= 0 || x.Size == f.Size) {
			return true
		}
	}
	return false
}

// find looks for the messages of a delivery among the newest of a conversation.
func (b *bot) find(ctx context.Context, to destination, delivery id.Delivery) (sent, error) {
	const since, pages = 26 * time.Hour, 5 // older deliveries are given up by the outbox
	s := sent{parts: map[int]string{}}
	me, err := b.self(ctx)
	if err != nil {
		return s, err
	}
	q := params{
		"channel": to.conversation, "limit": "200", "include_all_metadata": "true",
		"oldest": fmt.Sprintf("%d.000000", time.Now().Add(-since).Unix()),
	}
	method := "conversations.history"
	if to.thread != "" {
		method, q["ts"] = "conversations.replies", to.thread
	}
	for range pages {
		var ans history
		err := b.api.call(ctx, method, q, &ans)
		switch {
		case refused(err, "thread_not_found", "channel_not_found"):
			return s, nil
		case fault.KindOf(err) == fault.Forbidden:
			s.blind = true
			return s, nil
		case err != nil:
			return s, err
		}
		for _, m := range ans.Messages {
			if !b.own(me, m) {
				continue
			}
			if m.Metadata.Type == deliveryType && m.Metadata.Payload.ID == string(delivery) {
				s.parts[m.Metadata.Payload.Part] = m.TS
			}
			if time.Since(when(m.TS)) < time.Hour {
				s.files = append(s.files, m.Files...)
			}
		}
		if ans.Meta.Cursor == "" {
			break
		}
		q["cursor"] = ans.Meta.Cursor
	}
	return s, nil
}
