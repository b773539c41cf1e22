package gateway

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
