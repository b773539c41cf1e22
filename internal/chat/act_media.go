package chat

import (
	"context"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// attach adds a file or an address to out.
func (h *Handler) attach(context.Context, *msg.Outbound, string) error {
	return fault.New(fault.Invalid, "chat.attach", "media can't be sent yet; send text")
}
