package chat

import (
	"strings"
	"sync"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// doing remembers of each run that goes on which message it answers and what
// its message tool has said where, so that nothing is shown twice.
type doing struct {
	mu   sync.Mutex
	runs map[id.Run]*deeds
}

type deeds struct {
	answers id.Message
	said    []spoken
}

type spoken struct {
	to   msg.Address
	text string
}

// maxSpoken bounds what is remembered of one run.
const maxSpoken = 64

func (d *doing) begin(run id.Run, answers id.Message) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.runs == nil {
		d.runs = map[id.Run]*deeds{}
	}
	d.runs[run] = &deeds{answers: answers}
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
	if r := h.doing.runs[run]; r != nil {
		return r.answers
	}
	return ""
}

// said notes what the message tool of a run has sent.
func (h *Handler) said(run id.Run, to msg.Address, text string) {
	h.doing.mu.Lock()
	defer h.doing.mu.Unlock()
	if r := h.doing.runs[run]; r != nil && len(r.said) < maxSpoken {
		r.said = append(r.said, spoken{to, plainly(text)})
	}
}

// repeats reports whether text is what the message tool of the run has sent to
// the same place already.
func (h *Handler) repeats(run id.Run, to msg.Address, text string) bool {
	h.doing.mu.Lock()
	defer h.doing.mu.Unlock()
	r := h.doing.runs[run]
	if r == nil || text == "" {
		return false
	}
	t := plainly(text)
	for _, s := range r.said {
		if s.to.Channel == to.Channel && s.to.Account == to.Account && s.to.Peer == to.Peer && s.to.Thread == to.Thread && s.text == t {
			return true
		}
	}
	return false
}

// plainly is text without what doesn't tell two answers apart.
func plainly(text string) string { return strings.Join(strings.Fields(text), " ") }
