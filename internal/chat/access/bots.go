package access

import (
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// Two bots that answer each other go on until somebody stops them. So a bot is
// answered MaxBotTurns times since a person last wrote at its place, and each
// bot MaxBotHour times in an hour, however slowly they talk.
const (
	MaxBotTurns = 10
	MaxBotHour  = 20
)

// talks counts the turns that bots got.
type talks struct {
	mu     sync.Mutex
	places map[msg.Address]*talk
}

type talk struct {
	turns int        // with bots since a person wrote
	last  id.Message // counted last: a message that is handled again counts once
	pairs map[id.Peer]*pair
	seen  time.Time
}

type pair struct {
	since time.Time
	n     int
}

// most bounds the places and the bots of one that are remembered.
const most = 500

// count notes a message that was let in and returns why it isn't answered, or
// "". A thread belongs to the talk of its room: a new one is no new beginning.
func (t *talks) count(in msg.Inbound, answered bool, now time.Time) string {
	at := in.At
	at.Thread = ""
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.places[at]
	switch {
	case !in.From.Bot:
		if p != nil && !in.Notice {
			p.turns = 0
		}
		return ""
	case !answered || in.Notice:
		return ""
	case p == nil:
		p = &talk{pairs: map[id.Peer]*pair{}}
		t.keep(at, p, now)
	}
	p.seen = now
	again := p.last == in.ID && in.ID != ""
	x := p.pairs[in.From.ID]
	if x == nil || now.Sub(x.since) >= time.Hour {
		x = &pair{since: now}
		if len(p.pairs) >= most {
			clear(p.pairs)
		}
		p.pairs[in.From.ID] = x
	}
	switch {
	case again:
		return ""
	case p.turns >= MaxBotTurns:
		return "bots only since long: a person has to write first"
	case x.n >= MaxBotHour:
		return "this bot was answered often enough in this hour"
	}
	p.turns++
	x.n++
	p.last = in.ID
	return ""
}

// keep remembers a place, and forgets the one unused for longest when there are
// too many.
func (t *talks) keep(at msg.Address, p *talk, now time.Time) {
	if t.places == nil {
		t.places = map[msg.Address]*talk{}
	}
	if len(t.places) >= most {
		var oldest msg.Address
		age := time.Duration(-1)
		for a, x := range t.places {
			if d := now.Sub(x.seen); d > age {
				oldest, age = a, d
			}
		}
		delete(t.places, oldest)
	}
	t.places[at] = p
}
