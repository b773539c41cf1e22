package telegram

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// mostAlbum is how many files Telegram takes as one album.
const mostAlbum = 10

// cutFiles divides files into those that are sent together, in their order:
// pictures mix with films, music and documents only with their like, and what
// moves or speaks stands alone. The last file stands alone too where buttons
// are to stand below it, as albums have none.
func cutFiles(files []msg.Attachment, voice, buttons bool) (out [][]msg.Attachment) {
	last := ""
	size := 0
	for i, f := range files {
		kind := albumOf(f, voice)
		if buttons && i == len(files)-1 {
			kind = ""
		}
		n := len(out) - 1
		size += len(f.Data)
		if kind == "" || kind != last || len(out[n]) >= mostAlbum || size > maxUpload {
			out, size = append(out, nil), len(f.Data)
			n++
		}
		out[n], last = append(out[n], f), kind
	}
	return out
}

// albumOf names the files that f may stand in an album with; "" is none.
func albumOf(f msg.Attachment, voice bool) string {
	switch w := wayOf(f, voice); w.method {
	case "sendPhoto", "sendVideo":
		return "seen"
	case "sendAudio", "sendDocument":
		return w.field
	}
	return ""
}

// sendAlbum sends several files as one message. An album that is refused goes
// file by file, where each has a way of its own to fall back to.
func (b *bot) sendAlbum(ctx context.Context, a *api, to *destination, p piece, r *msg.Receipt) error {
	ms, err := b.sendGroup(ctx, a, to, p)
	if ref, ok := errors.AsType[*refusal](err); ok && ref.code == http.StatusBadRequest && fault.KindOf(err) != fault.NotFound && !ref.says("rights") {
		b.log.WarnContext(ctx, "telegram doesn't take the album, sending its files one by one", "err", err)
		return b.oneByOne(ctx, a, to, p, r)
	}
	if err != nil {
		return err
	}
	for _, m := range ms {
		b.took(ctx, r, m)
	}
	return nil
}

func (b *bot) oneByOne(ctx context.Context, a *api, to *destination, p piece, r *msg.Receipt) error {
	for i := range p.files {
		one := piece{files: p.files[i : i+1], extra: p.extra}
		if i == 0 {
			one.text = p.text
		} else if p.extra["reply_parameters"] != nil {
			one.extra = maps.Clone(p.extra)
			delete(one.extra, "reply_parameters")
		}
		if err := b.sendPiece(ctx, a, to, one, r); err != nil {
			return err
		}
	}
	return nil
}

func (b *bot) sendGroup(ctx context.Context, a *api, to *destination, p piece) (ms []message, err error) {
	if most := b.largest(); tooLarge(p.files, most) {
		return nil, tooLargeFault(most)
	}
	send := func(shown, mode string) (message, error) {
		media := make([]map[string]any, len(p.files))
		files := make([]upload, len(p.files))
		for i, f := range p.files {
			field := fmt.Sprintf("file%d", i)
			media[i] = map[string]any{"type": wayOf(f, false).field, "media": "attach://" + field}
			files[i] = upload{field: field, name: fileName(f), data: f.Data}
		}
		if shown != "" {
			media[0]["caption"] = shown
		}
		if mode != "" {
			media[0]["parse_mode"] = mode
		}
		return b.follow(ctx, to, func(d destination) (m message, err error) {
			fields := d.params()
			maps.Copy(fields, p.extra)
			fields["media"] = media
			return m, a.upload(ctx, "sendMediaGroup", fields, &ms, files...)
		})
	}
	if strings.TrimSpace(p.text) == "" {
		_, err = send("", "")
	} else {
		_, err = b.formatted(ctx, p.text, send)
	}
	if err == nil && len(ms) == 0 {
		err = fault.New(fault.Unavailable, "telegram.sendMediaGroup", "an answer without messages")
	}
	return ms, err
}
