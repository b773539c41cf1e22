package slack

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/backoff"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// seen is the newest message of each conversation and thread, as far as they
// are stored. It is written behind: after a crash a little is fetched again,
// and known by its id.
type seen struct {
	mu    sync.Mutex
	m     map[string]string // "C1" or "C1/<thread>": the id of a message
	dirty bool
}

const (
	seenKey  = "seen"
	mostSeen = 200
	// What is fetched after a downtime is bounded: Slack forgets to deliver
	// after minutes, and allows a few tens of questions a minute.
	backlogAge   = 24 * time.Hour
	backlogRooms = 40
	backlogPages = 3
	backlogTime  = 2 * time.Minute
)

// saw notes a message that is stored; a conversation that is new is
// written down at once.
func (b *bot) saw(ctx context.Context, conversation, thread, ts string) {
	key := conversation
	if stamp(thread) && thread != ts {
		key += "/" + thread
	}
	s := &b.seen
	s.mu.Lock()
	if s.m == nil {
		s.m = map[string]string{}
	}
	old := s.m[key]
	if !newer(ts, old) {
		s.mu.Unlock()
		return
	}
	s.m[key], s.dirty = ts, true
	if len(s.m) > mostSeen {
		s.dropLocked()
	}
	s.mu.Unlock()
	if old == "" {
		b.flushSeen(ctx)
	}
}

// newer compares ids as times.
func newer(a, b string) bool { return b == "" || when(a).After(when(b)) }

func (s *seen) dropLocked() {
	oldest := ""
	for k, ts := range s.m {
		if oldest == "" || newer(s.m[oldest], ts) {
			oldest = k
		}
	}
	delete(s.m, oldest)
}

func (b *bot) loadSeen(ctx context.Context) {
	if b.env.State == nil {
		return
	}
	raw, err := b.env.State(ctx, seenKey)
	var m map[string]string
	if err != nil || json.Unmarshal([]byte(cmp.Or(raw, "{}")), &m) != nil {
		return
	}
	b.seen.mu.Lock()
	defer b.seen.mu.Unlock()
	if b.seen.m == nil {
		b.seen.m = map[string]string{}
	}
	for k, ts := range m {
		if len(b.seen.m) < mostSeen && stamp(ts) && newer(ts, b.seen.m[k]) {
			b.seen.m[k] = ts
		}
	}
}

func (b *bot) flushSeen(ctx context.Context) {
	s := &b.seen
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.dirty || b.env.SetState == nil {
		return
	}
	raw, err := json.Marshal(s.m)
	if err == nil && b.env.SetState(ctx, seenKey, string(raw)) == nil {
		s.dirty = false
	}
}

// noteSeen writes behind until ctx ends.
func (b *bot) noteSeen(ctx context.Context) error {
	for {
		if err := backoff.Sleep(ctx, b.time.note); err != nil {
			return err
		}
		b.flushSeen(ctx)
	}
}

