package gateway

import (
	"sync"

	"github.com/openclaw-go/openclaw/internal/base/wire"
)

// softLimit is from how many waiting bytes on volatile frames are dropped.
const softLimit = 1 << 20

// frame is one encoded frame. Its bytes are shared by all who get it.
type frame struct {
	data     []byte
	volatile bool
}

// queue holds the frames that wait for one client. It never blocks: volatile
// frames give way first, and a client for whom [wire.MaxBuffered] bytes wait is
// too slow.
type queue struct {
	mu     sync.Mutex
	frames []frame
	bytes  int
	closed bool
	wake   chan struct{} // holds one: something happened
}

func newQueue() *queue { return &queue{wake: make(chan struct{}, 1)} }

// push adds f. It returns false when the client is too slow.
func (q *queue) push(f frame) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return true
	}
	if f.volatile && q.bytes+len(f.data) > softLimit {
		return true
	}
	if q.bytes+len(f.data) > wire.MaxBuffered {
		q.shedLocked()
		if q.bytes+len(f.data) > wire.MaxBuffered {
			q.closed = true
			q.frames, q.bytes = nil, 0
			q.signal()
			return false
		}
	}
	q.frames = append(q.frames, f)
	q.bytes += len(f.data)
	q.signal()
	return true
}

// shedLocked drops the volatile frames.
func (q *queue) shedLocked() {
	kept := q.frames[:0]
	for _, f := range q.frames {
		if f.volatile {
			q.bytes -= len(f.data)
			continue
		}
		kept = append(kept, f)
	}
	clear(q.frames[len(kept):])
	q.frames = kept
}

func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// take moves all waiting frames into buf.
func (q *queue) take(buf []frame) (out []frame, open bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	out = append(buf[:0], q.frames...)
	clear(q.frames)
	q.frames = q.frames[:0]
	return out, !q.closed
}

// sent gives back the room of n written bytes.
func (q *queue) sent(n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.bytes = max(0, q.bytes-n)
}

// close makes the queue take nothing more; what waits is still taken.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.signal()
}
