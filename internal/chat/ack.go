package chat

import (
	"cmp"
	"context"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/config"
)

// AckReaction is the emoji with which the agent shows that it has seen in, or
// "" where it shows nothing.
func AckReaction(cfg *config.Config, a id.Agent, in msg.Inbound) string {
	sec := cfg.Account(in.At.Channel, in.At.Account)
	ack := sec.Ack()
	switch {
	case ack.Own: // says itself where it is shown
		if in.At.Kind == msg.Direct && ack.Direct || in.At.Kind != msg.Direct && (ack.Group == "always" || ack.Group == "mentions" && in.Mentioned) {
			return ack.Emoji
		}
		return ""
	case in.At.Channel == "whatsapp":
		return "" // only where its section asks for it
	case !ackHere(cmp.Or(sec.AckReactionScope, cfg.Messages.AckReactionScope, "group-mentions"), in):
		return ""
	case ack.Said:
		return ack.Emoji
	case cfg.Messages.AckReaction != nil:
		return *cfg.Messages.AckReaction
	}
	agent, _ := cfg.Agent(a)
	return cmp.Or(agent.Identity.Emoji, "👀")
}

func ackHere(scope string, in msg.Inbound) bool {
	group := in.At.Kind != msg.Direct
	switch scope {
	case "all":
		return true
	case "direct":
		return !group
	case "group-all":
		return group
	case "group-mentions":
		return group && in.Mentioned
	}
	return false
}

// ack reacts to the messages of w, or takes the reactions back. It returns at
// once: nobody waits for a reaction.
func (h *Handler) ack(ctx context.Context, w Work, on bool) {
	if w.In[0].Client != nil || w.Recovered || !on && !h.Config().Messages.RemoveAckAfterReply {
		return
	}
	c, ok := h.Outbox.Channel(w.In[0].At.Channel, w.In[0].At.Account)
	if !ok {
		return
	}
	r, ok := channel.As[channel.Reactor](c)
	if !ok {
		return
	}
	emoji := AckReaction(h.Config(), w.Session.Agent(), w.In[len(w.In)-1])
	if emoji == "" {
		return
	}
	ctx = context.WithoutCancel(ctx) // the message outlives its delivery
	h.side.Go(func() {
		const patience = 10 * time.Second
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		for _, in := range w.In {
			if in.Notice {
				continue
			}
			if err := r.React(ctx, in.At, in.ID, emoji, on); err != nil {
				h.Log.DebugContext(ctx, "reaction not shown", "channel", in.At.Channel, "err", err)
			}
		}
	})
}
