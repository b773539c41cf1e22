package chat

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/media"
)

const (
	mega = 1 << 20
	// maxMedia bounds an image that is handed to a model, in bytes.
	maxMedia = 5 * mega
	// maxFetch is how long the files of one message may take.
	maxFetch = 2 * time.Minute
	// maxFiles bounds the files of one message.
	maxFiles = 16
)

// mediaLimit is how large a file from or to a channel may be (recorded
// defaults).
func mediaLimit(cfg *config.Config, at msg.Address) int64 {
	usual := 20.0
	switch at.Channel {
	case "telegram":
		usual = 100
	case "whatsapp":
		usual = 50
	case "imessage":
		usual = 16
	case "discord":
		usual = 8
	}
	return int64(cmp.Or(cfg.Account(at.Channel, at.Account).MediaMaxMB, usual) * mega)
}

// fetch gets the files that in only described, now that its sender is let in,
// keeps them and says where in the text. What can't be had is named there too,
// so that the agent and the person know.
func (h *Handler) fetch(ctx context.Context, in *msg.Inbound) {
	if len(in.Attachments) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, maxFetch)
	defer cancel()
	var f channel.Fetcher
	if c, ok := h.Outbox.Channel(in.At.Channel, in.At.Account); ok {
		f, _ = channel.As[channel.Fetcher](c)
	}
	limit := mediaLimit(h.Config(), in.At)
	var kept []media.File
	var notes []string
	for i := range in.Attachments {
		a := &in.Attachments[i]
		open := func(ctx context.Context) (io.ReadCloser, error) { return f.Fetch(ctx, *a) }
		switch {
		case len(a.Data) > 0:
			open = func(context.Context) (io.ReadCloser, error) {
				return io.NopCloser(strings.NewReader(string(a.Data))), nil
			}
		case f == nil, !strings.HasPrefix(a.Ref, string(in.At.Channel)+":"):
			continue
		}
		var file media.File
		err := fault.New(fault.Invalid, "chat.fetch", "there are too many files in this message")
		switch {
		case i >= maxFiles:
		case a.Size > limit:
			err = fault.New(fault.Invalid, "chat.fetch", fmt.Sprintf("it is larger than %d MB", limit/mega))
		default:
			file, err = h.keep(ctx, in, i, limit, open)
		}
		if err != nil {
			h.Log.WarnContext(ctx, "attachment not fetched", "channel", in.At.Channel, "err", err)
			notes = append(notes, "[attachment "+cmp.Or(oneLine(a.Name), "without a name")+" could not be fetched: "+fault.Hint(err)+"]")
			continue
		}
		a.MIME, a.Size = cmp.Or(file.MIME, a.MIME), file.Size
		if file.Path != "" {
			kept = append(kept, file)
		}
	}
	if note := mediaNote(kept); note != "" {
		in.Text = strings.TrimRight(note+"\n"+in.Text, "\n")
	}
	if len(notes) > 0 {
		in.Text = strings.TrimLeft(in.Text+"\n"+strings.Join(notes, "\n"), "\n")
	}
}

// keep stores the i-th file of in. A picture that a model can look at is also
// read into the message.
func (h *Handler) keep(ctx context.Context, in *msg.Inbound, i int, limit int64, open func(context.Context) (io.ReadCloser, error)) (media.File, error) {
	a := &in.Attachments[i]
	if h.Files == nil { // nowhere to keep it: pictures only
		data, err := all(ctx, open)
		a.Data = data
		return media.File{MIME: a.MIME, Size: int64(len(data))}, err
	}
	f, err := h.Files.Take(ctx, fmt.Sprint(in.DedupeKey(), "/", i), a.Name, limit, open)
	if err != nil {
		return f, err
	}
	a.Data = nil
	switch f.MIME {
	case "image/jpeg", "image/png", "image/gif", "image/webp":
		if f.Size <= maxMedia {
			a.Data, err = os.ReadFile(f.Path)
		}
	}
	return f, err
}

func all(ctx context.Context, open func(context.Context) (io.ReadCloser, error)) ([]byte, error) {
	r, err := open(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, maxMedia+1))
	if err == nil && len(data) > maxMedia {
		err = fault.New(fault.Invalid, "chat.fetch", "it is larger than 5 MB")
	}
	return data, err
}

// mediaNote says where the files of a message are, in the recorded form.
func mediaNote(files []media.File) string {
	line := func(head string, f media.File) string { return head + f.Path + " (" + f.MIME + ")]" }
	switch len(files) {
	case 0:
		return ""
	case 1:
		return line("[media attached: ", files[0])
	}
	lines := []string{fmt.Sprintf("[media attached: %d files]", len(files))}
	for i, f := range files {
		lines = append(lines, line(fmt.Sprintf("[media attached %d/%d: ", i+1, len(files)), f))
	}
	return strings.Join(lines, "\n")
}

// attach makes a file or an address that an agent names ready for a channel.
func (h *Handler) attach(ctx context.Context, a id.Agent, to msg.Address, ref string) (msg.Attachment, error) {
	c, ok := h.Outbox.Channel(to.Channel, to.Account)
	if !ok || h.Files == nil || c.Limits().Media <= 0 {
		return msg.Attachment{}, hinted{fault.New(fault.Invalid, "chat.attach", string(to.Channel)+" takes no files")}
	}
	cfg := h.Config()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxFetch)
	defer cancel()
	f, err := h.Files.Stage(ctx, []string{cfg.Workspace(a)}, ref, min(c.Limits().Media, mediaLimit(cfg, to)))
	if err != nil {
		h.Log.WarnContext(ctx, "a file is not sent", "channel", to.Channel, "err", err)
		return f, hinted{err}
	}
	return f, nil
}

// hinted shows of an error what a person may read.
type hinted struct{ err error }

func (e hinted) Error() string { return fault.Hint(e.err) }
func (e hinted) Unwrap() error { return e.err }
