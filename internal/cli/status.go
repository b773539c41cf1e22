package cli

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/version"
	"github.com/openclaw-go/openclaw/internal/cli/term"
	"github.com/openclaw-go/openclaw/internal/client"
	"github.com/openclaw-go/openclaw/internal/config"
)

// recent is how many sessions status shows.
const recent = 10

type statusReply struct {
	RuntimeVersion string          `json:"runtimeVersion"`
	Heartbeat      json.RawMessage `json:"heartbeat"`
	Channels       json.RawMessage `json:"channelSummary"`
	Queued         json.RawMessage `json:"queuedSystemEvents"`
	Sessions       statusSessions  `json:"sessions"`
	OS             map[string]any  `json:"os"`
	Update         any             `json:"update"`
	UpdateChannel  string          `json:"updateChannel"`
	UpdateSource   string          `json:"updateChannelSource"`
	Memory         any             `json:"memory"`
	MemoryPlugin   any             `json:"memoryPlugin"`
	Gateway        statusGateway   `json:"gateway"`
	Service        statusService   `json:"gatewayService"`
	NodeService    statusService   `json:"nodeService"`
	Agents         statusAgents    `json:"agents"`
	Audit          auditReport     `json:"securityAudit"`
	Diagnostics    []string        `json:"secretDiagnostics"`
	Config         *statusConfig   `json:"config,omitempty"` // only while the file is invalid
	mend           string
}

type statusSessions struct {
	Paths    []string        `json:"paths"`
	Count    int             `json:"count"`
	Defaults statusDefaults  `json:"defaults"`
	Recent   []statusSession `json:"recent"`
	ByAgent  []agentSessions `json:"byAgent"`
}

type statusDefaults struct {
	Model         *string `json:"model"`
	ContextTokens *int    `json:"contextTokens"`
}

type agentSessions struct {
	Agent  string          `json:"agentId"`
	Path   string          `json:"path"`
	Count  int             `json:"count"`
	Recent []statusSession `json:"recent"`
}

type statusSession struct {
	Agent         string   `json:"agentId"`
	Key           string   `json:"key"`
	Kind          string   `json:"kind"`
	SessionID     string   `json:"sessionId,omitempty"`
	UpdatedAt     *int64   `json:"updatedAt"`
	Age           *int64   `json:"age"`
	Thinking      string   `json:"thinkingLevel,omitempty"`
	SystemSent    *bool    `json:"systemSent,omitempty"`
	Aborted       *bool    `json:"abortedLastRun,omitempty"`
	Input         *int64   `json:"inputTokens,omitempty"`
	Output        *int64   `json:"outputTokens,omitempty"`
	CacheRead     *int64   `json:"cacheRead,omitempty"`
	CacheWrite    *int64   `json:"cacheWrite,omitempty"`
	Total         *int64   `json:"totalTokens"`
	Fresh         bool     `json:"totalTokensFresh"`
	Remaining     *int64   `json:"remainingTokens"`
	Percent       *int64   `json:"percentUsed"`
	Model         string   `json:"model,omitempty"`
	ContextTokens *int     `json:"contextTokens"`
	Flags         []string `json:"flags"`
}

type statusGateway struct {
	Mode          string  `json:"mode"`
	URL           string  `json:"url"`
	URLSource     string  `json:"urlSource"`
	Misconfigured bool    `json:"misconfigured"`
	Reachable     bool    `json:"reachable"`
	LatencyMs     *int64  `json:"connectLatencyMs"`
	Self          any     `json:"self"`
	Error         *string `json:"error"`
	AuthWarning   *string `json:"authWarning"`
}

type statusService struct {
	Label      string `json:"label"`
	Installed  bool   `json:"installed"`
	Managed    bool   `json:"managedByOpenClaw"`
	External   bool   `json:"externallyManaged"`
	LoadedText string `json:"loadedText"`
	Runtime    string `json:"runtimeShort"`
}

type statusAgents struct {
	Default string        `json:"defaultId"`
	Agents  []statusAgent `json:"agents"`
	Total   int           `json:"totalSessions"`
	Pending int           `json:"bootstrapPendingCount"`
}

type statusAgent struct {
	ID        string `json:"id"`
	Name      string `json:"name,omitempty"`
	Workspace string `json:"workspaceDir"`
	Bootstrap bool   `json:"bootstrapPending"`
	Sessions  string `json:"sessionsPath"`
	Count     int    `json:"sessionsCount"`
	Updated   *int64 `json:"lastUpdatedAt"`
	AgeMs     *int64 `json:"lastActiveAgeMs"`
}

// statusConfig says that the file is invalid and what is in force meanwhile.
type statusConfig struct {
	Valid    bool             `json:"valid"`
	LastGood bool             `json:"lastGoodInForce"`
	Problems []config.Problem `json:"issues"`
}

