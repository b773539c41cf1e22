package control

import (
	"context"
	"encoding/json"
	"path/filepath"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/rpc"
	"github.com/openclaw-go/openclaw/internal/session"
)

// Health is the payload of the health method, of the health event and of
// hello-ok.
type Health struct {
	OK         bool  `json:"ok"`
	Ts         int64 `json:"ts"`
	DurationMs int64 `json:"durationMs"`

	Channels      map[id.Channel]any    `json:"channels"`
	ChannelOrder  []id.Channel          `json:"channelOrder"`
	ChannelLabels map[id.Channel]string `json:"channelLabels"`

	HeartbeatSeconds int64         `json:"heartbeatSeconds"`
	DefaultAgent     id.Agent      `json:"defaultAgentId"`
	Agents           []AgentHealth `json:"agents"`
	Sessions         Recent        `json:"sessions"` // of the default agent
}

// AgentHealth is one agent in [Health].
type AgentHealth struct {
	Agent     id.Agent  `json:"agentId"`
	Name      string    `json:"name,omitempty"`
	Default   bool      `json:"isDefault"`
	Heartbeat Heartbeat `json:"heartbeat"`
	Sessions  Recent    `json:"sessions"`
}

// Recent is how many sessions there are and the latest of them.
type Recent struct {
	Path   string          `json:"path"`
	Count  int             `json:"count"`
	Recent []RecentSession `json:"recent"`
}

// RecentSession is one of the latest sessions.
type RecentSession struct {
	Key     id.SessionKey `json:"key"`
	Updated int64         `json:"updatedAt"`
	Age     int64         `json:"age"`
}

// A snapshot is good until something changes, but at most one is made in
// healthPause, and none is kept for longer than healthLife.
const (
	healthPause = time.Second
	healthLife  = time.Minute
	healthLast  = 5 // sessions shown
)

type healthCache struct {
	making  sync.Mutex // one snapshot is made at a time
	probing sync.Mutex // the networks are asked for one caller at a time

	mu    sync.Mutex
	cur   *Health
	made  time.Time
	cfg   *config.Config
	dirty bool
}

// touch notes that something changed that a snapshot shows.
func (h *healthCache) touch() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.dirty = true
}

func (h *healthCache) get(cfg *config.Config, now time.Time) *Health {
	h.mu.Lock()
	defer h.mu.Unlock()
	age := now.Sub(h.made)
	if h.cur == nil || h.cfg != cfg || age >= healthLife || h.dirty && age >= healthPause {
		return nil
	}
	return h.cur
}

// Health returns the current snapshot, a *Health that must not be changed. It
// is cheap: most calls return the last one.
func (c *Control) Health(ctx context.Context) any { return c.snapshot(ctx, false) }

// rpcHealth needs no scope, so it asks the networks only for those who have one.
func (c *Control) rpcHealth(ctx context.Context, who *rpc.Caller, raw rpc.Any) (any, error) {
	var p struct {
		Probe bool `json:"probe"`
	}
	_ = json.Unmarshal(raw, &p) // anything else is accepted and means no probe
	trusted := who != nil && (who.Scopes[rpc.Read] || who.Scopes[rpc.Write] || who.Scopes[rpc.Admin])
	return c.snapshot(ctx, p.Probe && trusted), nil
}

func (c *Control) snapshot(ctx context.Context, probe bool) *Health {
	cfg := c.Config()
	if probe { // for this caller only, and one at a time
		c.health.probing.Lock()
		defer c.health.probing.Unlock()
		return c.look(ctx, cfg, true)
	}
	if cur := c.health.get(cfg, c.Now()); cur != nil {
		return cur
	}
	c.health.making.Lock()
	defer c.health.making.Unlock()
	if cur := c.health.get(cfg, c.Now()); cur != nil {
		return cur // made while we waited
	}
	c.health.mu.Lock()
	c.health.dirty = false // what changes from here on makes the new one old
	c.health.mu.Unlock()
	made := c.look(ctx, cfg, false)
	if ctx.Err() != nil {
		c.health.touch()
		return made // for a caller who is gone; parts may be missing
	}
	c.health.mu.Lock()
	defer c.health.mu.Unlock()
	c.health.cur, c.health.made, c.health.cfg = made, c.Now(), cfg
	return made
}

// look makes a snapshot.
func (c *Control) look(ctx context.Context, cfg *config.Config, probe bool) *Health {
	start := c.Now()
	h := &Health{
		OK: true, Ts: millis(start), DefaultAgent: cfg.DefaultAgent(),
		Channels: map[id.Channel]any{}, ChannelOrder: []id.Channel{}, ChannelLabels: map[id.Channel]string{},
	}
	for _, ch := range c.channelsNow(ctx, probe, probeTime) {
		h.ChannelOrder = append(h.ChannelOrder, ch.ID)
		h.ChannelLabels[ch.ID] = ch.Label
		h.Channels[ch.ID] = ch.health()
	}
	for _, a := range cfg.AgentIDs() {
		e, _ := cfg.Agent(a)
		ah := AgentHealth{
			Agent: a, Name: e.Name, Default: a == h.DefaultAgent,
			Heartbeat: c.heartbeatOf(cfg, a), Sessions: c.recent(ctx, cfg, a, start),
		}
		if ah.Default {
			h.Sessions = ah.Sessions
			h.HeartbeatSeconds = ah.Heartbeat.seconds()
		}
		h.Agents = append(h.Agents, ah)
	}
	h.DurationMs = c.Now().Sub(start).Milliseconds()
	return h
}

func (c *Control) recent(ctx context.Context, cfg *config.Config, a id.Agent, now time.Time) Recent {
	r := Recent{Path: indexPath(cfg, a), Recent: []RecentSession{}}
	all, err := c.Sessions.List(ctx, session.Filter{Agent: a})
	if err != nil {
		c.Log.WarnContext(ctx, "sessions can't be listed", "agent", a, "err", err)
		return r
	}
	r.Count = len(all)
	for _, s := range all[:min(len(all), healthLast)] {
		r.Recent = append(r.Recent, RecentSession{s.Key, s.Updated, max(0, millis(now)-s.Updated)})
	}
	return r
}

// indexPath is where scripts and the official client look for the index.
func indexPath(cfg *config.Config, a id.Agent) string {
	return filepath.Join(cfg.SessionsDir(a), "sessions.json")
}