// backlog hands on what was written while the account was away. Trouble with it
// is logged and ends it; only storing may fail the connection.
func (b *bot) backlog(ctx context.Context, recv channel.Receiver) error {
	places, since := b.away()
	if since == "" {
		return nil // never here before: history isn't news
	}
	limit, cancel := context.WithTimeout(ctx, backlogTime)
	defer cancel()
	for _, im := range b.newDMs(limit, places) {
		places = append(places, place{conversation: im, after: since})
	}
	n := 0
	for _, p := range places {
		ms, err := b.missed(limit, p)
		if err != nil {
			if refused(err, "channel_not_found", "thread_not_found", "not_in_channel", "missing_scope") {
				continue
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			b.log.WarnContext(ctx, "slack history can't be fetched", "channel", ID, "err", err)
			break
		}
		for _, m := range ms {
			stored, err := b.late(ctx, m, recv)
			if err != nil {
				return err
			}
			if stored {
				n++
			}
		}
	}
	if n > 0 {
		b.log.InfoContext(ctx, "slack messages of the downtime taken up", "channel", ID, "messages", n)
	}
	return nil
}

// place is where something may have been missed.
type place struct {
	conversation, thread, after string
}

// away lists the places seen last, newest first, and since when to look for
// people who never wrote before.
func (b *bot) away() (places []place, since string) {
	edge := strconv.FormatInt(time.Now().Add(-backlogAge).Unix(), 10) + ".000000"
	b.seen.mu.Lock()
	defer b.seen.mu.Unlock()
	for k, ts := range b.seen.m {
		conversation, thread, _ := strings.Cut(k, "/")
		if newer(ts, since) {
			since = ts
		}
		if newer(edge, ts) {
			if thread != "" {
				continue
			}
			ts = edge
		}
		places = append(places, place{conversation, thread, ts})
	}
	if since != "" && newer(edge, since) {
		since = edge
	}
	slices.SortFunc(places, func(x, y place) int { return when(y.after).Compare(when(x.after)) })
	return places[:min(len(places), backlogRooms)], since
}

// newDMs lists direct conversations that aren't among the places seen.
func (b *bot) newDMs(ctx context.Context, known []place) (ims []string) {
	var ans struct {
		Channels []room `json:"channels"`
	}
	if err := b.api.call(ctx, "users.conversations", params{"types": "im", "exclude_archived": "true", "limit": "200"}, &ans); err != nil {
		return nil
	}
	const most = 20
	for _, r := range ans.Channels {
		if !idLike(r.ID) || r.User == "USLACKBOT" || len(ims) == most {
			continue
		}
		if !slices.ContainsFunc(known, func(p place) bool { return p.conversation == r.ID }) {
			ims = append(ims, r.ID)
		}
	}
	return ims
}

// missed fetches what was written at p, oldest first.
func (b *bot) missed(ctx context.Context, p place) ([]message, error) {
	var out []message
	q := params{"channel": p.conversation, "oldest": p.after, "limit": "100"}
	method := "conversations.history"
	if p.thread != "" {
		method, q["ts"] = "conversations.replies", p.thread
	}
	for range backlogPages {
		var ans history
		if err := b.api.call(ctx, method, q, &ans); err != nil {
			return nil, err
		}
		for _, m := range ans.Messages {
			if stamp(m.TS) && newer(m.TS, p.after) && m.TS != p.thread {
				m.Channel = p.conversation
				out = append(out, m)
			}
		}
		if ans.Meta.Cursor == "" {
			break
		}
		q["cursor"] = ans.Meta.Cursor
	}
	slices.SortFunc(out, func(x, y message) int { return when(x.TS).Compare(when(y.TS)) })
	return out, nil
}

// history is a page of a conversation.
type history struct {
	Messages []message `json:"messages"`
	Meta     struct {
		Cursor string `json:"next_cursor"`
	} `json:"response_metadata"`
}

// late hands on one message of the downtime.
func (b *bot) late(ctx context.Context, m message, recv channel.Receiver) (stored bool, err error) {
	switch m.Subtype {
	case "", "bot_message", "me_message", "file_share", "thread_broadcast":
	default:
		return false, nil
	}
	me, err := b.self(ctx)
	if err != nil {
		return false, err
	}
	look, cancel := context.WithTimeout(ctx, b.time.lookup)
	defer cancel()
	m.Team = me.Team
	in, ok := b.inbound(look, me, m)
	if !ok {
		return false, nil
	}
	in.Backlog = true
	if _, known := b.stored.Get(in.DedupeKey()); known {
		return false, nil
	}
	retry := backoff.Backoff{Policy: b.time.retry}
	for {
		err := b.store(ctx, in, recv)
		if err == nil {
			b.saw(ctx, m.Channel, m.Thread, m.TS)
			return true, nil
		}
		if ctx.Err() != nil || fault.KindOf(err) == fault.Invalid {
			return false, ctx.Err()
		}
		if err := retry.Wait(ctx, delay(err)); err != nil {
			return false, err
		}
	}
}
