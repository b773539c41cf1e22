package cli

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/cli/term"
	"github.com/openclaw-go/openclaw/internal/config"
)

// maxStore bounds a sessions.json that we read: OpenClaw's grow to megabytes.
const maxStore = 256 << 20

// sessionRow is a session as --json prints it.
type sessionRow struct {
	Key            string `json:"key"`
	UpdatedAt      *int64 `json:"updatedAt"`
	AgeMs          *int64 `json:"ageMs"`
	SessionID      string `json:"sessionId,omitempty"`
	SystemSent     *bool  `json:"systemSent,omitempty"`
	AbortedLastRun *bool  `json:"abortedLastRun,omitempty"`
	ThinkingLevel  string `json:"thinkingLevel,omitempty"`
	VerboseLevel   string `json:"verboseLevel,omitempty"`
	ReasoningLevel string `json:"reasoningLevel,omitempty"`
	ElevatedLevel  string `json:"elevatedLevel,omitempty"`
	ResponseUsage  string `json:"responseUsage,omitempty"`
	GroupActiv     string `json:"groupActivation,omitempty"`
	InputTokens    *int64 `json:"inputTokens,omitempty"`
	OutputTokens   *int64 `json:"outputTokens,omitempty"`
	TotalTokens    *int64 `json:"totalTokens"`
	TokensFresh    bool   `json:"totalTokensFresh"`
	Model          string `json:"model"`
	ModelProvider  string `json:"modelProvider,omitempty"`
	ContextTokens  *int   `json:"contextTokens"`
	AgentID        string `json:"agentId"`
	Kind           string `json:"kind"`
	file           string // sessionFile
	chatType       string
	cache          [2]*int64
}

// storedSession is an entry of sessions.json, as far as we read it.
type storedSession struct {
	SessionID       string `json:"sessionId"`
	UpdatedAt       *int64 `json:"updatedAt"`
	SessionFile     string `json:"sessionFile"`
	ChatType        string `json:"chatType"`
	SystemSent      *bool  `json:"systemSent"`
	AbortedLastRun  *bool  `json:"abortedLastRun"`
	ThinkingLevel   string `json:"thinkingLevel"`
	VerboseLevel    string `json:"verboseLevel"`
	ReasoningLevel  string `json:"reasoningLevel"`
	ElevatedLevel   string `json:"elevatedLevel"`
	ResponseUsage   string `json:"responseUsage"`
	GroupActivation string `json:"groupActivation"`
	Model           string `json:"model"`
	ModelProvider   string `json:"modelProvider"`
	ModelOverride   string `json:"modelOverride"`
	ContextTokens   *int   `json:"contextTokens"`
	InputTokens     *int64 `json:"inputTokens"`
	OutputTokens    *int64 `json:"outputTokens"`
	CacheRead       *int64 `json:"cacheRead"`
	CacheWrite      *int64 `json:"cacheWrite"`
	TotalTokens     *int64 `json:"totalTokens"`
	TokensFresh     *bool  `json:"totalTokensFresh"`
}

// sessionStore is one agent's index of sessions.
type sessionStore struct {
	Agent id.Agent `json:"agentId"`
	Path  string   `json:"path"`
}

type sessionFlags struct {
	store, agent string
	all          bool
}

func (f *sessionFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.store, "store", "", "read this sessions.json instead of the agent's (`path`)")
	cmd.Flags().StringVar(&f.agent, "agent", "", "the agent's `id` (default: the default agent)")
	cmd.Flags().BoolVar(&f.all, "all-agents", false, "all agents, also those that left only their sessions")
}

// stores are the files that f means.
func (f sessionFlags) stores(c *config.Config) ([]sessionStore, error) {
	switch {
	case f.all && (f.agent != "" || f.store != ""):
		return nil, say("--all-agents can't be combined with --agent or --store")
	case f.all:
		var out []sessionStore
		for _, a := range c.AgentIDs() {
			out = append(out, storeOf(c, a))
		}
		return append(out, strayStores(c)...), nil
	case f.store != "":
		return []sessionStore{{Agent: c.DefaultAgent(), Path: c.Paths.Expand(f.store)}}, nil
	case f.agent != "":
		if _, ok := c.Agent(id.Agent(f.agent)); !ok {
			return nil, say("Unknown agent id %q. What there is: openclaw agents list", f.agent)
		}
		return []sessionStore{storeOf(c, id.Agent(f.agent))}, nil
	}
	return []sessionStore{storeOf(c, c.DefaultAgent())}, nil
}

// strayStores are those of agents that the configuration no longer has, as far
// as they hold sessions.
func strayStores(c *config.Config) []sessionStore {
	dirs, err := os.ReadDir(filepath.Join(c.Paths.State, "agents"))
	if err != nil {
		return nil // there are no agents on disk
	}
	var out []sessionStore
	for _, d := range dirs {
		a := id.Agent(d.Name())
		if !d.IsDir() || slices.Contains(c.AgentIDs(), a) {
			continue
		}
		s := sessionStore{Agent: a, Path: filepath.Join(c.Paths.State, "agents", d.Name(), "sessions", "sessions.json")}
		if info, err := os.Stat(s.Path); err == nil && info.Mode().IsRegular() {
			out = append(out, s)
		}
	}
	return out
}

