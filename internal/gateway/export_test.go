package gateway

import (
	"fmt"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/event"
	"github.com/openclaw-go/openclaw/internal/base/id"
)

// Queue lets tests fill a queue without a client.
type Queue struct{ q *queue }

// NewQueue returns an empty queue.
func NewQueue() Queue { return Queue{newQueue()} }

// Push is push.
func (q Queue) Push(data []byte, volatile bool) bool { return q.q.push(frame{data, volatile}) }

// Sizes returns the sizes of what waits.
func (q Queue) Sizes() (out []int) {
	frames, _ := q.q.take(nil)
	for _, f := range frames {
		out = append(out, len(f.data))
	}
	return out
}

// Fan is a server with clients that take what they get.
type Fan struct {
	runs  *runs
	conns []*conn
	batch []frame
}

// NewFan returns one with n clients.
func NewFan(n int) *Fan {
	s := &Server{hub: newHub(), now: time.Now}
	f := &Fan{runs: newRuns(s)}
	for i := range n {
		c := &conn{s: s, id: id.Conn(fmt.Sprint(i)), q: newQueue(), reads: true}
		s.hub.add(c)
		f.conns = append(f.conns, c)
	}
	return f
}

// Delta tells all clients of a piece of text.
func (f *Fan) Delta(e event.RunDelta) {
	f.runs.delta(e)
	for _, c := range f.conns {
		f.batch, _ = c.q.take(f.batch)
		for _, fr := range f.batch {
			c.q.sent(len(fr.data))
		}
	}
}
