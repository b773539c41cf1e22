package control

import (
	"context"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/version"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/rpc"
	"github.com/openclaw-go/openclaw/internal/session"
)

type statusResult struct {
	Version   string          `json:"runtimeVersion"`
	Heartbeat statusHeartbeat `json:"heartbeat"`
	Channels  []string        `json:"channelSummary"`
	Queued    []string        `json:"queuedSystemEvents"`
	Sessions  statusSessions  `json:"sessions"`
}

type statusHeartbeat struct {
	Default id.Agent             `json:"defaultAgentId"`
	Agents  []statusHeartbeatFor `json:"agents"`
}

type statusHeartbeatFor struct {
	Agent   id.Agent `json:"agentId"`
	Enabled bool     `json:"enabled"`
	Every   string   `json:"every"`
	EveryMs *int64   `json:"everyMs"`
}

type statusSessions struct {
	Paths    []string        `json:"paths"`
	Count    int             `json:"count"`
	Defaults statusDefaults  `json:"defaults"`
	Recent   []statusSession `json:"recent"`
	ByAgent  []statusAgent   `json:"byAgent"`
}

type statusDefaults struct {
	Model         *string `json:"model"`
	ContextTokens *int    `json:"contextTokens"`
}

type statusAgent struct {
	Agent  id.Agent        `json:"agentId"`
	Path   string          `json:"path"`
	Count  int             `json:"count"`
	Recent []statusSession `json:"recent"`
}

type statusSession struct {
	Agent          id.Agent      `json:"agentId"`
	Key            id.SessionKey `json:"key"`
	Kind           string        `json:"kind"`
	ID             id.Session    `json:"sessionId"`
	Updated        int64         `json:"updatedAt"`
	Age            int64         `json:"age"`
	Thinking       string        `json:"thinkingLevel,omitempty"`
	Fast           *bool         `json:"fastMode,omitempty"`
	Verbose        string        `json:"verboseLevel,omitempty"`
	Reasoning      string        `json:"reasoningLevel,omitempty"`
	Elevated       string        `json:"elevatedLevel,omitempty"`
	SystemSent     bool          `json:"systemSent"`
	AbortedLastRun bool          `json:"abortedLastRun"`
	Input          int64         `json:"inputTokens"`
	Output         int64         `json:"outputTokens"`
	CacheRead      int64         `json:"cacheRead"`
	CacheWrite     int64         `json:"cacheWrite"`
	Total          *int64        `json:"totalTokens"`
	Fresh          bool          `json:"totalTokensFresh"`
	Remaining      *int64        `json:"remainingTokens"`
	Percent        *int64        `json:"percentUsed"`
	Model          string        `json:"model"`
	ContextTokens  int           `json:"contextTokens"`
	Flags          []string      `json:"flags"`
}

const statusLast = 10 // sessions shown

// rpcStatus is what openclaw status shows. Without the admin scope it doesn't
// tell who talks to the agents.
func (c *Control) rpcStatus(ctx context.Context, who *rpc.Caller, _ rpc.Any) (any, error) {
	cfg := c.Config()
	m := c.Models.Default(cfg.DefaultAgent())
	r := statusResult{
		Version:   version.Protocol,
		Heartbeat: statusHeartbeat{Default: cfg.DefaultAgent()},
		Channels:  c.channelLines(ctx), Queued: []string{},
		Sessions: statusSessions{Paths: []string{}, Recent: []statusSession{}},
	}
	if waiting, err := c.Lines.Waiting(ctx, mainKey(cfg)); err != nil {
		return nil, err
	} else if len(waiting) > 0 {
		r.Queued = waiting
	}
	all, err := c.Sessions.List(ctx, session.Filter{})
	if err != nil {
		return nil, err
	}
	r.Sessions.Count = len(all)
	by := map[id.Agent]*statusAgent{}
	for _, a := range cfg.AgentIDs() {
		h := c.heartbeatOf(cfg, a)
		r.Heartbeat.Agents = append(r.Heartbeat.Agents, statusHeartbeatFor{a, h.Enabled, h.Every, h.EveryMs})
		by[a] = &statusAgent{Agent: a, Path: indexPath(cfg, a), Recent: []statusSession{}}
	}
	owner := who != nil && who.Owner()
	for _, s := range all {
		of := by[s.Key.Agent()]
		if of != nil {
			of.Count++
		}
		if !owner {
			continue
		}
		row := func() statusSession { return c.statusRow(cfg, s) }
		if len(r.Sessions.Recent) < statusLast {
			r.Sessions.Recent = append(r.Sessions.Recent, row())
		}
		if of != nil && len(of.Recent) < statusLast {
			of.Recent = append(of.Recent, row())
		}
	}
	for _, a := range cfg.AgentIDs() {
		if !owner {
			by[a].Path = "[redacted]"
		} else {
			r.Sessions.Paths = append(r.Sessions.Paths, by[a].Path)
		}
		r.Sessions.ByAgent = append(r.Sessions.ByAgent, *by[a])
	}
	if owner {
		r.Sessions.Defaults = statusDefaults{&m.ID, new(contextOf(cfg, m))}
	}
	return r, nil
}

