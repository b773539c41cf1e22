package matrix

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"maunium.net/go/mautrix/event"
	mid "maunium.net/go/mautrix/id"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// inbound makes a message of an event; ok is false for what is none.
func (b *bot) inbound(ctx context.Context, r mid.RoomID, ev *event.Event) (in msg.Inbound, ok bool) {
	if ev.Content.Parsed == nil {
		if err := ev.Content.ParseRaw(ev.Type); err != nil && pollText(ev) == "" {
			return in, false
		}
	}
	x := b.room(ctx, r, ev.Sender)
	in = msg.Inbound{
		ID: id.Message(ev.ID), Received: time.UnixMilli(ev.Timestamp),
		From: msg.Sender{ID: id.Peer(ev.Sender), Name: b.display(ev.Sender), Username: ev.Sender.Localpart()},
		At:   msg.Address{Channel: ID, Account: b.env.Account, Kind: msg.Group, Peer: id.Peer(r)},
		Room: msg.Room{Name: x.name, Alias: b.aliasOf(r), Topic: x.topic},
	}
	if x.direct {
		if on := b.cfg.DM.Enabled; on != nil && !*on {
			return in, false
		}
		in.At.Kind, in.At.Peer, in.Mentioned, in.Room = msg.Direct, id.Peer(ev.Sender), true, msg.Room{}
		if err := b.setState(ctx, "dm/"+string(ev.Sender), string(r)); err != nil {
			b.log.WarnContext(ctx, "matrix direct room not remembered", "err", err)
		}
	}
	if s := pollText(ev); s != "" {
		in.Text = s
		return in, true
	}
	switch ev.Type {
	case event.EventMessage, event.EventSticker:
		return b.message(ctx, in, r, ev)
	case event.EventReaction:
		c := ev.Content.AsReaction()
		in.Notice = true
		in.Text = in.From.Name + " reacted with " + c.RelatesTo.Key + " to message " + string(c.RelatesTo.EventID)
		return in, c.RelatesTo.Key != ""
	}
	return in, false
}

func (b *bot) message(ctx context.Context, in msg.Inbound, r mid.RoomID, ev *event.Event) (msg.Inbound, bool) {
	c := ev.Content.AsMessage()
	if c.MsgType == event.MsgNotice { // other bots
		return in, false
	}
	if c.RelatesTo.GetReplaceID() != "" {
		words := c.Body
		if c.NewContent != nil {
			words = c.NewContent.Body
		}
		in.Notice, in.Text = true, in.From.Name+" changed an earlier message to: "+strings.TrimPrefix(words, "* ")
		return in, true
	}
	c.RemoveReplyFallback()
	in.Text = strings.TrimSpace(c.Body)
	in.Mentioned = in.Mentioned || b.mentioned(c)
	in.Text = b.addressed(in.Text)
	if t := c.RelatesTo.GetThreadParent(); t != "" && b.cfg.ThreadReplies != "off" {
		in.At.Thread = id.Thread(t)
	}
	if q := c.RelatesTo.GetNonFallbackReplyTo(); q != "" {
		in.ReplyTo = id.Message(q)
		in.Quote = b.quote(ctx, r, q)
	}
	switch c.MsgType {
	case event.MsgImage, event.MsgFile, event.MsgAudio, event.MsgVideo:
		in.Attachments = []msg.Attachment{described(c)}
		if in.Text == c.FileName || c.FileName == "" {
			in.Text = "" // the body is only the name of the file
		}
	case event.MsgLocation:
		in.Text = strings.TrimSpace("[location] " + c.Body + " " + c.GeoURI)
	case event.MsgEmote:
		in.Text = "* " + in.From.Name + " " + in.Text
	}
	if ev.Type == event.EventSticker {
		in.Text, in.Attachments = "[sticker] "+in.Text, []msg.Attachment{described(c)}
	}
	return in, in.Text != "" || len(in.Attachments) > 0
}

// described describes a file; its Ref holds all that fetching it needs.
func described(c *event.MessageEventContent) msg.Attachment {
	name := c.FileName
	if name == "" {
		name = c.Body
	}
	a := msg.Attachment{Name: name}
	if c.Info != nil {
		a.MIME, a.Size = c.Info.MimeType, int64(c.Info.Size)
	}
	ref, err := json.Marshal(media{URL: string(c.URL), File: c.File})
	if err != nil {
		return a
	}
	a.Ref = string(ID) + ":" + string(ref)
	return a
}

// media is where a file is and, in an encrypted room, its key.
type media struct {
	URL  string                   `json:"url,omitempty"`
	File *event.EncryptedFileInfo `json:"file,omitempty"`
}

// mentioned reports whether a message addresses the bot.
func (b *bot) mentioned(c *event.MessageEventContent) bool {
	if c.Mentions != nil {
		return slices.Contains(c.Mentions.UserIDs, b.cli.UserID)
	}
	me := string(b.cli.UserID)
	return strings.Contains(c.Body, me) || strings.Contains(c.FormattedBody, "matrix.to/#/"+me) || b.addressed(c.Body) != strings.TrimSpace(c.Body)
}

// addressed is text without the bot's name in front.
func (b *bot) addressed(text string) string {
	text = strings.TrimSpace(text)
	for _, name := range []string{string(b.cli.UserID), b.display(b.cli.UserID), b.cli.UserID.Localpart(), "@" + b.cli.UserID.Localpart()} {
		if name == "" || len(text) <= len(name) || !strings.EqualFold(text[:len(name)], name) {
			continue
		}
		if rest := text[len(name):]; rest[0] == ':' || rest[0] == ',' {
			return strings.TrimSpace(rest[1:])
		}
		if strings.HasPrefix(name, "@") && text[len(name)] == ' ' {
			return strings.TrimSpace(text[len(name):])
		}
	}
	return text
}

// quote reads the message that another one answers, if it can be had soon.
func (b *bot) quote(ctx context.Context, r mid.RoomID, q mid.EventID) *msg.Quote {
	out := &msg.Quote{ID: id.Message(q)}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	ev, err := b.cli.GetEvent(ctx, r, q)
	if err != nil {
		return out
	}
	ev.RoomID, ev.Type.Class = r, event.MessageEventType
	out.From = msg.Sender{ID: id.Peer(ev.Sender), Name: b.display(ev.Sender)}
	out.Self = ev.Sender == b.cli.UserID
	if ev.Type == event.EventEncrypted {
		k := b.crypto()
		if k == nil {
			return out
		}
		_ = ev.Content.ParseRaw(ev.Type) // decrypt says what is wrong
		if ev, err = k.decrypt(ctx, ev); err != nil {
			return out
		}
	} else if ev.Content.ParseRaw(ev.Type) != nil {
		return out
	}
	if ev.Type == event.EventMessage {
		out.Text = ev.Content.AsMessage().Body
	}
	return out
}
