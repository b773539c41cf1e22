package outbox

import (
	"context"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// hand gives out to the network. A message that takes the place of a preview
// changes it; when that is refused, the preview is taken back and the message
// sent. Changing twice shows nothing twice, so only a send needs the mark of
// doubt.
func hand(ctx context.Context, c channel.Channel, out msg.Outbound, doubt bool) (msg.Receipt, error) {
	if out.Edit != "" {
		r, done, err := replace(ctx, c, out)
		if done || err != nil {
			return r, err
		}
	}
	if doubt && !c.Limits().Idempotent && out.Text != "" {
		out.Text = repeated + out.Text
	}
	out.Edit, out.Spans, out.After, out.Doubt = "", nil, time.Time{}, doubt
	return c.Send(ctx, out)
}

// replace puts out where its preview is. With done false the preview is gone,
// or can't be reached, and out is still to be sent.
func replace(ctx context.Context, c channel.Channel, out msg.Outbound) (r msg.Receipt, done bool, err error) {
	more := len(out.Attachments) > 0 || len(out.Buttons) > 0 || out.Poll != nil || len(out.Native) > 0
	empty := out.Text == "" && !more
	if e, ok := channel.As[channel.Editor](c); ok && !empty && !more {
		err := e.Edit(ctx, out.To, out.Edit, out.Text)
		if err == nil {
			return msg.Receipt{IDs: []id.Message{out.Edit}, At: time.Now()}, true, nil
		}
		if passing(err) {
			return r, false, err
		}
	}
	if d, ok := channel.As[channel.Deleter](c); ok {
		if err := d.Delete(ctx, out.To, out.Edit); err != nil && passing(err) {
			return r, false, err
		}
	}
	return msg.Receipt{At: time.Now()}, empty, nil
}

// passing reports whether the same call may succeed later.
func passing(err error) bool {
	switch fault.KindOf(err) {
	case fault.Unavailable, fault.RateLimited, fault.Timeout, fault.Canceled:
		return true
	}
	return false
}