// status is openclaw status: everything at a glance. It works without a
// gateway, and says so.
func (sh *shell) status() *cobra.Command {
	var (
		timeout int
		deep    bool
		all     bool
	)
	cmd := sh.command(spec{name: "status", short: "Everything at a glance", loose: true, run: func(ctx context.Context, _ []string) error {
		end := term.Progress(sh.Stderr, sh.err, "Looking around")
		invalid := sh.loadAnyway(ctx)
		if invalid != nil {
			sh.remembered(invalid)
		}
		r, err := sh.gather(ctx, time.Duration(timeout)*time.Millisecond)
		end()
		if err != nil {
			return errors.Join(invalid, err)
		}
		held := invalid != nil && r.Gateway.Reachable // the gateway goes on with the last good one
		if held {
			r.Config = &statusConfig{Valid: false, LastGood: true, Problems: problemsOf(invalid)}
		}
		if sh.json && (held || invalid == nil) {
			sh.printJSON(r)
			return nil
		}
		if !sh.json {
			sh.showStatus(r, all)
		}
		if held {
			sh.note("%s", text(invalid))
			return nil
		}
		return invalid // last, so that it is what people see
	}})
	cmd.Flags().BoolVar(&all, "all", false, "all of it, fit for pasting")
	cmd.Flags().Bool("usage", false, "what providers say about usage")
	cmd.Flags().BoolVar(&deep, "deep", false, "try the channels too")
	cmd.Flags().IntVar(&timeout, "timeout", 10000, "how long to wait, in `ms`")
	cmd.Flags().Bool("verbose", false, "more of it")
	cmd.Flags().Bool("debug", false, "the same as --verbose")
	sh.jsonFlag(cmd)
	return cmd
}

func problemsOf(invalid error) []config.Problem {
	inv, ok := errors.AsType[*config.Invalid](invalid)
	if !ok {
		return []config.Problem{}
	}
	return inv.Problems
}

func (sh *shell) gather(ctx context.Context, limit time.Duration) (*statusReply, error) {
	c, err := sh.config(ctx)
	if err != nil {
		return nil, err
	}
	r := &statusReply{
		RuntimeVersion: version.Protocol, Channels: json.RawMessage("[]"), Queued: json.RawMessage("[]"),
		UpdateChannel: "stable", UpdateSource: "default", Diagnostics: []string{}, OS: osFacts(),
		Update: map[string]any{"installKind": "binary", "version": version.String()},
	}
	if r.Heartbeat, err = json.Marshal(heartbeats(c)); err != nil {
		return nil, err
	}
	if err := sh.statusSessions(ctx, c, r); err != nil {
		return nil, err
	}
	summary := []string{}
	for _, ch := range sortedKeys(configured(c)) {
		state := "configured"
		if !enabled(c.Channels[id.Channel(ch)]) {
			state = "disabled"
		}
		summary = append(summary, ch+": "+state)
	}
	if r.Channels, err = json.Marshal(summary); err != nil {
		return nil, err
	}
	sh.statusGateway(ctx, r, limit)
	sh.statusService(ctx, r)
	r.Audit = audit(c)
	return r, nil
}

func osFacts() map[string]any {
	platform, arch := client.Platform(), runtime.GOARCH
	if arch == "amd64" {
		arch = "x64"
	}
	release := strings.TrimSpace(readString("/proc/sys/kernel/osrelease"))
	return map[string]any{
		"platform": platform, "arch": arch, "release": release,
		"label": strings.TrimSpace(platform+" "+release) + " (" + arch + ")",
	}
}

// heartbeats is the part of status about heartbeats, as the file has them.
func heartbeats(c *config.Config) any {
	type beat struct {
		Agent   string `json:"agentId"`
		Enabled bool   `json:"enabled"`
		Every   string `json:"every"`
		EveryMs *int64 `json:"everyMs"`
	}
	own := false
	for _, a := range c.Agents.List {
		own = own || a.Heartbeat != nil
	}
	beats := []beat{}
	for _, id := range c.AgentIDs() {
		a, _ := c.Agent(id)
		b := beat{Agent: string(id), Every: "disabled"}
		if b.Enabled = a.Heartbeat != nil || !own && id == c.DefaultAgent(); b.Enabled {
			b.Every = first(c.Agents.Defaults.Heartbeat.Every, "30m")
			if a.Heartbeat != nil {
				b.Every = first(a.Heartbeat.Every, b.Every)
			}
			if d, err := time.ParseDuration(b.Every); err == nil && d > 0 {
				ms := d.Milliseconds()
				b.EveryMs = &ms
			}
		}
		beats = append(beats, b)
	}
	return struct {
		Default string `json:"defaultAgentId"`
		Agents  []beat `json:"agents"`
	}{string(c.DefaultAgent()), beats}
}

