package signal

import (
	"bytes"
	"context"
	"encoding/base64"
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
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// Limits implements [channel.Channel].
func (b *bot) Limits() channel.Limits {
	return channel.Limits{Text: b.cfg.TextChunkLimit, Unit: channel.UTF16, Media: b.maxMedia(), Voice: true}
}

func (b *bot) maxMedia() int64 { return int64(b.cfg.MediaMaxMB * (1 << 20)) }

// Split implements [channel.Splitter].
func (b *bot) Split(s string) []string {
	return markdown.Split(s, b.cfg.TextChunkLimit, func(part *markdown.Node) int {
		words, _ := markdown.Ranges(part)
		return text.UTF16(words)
	})
}

// styled is a text and its styles, as signal-cli's send takes them:
// "start:length:STYLE".
func styled(source string) (words string, styles []string) {
	words, ranges := markdown.Ranges(markdown.Parse(source))
	for _, r := range ranges {
		styles = append(styles, fmt.Sprintf("%d:%d:%s", r.Start, r.Length, r.Style))
	}
	return words, styles
}

// Send implements [channel.Channel].
func (b *bot) Send(ctx context.Context, out msg.Outbound) (msg.Receipt, error) {
	const op = "signal.Send"
	params, err := place(out.To)
	if err != nil {
		return msg.Receipt{}, err
	}
	words, styles := styled(out.Text)
	words = strings.ToValidUTF8(words, "\uFFFD")
	if strings.TrimSpace(words) == "" && len(out.Attachments) == 0 {
		return msg.Receipt{}, fault.New(fault.Invalid, op, "there is nothing to send")
	}
	params["message"] = words
	if len(styles) > 0 {
		params["textStyle"] = styles
	}
	if t, author := stamp(out.ReplyTo), b.author(out.To, out.ReplyTo); t != 0 && author != "" {
		params["quoteTimestamp"], params["quoteAuthor"] = t, recipient(author)
	}
	var files []string
	for _, a := range out.Attachments {
		uri, err := b.dataURI(ctx, a)
		if err != nil {
			return msg.Receipt{}, err
		}
		files = append(files, uri)
	}
	if len(files) > 0 {
		params["attachments"] = files
	}
	var got struct {
		Timestamp int64 `json:"timestamp"`
		Results   []struct {
			Type string `json:"type"`
		} `json:"results"`
	}
	if err := b.daemon.call(ctx, "send", params, &got); err != nil {
		return msg.Receipt{}, err
	}
	if n := len(got.Results); n > 0 && out.To.Kind == msg.Direct && got.Results[0].Type != "SUCCESS" && got.Results[0].Type != "" {
		return msg.Receipt{}, failed(op, got.Results[0].Type)
	}
	r := msg.Receipt{At: time.Now()}
	if got.Timestamp != 0 {
		r.IDs = []id.Message{id.Message(strconv.FormatInt(got.Timestamp, 10))}
		b.wrote.Put(placed(out.To, r.IDs[0]), b.me())
	}
	return r, nil
}

// failed is the error behind the result of one recipient.
func failed(op, kind string) error {
	switch kind {
	case "NETWORK_FAILURE":
		return fault.New(fault.Unavailable, op, "signal-cli can't reach Signal")
	case "RATE_LIMIT_FAILURE":
		return fault.New(fault.RateLimited, op, "Signal limits how much is sent")
	case "UNREGISTERED_FAILURE":
		return fault.New(fault.Invalid, op, "the person is not on Signal")
	case "IDENTITY_FAILURE":
		return fault.New(fault.Invalid, op, "the person's safety number has changed; check it, then: signal-cli trust")
	}
	return fault.New(fault.Invalid, op, "Signal didn't take the message: "+kind)
}

// dataURI is a file as signal-cli takes it inline.
func (b *bot) dataURI(ctx context.Context, a msg.Attachment) (string, error) {
	data, err := b.env.Read(ctx, a, b.maxMedia(), "signal.Send", "channels.signal.mediaMaxMb")
	if err != nil {
		return "", err
	}
	kind := a.MIME
	if kind == "" {
		kind = http.DetectContentType(data)
	}
	kind, _, _ = strings.Cut(kind, ";")
	name := strings.Map(func(r rune) rune {
		if r == ';' || r == ',' || r < ' ' || r == '/' || r == '\\' {
			return '_'
		}
		return r
	}, a.Name)
	uri := "data:" + kind
	if name != "" {
		uri += ";filename=" + name
	}
	return uri + ";base64," + base64.StdEncoding.EncodeToString(data), nil
}

// place is the parameters that name a recipient or a group.
func place(to msg.Address) (map[string]any, error) {
	p := string(to.Peer)
	if to.Kind != msg.Direct && to.Kind != "" {
		if !groupIDs().MatchString(p) {
			return nil, fault.New(fault.Invalid, "signal", "not the id of a group: "+p)
		}
		return map[string]any{"groupId": p}, nil
	}
	if name, ok := strings.CutPrefix(p, "username:"); ok && name != "" && !strings.ContainsAny(name, " \r\n") {
		return map[string]any{"username": []string{name}}, nil
	}
	if normalize(p) == "" {
		return nil, fault.New(fault.Invalid, "signal", "not a number or uuid:<id>: "+p)
	}
	return map[string]any{"recipient": []string{recipient(to.Peer)}}, nil
}

// recipient is a person as signal-cli names one.
func recipient(p id.Peer) string { return strings.TrimPrefix(normalize(string(p)), "uuid:") }

// stamp is the time that names a message, 0 when it is none.
func stamp(m id.Message) int64 {
	n, err := strconv.ParseInt(string(m), 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// Typing implements [channel.Typer].
func (b *bot) Typing(ctx context.Context, to msg.Address) error {
	params, err := place(to)
	if err != nil {
		return err
	}
	return b.daemon.call(ctx, "sendTyping", params, nil)
}

// Edit implements [channel.Editor].
func (b *bot) Edit(ctx context.Context, to msg.Address, m id.Message, source string) error {
	params, err := place(to)
	if err != nil {
		return err
	}
	words, styles := styled(source)
	if stamp(m) == 0 || strings.TrimSpace(words) == "" {
		return fault.New(fault.Invalid, "signal.Edit", "Signal needs a text and the message's timestamp")
	}
	params["message"], params["editTimestamp"] = words, stamp(m)
	if len(styles) > 0 {
		params["textStyle"] = styles
	}
	return b.daemon.call(ctx, "send", params, nil)
}

// Delete implements [channel.Deleter].
func (b *bot) Delete(ctx context.Context, to msg.Address, m id.Message) error {
	params, err := place(to)
	if err != nil {
		return err
	}
	if stamp(m) == 0 {
		return fault.New(fault.Invalid, "signal.Delete", "Signal needs the message's timestamp")
	}
	params["targetTimestamp"] = stamp(m)
	return b.daemon.call(ctx, "remoteDelete", params, nil)
}

// Fetch implements [channel.Fetcher].
func (b *bot) Fetch(ctx context.Context, a msg.Attachment) (io.ReadCloser, error) {
	const op = "signal.Fetch"
	if a.Size > b.maxMedia() {
		return nil, fault.New(fault.Invalid, op, fmt.Sprintf("it is larger than %g MB (channels.signal.mediaMaxMb)", b.cfg.MediaMaxMB))
	}
	ref, ok := strings.CutPrefix(a.Ref, string(ID)+":")
	if !ok || ref == "" || strings.ContainsAny(ref, "/\\") {
		return nil, fault.New(fault.Invalid, op, "not an attachment of Signal")
	}
	var got struct {
		Data string `json:"data"`
	}
	if err := b.daemon.call(ctx, "getAttachment", map[string]any{"id": ref}, &got); err != nil {
		return nil, err
	}
	if int64(base64.StdEncoding.DecodedLen(len(got.Data))) > b.maxMedia()+2 {
		return nil, fault.New(fault.Invalid, op, fmt.Sprintf("it is larger than %g MB (channels.signal.mediaMaxMb)", b.cfg.MediaMaxMB))
	}
	raw, err := base64.StdEncoding.DecodeString(got.Data)
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, op, err)
	}
	return io.NopCloser(bytes.NewReader(raw)), nil
}
