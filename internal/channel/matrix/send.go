package matrix

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/crypto/attachment"
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
	return channel.Limits{Text: int(b.cfg.TextChunkLimit), Unit: channel.Runes, Idempotent: true, Media: b.maxMedia(), Voice: true}
}

func (b *bot) maxMedia() int64 { return int64(b.cfg.MediaMaxMB * (1 << 20)) }

// Split implements [channel.Splitter].
func (b *bot) Split(s string) []string {
	return markdown.Split(s, int(b.cfg.TextChunkLimit), markdown.Rendered(markdown.Plain(), text.Runes))
}

// Send implements [channel.Channel].
func (b *bot) Send(ctx context.Context, out msg.Outbound) (msg.Receipt, error) {
	const op = "matrix.Send"
	if strings.TrimSpace(out.Text) == "" && len(out.Attachments) == 0 {
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

// upload puts a file on the homeserver, encrypted for an encrypted room, and
// returns the message that shows it.
func (b *bot) upload(ctx context.Context, r mid.RoomID, a msg.Attachment) (*event.MessageEventContent, error) {
	const op = "matrix.Send"
	data, err := b.env.Read(ctx, a, b.maxMedia(), op, "channels.matrix.mediaMaxMb")
	if err != nil {
		return nil, err
	}
	kind := cmp.Or(a.MIME, http.DetectContentType(data))
	kind, _, _ = strings.Cut(kind, ";")
	name := cmp.Or(a.Name, "file")
	c := &event.MessageEventContent{MsgType: msgType(kind), Body: name, FileName: name, Info: &event.FileInfo{MimeType: kind, Size: len(data)}, Mentions: &event.Mentions{}}
	encrypted := false
	if b.crypto() != nil && b.cli.StateStore != nil {
		var err error
		if encrypted, err = b.cli.StateStore.IsEncrypted(ctx, r); err != nil {
			return nil, fault.Wrap(fault.Unavailable, op, err)
		}
	}
	send, sendKind := data, kind
	var file *attachment.EncryptedFile
	if encrypted {
		file = attachment.NewEncryptedFile()
		send, sendKind = bytes.Clone(data), "application/octet-stream"
		file.EncryptInPlace(send)
	}
	up, err := b.cli.UploadMedia(ctx, mautrix.ReqUploadMedia{ContentBytes: send, ContentType: sendKind, FileName: name})
	if err != nil {
		return nil, classify(op, err)
	}
	if file != nil {
		c.File = &event.EncryptedFileInfo{EncryptedFile: *file, URL: up.ContentURI.CUString()}
	} else {
		c.URL = up.ContentURI.CUString()
	}
	return c, nil
}

func msgType(kind string) event.MessageType {
	switch top, _, _ := strings.Cut(kind, "/"); top {
	case "image":
		return event.MsgImage
	case "audio":
		return event.MsgAudio
	case "video":
		return event.MsgVideo
	}
	return event.MsgFile
}

// Fetch implements [channel.Fetcher].
func (b *bot) Fetch(ctx context.Context, a msg.Attachment) (io.ReadCloser, error) {
	const op = "matrix.Fetch"
	tooLarge := fault.New(fault.Invalid, op, fmt.Sprintf("it is larger than %g MB (channels.matrix.mediaMaxMb)", b.cfg.MediaMaxMB))
	if a.Size > b.maxMedia() {
		return nil, tooLarge
	}
	ref, ok := strings.CutPrefix(a.Ref, string(ID)+":")
	var m media
	if !ok || json.Unmarshal([]byte(ref), &m) != nil {
		return nil, fault.New(fault.Invalid, op, "not a file of Matrix")
	}
	where := m.URL
	if m.File != nil {
		where = string(m.File.URL)
	}
	uri, err := mid.ParseContentURI(where)
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, op, err)
	}
	resp, err := b.cli.Download(ctx, uri)
	if err != nil {
		return nil, classify(op, err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, b.maxMedia()+1))
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, op, err)
	}
	if int64(len(data)) > b.maxMedia() {
		return nil, tooLarge
	}
	if m.File != nil {
		if err := m.File.PrepareForDecryption(); err != nil {
			return nil, fault.Wrap(fault.Invalid, op, err)
		}
		if err := m.File.DecryptInPlace(data); err != nil {
			return nil, &fault.Error{Kind: fault.Invalid, Op: op, Hint: "the file's key doesn't fit it", Err: err}
		}
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

// Typing implements [channel.Typer].
func (b *bot) Typing(ctx context.Context, to msg.Address) error {
	r, err := b.where(ctx, to)
	if err != nil {
		return err
	}
	_, err = b.cli.UserTyping(ctx, r, true, 10*time.Second)
	return classify("matrix.Typing", err)
}

// Edit implements [channel.Editor].
func (b *bot) Edit(ctx context.Context, to msg.Address, m id.Message, source string) error {
	r, err := b.where(ctx, to)
	if err != nil {
		return err
	}
	c := b.content(source)
	c.SetEdit(mid.EventID(m))
	_, err = b.cli.SendMessageEvent(ctx, r, event.EventMessage, c)
	return classify("matrix.Edit", err)
}

// Delete implements [channel.Deleter].
func (b *bot) Delete(ctx context.Context, to msg.Address, m id.Message) error {
	r, err := b.where(ctx, to)
	if err != nil {
		return err
	}
	_, err = b.cli.RedactEvent(ctx, r, mid.EventID(m))
	return classify("matrix.Delete", err)
}

// React implements [channel.Reactor]. Matrix takes a reaction back by its own
// id, which is kept.
func (b *bot) React(ctx context.Context, to msg.Address, m id.Message, emoji string, on bool) error {
	const op = "matrix.React"
	r, err := b.where(ctx, to)
	if err != nil {
		return err
	}
	key := "reaction/" + string(m) + "/" + emoji
	if on {
		resp, err := b.cli.SendReaction(ctx, r, mid.EventID(m), emoji)
		if err != nil {
			return classify(op, err)
		}
		return b.setState(ctx, key, string(resp.EventID))
	}
	own, err := b.state(ctx, key)
	if err != nil {
		return err
	}
	if own == "" {
		return fault.New(fault.NotFound, op, "there is no such reaction of ours")
	}
	if _, err := b.cli.RedactEvent(ctx, r, mid.EventID(own)); err != nil {
		return classify(op, err)
	}
	return b.setState(ctx, key, "")
}

// classify makes an error of the homeserver one that the outbox understands.
func classify(op string, err error) error {
	if err == nil {
		return nil
	}
	var h mautrix.HTTPError
	if !errors.As(err, &h) {
		if k := fault.KindOf(err); k != fault.Internal {
			return err
		}
		return fault.Wrap(fault.Unavailable, op, err)
	}
	kind, hint := fault.Unavailable, "the homeserver can't be reached or failed"
	status := 0
	if h.Response != nil {
		status = h.Response.StatusCode
	}
	code, said := "", ""
	var extra map[string]any
	if h.RespError != nil {
		code, said, extra = h.RespError.ErrCode, text.Preview(h.RespError.Err, 200), h.RespError.ExtraData
	}
	if said != "" {
		hint = "the homeserver says: " + said
	}
	switch {
	case code == "M_UNKNOWN_TOKEN" || code == "M_MISSING_TOKEN" || code == "M_USER_DEACTIVATED" || status == http.StatusUnauthorized:
		kind, hint = fault.Unauthenticated, hint+"; get a new access token for channels.matrix.accessToken"
	case code == "M_LIMIT_EXCEEDED" || status == http.StatusTooManyRequests:
		kind = fault.RateLimited
		if ms, ok := extra["retry_after_ms"].(float64); ok && ms > 0 {
			err = errors.Join(channel.RetryAfter{After: time.Duration(ms) * time.Millisecond}, err)
		}
	case code == "M_FORBIDDEN" || status == http.StatusForbidden:
		kind = fault.Forbidden
	case code == "M_NOT_FOUND" || status == http.StatusNotFound:
		kind = fault.NotFound
	case status >= 400 && status < 500:
		kind = fault.Invalid
	}
	return &fault.Error{Kind: kind, Op: op, Hint: hint, Err: err}
}
