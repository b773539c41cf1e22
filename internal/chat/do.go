package chat

import (
	"context"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// Do has in answered and waits for the answer, as the HTTP API and the command
// line do. Text goes to delta as it comes; delta may be nil. When ctx ends the
// run is stopped.
func (h *Handler) Do(ctx context.Context, in msg.Inbound, delta func(string)) (Result, error) {
	run := in.Client.Run
	s := h.results.observe(run, in.Client.Session, delta)
	fresh, err := h.Inbox.Put(ctx, in)
	if err != nil {
		return Result{}, err
	}
	if !fresh {
		return Result{}, fault.New(fault.Conflict, "chat.Do", "a request with this key was already made")
	}
	r, err := s.wait(ctx)
	if err != nil {
		h.Abort(in.Client.Session, run, "rpc")
		return Result{}, err
	}
	return r, r.Err
}
