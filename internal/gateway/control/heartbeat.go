package control

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/event"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/rpc"
)

// Heartbeat is how an agent's heartbeat is set.
type Heartbeat struct {
	Enabled     bool   `json:"enabled"`
	Every       string `json:"every"`
	EveryMs     *int64 `json:"everyMs"` // null is never
	Prompt      string `json:"prompt"`
	Target      string `json:"target"`
	AckMaxChars int    `json:"ackMaxChars"`
}

func (h Heartbeat) seconds() int64 {
	if h.EveryMs == nil {
		return 0
	}
	return *h.EveryMs / 1000
}

// heartbeatOf is the setting of agent a. Agents with a heartbeat of their own
// are the only ones that have one; without any such, the default agent has.
func (c *Control) heartbeatOf(cfg *config.Config, a id.Agent) Heartbeat {
	own, set := cfg.Agents.Defaults.Heartbeat, false
	for _, e := range cfg.Agents.List {
		if e.Heartbeat == nil {
			continue
		}
		set = true
		if e.ID == a {
			own = over(own, *e.Heartbeat)
		}
	}
	e, _ := cfg.Agent(a)
	h := Heartbeat{Enabled: a == cfg.DefaultAgent(), Every: own.Every, Prompt: own.Prompt, Target: own.Target, AckMaxChars: own.AckMaxChars}
	if set {
		h.Enabled = e.Heartbeat != nil
	}
	if h.Prompt == "" {
		h.Prompt = c.HeartbeatPrompt
	}
	if h.Target == "" {
		h.Target = "none"
	}
	if h.AckMaxChars == 0 {
		h.AckMaxChars = 300
	}
	switch d, err := config.ParseDuration(h.Every, time.Minute); {
	case !h.Enabled:
		h.Every = "disabled"
	case h.Every == "":
		h.Every, h.EveryMs = "30m", new((30 * time.Minute).Milliseconds())
	case err == nil && d > 0:
		h.EveryMs = new(d.Milliseconds())
	}
	return h
}

func over(base, h config.Heartbeat) config.Heartbeat {
	set := func(dst *string, v string) {
		if v != "" {
			*dst = v
		}
	}
	set(&base.Every, h.Every)
	set(&base.Target, h.Target)
	set(&base.Prompt, h.Prompt)
	if h.AckMaxChars != 0 {
		base.AckMaxChars = h.AckMaxChars
	}
	return base
}

type wakeParams struct {
	Mode string `json:"mode" schema:"enum=now|next-heartbeat"`
	Text string `json:"text" schema:"minLength=1"`
}

type okResult struct {
	OK bool `json:"ok"`
}

// wake queues a line for the default agent's main session.
func (c *Control) wake(ctx context.Context, _ *rpc.Caller, p wakeParams) (okResult, error) {
	if strings.TrimSpace(p.Text) == "" {
		return okResult{}, nil
	}
	if err := c.Queue(ctx, "", p.Text); err != nil {
		return okResult{}, err
	}
	if p.Mode == "now" && c.Wake != nil && c.HeartbeatsOn() {
		c.Wake("wake")
	}
	return okResult{OK: true}, nil
}

// maxLine bounds a queued line in bytes; it becomes part of a prompt.
const maxLine = 16 << 10

// Queue puts a line before the next turn of a session; an empty key is the
// default agent's main one.
func (c *Control) Queue(ctx context.Context, key id.SessionKey, text string) error {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return rpc.Invalid("text required")
	case len(text) > maxLine:
		return rpc.Invalid("text is too long (%d bytes, at most %d)", len(text), maxLine)
	}
	if key == "" {
		key = mainKey(c.Config())
	} else {
		cfg := c.Config()
		key = cfg.Key(cfg.DefaultAgent(), string(key))
	}
	if err := c.Lines.PutSystemEvent(ctx, key, text, c.Now()); err != nil {
		return err
	}
	c.Bus.Publish(event.SystemEvent{Session: key, Text: text})
	return nil
}

// mainKey is the session that direct chats of the default agent share.
func mainKey(cfg *config.Config) id.SessionKey {
	if cfg.Session.Scope == "global" {
		return cfg.MainKey(cfg.DefaultAgent())
	}
	return id.AgentKey(cfg.DefaultAgent(), mainName(cfg))
}

func mainName(cfg *config.Config) string {
	if k := strings.ToLower(strings.TrimSpace(cfg.Session.MainKey)); k != "" {
		return k
	}
	return "main"
}

// lastHeartbeat is the payload of the last heartbeat event, or null.
func (c *Control) lastHeartbeat(context.Context, *rpc.Caller, rpc.Any) (any, error) {
	if raw := c.lastBeat.Load(); raw != nil && len(*raw) > 0 {
		return json.RawMessage(*raw), nil
	}
	return nil, nil
}

// HeartbeatsOn reports whether heartbeats may start. They are on until a client
// turns them off, and again after a restart.
func (c *Control) HeartbeatsOn() bool { return !c.beatsOff.Load() }

func (c *Control) setHeartbeats(_ context.Context, _ *rpc.Caller, raw rpc.Any) (any, error) {
	var p struct {
		Enabled *bool `json:"enabled"`
	}
	if err := json.Unmarshal(raw, &p); err != nil || p.Enabled == nil {
		return nil, rpc.Invalid("invalid set-heartbeats params: enabled (boolean) required")
	}
	c.beatsOff.Store(!*p.Enabled)
	return struct {
		OK      bool `json:"ok"`
		Enabled bool `json:"enabled"`
	}{true, *p.Enabled}, nil
}
