package event_test

import (
	"errors"
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/event"
)

// A subscriber that falls behind loses its own subscription, in the middle of
// a delivery too, and nobody else anything.
func TestSlowSubscriberAlone(t *testing.T) {
	t.Parallel()
	b := event.NewBus()
	first, slow, last := b.Subscribe(4), b.Subscribe(1), b.Subscribe(4)
	for range 3 {
		b.Publish(event.RunStarted{})
	}
	for name, s := range map[string]*event.Sub{"first": first, "last": last} {
		if n := len(s.C); n != 3 || s.Err() != nil {
			t.Errorf("%s: %d events, %v; want 3", name, n, s.Err())
		}
		s.Close()
	}
	if _, ok := <-slow.C; !ok {
		t.Error("what fitted was not delivered")
	}
	if _, ok := <-slow.C; ok || !errors.Is(slow.Err(), event.ErrSlow) {
		t.Errorf("slow: open %t, %v; want closed with %v", ok, slow.Err(), event.ErrSlow)
	}
	slow.Close() // again: nothing happens
}

// A volatile event that doesn't fit is dropped.
func TestVolatileDropped(t *testing.T) {
	t.Parallel()
	b := event.NewBus()
	s := b.Subscribe(1)
	defer s.Close()
	b.Publish(event.RunDelta{Text: "a"})
	b.Publish(event.RunDelta{Text: "b"})
	if e, ok := (<-s.C).(event.RunDelta); !ok || e.Text != "a" || s.Err() != nil {
		t.Errorf("got %v, %v", e, s.Err())
	}
}
