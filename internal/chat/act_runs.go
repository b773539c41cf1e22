package chat

import (
	"sync"

	"github.com/openclaw-go/openclaw/internal/base/id"
)

// doing remembers of each run that goes on which message it answers: what its
// tools do about "this message" is about that one.
type doing struct {
	mu   sync.Mutex
	runs map[id.Run]id.Message
}

func (d *doing) begin(run id.Run, answers id.Message) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.runs == nil {
		d.runs = map[id.Run]id.Message{}
	}
	d.runs[run] = answers
}

func (d *doing) end(run id.Run) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.runs, run)
}

// current is the message that run answers, or "".
func (h *Handler) current(run id.Run) id.Message {
	h.doing.mu.Lock()
	defer h.doing.mu.Unlock()
	return h.doing.runs[run]
}
