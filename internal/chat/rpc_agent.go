package chat

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/rpc"
)

type agentParams struct {
	Message        string          `json:"message" schema:"minLength=1"`
	Agent          string          `json:"agentId,omitempty" schema:"minLength=1"`
	To             string          `json:"to,omitempty"`
	ReplyTo        string          `json:"replyTo,omitempty"`
	SessionID      string          `json:"sessionId,omitempty"`
	SessionKey     string          `json:"sessionKey,omitempty"`
	Thinking       string          `json:"thinking,omitempty"`
	Deliver        bool            `json:"deliver,omitempty"`
	Attachments    []any           `json:"attachments,omitempty"`
	Channel        string          `json:"channel,omitempty"`
	ReplyChannel   string          `json:"replyChannel,omitempty"`
	AccountID      string          `json:"accountId,omitempty"`
	ReplyAccountID string          `json:"replyAccountId,omitempty"`
	ThreadID       string          `json:"threadId,omitempty"`
	GroupID        string          `json:"groupId,omitempty"`
	GroupChannel   string          `json:"groupChannel,omitempty"`
	GroupSpace     string          `json:"groupSpace,omitempty"`
	Timeout        int64           `json:"timeout,omitempty" schema:"minimum=0"` // seconds
	BestEffort     bool            `json:"bestEffortDeliver,omitempty"`
	Lane           string          `json:"lane,omitempty"`
	System         string          `json:"extraSystemPrompt,omitempty"`
	Internal       json.RawMessage `json:"internalEvents,omitempty"`
	Provenance     *provenance     `json:"inputProvenance,omitempty"`
	Key            string          `json:"idempotencyKey" schema:"minLength=1"`
	Label          string          `json:"label,omitempty" schema:"minLength=1,maxLength=64"`
}

type accepted struct {
	Run    id.Run `json:"runId"`
	Status string `json:"status"`
	At     int64  `json:"acceptedAt"`
}

type agentDone struct {
	Run     id.Run       `json:"runId"`
	Status  string       `json:"status"`
	Summary string       `json:"summary"`
	Result  *agentResult `json:"result,omitempty"`
}

type agentResult struct {
	Payloads []payload `json:"payloads"`
	Meta     meta      `json:"meta"`
}

type payload struct {
	Text     string  `json:"text"`
	MediaURL *string `json:"mediaUrl"`
}

type meta struct {
	DurationMs int64     `json:"durationMs"`
	Agent      agentMeta `json:"agentMeta"`
	Aborted    bool      `json:"aborted"`
	Stop       string    `json:"stopReason,omitempty"`
}

type agentMeta struct {
	Session  id.Session `json:"sessionId"`
	Provider string     `json:"provider"`
	Model    string     `json:"model"`
	Usage    tokens     `json:"usage"`
	Last     lastTokens `json:"lastCallUsage"`
	Prompt   int64      `json:"promptTokens"`
}

type tokens struct {
	Input  int64 `json:"input"`
	Output int64 `json:"output"`
	Total  int64 `json:"total"`
}

type lastTokens struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cacheRead"`
	CacheWrite int64 `json:"cacheWrite"`
	Total      int64 `json:"total"`
}

// rpcAgent runs an agent for a client: accepted at once, the result in a second
// frame.
func (h *Handler) rpcAgent(ctx context.Context, c *rpc.Caller, p agentParams) (any, error) {
	in, err := h.agentInbound(ctx, c, p)
	if err != nil {
		return nil, err
	}
	status, err := h.accept(ctx, in)
	if err != nil {
		return nil, err
	}
	run := in.Client.Run
	if status == "ok" {
		res, err := h.Result(ctx, run)
		if err != nil {
			return nil, err
		}
		return agentOf(run, res)
	}
	return rpc.Later{
		First: accepted{Run: run, Status: "accepted", At: time.Now().UnixMilli()},
		Then: func(ctx context.Context) (any, error) {
			res, err := h.Result(ctx, run)
			if err != nil {
				return nil, err
			}
			return agentOf(run, res)
		},
	}, nil
}

