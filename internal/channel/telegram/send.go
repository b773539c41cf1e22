package telegram

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/markdown"
	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// Send delivers one message. Text that doesn't fit goes as several.
func (b *bot) Send(ctx context.Context, out msg.Outbound) (msg.Receipt, error) {
	b.log.DebugContext(ctx, "telegram.Send", "to", out.To.Peer)
	var r msg.Receipt
	a, err := b.api()
	if err != nil {
		return r, err
	}
	to, err := b.target(out.To)
	if err != nil {
		return r, err
	}
	parts := b.Split(out.Text)
	var files []msg.Attachment
	for _, f := range out.Attachments {
		if f, err = b.open(ctx, f); err != nil {
			return r, err
		}
		if len(f.Data) > 0 {
			files = append(files, f)
		} else if name := cmp.Or(f.Name, f.Ref); name != "" {
			parts = append(parts, "`"+strings.ReplaceAll(name, "`", "'")+"`")
		}
	}
	if len(parts)+len(files) == 0 {
		return r, missing("telegram.Send")
	}
	reply := b.quote(out)
	for _, p := range parts {
		m, err := b.sendText(ctx, a, &to, p, reply)
		if err != nil {
			return r, err
		}
		reply = nil
		r.IDs = append(r.IDs, id.Message(strconv.FormatInt(m.ID, 10)))
		r.At = time.Unix(m.Date, 0)
	}
	for _, f := range files {
		m, err := b.sendFile(ctx, a, to, f)
		if err != nil {
			return r, err
		}
		r.IDs = append(r.IDs, id.Message(strconv.FormatInt(m.ID, 10)))
		r.At = time.Unix(m.Date, 0)
	}
	return r, nil
}

// destination is a chat and a topic in it.
type destination struct {
	chat   string
	thread int64 // 0 is none
}

// params are the fields that name d.
func (d destination) params() map[string]any {
	p := map[string]any{"chat_id": d.chat}
	if n, err := strconv.ParseInt(d.chat, 10, 64); err == nil {
		p["chat_id"] = n
	}
	if d.thread != 0 && d.thread != general { // Telegram refuses that by its number
		p["message_thread_id"] = d.thread
	}
	return p
}

