package main

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"
)

type person struct {
	ID   string `json:"id,omitempty"`
	Name string `json:"name,omitempty"`
}

type address struct {
	Kind string `json:"kind"`
	Peer string `json:"peer"`
}

type quote struct {
	ID   string `json:"id,omitempty"`
	From person `json:"from,omitzero"`
	Text string `json:"text,omitempty"`
	Self bool   `json:"self,omitempty"`
}

type attachment struct {
	MIME string `json:"mime,omitempty"`
	Name string `json:"name,omitempty"`
	Size int64  `json:"size,omitempty"`
	Ref  string `json:"ref,omitempty"`
}

// inbound is a message as the gateway wants it.
type inbound struct {
	ID          string       `json:"id"`
	From        person       `json:"from"`
	At          address      `json:"at"`
	Text        string       `json:"text"`
	Attachments []attachment `json:"attachments,omitempty"`
	ReplyTo     string       `json:"replyTo,omitempty"`
	Mentioned   bool         `json:"mentioned,omitempty"`
	Received    time.Time    `json:"received"`
	Quote       *quote       `json:"quote,omitempty"`
	Notice      bool         `json:"notice,omitempty"`
	Backlog     bool         `json:"backlog,omitempty"`
}

// people knows who is who: the number behind a linked id, and our own ids.
type people struct {
	self  []types.JID
	phone func(lid types.JID) types.JID // empty when it isn't known
}

// name is the one form of a person's id, whichever of their two ids a message
// has. A linked id whose number isn't known stays one, so that it matches no
// number in an allow list.
func (p people) name(jid, alt types.JID) string {
	for _, j := range []types.JID{jid, alt} {
		if j.Server == types.DefaultUserServer || j.Server == types.LegacyUserServer {
			return "+" + j.User
		}
	}
	if jid.Server == types.HiddenUserServer {
		if pn := p.phone(jid.ToNonAD()); !pn.IsEmpty() {
			return "+" + pn.User
		}
	}
	return jid.ToNonAD().String()
}

func (p people) own(jid types.JID) bool {
	for _, s := range p.self {
		if !s.IsEmpty() && s.User == jid.User && s.Server == jid.Server {
			return true
		}
	}
	return false
}

// parse makes a message of an event; ok is false for what nobody said to us.
func parse(e *events.Message, p people, selfChat bool, now time.Time) (in inbound, ok bool) {
	info := e.Info
	if info.Chat.Server == types.BroadcastServer || info.Chat.Server == types.NewsletterServer || e.IsEdit || e.Message == nil {
		return in, false
	}
	toSelf := info.IsFromMe && !info.IsGroup && p.own(info.Chat.ToNonAD())
	if info.IsFromMe && !(toSelf && selfChat) {
		return in, false
	}
	in = inbound{
		ID: info.ID, From: person{p.name(info.Sender, info.SenderAlt), info.PushName}, Received: info.Timestamp,
		Backlog: now.Sub(info.Timestamp) > time.Minute,
	}
	if info.IsGroup {
		in.At = address{"group", info.Chat.String()}
	} else {
		in.At = address{"direct", in.From.ID}
		in.Mentioned = true
	}
	m := e.Message
	if r := m.GetReactionMessage(); r != nil {
		if r.GetText() == "" {
			return in, false
		}
		in.Notice, in.Text = true, "reacted with "+r.GetText()+" to message "+r.GetKey().GetID()
		return in, true
	}
	var ctx *waE2E.ContextInfo
	in.Text, ctx, in.Attachments = content(m)
	for _, j := range ctx.GetMentionedJID() {
		if jid, err := types.ParseJID(j); err == nil && p.own(jid.ToNonAD()) {
			in.Mentioned = true
		}
	}
	if id := ctx.GetStanzaID(); id != "" {
		text, _, _ := content(ctx.GetQuotedMessage())
		in.ReplyTo, in.Quote = id, &quote{ID: id, Text: text}
		if jid, err := types.ParseJID(ctx.GetParticipant()); err == nil {
			in.Quote.From.ID, in.Quote.Self = p.name(jid, types.EmptyJID), p.own(jid.ToNonAD())
		}
	}
	return in, strings.TrimSpace(in.Text) != "" || len(in.Attachments) > 0
}

// content is what a message says and holds.
func content(m *waE2E.Message) (text string, ctx *waE2E.ContextInfo, files []attachment) {
	add := func(d whatsmeow.DownloadableMessage, mime, name string, size uint64) {
		files = append(files, attachment{mime, name, int64(min(size, 1<<40)), refOf(d)})
	}
	switch {
	case m == nil:
	case m.GetConversation() != "":
		text = m.GetConversation()
	case m.GetExtendedTextMessage() != nil:
		x := m.GetExtendedTextMessage()
		text, ctx = x.GetText(), x.GetContextInfo()
	case m.GetImageMessage() != nil:
		x := m.GetImageMessage()
		text, ctx = x.GetCaption(), x.GetContextInfo()
		add(x, x.GetMimetype(), "", x.GetFileLength())
	case m.GetVideoMessage() != nil:
		x := m.GetVideoMessage()
		text, ctx = x.GetCaption(), x.GetContextInfo()
		add(x, x.GetMimetype(), "", x.GetFileLength())
	case m.GetAudioMessage() != nil:
		x := m.GetAudioMessage()
		ctx = x.GetContextInfo()
		add(x, x.GetMimetype(), "", x.GetFileLength())
	case m.GetDocumentMessage() != nil:
		x := m.GetDocumentMessage()
		text, ctx = x.GetCaption(), x.GetContextInfo()
		add(x, x.GetMimetype(), x.GetFileName(), x.GetFileLength())
	case m.GetStickerMessage() != nil:
		x := m.GetStickerMessage()
		ctx = x.GetContextInfo()
		add(x, x.GetMimetype(), "", x.GetFileLength())
	}
	return text, ctx, files
}

// ref is what is needed to download a file later.
type ref struct {
	Path string              `json:"p"`
	Key  []byte              `json:"k"`
	Sum  []byte              `json:"s"`
	Enc  []byte              `json:"e"`
	Type whatsmeow.MediaType `json:"t"`
}

const refPrefix = "whatsapp:"

func refOf(d whatsmeow.DownloadableMessage) string {
	b, err := json.Marshal(ref{d.GetDirectPath(), d.GetMediaKey(), d.GetFileSHA256(), d.GetFileEncSHA256(), whatsmeow.GetMediaType(d)})
	if err != nil {
		return ""
	}
	return refPrefix + base64.RawURLEncoding.EncodeToString(b)
}

// jidOf is where a message to peer goes.
func jidOf(peer string) (types.JID, error) {
	if n, ok := strings.CutPrefix(peer, "+"); ok {
		if n == "" || strings.Trim(n, "0123456789") != "" {
			return types.JID{}, fail("invalid", "not a phone number")
		}
		return types.NewJID(n, types.DefaultUserServer), nil
	}
	jid, err := types.ParseJID(peer)
	if err != nil || jid.User == "" || jid.Server != types.GroupServer && jid.Server != types.HiddenUserServer {
		return types.JID{}, fail("invalid", "not a WhatsApp number or chat")
	}
	return jid, nil
}
