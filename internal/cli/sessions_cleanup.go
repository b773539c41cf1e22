package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/openclaw-go/openclaw/internal/app"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/cli/term"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/session"
	"github.com/openclaw-go/openclaw/internal/store"
)

// cleanup is what a clean-up of one index comes to.
type cleanup struct {
	Agent       string `json:"agentId"`
	Path        string `json:"storePath"`
	Mode        string `json:"mode"`
	DryRun      bool   `json:"dryRun"`
	Before      int    `json:"beforeCount"`
	After       int    `json:"afterCount"`
	Missing     int    `json:"missing"`
	Pruned      int    `json:"pruned"`
	Capped      int    `json:"capped"`
	DiskBudget  any    `json:"diskBudget"`
	WouldMutate bool   `json:"wouldMutate"`
	actions     []cleanupAction
}

type cleanupAction struct {
	what string
	row  sessionRow
}

// sessionsCleanup is openclaw sessions cleanup.
func (sh *shell) sessionsCleanup() *cobra.Command {
	var (
		f               sessionFlags
		fix, dryRun, do bool
		keep            string
	)
	cmd := sh.command(spec{
		name: "cleanup", short: "Take away sessions beyond session.maintenance",
		run: func(ctx context.Context, _ []string) error {
			c, err := sh.config(ctx)
			if err != nil {
				return err
			}
			stores, err := f.stores(c)
			if err != nil {
				return err
			}
			limits := session.LimitsOf(c.Session.Maintenance)
			limits.Enforce = limits.Enforce || do
			if !dryRun {
				return sh.applyCleanup(ctx, c, stores, limits, fix, keep, f.all)
			}
			var all []cleanup
			for _, s := range stores {
				p, err := sh.planCleanup(ctx, c, s, limits, fix, keep)
				if err != nil {
					return err
				}
				all = append(all, p)
			}
			sh.showCleanup(all, f.all)
			return nil
		},
	})
	f.add(cmd)
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "change nothing")
	cmd.Flags().BoolVar(&do, "enforce", false, "also when session.maintenance.mode is warn")
	cmd.Flags().BoolVar(&fix, "fix-missing", false, "count entries without a transcript as removable")
	cmd.Flags().StringVar(&keep, "active-key", "", "never remove this session `key`")
	sh.jsonFlag(cmd)
	return cmd
}

// applyCleanup has the gateway clean up, or does it when none runs.
func (sh *shell) applyCleanup(ctx context.Context, c *config.Config, stores []sessionStore, limits session.Limits, fix bool, keep string, aggregate bool) error {
	var agents []id.Agent
	for _, s := range stores {
		if s.Path != storeOf(c, s.Agent).Path {
			return say("only an agent's own sessions can be cleaned up; with --store, add --dry-run")
		}
		agents = append(agents, s.Agent)
	}
	var res struct {
		Stores []session.Cleanup `json:"stores"`
	}
	if _, held, err := store.Holder(sh.paths().State); err == nil && held {
		err := sh.call(ctx, target{timeout: 120_000}, "sessions.cleanup", map[string]any{
			"agents": agents, "enforce": limits.Enforce, "fixMissing": fix, "activeKey": keep,
		}, &res)
		if err != nil {
			return err
		}
	} else {
		var ups []session.Upkeep
		for _, a := range agents {
			u := session.Upkeep{Agent: a, Limits: limits, Missing: fix}
			if keep != "" {
				u.Keep = append(u.Keep, c.Key(c.DefaultAgent(), keep))
			}
			ups = append(ups, u)
		}
		if res.Stores, err = app.CleanSessions(ctx, c, sh.logger(), ups...); err != nil {
			return err
		}
	}
	if sh.json {
		if !aggregate {
			sh.printJSON(res.Stores[0])
			return nil
		}
		mode := "warn"
		if limits.Enforce {
			mode = "enforce"
		}
		sh.printJSON(map[string]any{"allAgents": true, "mode": mode, "dryRun": false, "stores": res.Stores})
		return nil
	}
	for i, x := range res.Stores {
		if i > 0 {
			sh.line("")
		}
		sh.line("Session store: %s", sh.short(x.Path))
		if !limits.Enforce && x.Mutates {
			sh.line("%d of %d sessions are beyond session.maintenance; add --enforce to take them away.", x.Before-x.After, x.Before)
		}
		sh.line("Applied maintenance. Current entries: %d", *x.Count)
	}
	return nil
}

func (sh *shell) planCleanup(ctx context.Context, c *config.Config, s sessionStore, limits session.Limits, fix bool, keep string) (cleanup, error) {
	now := time.Now()
	rows, err := sh.readSessions(ctx, c, s, now)
	if err != nil {
		return cleanup{}, err
	}
	sortSessions(rows)
	p := cleanup{Agent: string(s.Agent), Path: s.Path, Mode: "warn", DryRun: true, Before: len(rows)}
	if limits.Enforce {
		p.Mode = "enforce"
	}
	kept := 0
	for _, r := range rows {
		what := "keep"
		switch {
		case r.Key == keep || id.SessionKey(r.Key) == id.MainKey(id.SessionKey(r.Key).Agent()):
		case fix && !hasTranscript(s.Path, r):
			what = "prune-missing"
			p.Missing++
		case r.AgeMs != nil && time.Duration(*r.AgeMs)*time.Millisecond > limits.PruneAfter:
			what = "prune-stale"
			p.Pruned++
		case kept >= limits.MaxEntries:
			what = "cap-overflow"
			p.Capped++
		}
		if what == "keep" {
			kept++
		}
		p.actions = append(p.actions, cleanupAction{what, r})
	}
	p.After, p.WouldMutate = kept, kept != len(rows)
	return p, nil
}

func hasTranscript(store string, r sessionRow) bool {
	path := r.file
	if path == "" {
		path = r.SessionID + ".jsonl"
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(store), path)
	}
	_, err := os.Stat(path)
	return err == nil
}

func (sh *shell) showCleanup(all []cleanup, aggregate bool) {
	if sh.json {
		if aggregate {
			sh.printJSON(struct {
				All    bool      `json:"allAgents"`
				Mode   string    `json:"mode"`
				DryRun bool      `json:"dryRun"`
				Stores []cleanup `json:"stores"`
			}{true, all[0].Mode, true, all})
			return
		}
		sh.printJSON(all[0])
		return
	}
	for i, p := range all {
		if i > 0 {
			sh.line("")
		}
		sh.line("Session store: %s", sh.short(p.Path))
		sh.line("Maintenance mode: %s", p.Mode)
		sh.line("Entries: %d -> %d (remove %d)", p.Before, p.After, p.Before-p.After)
		sh.line("Would prune missing transcripts: %d", p.Missing)
		sh.line("Would prune stale: %d", p.Pruned)
		sh.line("Would cap overflow: %d", p.Capped)
		if len(p.actions) == 0 {
			continue
		}
		t := term.Table{Head: []string{"Action", "Key", "Age", "Model", "Flags"}, Max: map[int]int{1: 48}}
		for _, a := range p.actions {
			t.Rows = append(t.Rows, []string{a.what, a.row.Key, a.row.age(), orDash(a.row.Model), strings.Join(a.row.flags(), " ")})
		}
		sh.line("\nPlanned session actions:")
		sh.table(t)
	}
}
