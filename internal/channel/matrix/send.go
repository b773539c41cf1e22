package matrix

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/event"
	mid "maunium.net/go/mautrix/id"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/markdown"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// Limits implements [channel.Channel]. A transaction id makes repeats harmless.
func (b *bot) Limits() channel.Limits {
	return channel.Limits{Text: int(b.cfg.TextChunkLimit), Unit: channel.Runes, Idempotent: true, Media: b.maxMedia(), Voice: true, Polls: true}
}

func (b *bot) maxMedia() int64 { return int64(b.cfg.MediaMaxMB * (1 << 20)) }

// Split implements [channel.Splitter].
func (b *bot) Split(s string) []string {
	return markdown.Split(s, int(b.cfg.TextChunkLimit), markdown.Rendered(markdown.Plain(), text.Runes))
}

// Send implements [channel.Channel].
func (b *bot) Send(ctx context.Context, out msg.Outbound) (msg.Receipt, error) {
	const op = "matrix.Send"
	if strings.TrimSpace(out.Text) == "" && len(out.Attachments) == 0 && out.Poll == nil {
		return msg.Receipt{}, fault.New(fault.Invalid, op, "there is nothing to send")
	}
	r, err := b.where(ctx, out.To)
	if err != nil {
		return msg.Receipt{}, err
	}
	receipt := msg.Receipt{At: time.Now()}
	send := func(c *event.MessageEventContent, txn string) error {
		c.RelatesTo = b.relation(out)
		resp, err := b.cli.SendMessageEvent(ctx, r, event.EventMessage, c, mautrix.ReqSendEvent{TransactionID: txn})
		if err != nil {
			return classify(op, err)
		}
		receipt.IDs = append(receipt.IDs, id.Message(resp.EventID))
		return nil
	}
	txn := "openclaw-" + txnSafe(string(out.ID))
	if strings.TrimSpace(out.Text) != "" {
		if err := send(b.content(out.Text), txn); err != nil {
			return receipt, err
		}
	}
	if out.Poll != nil {
		resp, err := b.cli.SendMessageEvent(ctx, r, event.Type{Type: pollStart, Class: event.MessageEventType}, pollContent(out.Poll), mautrix.ReqSendEvent{TransactionID: txn + "-poll"})
		if err != nil {
			return receipt, classify(op, err)
		}
		receipt.IDs = append(receipt.IDs, id.Message(resp.EventID))
	}
	for i, a := range out.Attachments {
		c, err := b.upload(ctx, r, a)
		if err != nil {
			return receipt, err
		}
		if err := send(c, txn+"-"+strconv.Itoa(i+1)); err != nil {
			return receipt, err
		}
	}
	return receipt, nil
}

func txnSafe(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.' {
			return r
		}
		return '-'
	}, s)
}

// bareHTML is a text without any format, as HTML.
var bareHTML = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "\n", "<br>") //nolint:gochecknoglobals // a constant

// content is a text message with its HTML.
func (b *bot) content(source string) *event.MessageEventContent {
	doc := markdown.Parse(strings.ToValidUTF8(source, "\uFFFD"))
	plain := markdown.Plain()
	c := &event.MessageEventContent{MsgType: event.MsgText, Body: markdown.Render(doc, &plain), Mentions: &event.Mentions{}}
	formatted := markdown.HTML(doc)
	if formatted != bareHTML.Replace(c.Body) {
		c.Format, c.FormattedBody = event.FormatHTML, formatted
	}
	return c
}

// relation is the thread and the message that out answers.
func (b *bot) relation(out msg.Outbound) *event.RelatesTo {
	switch {
	case out.To.Thread != "" && b.cfg.ThreadReplies != "off":
		return (&event.RelatesTo{}).SetThread(mid.EventID(out.To.Thread), mid.EventID(cmp.Or(string(out.ReplyTo), string(out.To.Thread))))
	case b.cfg.ThreadReplies == "always" && out.ReplyTo != "" && out.To.Kind != msg.Direct:
		return (&event.RelatesTo{}).SetThread(mid.EventID(out.ReplyTo), mid.EventID(out.ReplyTo))
	case out.ReplyTo != "":
		return (&event.RelatesTo{}).SetReplyTo(mid.EventID(out.ReplyTo))
	}
	return nil
}

// where is the room of an address: that of a person is the one in which they
// last wrote, or a new one.
func (b *bot) where(ctx context.Context, to msg.Address) (mid.RoomID, error) {
	const op = "matrix.Send"
	p := string(to.Peer)
	if to.Kind != msg.Direct && to.Kind != "" {
		r := roomID(p)
		if r == "" {
			return "", fault.New(fault.Invalid, op, "not a room: "+text.Preview(p, 80))
		}
		if r[0] == '#' {
			got, err := b.cli.ResolveAlias(ctx, mid.RoomAlias(r))
			if err != nil {
				return "", classify(op, err)
			}
			return got.RoomID, nil
		}
		return mid.RoomID(r), nil
	}
	if userID(p) == "" {
		return "", fault.New(fault.Invalid, op, "not a full user id such as @alice:example.org: "+text.Preview(p, 80))
	}
	if r, err := b.state(ctx, "dm/"+p); err != nil || r != "" {
		return mid.RoomID(r), err
	}
	if err := b.login(ctx); err != nil {
		return "", err
	}
	req := &mautrix.ReqCreateRoom{Preset: "trusted_private_chat", IsDirect: true, Invite: []mid.UserID{mid.UserID(p)}}
	if b.crypto() != nil {
		req.InitialState = []*event.Event{{
			Type:    event.StateEncryption,
			Content: event.Content{Parsed: &event.EncryptionEventContent{Algorithm: mid.AlgorithmMegolmV1}},
		}}
	}
	made, err := b.cli.CreateRoom(ctx, req)
	if err != nil {
		return "", classify(op, err)
	}
	return made.RoomID, b.setState(ctx, "dm/"+p, string(made.RoomID))
}
