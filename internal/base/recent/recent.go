// Package recent remembers values for a while.
package recent

import (
	"sync"
	"time"
)

// Map remembers values for a day, and 4096 of them at most: when it is full the
// older half is forgotten. The zero value is ready, and may be used by several
// goroutines.
type Map[V any] struct {
	mu sync.Mutex
	m  map[string]entry[V]
}

type entry[V any] struct {
	v  V
	at time.Time
}

const (
	most     = 4096
	lifetime = 24 * time.Hour
)

// Put remembers v under key.
func (m *Map[V]) Put(key string, v V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.m == nil {
		m.m = map[string]entry[V]{}
	}
	if _, known := m.m[key]; !known && len(m.m) >= most {
		m.thinLocked()
	}
	m.m[key] = entry[V]{v, time.Now()}
}

// thinLocked drops the older half.
func (m *Map[V]) thinLocked() {
	var first, last time.Time
	for _, e := range m.m {
		if first.IsZero() || e.at.Before(first) {
			first = e.at
		}
		if e.at.After(last) {
			last = e.at
		}
	}
	half := first.Add(last.Sub(first) / 2)
	for k, e := range m.m {
		if !e.at.After(half) {
			delete(m.m, k)
		}
	}
}

// Get returns what was put last under key.
func (m *Map[V]) Get(key string) (V, bool) { return m.Younger(key, lifetime) }

// Younger returns what was put within age.
func (m *Map[V]) Younger(key string, age time.Duration) (v V, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.m[key]
	if !ok || time.Since(e.at) > age {
		return v, false
	}
	return e.v, true
}

// Take returns a value and forgets it.
func (m *Map[V]) Take(key string) (V, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.m[key]
	delete(m.m, key)
	return e.v, ok
}
