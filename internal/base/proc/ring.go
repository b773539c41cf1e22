package proc

import "sync"

// Ring keeps the last bytes written to it. It is safe for concurrent use; the
// zero value keeps nothing, so make one with [NewRing].
type Ring struct {
	mu    sync.Mutex
	max   int
	buf   []byte
	start int // of the oldest byte, once buf is full
	total int64
}

// NewRing returns a ring that keeps the last limit bytes. Memory is taken as
// output comes.
func NewRing(limit int) *Ring { return &Ring{max: max(limit, 0)} }

// Write keeps p, dropping the oldest bytes that no longer fit. It never fails.
func (r *Ring) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(p)
	r.total += int64(n)
	if n >= r.max {
		r.buf, r.start = append(r.buf[:0], p[n-r.max:]...), 0
		return n, nil
	}
	if room := r.max - len(r.buf); room > 0 {
		k := min(room, len(p))
		r.buf = append(r.buf, p[:k]...)
		p = p[k:]
	}
	for len(p) > 0 {
		k := copy(r.buf[r.start:], p)
		p = p[k:]
		if r.start += k; r.start == len(r.buf) {
			r.start = 0
		}
	}
	return n, nil
}

// Total returns how many bytes were ever written.
func (r *Ring) Total() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.total
}

// Since returns what was written from offset on, at most limit bytes of it
// (the newest), and the offset of the first byte returned: it is greater than
// asked for when bytes were dropped.
func (r *Ring) Since(offset int64, limit int) (b []byte, from int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	from = max(offset, r.total-int64(len(r.buf)), r.total-int64(limit))
	if from >= r.total {
		return nil, r.total
	}
	b = make([]byte, r.total-from)
	skip := len(r.buf) - len(b)
	if len(r.buf) < r.max {
		copy(b, r.buf[skip:])
		return b, from
	}
	at := (r.start + skip) % len(r.buf)
	k := copy(b, r.buf[at:])
	copy(b[k:], r.buf)
	return b, from
}

// Bytes returns all that is kept and how many older bytes were dropped.
func (r *Ring) Bytes() (b []byte, dropped int64) { return r.Since(0, r.max) }
