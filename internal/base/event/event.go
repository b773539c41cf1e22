// Package event is the one bus of the process.
//
// Events tell; they never ask. The message path is made of calls, and the bus
// carries facts about it to those who watch: gateway clients, metrics, the
// audit log. Removing every subscriber must not change what the agent does.
//
// Delivery: each subscriber has its own buffer. A [Volatile] event (a token
// delta) is dropped for a subscriber whose buffer is full. Any other event
// that doesn't fit ends that subscription with [ErrSlow], so a slow client
// learns that it must refresh rather than miss a fact in silence.
package event

import (
	"errors"
	"slices"
	"sync"
)

// ErrSlow ends the subscription of a subscriber that fell behind.
var ErrSlow = errors.New("event: subscriber too slow")

// Bus fans events out to subscribers in one total order.
type Bus struct {
	mu   sync.Mutex
	subs []*Sub // a few, and walked for each event: a map would cost more than the rest
}

// NewBus returns an empty bus.
func NewBus() *Bus { return &Bus{} }

// Sub is one subscription.
type Sub struct {
	C   <-chan Event
	c   chan Event
	bus *Bus
	err error
}

// Subscribe returns a subscription with room for n undelivered events.
func (b *Bus) Subscribe(n int) *Sub {
	c := make(chan Event, n)
	s := &Sub{C: c, c: c, bus: b}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.subs = append(b.subs, s)
	return s
}

// Publish hands e to every subscriber. It never blocks.
func (b *Bus) Publish(e Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := len(b.subs) - 1; i >= 0; i-- { // backwards, since one that is closed leaves the list
		s := b.subs[i]
		select {
		case s.c <- e:
		default:
			if _, ok := e.(Volatile); !ok {
				s.closeLocked(ErrSlow)
			}
		}
	}
}

// Close ends the subscription.
func (s *Sub) Close() {
	s.bus.mu.Lock()
	defer s.bus.mu.Unlock()
	s.closeLocked(nil)
}

// Err reports why C was closed.
func (s *Sub) Err() error {
	s.bus.mu.Lock()
	defer s.bus.mu.Unlock()
	return s.err
}

func (s *Sub) closeLocked(err error) {
	i := slices.Index(s.bus.subs, s)
	if i < 0 {
		return
	}
	s.bus.subs = slices.Delete(s.bus.subs, i, i+1)
	s.err = err
	close(s.c)
}
