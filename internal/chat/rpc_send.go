package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/chat/outbox"
	"github.com/openclaw-go/openclaw/internal/rpc"
)

type sendParams struct {
	To         string   `json:"to" schema:"minLength=1"`
	Message    string   `json:"message,omitempty"`
	MediaURL   string   `json:"mediaUrl,omitempty"`
	MediaURLs  []string `json:"mediaUrls,omitempty"`
	GIF        bool     `json:"gifPlayback,omitempty"`
	Channel    string   `json:"channel,omitempty"`
	AccountID  string   `json:"accountId,omitempty"`
	Agent      string   `json:"agentId,omitempty"`
	ThreadID   string   `json:"threadId,omitempty"`
	SessionKey string   `json:"sessionKey,omitempty"`
	Key        string   `json:"idempotencyKey" schema:"minLength=1"`
}

type sent struct {
	Run     id.Run      `json:"runId"`
	Message id.Delivery `json:"messageId"`
	Channel id.Channel  `json:"channel"`
	// Queued says that the message is stored and goes out later, and Reason why
	// it didn't at once.
	Queued bool   `json:"queued,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// sendPatience is how long a caller waits for the network to take a message.
const sendPatience = 15 * time.Second

// rpcSend delivers one message without a run. It answers when the network took
// it; a message that couldn't go out yet stays stored and is tried again.
func (h *Handler) rpcSend(ctx context.Context, _ *rpc.Caller, p sendParams) (sent, error) {
	if strings.TrimSpace(p.Message) == "" && p.MediaURL == "" && len(p.MediaURLs) == 0 {
		return sent{}, rpc.Invalid("invalid send params: text or media is required")
	}
	ch, err := h.sendChannel(p.Channel)
	if err != nil {
		return sent{}, err
	}
	acc := id.Account(p.AccountID)
	if acc == "" {
		acc = id.DefaultAccount
	}
	to := msg.Address{Channel: ch, Account: acc, Kind: msg.Direct, Peer: id.Peer(p.To)}
	if c, ok := h.Outbox.Channel(ch, acc); ok {
		if to, err = h.address(ctx, c, ch, acc, p.To); err != nil {
			return sent{}, refusedAs(err)
		}
	}
	if p.ThreadID != "" {
		to.Thread = id.Thread(p.ThreadID)
	}
	// The idempotency key names the delivery, so a repeated call finds the first.
	out := msg.Outbound{
		ID: id.Delivery("send-" + p.Key), Run: id.Run(p.Key), Text: p.Message, Session: id.SessionKey(p.SessionKey),
		To: to,
	}
	agent := id.Agent(p.Agent)
	if agent == "" {
		agent = h.Config().DefaultAgent()
	}
	for _, ref := range append([]string{p.MediaURL}, p.MediaURLs...) {
		if ref == "" {
			continue
		}
		file, err := h.attach(ctx, agent, to, ref)
		if err != nil {
			return sent{}, rpc.Invalid("%s: %s", ref, visible(err))
		}
		out.Attachments = append(out.Attachments, file)
	}
	r, err := h.sendPatiently(ctx, out)
	if err != nil {
		return sent{}, rpc.Unavailable("Error: %s", visible(err))
	}
	return r, nil
}

// parts are out as it is sent, each named after the whole, so that a repeated
// call sends nothing twice.
func (h *Handler) parts(out msg.Outbound) []msg.Outbound {
	texts := []string{""} // a poll, or a file without words
	if out.Text != "" {
		texts = h.split(out.To, out.Text)
	}
	outs := make([]msg.Outbound, len(texts))
	for i, t := range texts {
		o := out
		o.Text = t
		if i > 0 {
			o.ReplyTo, o.Attachments = "", nil
		}
		if i < len(texts)-1 {
			o.Buttons, o.Native = nil, nil
		}
		if len(texts) > 1 {
			o.Part, o.Parts = i+1, len(texts)
			o.ID = id.Delivery(fmt.Sprintf("%s/%d", out.ID, i+1))
		}
		outs[i] = o
	}
	return outs
}

// sendOnce sends out and waits until the network has all of it.
func (h *Handler) sendOnce(ctx context.Context, out msg.Outbound) error {
	var queued error
	for _, o := range h.parts(out) {
		err := h.Outbox.SendWait(ctx, o)
		if _, ok := errors.AsType[outbox.Queued](err); ok {
			queued = cmp.Or(queued, err)
			continue // the others wait behind it
		}
		if err != nil {
			return err
		}
	}
	return queued
}

func (h *Handler) sendChannel(name string) (id.Channel, error) {
	up := h.Outbox.Channels()
	switch {
	case name == "webchat":
		return "", rpc.Invalid("unsupported channel: webchat (internal-only). Use `chat.send` for WebChat UI messages or choose a deliverable channel.")
	case name != "" && !slices.Contains(up, id.Channel(name)):
		return "", rpc.Invalid("unsupported channel: %s", name)
	case name != "":
		return id.Channel(name), nil
	case len(up) == 0:
		return "", rpc.Invalid("Error: Channel is required (no configured channels detected).")
	case len(up) > 1:
		return "", rpc.Invalid("Error: Channel is required when multiple channels are configured: %s", joinIDs(up))
	}
	return up[0], nil
}

func joinIDs(cs []id.Channel) string {
	out := make([]string, len(cs))
	for i, c := range cs {
		out[i] = string(c)
	}
	return strings.Join(out, ", ")
}

// Target is where an answer goes: what the caller says, else where the session
// last was.
func (h *Handler) Target(ctx context.Context, key id.SessionKey, ch, to, account, thread string) (msg.Address, error) {
	s, _, err := h.Agent.Sessions.Get(ctx, key)
	if err != nil {
		return msg.Address{}, err
	}
	at := s.Last()
	if ch != "" && ch != "last" {
		if at.Channel != id.Channel(ch) {
			at = msg.Address{Kind: msg.Direct}
		}
		at.Channel = id.Channel(ch)
	}
	if to != "" {
		at.Peer = id.Peer(to)
	}
	if account != "" {
		at.Account = id.Account(account)
	}
	if at.Account == "" {
		at.Account = id.DefaultAccount
	}
	if thread != "" {
		at.Thread = id.Thread(thread)
	}
	if at.Channel == "" || at.Channel == "webchat" || at.Peer == "" {
		return at, rpc.Invalid("deliver: no target; name channel and to, or write to the agent from a channel first")
	}
	if at.Kind == "" {
		at.Kind = msg.Direct
	}
	return at, nil
}
