package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/chat/outbox"
)

func (h *Handler) actSend(ctx context.Context, by Asker, a Action, to msg.Address) (any, error) {
	if strings.TrimSpace(a.Message) == "" && a.Media == "" && len(a.Native) == 0 {
		return nil, fault.New(fault.Invalid, "chat.Act", "message is empty: give it a text")
	}
	out := msg.Outbound{
		ID: id.Delivery("send-" + by.Key), Run: by.Run, Session: by.Session, To: to, Text: h.marked(by, to, a.Message), ReplyTo: a.ReplyTo,
		Quiet: a.Silent, Native: a.Native,
	}
	if a.Do == "reply" && out.ReplyTo == "" {
		out.ReplyTo = cmp.Or(a.ID, h.current(by.Run))
	}
	for _, row := range a.Buttons {
		var buttons []msg.Button
		for _, b := range row {
			buttons = append(buttons, msg.Button{Text: b.Text, Data: b.Data, URL: b.URL, Style: b.Style})
		}
		out.Buttons = append(out.Buttons, buttons)
	}
	if a.Media != "" {
		agent := by.Session.Agent()
		if by.Session == "" {
			agent = h.Config().DefaultAgent()
		}
		file, err := h.attach(ctx, agent, to, a.Media)
		if err != nil {
			return nil, err
		}
		out.Attachments = append(out.Attachments, file)
	}
	if by.Tool { // in its place among what the run says
		if err := h.Say(ctx, by.Run, h.parts(out)...); err != nil {
			return nil, err
		}
	}
	return h.sendPatiently(ctx, out)
}

// sendPatiently sends out and waits a while for the network to take it.
func (h *Handler) sendPatiently(ctx context.Context, out msg.Outbound) (sent, error) {
	r := sent{Run: out.Run, Message: out.ID, Channel: out.To.Channel}
	ctx, cancel := context.WithTimeout(ctx, sendPatience)
	defer cancel()
	err := h.sendOnce(ctx, out)
	if q, ok := errors.AsType[outbox.Queued](err); ok {
		r.Queued, r.Reason = true, visible(q.Err)
		return r, nil
	}
	return r, err
}

func (h *Handler) actPoll(ctx context.Context, by Asker, a Action, to msg.Address, c channel.Channel) (any, error) {
	const op = "chat.Act"
	if !c.Limits().Polls {
		return nil, fault.New(fault.Invalid, op, "unsupported poll channel: "+string(to.Channel))
	}
	options := slices.DeleteFunc(slices.Clone(a.Options), func(o string) bool { return strings.TrimSpace(o) == "" })
	if strings.TrimSpace(a.Question) == "" || len(options) < 2 {
		return nil, fault.New(fault.Invalid, op, "a poll needs a question and at least two options")
	}
	p := &msg.Poll{Question: a.Question, Options: options, Multi: a.Multi, Public: a.Public}
	p.Open = time.Duration(a.Hours)*time.Hour + time.Duration(a.Seconds)*time.Second
	return h.sendPatiently(ctx, msg.Outbound{
		ID: id.Delivery("poll-" + by.Key), Run: by.Run, Session: by.Session, To: to, Poll: p, Quiet: a.Silent, ReplyTo: a.ReplyTo,
	})
}

// broadcast sends one message to many; one that fails doesn't stop the others.
func (h *Handler) broadcast(ctx context.Context, by Asker, a Action) (any, error) {
	const op = "chat.Act"
	if on := h.Config().Tools.Message.Broadcast.Enabled; by.Tool && on != nil && !*on {
		return nil, fault.New(fault.Forbidden, op, "tools.message.broadcast.enabled is off")
	}
	switch {
	case len(a.Targets) == 0:
		return nil, fault.New(fault.Invalid, op, "targets is empty: say whom to send to")
	case len(a.Targets) > maxBroadcast:
		return nil, fault.New(fault.Invalid, op, fmt.Sprintf("%d targets are too many; %d are the most", len(a.Targets), maxBroadcast))
	}
	type one struct {
		Channel id.Channel `json:"channel"`
		To      string     `json:"to"`
		OK      bool       `json:"ok"`
		Error   string     `json:"error,omitempty"`
		Result  any        `json:"result,omitempty"`
	}
	channels := []id.Channel{a.Channel}
	if a.Channel == "all" {
		channels = h.Outbox.Channels()
	}
	var out []one
	for _, ch := range channels {
		for i, target := range a.Targets {
			each := a
			each.Do, each.partOf, each.Channel, each.Target, each.Targets = "send", a.Do, ch, target, nil
			who := by
			who.Key = fmt.Sprintf("%s/%s/%d", by.Key, ch, i+1)
			r, err := h.Act(ctx, who, each)
			o := one{Channel: ch, To: target, OK: err == nil, Result: r}
			if err != nil {
				o.Error = visible(err)
			}
			out = append(out, o)
		}
	}
	return map[string]any{"results": out}, nil
}
