package chat

import (
	"context"
	"encoding/json"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/rpc"
)

type actionParams struct {
	Action  string          `json:"action" schema:"minLength=1"`
	Params  json.RawMessage `json:"params,omitempty"` // the other keys of [Action]
	Channel string          `json:"channel,omitempty"`
	Account string          `json:"accountId,omitempty"`
	Session string          `json:"sessionKey,omitempty"`
	Agent   string          `json:"agentId,omitempty"`
	Key     string          `json:"idempotencyKey" schema:"minLength=1"`
}

// rpcAction does one action on a channel (message.action of later OpenClaws).
func (h *Handler) rpcAction(ctx context.Context, _ *rpc.Caller, p actionParams) (any, error) {
	var a Action
	if len(p.Params) > 0 {
		if err := json.Unmarshal(p.Params, &a); err != nil {
			return nil, rpc.Invalid("invalid message.action params: %v", err)
		}
	}
	a.Do = p.Action
	if p.Channel != "" {
		a.Channel = id.Channel(p.Channel)
	}
	if p.Account != "" {
		a.Account = id.Account(p.Account)
	}
	r, err := h.Act(ctx, Asker{Session: id.SessionKey(p.Session), Run: id.Run(p.Key), Key: p.Key, Owner: true}, a)
	return r, refusedAs(err)
}

type pollParams struct {
	To        string   `json:"to" schema:"minLength=1"`
	Question  string   `json:"question" schema:"minLength=1"`
	Options   []string `json:"options" schema:"minLength=1"`
	Most      int      `json:"maxSelections,omitempty" schema:"minimum=1,maximum=12"`
	Seconds   int      `json:"durationSeconds,omitempty" schema:"minimum=1,maximum=604800"`
	Hours     int      `json:"durationHours,omitempty" schema:"minimum=1"`
	Silent    bool     `json:"silent,omitempty"`
	Anonymous *bool    `json:"isAnonymous,omitempty"`
	ThreadID  string   `json:"threadId,omitempty"`
	Channel   string   `json:"channel,omitempty"`
	AccountID string   `json:"accountId,omitempty"`
	Key       string   `json:"idempotencyKey" schema:"minLength=1"`
}

// rpcPoll makes a poll.
func (h *Handler) rpcPoll(ctx context.Context, _ *rpc.Caller, p pollParams) (any, error) {
	ch, err := h.sendChannel(p.Channel)
	if err != nil {
		return nil, err
	}
	r, err := h.Act(ctx, Asker{Run: id.Run(p.Key), Key: p.Key, Owner: true}, Action{
		Do: "poll", Channel: ch, Account: id.Account(p.AccountID), Target: p.To, Thread: id.Thread(p.ThreadID), Question: p.Question,
		Options: p.Options, Multi: p.Most > 1, Seconds: p.Seconds, Hours: p.Hours, Silent: p.Silent, Public: p.Anonymous != nil && !*p.Anonymous,
	})
	return r, refusedAs(err)
}

// refusedAs is err as clients of the gateway get it.
func refusedAs(err error) error {
	switch {
	case err == nil:
		return nil
	case fault.KindOf(err) == fault.Invalid, fault.KindOf(err) == fault.NotFound, fault.KindOf(err) == fault.Forbidden:
		return rpc.Invalid("%s", visible(err))
	}
	return rpc.Unavailable("Error: %s", visible(err))
}
