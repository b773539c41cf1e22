package gateway

import (
	"context"
	"sync"
	"time"
)

// healthPause is the least time between two health events.
const healthPause = 100 * time.Millisecond

// healthState keeps the last health payload and tells clients of new ones.
type healthState struct {
	s    *Server
	wake chan struct{} // holds one: a refresh is wanted

	mu  sync.Mutex
	raw []byte
}

func newHealthState(s *Server) *healthState { return &healthState{s: s, wake: make(chan struct{}, 1)} }

// refresh asks for a health event soon.
func (h *healthState) refresh() {
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// last returns the latest payload, making the first.
func (h *healthState) last(ctx context.Context) []byte {
	h.mu.Lock()
	raw := h.raw
	h.mu.Unlock()
	if raw == nil {
		return h.make(ctx)
	}
	return raw
}

func (h *healthState) make(ctx context.Context) []byte {
	var v any = map[string]bool{"ok": true}
	if h.s.o.Health != nil {
		v = h.s.o.Health(ctx)
	}
	raw, err := h.s.hub.enc.marshal(v)
	if err != nil {
		h.s.log.ErrorContext(ctx, "health", "err", err)
		return []byte(`{"ok":false}`)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.raw = raw
	return raw
}

// run makes a health event for each burst of wishes, until ctx ends.
func (h *healthState) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.wake:
		}
		raw := h.make(ctx)
		h.s.hub.bumpHealth()
		h.s.hub.send(broadcast{event: "health", payload: raw, versions: true})
		pause := time.NewTimer(healthPause)
		select {
		case <-ctx.Done():
			pause.Stop()
			return
		case <-pause.C:
		}
	}
}
