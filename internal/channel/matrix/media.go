package matrix

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/crypto/attachment"
	"maunium.net/go/mautrix/event"
	mid "maunium.net/go/mautrix/id"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/msg"
)

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