func (sh *shell) statusSessions(ctx context.Context, c *config.Config, r *statusReply) error {
	now := time.Now()
	var all []sessionRow
	r.Agents.Default = string(c.DefaultAgent())
	for _, a := range c.AgentIDs() {
		s := storeOf(c, a)
		rows, err := sh.readSessions(ctx, c, s, now)
		if err != nil {
			return err
		}
		sortSessions(rows)
		entry, _ := c.Agent(a)
		sa := statusAgent{ID: string(a), Name: entry.Name, Workspace: c.Workspace(a), Sessions: s.Path, Count: len(rows)}
		_, berr := os.Stat(filepath.Join(sa.Workspace, "BOOTSTRAP.md"))
		sa.Bootstrap = berr == nil
		if len(rows) > 0 {
			sa.Updated, sa.AgeMs = rows[0].UpdatedAt, rows[0].AgeMs
		}
		if sa.Bootstrap {
			r.Agents.Pending++
		}
		r.Agents.Agents = append(r.Agents.Agents, sa)
		r.Sessions.Paths = append(r.Sessions.Paths, s.Path)
		r.Sessions.ByAgent = append(r.Sessions.ByAgent, agentSessions{string(a), s.Path, len(rows), briefs(rows)})
		all = append(all, rows...)
	}
	sortSessions(all)
	r.Agents.Total, r.Sessions.Count, r.Sessions.Recent = len(all), len(all), briefs(all)
	if _, m, ok := strings.Cut(c.Agents.Defaults.Model.Primary, "/"); ok {
		r.Sessions.Defaults.Model = &m
	}
	if n := contextOf(c, c.Agents.Defaults.Model.Primary); n > 0 {
		r.Sessions.Defaults.ContextTokens = &n
	}
	return nil
}

// contextOf is the context window of a configured model; 0 is unknown.
func contextOf(c *config.Config, ref string) int {
	p, m, _ := strings.Cut(ref, "/")
	for _, x := range c.Models.Providers[p].Models {
		if x.ID == m {
			return x.ContextWindow
		}
	}
	return c.Agents.Defaults.ContextTokens
}

func briefs(rows []sessionRow) []statusSession {
	out := []statusSession{}
	for _, r := range rows[:min(len(rows), recent)] {
		s := statusSession{
			Agent: r.AgentID, Key: r.Key, Kind: r.Kind, SessionID: r.SessionID, UpdatedAt: r.UpdatedAt, Age: r.AgeMs,
			Thinking: r.ThinkingLevel, SystemSent: r.SystemSent, Aborted: r.AbortedLastRun, Input: r.InputTokens, Output: r.OutputTokens,
			CacheRead: r.cache[0], CacheWrite: r.cache[1], Total: r.TotalTokens, Fresh: r.TokensFresh, Model: r.Model,
			ContextTokens: r.ContextTokens, Flags: r.flags(),
		}
		if n := int64(deref(r.ContextTokens)); n > 0 && r.TotalTokens != nil {
			left, used := max(n-*r.TotalTokens, 0), min(*r.TotalTokens*100/n, 999)
			s.Remaining, s.Percent = &left, &used
		}
		out = append(out, s)
	}
	return out
}

// statusGateway asks the gateway what only it knows.
func (sh *shell) statusGateway(ctx context.Context, r *statusReply, limit time.Duration) {
	g := &r.Gateway
	place, c, err := sh.locate(ctx, target{})
	g.URL, g.URLSource, g.Mode = place.URL, place.Source, "local"
	if c != nil && c.Gateway.Mode == "remote" {
		g.Mode = "remote"
	}
	fail := func(err error) {
		e := hint(err)
		g.Error, r.mend = &e, text(err)
		if hasKind(err, fault.Unauthenticated) {
			g.AuthWarning = &e
		}
	}
	if err != nil {
		g.Misconfigured = true
		fail(err)
		return
	}
	start := time.Now()
	conn, err := sh.dial(ctx, target{timeout: int(limit.Milliseconds())})
	if err != nil {
		fail(err)
		return
	}
	defer conn.Close()
	ms := time.Since(start).Milliseconds()
	g.LatencyMs = &ms
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var got struct {
		Heartbeat, ChannelSummary, QueuedSystemEvents json.RawMessage
		Sessions                                      struct {
			Defaults statusDefaults `json:"defaults"`
		} `json:"sessions"`
	}
	if err := conn.Call(ctx, "status", nil, &got); err != nil {
		fail(err)
		return
	}
	g.Reachable = true
	if got.Sessions.Defaults.Model != nil {
		r.Sessions.Defaults = got.Sessions.Defaults
	}
	g.Self = map[string]any{"version": conn.Hello().Server.Version, "platform": client.Platform()}
	for to, from := range map[*json.RawMessage]json.RawMessage{
		&r.Heartbeat: got.Heartbeat, &r.Channels: got.ChannelSummary, &r.Queued: got.QueuedSystemEvents,
	} {
		if len(from) > 0 {
			*to = from
		}
	}
}

func (sh *shell) statusService(ctx context.Context, r *statusReply) {
	var f gatewayFacts
	sh.serviceFacts(ctx, &f)
	s := statusService{
		Label: f.Service.Label, Installed: f.Service.Loaded, Managed: f.Service.Loaded, LoadedText: f.Service.NotLoaded,
		Runtime: f.Service.Runtime.Status,
	}
	if s.Installed {
		s.LoadedText = f.Service.Loaded1
	}
	if d := f.Service.Runtime.Detail; d != "" {
		s.Runtime += " (" + d + ")"
	}
	r.Service = s
	r.NodeService = statusService{Label: s.Label, LoadedText: f.Service.NotLoaded, Runtime: "unknown"}
}