func storeOf(c *config.Config, a id.Agent) sessionStore {
	return sessionStore{Agent: a, Path: filepath.Join(c.SessionsDir(a), "sessions.json")}
}

// sessions is openclaw sessions.
func (sh *shell) sessions() *cobra.Command {
	cmd := sh.sessionsList("sessions", sh.sessionsList("list"), sh.sessionsCleanup())
	return cmd
}

func (sh *shell) sessionsList(name string, subs ...*cobra.Command) *cobra.Command {
	var (
		f      sessionFlags
		active int
	)
	cmd := sh.command(spec{
		name: name, short: "List stored sessions", subs: subs, loose: len(subs) > 0,
		run: func(ctx context.Context, _ []string) error { return sh.listSessions(ctx, f, active) },
	})
	if name == "list" {
		cmd.Short = "List them"
	}
	f.add(cmd)
	cmd.Flags().IntVar(&active, "active", 0, "only those used within so many `minutes`")
	cmd.Flags().Bool("verbose", false, "more of it")
	sh.jsonFlag(cmd)
	return cmd
}

func (sh *shell) listSessions(ctx context.Context, f sessionFlags, active int) error {
	c, err := sh.config(ctx)
	if err != nil {
		return err
	}
	stores, err := f.stores(c)
	if err != nil {
		return err
	}
	now := time.Now()
	rows := []sessionRow{}
	for _, s := range stores {
		part, err := sh.readSessions(ctx, c, s, now)
		if err != nil {
			return err
		}
		rows = append(rows, part...)
	}
	if active > 0 {
		since := now.Add(-time.Duration(active) * time.Minute).UnixMilli()
		rows = slices.DeleteFunc(rows, func(r sessionRow) bool { return r.UpdatedAt == nil || *r.UpdatedAt < since })
	}
	sortSessions(rows)
	if sh.json {
		sh.printJSON(sessionsReply(stores, f.all, active, rows))
		return nil
	}
	for _, s := range stores {
		sh.line("Session store: %s", sh.short(s.Path))
	}
	sh.line("Sessions listed: %d", len(rows))
	sh.sessionTable(rows)
	return nil
}

func sessionsReply(stores []sessionStore, all bool, active int, rows []sessionRow) any {
	out := struct {
		Path     *string        `json:"path"`
		Stores   []sessionStore `json:"stores,omitempty"`
		All      bool           `json:"allAgents,omitempty"`
		Count    int            `json:"count"`
		Active   *int           `json:"activeMinutes"`
		Sessions []sessionRow   `json:"sessions"`
	}{Count: len(rows), Sessions: rows}
	if all {
		out.Stores, out.All = stores, true
	} else {
		out.Path = &stores[0].Path
	}
	if active > 0 {
		out.Active = &active
	}
	return out
}

func (r sessionRow) flags() []string {
	out := []string{}
	for _, f := range [][2]string{
		{"think", r.ThinkingLevel},
		{"verbose", r.VerboseLevel},
		{"reasoning", r.ReasoningLevel},
		{"elev", r.ElevatedLevel},
		{"usage", r.ResponseUsage},
		{"activation", r.GroupActiv},
	} {
		if f[1] != "" {
			out = append(out, f[0]+":"+f[1])
		}
	}
	if deref(r.SystemSent) {
		out = append(out, "system")
	}
	if deref(r.AbortedLastRun) {
		out = append(out, "aborted")
	}
	if r.SessionID != "" {
		out = append(out, "id:"+r.SessionID)
	}
	return out
}

func (r sessionRow) age() string {
	if r.AgeMs == nil {
		return "-"
	}
	return ago(time.Duration(*r.AgeMs) * time.Millisecond)
}

func (r sessionRow) tokens() string {
	ctx := "?"
	if r.ContextTokens != nil && *r.ContextTokens > 0 {
		ctx = fmt.Sprintf("%dk", *r.ContextTokens/1000)
	}
	if r.TotalTokens == nil {
		return "unknown/" + ctx + " (?%)"
	}
	percent := "?"
	if n := deref(r.ContextTokens); n > 0 {
		percent = strconv.FormatInt(*r.TotalTokens*100/int64(n), 10)
	}
	return fmt.Sprintf("%.1fk/%s (%s%%)", float64(*r.TotalTokens)/1000, ctx, percent)
}

func (sh *shell) sessionTable(rows []sessionRow) {
	t := term.Table{Head: []string{"Kind", "Key", "Age", "Model", "Tokens (ctx %)", "Flags"}, Max: map[int]int{1: 48, 3: 32}}
	for _, r := range rows {
		t.Rows = append(t.Rows, []string{r.Kind, sh.out.Accent(r.Key), r.age(), orDash(r.Model), r.tokens(), sh.out.Dim(strings.Join(r.flags(), " "))})
	}
	sh.table(t)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
