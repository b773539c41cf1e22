package telegram

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/markdown"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/text"
)

// Send delivers one message. Text that doesn't fit goes as several; text that
// fits below a file stands there.
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
	if out.Poll != nil {
		m, err := b.sendPoll(ctx, a, &to, out)
		if err == nil {
			b.took(ctx, &r, m)
		}
		return r, err
	}
	ps, err := b.pieces(ctx, to, out)
	if err != nil {
		return r, err
	}
	// What went out before a failure doesn't go out again with the rest.
	done := 0
	if out.ID != "" {
		if was, known := b.begun.Take(string(out.ID)); known {
			r, done = was, len(was.IDs)
		}
	}
	for _, p := range ps {
		n := max(len(p.files), 1) // messages that it makes
		if done >= n {
			done -= n
			continue
		}
		if done > 0 {
			p.files, p.text, done = p.files[done:], "", 0
		}
		err := b.sendPiece(ctx, a, &to, p, &r)
		if err != nil {
			if out.ID != "" && len(r.IDs) > 0 {
				b.begun.Put(string(out.ID), r)
			}
			return r, err
		}
	}
	return r, nil
}

// took notes a message that was sent.
func (b *bot) took(ctx context.Context, r *msg.Receipt, m message) {
	r.IDs = append(r.IDs, id.Message(strconv.FormatInt(m.ID, 10)))
	r.At = time.Unix(m.Date, 0)
	b.wrote(ctx, m.Chat.ID, m.ID)
}

// piece is what one call sends: a text, a file with a text below it, or an album.
type piece struct {
	text  string
	files []msg.Attachment
	voice bool
	extra map[string]any // fields beside the content
}

// sendPiece sends p; r gets what was sent of it, also before an error.
func (b *bot) sendPiece(ctx context.Context, a *api, to *destination, p piece, r *msg.Receipt) error {
	if len(p.files) > 1 {
		return b.sendAlbum(ctx, a, to, p, r)
	}
	send := b.sendText
	if len(p.files) == 1 {
		send = b.sendFile
	}
	m, err := send(ctx, a, to, p)
	if err == nil {
		b.took(ctx, r, m)
	}
	return err
}

// pieces divides out into calls, in order.
func (b *bot) pieces(ctx context.Context, to destination, out msg.Outbound) (ps []piece, err error) {
	var keys map[string]any
	if len(out.Buttons) > 0 {
		if b.buttonsIn(isPrivate(to.chat)) {
			keys = b.keyboard(ctx, out.Buttons)
		} else {
			out.Text = strings.TrimSpace(out.Text + "\n\n" + spelled(out.Buttons))
		}
	}
	texts := b.Split(out.Text)
	var files []msg.Attachment
	for _, f := range out.Attachments {
		if f, err = b.open(ctx, f); err != nil {
			return nil, err
		}
		if len(f.Data) > 0 {
			files = append(files, f)
		} else if name := cmp.Or(f.Name, f.Ref); name != "" {
			texts = append(texts, "`"+strings.ReplaceAll(name, "`", "'")+"`")
		}
	}
	caption := ""
	if len(files) > 0 && len(texts) == 1 && text.UTF16(markdown.Render(markdown.Parse(texts[0]), &b.dialect)) <= maxCaption {
		caption, texts = texts[0], nil
	}
	for _, t := range texts {
		ps = append(ps, piece{text: t})
	}
	for _, album := range cutFiles(files, out.Voice, keys != nil) {
		ps = append(ps, piece{text: caption, files: album, voice: out.Voice})
		caption = ""
	}
	if len(ps) == 0 {
		return nil, missing("telegram.Send")
	}
	for i := range ps {
		ps[i].extra = map[string]any{}
		if out.Quiet {
			ps[i].extra["disable_notification"] = true
		}
	}
	if q := b.quote(out); q != nil {
		ps[0].extra["reply_parameters"] = q
	}
	if keys != nil {
		ps[len(ps)-1].extra["reply_markup"] = keys
	}
	return ps, nil
}

// maxCaption is what the Bot API takes below a file.
const maxCaption = 1024

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
// it shows.
func (b *bot) sendText(ctx context.Context, a *api, to *destination, p piece) (message, error) {
	return b.formatted(ctx, p.text, func(shown, mode string) (message, error) {
		return b.follow(ctx, to, func(d destination) (m message, err error) {
			fields := d.params()
			maps.Copy(fields, p.extra)
			fields["text"] = shown
			if mode != "" {
				fields["parse_mode"] = mode
			}
			if b.cfg.LinkPreview == nil || !*b.cfg.LinkPreview {
				fields["link_preview_options"] = map[string]any{"is_disabled": true}
			}
			err = a.call(ctx, "sendMessage", fields, &m, 0)
			return m, err
		})
	})
}

// formatted sends a text as HTML and, when that can't be read, plain.
func (b *bot) formatted(ctx context.Context, part string, send func(shown, mode string) (message, error)) (message, error) {
	doc := markdown.Parse(part)
	m, err := send(markdown.Render(doc, &b.dialect), "HTML")
	if r, ok := errors.AsType[*refusal](err); ok && r.code == http.StatusBadRequest && r.says("can't parse entities") {
		b.log.WarnContext(ctx, "telegram refused the formatting, sending plain text", "err", err)
		plain := markdown.Plain()
		return send(markdown.Render(doc, &plain), "")
	}
	return m, err
}

// follow sends to a place, or to where that has moved: a topic that is gone, a
// group that became a supergroup.
func (b *bot) follow(ctx context.Context, to *destination, send func(destination) (message, error)) (message, error) {
	for tries := 0; ; tries++ {
		m, err := send(*to)
		r, refused := errors.AsType[*refusal](err)
		switch {
		case !refused || tries > 2:
			return m, err
		case r.migrateTo != 0:
			b.move(ctx, to, r.migrateTo)
		case to.thread != 0 && r.says("message thread not found"):
			to.thread = 0
		default:
			return m, err
		}
	}
}

// move follows a group that became a supergroup.
func (b *bot) move(ctx context.Context, to *destination, next int64) {
	b.log.WarnContext(ctx, "telegram group has a new id: put it under channels.telegram.groups", "old", to.chat, "new", next)
	if n, err := strconv.ParseInt(to.chat, 10, 64); err == nil {
		b.moves(n, next)
	}
	to.chat = strconv.FormatInt(next, 10)
}

// moves remembers where a group is now.
func (b *bot) moves(from, to int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	const most = 1000
	if len(b.moved) < most {
		b.moved[from] = strconv.FormatInt(to, 10)
	}
}
