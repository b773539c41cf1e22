package matrix

import (
	"context"
	"errors"
	"slices"
	"strings"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/event"
	mid "maunium.net/go/mautrix/id"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// Read implements [channel.Reader]: the newest messages, or those before one.
func (b *bot) Read(ctx context.Context, at msg.Address, page channel.Page) ([]msg.Inbound, error) {
	const op = "matrix.Read"
	r, err := b.where(ctx, at)
	if err != nil {
		return nil, err
	}
	limit := page.Limit
	if limit <= 0 {
		limit = 20
	}
	from := ""
	if page.Before != "" || page.Around != "" {
		c, err := b.cli.Context(ctx, r, mid.EventID(string(page.Before)+string(page.Around)), nil, 1)
		if err != nil {
			return nil, classify(op, err)
		}
		from = c.Start
	}
	got, err := b.cli.Messages(ctx, r, from, "", mautrix.DirectionBackward, nil, min(limit*2, 200))
	if err != nil {
		return nil, classify(op, err)
	}
	var out []msg.Inbound
	for _, ev := range got.Chunk {
		if in, ok := b.shown(ctx, r, ev); ok && len(out) < limit {
			out = append(out, in)
		}
	}
	return out, nil
}

// shown is an event as those who read a room see it, the bot's own too.
func (b *bot) shown(ctx context.Context, r mid.RoomID, ev *event.Event) (msg.Inbound, bool) {
	ev.RoomID, ev.Type.Class = r, event.MessageEventType
	if ev.Type == event.EventEncrypted {
		k := b.crypto()
		if k == nil {
			return msg.Inbound{}, false
		}
		_ = ev.Content.ParseRaw(ev.Type) // decrypt says what is wrong
		plain, err := k.decrypt(ctx, ev)
		if err != nil {
			return msg.Inbound{}, false
		}
		ev = plain
	}
	if ev.Type != event.EventMessage || ev.StateKey != nil {
		return msg.Inbound{}, false
	}
	if ev.Content.Parsed == nil && ev.Content.ParseRaw(ev.Type) != nil {
		return msg.Inbound{}, false
	}
	return b.inbound(ctx, r, ev)
}

// Pin implements [channel.Pinner].
func (b *bot) Pin(ctx context.Context, to msg.Address, m id.Message, on bool) error {
	const op = "matrix.Pin"
	r, err := b.where(ctx, to)
	if err != nil {
		return err
	}
	pinned, err := b.pinned(ctx, r)
	if err != nil {
		return err
	}
	e := mid.EventID(m)
	had := slices.Contains(pinned, e)
	switch {
	case on == had:
		return nil
	case on:
		pinned = append(pinned, e)
	default:
		pinned = slices.DeleteFunc(pinned, func(x mid.EventID) bool { return x == e })
	}
	_, err = b.cli.SendStateEvent(ctx, r, event.StatePinnedEvents, "", &event.PinnedEventsEventContent{Pinned: pinned})
	return classify(op, err)
}

func (b *bot) pinned(ctx context.Context, r mid.RoomID) ([]mid.EventID, error) {
	var c event.PinnedEventsEventContent
	err := b.cli.StateEvent(ctx, r, event.StatePinnedEvents, "", &c)
	if err != nil && !errors.Is(err, mautrix.MNotFound) {
		return nil, classify("matrix.Pins", err)
	}
	return c.Pinned, nil
}

// Pins implements [channel.Pinner].
func (b *bot) Pins(ctx context.Context, at msg.Address) ([]msg.Inbound, error) {
	r, err := b.where(ctx, at)
	if err != nil {
		return nil, err
	}
	pinned, err := b.pinned(ctx, r)
	if err != nil {
		return nil, err
	}
	var out []msg.Inbound
	for _, e := range pinned[:min(len(pinned), 50)] {
		ev, err := b.cli.GetEvent(ctx, r, e)
		if err != nil {
			continue // one that is gone isn't shown
		}
		if in, ok := b.shown(ctx, r, ev); ok {
			out = append(out, in)
		}
	}
	return out, nil
}

// Self implements [channel.Directory].
func (b *bot) Self(ctx context.Context) (channel.Entry, error) {
	if err := b.login(ctx); err != nil {
		return channel.Entry{}, err
	}
	return channel.Entry{Kind: msg.Direct, ID: id.Peer(b.cli.UserID), Name: b.display(b.cli.UserID)}, nil
}

// Peers implements [channel.Directory] through the homeserver's user directory.
func (b *bot) Peers(ctx context.Context, query string, limit int) ([]channel.Entry, error) {
	resp, err := b.cli.SearchUserDirectory(ctx, query, limit)
	if err != nil {
		return nil, classify("matrix.Peers", err)
	}
	var out []channel.Entry
	for _, u := range resp.Results {
		out = append(out, channel.Entry{Kind: msg.Direct, ID: id.Peer(u.UserID), Name: u.DisplayName, Handle: strings.TrimPrefix(string(u.UserID), "@")})
	}
	return out, nil
}

// Groups implements [channel.Directory]: the rooms that the bot is in.
func (b *bot) Groups(ctx context.Context, query string, limit int) ([]channel.Entry, error) {
	joined, err := b.cli.JoinedRooms(ctx)
	if err != nil {
		return nil, classify("matrix.Groups", err)
	}
	var out []channel.Entry
	for _, r := range joined.JoinedRooms {
		if len(out) >= limit {
			break
		}
		x := b.room(ctx, r, "")
		q := strings.ToLower(query)
		if x.direct || q != "" && !strings.Contains(strings.ToLower(x.name), q) && !strings.Contains(strings.ToLower(x.alias), q) && !strings.EqualFold(string(r), query) {
			continue
		}
		out = append(out, channel.Entry{Kind: msg.Group, ID: id.Peer(r), Name: x.name, Handle: x.alias})
	}
	return out, nil
}

// Members implements [channel.Directory].
func (b *bot) Members(ctx context.Context, group id.Peer, limit int) ([]channel.Entry, error) {
	r, err := b.where(ctx, msg.Address{Kind: msg.Group, Peer: group})
	if err != nil {
		return nil, err
	}
	resp, err := b.cli.JoinedMembers(ctx, r)
	if err != nil {
		return nil, classify("matrix.Members", err)
	}
	var out []channel.Entry
	for u, m := range resp.Joined {
		out = append(out, channel.Entry{Kind: msg.Direct, ID: id.Peer(u), Name: m.DisplayName})
	}
	slices.SortFunc(out, func(a, b channel.Entry) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return out[:min(len(out), max(limit, 0))], nil
}