// agentInbound checks p and makes the message of it.
func (h *Handler) agentInbound(ctx context.Context, c *rpc.Caller, p agentParams) (msg.Inbound, error) {
	cfg := h.Config()
	a := cfg.DefaultAgent()
	if p.Agent != "" {
		a = id.Agent(p.Agent)
		if _, ok := cfg.Agent(a); !ok {
			return msg.Inbound{}, rpc.Invalid("invalid agent params: unknown agent id %q", p.Agent)
		}
	}
	key := cfg.MainKey(a)
	switch {
	case p.SessionKey != "":
		key = cfg.Key(a, p.SessionKey)
		if p.Agent != "" && key.Agent() != a {
			return msg.Inbound{}, rpc.Invalid("invalid agent params: agent %q does not match session key agent %q", p.Agent, key.Agent())
		}
	case p.SessionID != "":
		if k, ok, err := h.Agent.Sessions.ByID(ctx, id.Session(p.SessionID)); err != nil {
			return msg.Inbound{}, err
		} else if ok {
			key = k
		} else {
			key = id.AgentKey(a, "explicit:"+p.SessionID)
		}
	}
	atts, err := attachments(p.Attachments)
	if err != nil {
		return msg.Inbound{}, err
	}
	thinking, err := thinkingLevel(p.Thinking)
	if err != nil {
		return msg.Inbound{}, err
	}
	in := h.inbound(c, key, id.Run(p.Key), p.Message, atts)
	in.Client.Thinking, in.Client.System, in.Client.Plain = thinking, p.System, true
	in.Client.Timeout = time.Duration(p.Timeout) * time.Second
	if p.Deliver {
		to, err := h.Target(ctx, key, cmp.Or(p.ReplyChannel, p.Channel), cmp.Or(p.ReplyTo, p.To), cmp.Or(p.ReplyAccountID, p.AccountID), p.ThreadID)
		if err != nil {
			return msg.Inbound{}, err
		}
		in.At, in.Client.Deliver = to, true
	}
	return in, nil
}

// agentOf is the second frame: a payload, or an error.
func agentOf(run id.Run, r Result) (any, error) {
	if r.Status == "error" {
		return nil, rpc.Unavailable("%s", r.Error)
	}
	d := agentDone{Run: run, Status: "ok", Summary: "completed", Result: &agentResult{Payloads: []payload{}}}
	if r.Text != "" {
		d.Result.Payloads = append(d.Result.Payloads, payload{Text: r.Text})
	}
	d.Result.Meta = metaOf(r)
	return d, nil
}

// MetaOf is what the agent method tells about a run beside its text.
func MetaOf(r Result) any { return metaOf(r) }

func metaOf(r Result) meta {
	return meta{
		DurationMs: r.Ended - r.Started, Aborted: r.Status == "aborted",
		Agent: agentMeta{
			Session: r.Session, Provider: r.Provider, Model: r.Model, Prompt: r.Last.Input + r.Last.CacheRead,
			Usage: tokens{r.Usage.Input, r.Usage.Output, r.Usage.Input + r.Usage.Output},
			Last:  lastTokens{r.Last.Input, r.Last.Output, r.Last.CacheRead, r.Last.CacheWrite, r.Last.Total},
		},
	}
}

// Result waits for run and returns what came of it. A run that ended before a
// restart is looked up in the store; one that nobody knows is waited for until
// ctx ends.
func (h *Handler) Result(ctx context.Context, run id.Run) (Result, error) {
	s, known := h.results.get(run)
	if !known {
		it, ok, err := h.Inbox.Store.Inbound(ctx, "run/"+string(run))
		if err != nil {
			return Result{}, err
		}
		if ok && it.Done {
			var r Result
			if err := json.Unmarshal(it.Result, &r); err != nil {
				return Result{}, fault.Wrap(fault.Internal, "chat.Result", err)
			}
			return r, nil
		}
		s = h.results.begin(run, "")
	}
	return s.wait(ctx)
}

type waitParams struct {
	Run       string `json:"runId" schema:"minLength=1"`
	TimeoutMs *int64 `json:"timeoutMs,omitempty" schema:"minimum=0"`
}

type waited struct {
	Run     id.Run `json:"runId"`
	Status  string `json:"status"`
	Started int64  `json:"startedAt,omitempty"`
	Ended   int64  `json:"endedAt,omitempty"`
	Error   string `json:"error,omitempty"`
}

func (h *Handler) rpcWait(ctx context.Context, _ *rpc.Caller, p waitParams) (waited, error) {
	limit := 30 * time.Second
	if p.TimeoutMs != nil {
		limit = time.Duration(*p.TimeoutMs) * time.Millisecond
	}
	wctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	run := id.Run(p.Run)
	if _, known := h.results.get(run); !known { // don't keep state for names that nobody may ever use
		if it, ok, err := h.Inbox.Store.Inbound(ctx, "run/"+p.Run); err != nil || !ok || !it.Done {
			return h.waitUnknown(wctx, run)
		}
	}
	r, err := h.Result(wctx, run)
	if err != nil {
		return waited{Run: run, Status: "timeout"}, nil
	}
	w := waited{Run: run, Status: r.Status, Started: r.Started, Ended: r.Ended, Error: r.Error}
	if w.Status == "aborted" {
		w.Status, w.Error = "error", "aborted"
	}
	return w, nil
}

// waitUnknown waits for a run that may still be asked for.
func (h *Handler) waitUnknown(ctx context.Context, run id.Run) (waited, error) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return waited{Run: run, Status: "timeout"}, nil
		case <-tick.C:
		}
		if s, known := h.results.get(run); known {
			r, err := s.wait(ctx)
			if err != nil {
				return waited{Run: run, Status: "timeout"}, nil
			}
			return waited{Run: run, Status: r.Status, Started: r.Started, Ended: r.Ended, Error: r.Error}, nil
		}
	}
}
