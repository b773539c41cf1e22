package chat

import (
	"context"
	"io"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// maxMedia bounds one attachment that is handed to a model, in bytes.
const maxMedia = 5 << 20

// fetch gets the images that in only described, now that its sender is let in.
// What can't be had is named in the text, so that the agent and the person know.
func (h *Handler) fetch(ctx context.Context, in *msg.Inbound) {
	c, ok := h.Outbox.Channel(in.At.Channel, in.At.Account)
	if !ok {
		return
	}
	f, ok := channel.As[channel.Fetcher](c)
	if !ok {
		return
	}
	for i := range in.Attachments {
		a := &in.Attachments[i]
		if len(a.Data) > 0 || !strings.HasPrefix(a.MIME, "image/") || !strings.HasPrefix(a.Ref, string(in.At.Channel)+":") {
			continue
		}
		data, err := read(ctx, f, *a)
		if err != nil {
			h.Log.WarnContext(ctx, "attachment not fetched", "channel", in.At.Channel, "err", err)
			in.Text += "\n[attachment " + a.Name + " could not be fetched: " + fault.Hint(err) + "]"
			continue
		}
		a.Data, a.Size = data, int64(len(data))
	}
}

func read(ctx context.Context, f channel.Fetcher, a msg.Attachment) ([]byte, error) {
	r, err := f.Fetch(ctx, a)
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