func (c *Control) statusRow(cfg *config.Config, s session.Session) statusSession {
	m := c.modelOf(s)
	r := statusSession{
		Agent: s.Key.Agent(), Key: s.Key, Kind: kindOf(s), ID: s.ID, Updated: s.Updated, Age: max(0, millis(c.Now())-s.Updated),
		Thinking: s.ThinkingLevel, Fast: s.FastMode, Verbose: s.VerboseLevel, Reasoning: s.ReasoningLevel, Elevated: s.ElevatedLevel,
		SystemSent: s.SystemSent, AbortedLastRun: s.AbortedLastRun,
		Input: s.InputTokens, Output: s.OutputTokens, CacheRead: s.CacheRead, CacheWrite: s.CacheWrite,
		Fresh: s.TotalTokensFresh, Model: m.ID, ContextTokens: contextOf(cfg, m), Flags: flagsOf(s),
	}
	if s.ContextTokens > 0 {
		r.ContextTokens = s.ContextTokens
	}
	if s.TotalTokensFresh {
		r.Total = &s.TotalTokens
		if window := int64(r.ContextTokens); window > 0 {
			r.Remaining = new(max(0, window-s.TotalTokens))
			r.Percent = new(min(999, (s.TotalTokens*100+window/2)/window))
		}
	}
	return r
}

func kindOf(s session.Session) string {
	if s.ChatType == "group" || s.ChatType == "channel" || strings.Contains(string(s.Key), ":group:") || strings.Contains(string(s.Key), ":channel:") {
		return "group"
	}
	return "direct"
}

// flagsOf are the settings of s in short, as status tables show them.
func flagsOf(s session.Session) []string {
	flags := []string{}
	add := func(name, v string) {
		if v != "" {
			flags = append(flags, name+":"+v)
		}
	}
	add("think", s.ThinkingLevel)
	add("verbose", s.VerboseLevel)
	add("reasoning", s.ReasoningLevel)
	add("elevated", s.ElevatedLevel)
	if s.SystemSent {
		flags = append(flags, "system")
	}
	if s.AbortedLastRun {
		flags = append(flags, "aborted")
	}
	add("id", string(s.ID))
	return flags
}

// modelOf is the model that answers next in s.
func (c *Control) modelOf(s session.Session) llm.Model {
	if ref := override(s); ref != "" {
		if m, err := c.Models.Lookup(ref); err == nil {
			return m
		}
	}
	return c.Models.Default(s.Key.Agent())
}

func override(s session.Session) string {
	switch {
	case s.ModelOverride == "":
		return ""
	case s.ProviderOverride == "":
		return s.ModelOverride
	}
	return s.ProviderOverride + "/" + s.ModelOverride
}

// filledContext is what agents.defaults.contextTokens is when nobody sets it.
const filledContext = 200_000

// contextOf is how many tokens a conversation with m may have: as configured,
// else what the model takes.
func contextOf(cfg *config.Config, m llm.Model) int {
	switch set := cfg.Agents.Defaults.ContextTokens; {
	case set > 0 && set != filledContext:
		return set
	case m.ContextWindow > 0:
		return m.ContextWindow
	}
	return filledContext
}

// channelLines tells about the channels, a line each and one for each account.
func (c *Control) channelLines(ctx context.Context) []string {
	lines := []string{}
	for _, s := range c.channelsNow(ctx, false, 0) {
		a := s.account()
		state := "configured"
		switch {
		case !a.Enabled:
			state = "disabled"
		case !a.Configured:
			state = "not configured"
		}
		lines = append(lines, s.Label+": "+state)
		for _, a := range s.Accounts {
			line := "  - " + string(a.ID)
			if a.Name != "" {
				line += " (" + a.Name + ")"
			}
			if a.LastError != "" {
				line += ": " + harmless(a.LastError)
			}
			lines = append(lines, line)
		}
	}
	return lines
}
