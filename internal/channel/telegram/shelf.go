package telegram

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/openclaw-go/openclaw/internal/channel"
)

// shelf holds the parts of albums and long texts that are pushed one by one: each has to be
// confirmed before the next one comes. It is stored before a part is
// confirmed, so that a stop loses none.
type shelf struct {
	Open []json.RawMessage `json:"open,omitempty"` // updates, in order
	Done []int64           `json:"done,omitempty"` // updates handed on lately, which may come again

	updates []update // what Open holds
	last    time.Time
	first   time.Time
}

const (
	shelfKey     = "albums"
	mostShelved  = 50
	mostDone     = 100
	longestAlbum = 3 * time.Second
)

// wants tells a part of an album or of a long text, or an edit of one that is held.
func (s *shelf) wants(u update) bool {
	if slices.Contains(s.Done, u.ID) {
		return true
	}
	if m := u.written(); m != nil {
		return m.Group != "" || long(m) || slices.ContainsFunc(s.updates, func(x update) bool { return x.written() != nil && follows(x.written(), m) })
	}
	if e := u.edited(); e != nil {
		return slices.ContainsFunc(s.updates, func(x update) bool { return x.written() != nil && place(x.written()) == place(e) })
	}
	return false
}

// holds tells whether there are parts from a chat.
func (s *shelf) holds(chat int64) bool {
	return slices.ContainsFunc(s.updates, func(u update) bool { return u.written() != nil && u.written().Chat.ID == chat })
}

// shelve keeps a part until the album is whole.
func (b *bot) shelve(ctx context.Context, u update, raw json.RawMessage) error {
	s := &b.hook.shelf
	known := slices.Contains(s.Done, u.ID) || slices.ContainsFunc(s.updates, func(x update) bool { return x.ID == u.ID })
	if known {
		return nil
	}
	if len(s.updates) == 0 {
		s.first = time.Now()
	}
	s.Open, s.updates, s.last = append(s.Open, raw), append(s.updates, u), time.Now()
	err := b.keep(ctx)
	if err != nil {
		s.Open, s.updates = s.Open[:len(s.Open)-1], s.updates[:len(s.updates)-1]
	}
	return err
}

// flush hands albums on that are whole: no part came for a while.
func (b *bot) flush(ctx context.Context, recv channel.Receiver, now bool) error {
	b.hook.mu.Lock()
	defer b.hook.mu.Unlock()
	return b.flushLocked(ctx, recv, now)
}

func (b *bot) flushLocked(ctx context.Context, recv channel.Receiver, now bool) error {
	s := &b.hook.shelf
	if len(s.updates) == 0 {
		return nil
	}
	whole := time.Since(s.last) >= b.time.album || time.Since(s.first) >= longestAlbum || len(s.updates) >= mostShelved
	if !now && !whole {
		return nil
	}
	ins, _ := b.messages(ctx, s.updates)
	for _, in := range ins { // again from the first after an error: what was stored is known
		if err := b.hand(ctx, recv, in); err != nil {
			return err
		}
	}
	for _, u := range s.updates {
		s.Done = append(s.Done, u.ID)
	}
	s.Done = s.Done[max(len(s.Done)-mostDone, 0):]
	s.Open, s.updates = nil, nil
	return b.keep(ctx)
}

func (b *bot) keep(ctx context.Context) error {
	if b.env.SetState == nil {
		return nil
	}
	raw, err := json.Marshal(&b.hook.shelf)
	if err != nil {
		return err
	}
	return b.env.SetState(context.WithoutCancel(ctx), shelfKey, string(raw)) // what is handed on is handed on, also while stopping
}

// takeDown reads what a stop left on the shelf.
func (b *bot) takeDown(ctx context.Context) error {
	if b.env.State == nil {
		return nil
	}
	raw, err := b.env.State(ctx, shelfKey)
	if err != nil || raw == "" {
		return err
	}
	b.hook.mu.Lock()
	defer b.hook.mu.Unlock()
	if len(b.hook.shelf.updates) > 0 {
		return nil // ours, from before the connection was lost
	}
	var s shelf
	if err := json.Unmarshal([]byte(raw), &s); err != nil {
		b.log.WarnContext(ctx, "telegram albums that waited can't be read", "err", err)
		return nil
	}
	for _, r := range s.Open {
		if u, _, err := parseUpdate(r); err == nil {
			s.updates = append(s.updates, u)
		}
	}
	b.hook.shelf = s
	return nil
}

// readOne reads an update; one that can't be read is set aside.
func (b *bot) readOne(ctx context.Context, raw json.RawMessage) (update, bool) {
	u, n, err := parseUpdate(raw)
	if err != nil {
		b.setAside(ctx, raw, strconv.FormatInt(n, 10), err)
		return u, false
	}
	return u, true
}
