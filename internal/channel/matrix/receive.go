package matrix

import (
	"context"
	"slices"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/event"
	mid "maunium.net/go/mautrix/id"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/channel"
)

const (
	maxGap     = 500 // events fetched of what a limited answer left out, in a room
	maxPending = 100 // events that wait for their keys
)

// process hands on what a sync answer brings. The first answer of an account
// is where it begins: what was said before isn't for it.
func (b *bot) process(ctx context.Context, resp *mautrix.RespSync, since string, recv channel.Receiver) error {
	if k := b.crypto(); k != nil {
		if err := k.sync(ctx, resp, since); err != nil {
			return fault.Wrap(fault.Unavailable, "matrix.sync", err)
		}
		if err := b.again(ctx, recv); err != nil {
			return err
		}
	}
	for r, invited := range resp.Rooms.Invite {
		b.invited(ctx, r, invited)
	}
	for _, r := range sortedRooms(resp.Rooms.Join) {
		joined := resp.Rooms.Join[r]
		b.learn(r, joined)
		events := joined.Timeline.Events
		if since == "" {
			continue
		}
		if joined.Timeline.Limited && joined.Timeline.PrevBatch != "" {
			missed, err := b.gap(ctx, r, joined.Timeline.PrevBatch, since)
			if err != nil {
				return err
			}
			events = append(missed, events...)
		}
		for _, ev := range events {
			if err := b.event(ctx, r, ev, recv); err != nil {
				return err
			}
		}
	}
	return nil
}

func sortedRooms(m map[mid.RoomID]*mautrix.SyncJoinedRoom) []mid.RoomID {
	out := make([]mid.RoomID, 0, len(m))
	for r := range m {
		out = append(out, r)
	}
	slices.Sort(out)
	return out
}

// gap fetches what lies between since and the events of a limited answer.
func (b *bot) gap(ctx context.Context, r mid.RoomID, from, since string) ([]*event.Event, error) {
	var out []*event.Event
	for len(out) < maxGap {
		page, err := b.cli.Messages(ctx, r, from, since, mautrix.DirectionBackward, nil, 100)
		if err != nil {
			return nil, classify("matrix.sync", err)
		}
		out = append(out, page.Chunk...)
		if page.End == "" || len(page.Chunk) == 0 {
			break
		}
		from = page.End
	}
	if len(out) >= maxGap {
		b.log.WarnContext(ctx, "matrix room had more messages than are fetched; the oldest are left out", "room", r, "most", maxGap)
	}
	slices.Reverse(out)
	return out, nil
}

// event handles one event of a room's timeline.
func (b *bot) event(ctx context.Context, r mid.RoomID, ev *event.Event, recv channel.Receiver) error {
	if ev.Sender == b.cli.UserID || ev.StateKey != nil {
		return nil
	}
	ev.RoomID = r
	if ev.Type.Class == event.UnknownEventType || ev.Type.Class == 0 {
		ev.Type.Class = event.MessageEventType
	}
	if ev.Type == event.EventEncrypted {
		k := b.crypto()
		if k == nil {
			b.mu.Lock()
			if x := b.rooms[r]; x != nil {
				x.encrypted = true
			}
			b.mu.Unlock()
			return nil
		}
		_ = ev.Content.ParseRaw(ev.Type) // decrypt says what is wrong
		plain, err := k.decrypt(ctx, ev)
		if err != nil {
			b.log.WarnContext(ctx, "matrix message can't be read yet", "room", r, "event", ev.ID, "err", err)
			return b.later(ctx, r, ev.ID)
		}
		plain.RoomID = r
		ev = plain
	}
	in, ok := b.inbound(ctx, r, ev)
	if !ok {
		return nil
	}
	return recv(ctx, in)
}
