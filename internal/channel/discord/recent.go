package discord

import (
	"sync"
	"time"
)

// recent remembers values for a while, and not too many of them. The zero value
// is ready.
type recent[V any] struct {
	mu sync.Mutex
	m  map[string]remembered[V]
}

type remembered[V any] struct {
	v  V
	at time.Time
}

const (
	mostRecent = 4096
	recentFor  = 24 * time.Hour
)

func (r *recent[V]) put(key string, v V) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.m == nil {
		r.m = map[string]remembered[V]{}
	}
	if _, known := r.m[key]; !known && len(r.m) >= mostRecent {
		r.thinLocked()
	}
	r.m[key] = remembered[V]{v, time.Now()}
}

// thinLocked drops the older half.
func (r *recent[V]) thinLocked() {
	var first, last time.Time
	for _, e := range r.m {
		if first.IsZero() || e.at.Before(first) {
			first = e.at
		}
		if e.at.After(last) {
			last = e.at
		}
	}
	half := first.Add(last.Sub(first) / 2)
	for k, e := range r.m {
		if !e.at.After(half) {
			delete(r.m, k)
		}
	}
}

func (r *recent[V]) get(key string) (V, bool) { return r.younger(key, recentFor) }

// younger returns what was put within age.
func (r *recent[V]) younger(key string, age time.Duration) (v V, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.m[key]
	if !ok || time.Since(e.at) > age {
		return v, false
	}
	return e.v, true
}
