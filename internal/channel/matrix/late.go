package matrix

import (
	"context"
	"encoding/json"
	"slices"

	"maunium.net/go/mautrix/event"
	mid "maunium.net/go/mautrix/id"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// later keeps the name of an event whose keys haven't come, so that it is read
// when they have.
func (b *bot) later(ctx context.Context, r mid.RoomID, e mid.EventID) error {
	waiting, err := b.waiting(ctx)
	if err != nil {
		return err
	}
	one := [2]string{string(r), string(e)}
	if slices.Contains(waiting, one) {
		return nil
	}
	waiting = append(waiting, one)
	if n := len(waiting) - maxPending; n > 0 {
		b.log.WarnContext(ctx, "matrix messages are given up: their keys never came", "n", n)
		waiting = waiting[n:]
	}
	return b.wait(ctx, waiting)
}

func (b *bot) waiting(ctx context.Context) ([][2]string, error) {
	raw, err := b.state(ctx, "undecrypted")
	if err != nil || raw == "" {
		return nil, err
	}
	var out [][2]string
	if err := json.Unmarshal([]byte(raw), &out); err != nil {
		return nil, nil //nolint:nilerr // what can't be read is nothing to wait for
	}
	return out, nil
}

func (b *bot) wait(ctx context.Context, list [][2]string) error {
	raw, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return b.setState(ctx, "undecrypted", string(raw))
}

// again tries the events that wait for their keys.
func (b *bot) again(ctx context.Context, recv channel.Receiver) error {
	waiting, err := b.waiting(ctx)
	if err != nil || len(waiting) == 0 {
		return err
	}
	k := b.crypto()
	var left [][2]string
	for _, w := range waiting {
		r := mid.RoomID(w[0])
		ev, err := b.cli.GetEvent(ctx, r, mid.EventID(w[1]))
		if err != nil {
			if fault.KindOf(classify("matrix.sync", err)) == fault.Unavailable {
				left = append(left, w)
			}
			continue
		}
		ev.RoomID, ev.Type.Class = r, event.MessageEventType
		_ = ev.Content.ParseRaw(ev.Type) // decrypt says what is wrong
		plain, err := k.decrypt(ctx, ev)
		if err != nil {
			left = append(left, w)
			continue
		}
		plain.RoomID = r
		if in, ok := b.inbound(ctx, r, plain); ok {
			if err := recv(ctx, in); err != nil {
				return err
			}
		}
	}
	if len(left) == len(waiting) {
		return nil
	}
	return b.wait(ctx, left)
}
