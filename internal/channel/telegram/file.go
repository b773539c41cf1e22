package telegram

import (
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/text"
)

// maxUpload is what the Bot API takes as one file.
const maxUpload = 50 << 20

// largest is the most that a file to send may have.
func (b *bot) largest() int64 {
	if mb := b.cfg.MediaMaxMB; mb > 0 {
		return min(maxUpload, max(int64(mb*(1<<20)), 1))
	}
	return maxUpload
}

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
	f.Data, err = io.ReadAll(io.LimitReader(rc, b.largest()+1))
	if err != nil {
		err = fault.Wrap(fault.Unavailable, "telegram.Send", err)
	}
	return f, err
}

// way is how a file is sent: the method, and the field that holds it.
type way struct{ method, field string }

// wayOf picks how people see a file best. Its bytes are believed before what
// its sender calls it.
func wayOf(f msg.Attachment, voice bool) way {
	const picture = 10 << 20
	kind, _, _ := strings.Cut(http.DetectContentType(f.Data), ";")
	if kind == "application/octet-stream" || kind == "text/plain" || kind == "application/ogg" {
		kind, _, _ = strings.Cut(cmp.Or(f.MIME, kind), ";")
	}
	switch kind {
	case "image/jpeg", "image/png", "image/webp":
		if len(f.Data) <= picture {
			return way{"sendPhoto", "photo"}
		}
	case "image/gif":
		return way{"sendAnimation", "animation"}
	case "video/mp4":
		if strings.HasPrefix(f.MIME, "audio/") { // the same container
			return audio(voice)
		}
		return way{"sendVideo", "video"}
	case "audio/ogg", "audio/opus", "application/ogg":
		if voice {
			return way{"sendVoice", "voice"}
		}
	case "audio/mpeg", "audio/mp3", "audio/mp4", "audio/m4a", "audio/x-m4a", "audio/aac":
		return audio(voice)
	}
	return way{"sendDocument", "document"}
}

func audio(voice bool) way {
	if voice {
		return way{"sendVoice", "voice"}
	}
	return way{"sendAudio", "audio"}
}

// sendFile uploads a file. What Telegram doesn't take as a picture, a film or a
// voice goes as a document.
func (b *bot) sendFile(ctx context.Context, a *api, to *destination, p piece) (message, error) {
	if most := b.largest(); tooLarge(p.files, most) {
		return message{}, tooLargeFault(most)
	}
	w := wayOf(p.files[0], p.voice)
	m, err := b.sendAs(ctx, a, to, p, w)
	r, ok := errors.AsType[*refusal](err)
	if !ok || r.code != http.StatusBadRequest || w.method == "sendDocument" || fault.KindOf(err) == fault.NotFound || r.says("rights") {
		return m, err
	}
	b.log.WarnContext(ctx, "telegram doesn't take the file as such, sending a document", "as", w.method, "err", err)
	return b.sendAs(ctx, a, to, p, way{"sendDocument", "document"})
}

func tooLarge(files []msg.Attachment, most int64) bool {
	return slices.ContainsFunc(files, func(f msg.Attachment) bool { return int64(len(f.Data)) > most })
}

func tooLargeFault(most int64) error {
	return fault.New(fault.Invalid, "telegram.Send", "the file is too large: "+text.Size(most)+" are the most (channels.telegram.mediaMaxMb, and 50 MB)")
}

func (b *bot) sendAs(ctx context.Context, a *api, to *destination, p piece, w way) (message, error) {
	send := func(shown, mode string) (message, error) {
		return b.follow(ctx, to, func(d destination) (m message, err error) {
			fields := d.params()
			maps.Copy(fields, p.extra)
			if shown != "" {
				fields["caption"] = shown
			}
			if mode != "" {
				fields["parse_mode"] = mode
			}
			err = a.upload(ctx, w.method, fields, &m, upload{field: w.field, name: fileName(p.files[0]), data: p.files[0].Data})
			return m, err
		})
	}
	if p.text == "" {
		return send("", "")
	}
	return b.formatted(ctx, p.text, send)
}

// fileName is what people see a file called.
func fileName(f msg.Attachment) string {
	const most = 120
	name := f.Name
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	return cmp.Or(text.Ellipsis(printable(name), most), "file")
}
