package discord

import (
	"context"
	"encoding/json"
	"maps"
	"sync"
)

// session is what it takes to go on where a connection ended, also after a
// restart. Seq is the number of the last event that is stored: Discord tells
// the later ones again.
type session struct {
	mu    sync.Mutex
	v     resumable
	dirty bool
}

type resumable struct {
	ID  string `json:"id"`
	URL string `json:"url"`
	Seq int64  `json:"seq"`
}

// Keys of what a bot remembers.
const (
	sessionKey = "session"
	seenKey    = "seen"
	asideKey   = "aside" // the last event that couldn't be read
	menuKey    = "menu"  // what the commands were when they were sent last
)

func (s *session) get() resumable {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.v
}

func (s *session) set(v resumable) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.v, s.dirty = v, true
}

// past notes that everything up to seq is stored.
func (s *session) past(seq int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if seq > s.v.Seq && s.v.ID != "" {
		s.v.Seq, s.dirty = seq, true
	}
}

// seen is the newest message of each conversation, as far as they are stored.
// It is written behind: after a crash a little is fetched again, and known by
// its id.
type seen struct {
	mu    sync.Mutex
	m     map[string]string
	dirty bool
}

const mostSeen = 300

// saw notes a message that is stored; a conversation that is new is written
// down at once.
func (b *bot) saw(ctx context.Context, conversation, id string) {
	s := &b.seen
	s.mu.Lock()
	if s.m == nil {
		s.m = map[string]string{}
	}
	old := s.m[conversation]
	if !newer(id, old) {
		s.mu.Unlock()
		return
	}
	s.m[conversation], s.dirty = id, true
	if len(s.m) > mostSeen {
		s.dropLocked()
	}
	s.mu.Unlock()
	if old == "" {
		b.flush(ctx)
	}
}

func (s *seen) dropLocked() {
	oldest := ""
	for k, v := range s.m {
		if oldest == "" || newer(s.m[oldest], v) {
			oldest = k
		}
	}
	delete(s.m, oldest)
}

func (s *seen) has(conversation string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.m[conversation]
	return ok
}

func (s *seen) all() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.m)
}

// load reads what was remembered, once for each process.
func (b *bot) load(ctx context.Context) {
	if b.env.State == nil {
		return
	}
	if raw, err := b.env.State(ctx, sessionKey); err == nil && b.session.get().ID == "" {
		var v resumable
		if json.Unmarshal([]byte(raw), &v) == nil && v.ID != "" && v.Seq >= 0 {
			b.session.set(v)
		}
	}
	if raw, err := b.env.State(ctx, seenKey); err == nil {
		var m map[string]string
		if json.Unmarshal([]byte(raw), &m) == nil {
			b.seen.merge(m)
		}
	}
	b.open.load(ctx, b)
}

func (s *seen) merge(m map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.m == nil {
		s.m = map[string]string{}
	}
	for k, v := range m {
		if len(s.m) < mostSeen && snowflake(k) && snowflake(v) && newer(v, s.m[k]) {
			s.m[k] = v
		}
	}
}

// flush writes down what changed. What fails is tried again with the next.
func (b *bot) flush(ctx context.Context) {
	if b.env.SetState == nil {
		return
	}
	s := &b.seen
	s.mu.Lock()
	if s.dirty {
		if raw, err := json.Marshal(s.m); err == nil && b.env.SetState(ctx, seenKey, string(raw)) == nil {
			s.dirty = false
		}
	}
	s.mu.Unlock()
	n := &b.session
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.dirty {
		if raw, err := json.Marshal(n.v); err == nil && b.env.SetState(ctx, sessionKey, string(raw)) == nil {
			n.dirty = false
		}
	}
}