// target is where an address leads: "123", "tg:123", "-100123:topic:7",
// "@channel".
func (b *bot) target(at msg.Address) (destination, error) {
	var d destination
	peer, topic := string(at.Peer), string(at.Thread)
	if p, t := chatAndTopic(peer); t != "" {
		peer, topic = p, t
	} else {
		peer = p
	}
	n, err := strconv.ParseInt(peer, 10, 64)
	if (err != nil || n == 0) && !handle().MatchString(peer) {
		return d, fault.New(fault.Invalid, "telegram.Send", "not a chat id or @channel: "+strconv.Quote(peer))
	}
	d.chat = peer
	if topic != "" {
		if d.thread, err = strconv.ParseInt(topic, 10, 64); err != nil {
			return d, fault.New(fault.Invalid, "telegram.Send", "not a topic id: "+strconv.Quote(topic))
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if to, ok := b.moved[n]; ok {
		d.chat = to
	}
	return d, nil
}

// quote says which message to answer to.
func (b *bot) quote(out msg.Outbound) map[string]any {
	n, err := strconv.ParseInt(string(out.ReplyTo), 10, 64)
	if err != nil || n <= 0 {
		return nil
	}
	return map[string]any{"message_id": n, "allow_sending_without_reply": true}
}

// sendText sends one part, as HTML; when Telegram can't read that, as the text
// it shows. A topic that is gone and a group that moved are followed.
func (b *bot) sendText(ctx context.Context, a *api, to *destination, part string, reply map[string]any) (message, error) {
	doc := markdown.Parse(part)
	html := true
	for tries := 0; ; tries++ {
		p := to.params()
		if html {
			p["text"], p["parse_mode"] = markdown.Render(doc, &b.dialect), "HTML"
		} else {
			plain := markdown.Plain()
			p["text"] = markdown.Render(doc, &plain)
		}
		if reply != nil {
			p["reply_parameters"] = reply
		}
		if b.cfg.LinkPreview == nil || !*b.cfg.LinkPreview {
			p["link_preview_options"] = map[string]any{"is_disabled": true}
		}
		var m message
		err := a.call(ctx, "sendMessage", p, &m, 0)
		r, refused := errors.AsType[*refusal](err)
		if err == nil || !refused || tries > 3 {
			return m, err
		}
		switch low := strings.ToLower(r.description); {
		case html && r.code == http.StatusBadRequest && strings.Contains(low, "can't parse entities"):
			b.log.WarnContext(ctx, "telegram refused the formatting, sending plain text", "err", err)
			html = false
		case r.migrateTo != 0:
			b.move(ctx, to, r.migrateTo)
		case to.thread != 0 && strings.Contains(low, "message thread not found"):
			to.thread = 0
		default:
			return m, err
		}
	}
}

// move remembers that a group became a supergroup.
func (b *bot) move(ctx context.Context, to *destination, next int64) {
	b.log.WarnContext(ctx, "telegram group has a new id: put it under channels.telegram.groups", "old", to.chat, "new", next)
	b.mu.Lock()
	defer b.mu.Unlock()
	const most = 1000
	if n, err := strconv.ParseInt(to.chat, 10, 64); err == nil && len(b.moved) < most {
		b.moved[n] = strconv.FormatInt(next, 10)
	}
	to.chat = strconv.FormatInt(next, 10)
}

// maxUpload is what the Bot API takes as one file.
const maxUpload = 50 << 20

// open reads a file that waits outside the message.
func (b *bot) open(ctx context.Context, f msg.Attachment) (msg.Attachment, error) {
	if len(f.Data) > 0 || f.Ref == "" || b.env.Open == nil {
		return f, nil
	}
	rc, err := b.env.Open(ctx, f)
	if err != nil {
		return f, err
	}
	defer rc.Close()
	f.Data, err = io.ReadAll(io.LimitReader(rc, maxUpload+1))
	if err != nil {
		err = fault.Wrap(fault.Unavailable, "telegram.Send", err)
	}
	return f, err
}

// sendFile uploads an attachment; a picture is shown as one.
func (b *bot) sendFile(ctx context.Context, a *api, to destination, f msg.Attachment) (message, error) {
	const picture = 10 << 20
	var m message
	if len(f.Data) > maxUpload {
		return m, fault.New(fault.Invalid, "telegram.Send", "a file of more than 50 MB")
	}
	method, field := "sendDocument", "document"
	if len(f.Data) <= picture && (f.MIME == "image/jpeg" || f.MIME == "image/png") {
		method, field = "sendPhoto", "photo"
	}
	fields := map[string]string{"chat_id": to.chat}
	if to.thread > general {
		fields["message_thread_id"] = strconv.FormatInt(to.thread, 10)
	}
	err := a.upload(ctx, method, fields, field, cmp.Or(f.Name, "file"), f.Data, &m)
	return m, err
}

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
	case strings.Contains(r.description, "message is not modified"):
		return nil
	case strings.Contains(r.description, "can't parse entities"):
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
	a, err := b.api()
	if err != nil {
		return err
	}
	to, err := b.target(at)
	if err != nil {
		return err
	}
	p["chat_id"] = to.params()["chat_id"]
	if method == "sendChatAction" && to.thread != 0 {
		p["message_thread_id"] = to.thread // here also the general topic by its number
	}
	return a.call(ctx, method, p, nil, 0)
}

func number(m id.Message) int64 {
	n, err := strconv.ParseInt(string(m), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// Fetch implements [channel.Fetcher].
func (b *bot) Fetch(ctx context.Context, at msg.Attachment) (io.ReadCloser, error) {
	a, err := b.api()
	if err != nil {
		return nil, err
	}
	fileID, ok := strings.CutPrefix(at.Ref, scheme)
	if !ok || fileID == "" {
		return nil, fault.New(fault.NotFound, "telegram.Fetch", "not a file of Telegram")
	}
	most := int64(20 << 20) // what the Bot API gives
	if mb := b.cfg.MediaMaxMB; mb > 0 && a.root == officialRoot {
		most = min(most, int64(mb*(1<<20)))
	} else if mb > 0 {
		most = int64(mb * (1 << 20)) // a server of one's own gives more
	}
	large := fault.New(fault.Invalid, "telegram.Fetch", fmt.Sprintf("the file is too large: the limit is %d MB", max(most>>20, 1)))
	if at.Size > most {
		return nil, large
	}
	var f file
	if err := a.call(ctx, "getFile", map[string]any{"file_id": fileID}, &f, 0); err != nil {
		return nil, err
	}
	if f.Size > most {
		return nil, large
	}
	rc, err := a.file(ctx, f.Path)
	if err != nil {
		return nil, err
	}
	return &bounded{rc: rc, left: most, large: large}, nil
}

// bounded fails once more than left bytes came, whatever the server declared.
type bounded struct {
	rc    io.ReadCloser
	left  int64
	large error
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, b.large
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.rc.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return max(n-1, 0), b.large
	}
	return n, err
}

func (b *bounded) Close() error { return b.rc.Close() }
