package chat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// elsewhere applies tools.message: an agent that talks in one place may write
// to others of the same network, and to other networks only where that is
// turned on. What others wrote there is for the owner only.
func (h *Handler) elsewhere(by Asker, to msg.Address, do string) error {
	const op = "chat.Act"
	if by.At.Channel == "" || by.At.Channel == "webchat" || by.At == to {
		return nil
	}
	same := by.At.Channel == to.Channel && by.At.Account == to.Account && by.At.Peer == to.Peer
	if !writes(do) && !same && !by.Owner {
		return fault.New(fault.Forbidden, op, "only the owner may have the agent do that in another conversation")
	}
	m := h.Config().Tools.Message
	switch {
	case same, m.AllowCrossContextSend:
	case by.At.Channel == to.Channel && m.CrossContext.AllowWithinProvider != nil && !*m.CrossContext.AllowWithinProvider:
		return fault.New(fault.Forbidden, op, "tools.message.crossContext.allowWithinProvider is off, so only this conversation can be written to")
	case by.At.Channel != to.Channel && !m.CrossContext.AllowAcrossProviders:
		return fault.New(fault.Forbidden, op, fmt.Sprintf("this conversation is on %s; writing to %s needs tools.message.crossContext.allowAcrossProviders", by.At.Channel, to.Channel))
	}
	return nil
}

func writes(do string) bool {
	return slices.Contains([]string{"send", "reply", "thread-reply", "poll", "broadcast"}, do)
}

// marked puts in front where a text comes from when an agent writes to another
// place than the one it talks in.
func (h *Handler) marked(by Asker, to msg.Address, text string) string {
	mark := h.Config().Tools.Message.CrossContext.Marker
	if !by.Tool || text == "" || by.At.Channel == "" || by.At.Channel == "webchat" || by.At.Channel == to.Channel && by.At.Peer == to.Peer ||
		mark.Enabled != nil && !*mark.Enabled {
		return text
	}
	prefix := "[from {channel}] "
	if mark.Prefix != nil {
		prefix = *mark.Prefix
	}
	fill := func(s string) string { return strings.ReplaceAll(s, "{channel}", string(by.At.Channel)) }
	return fill(prefix) + text + fill(mark.Suffix)
}
