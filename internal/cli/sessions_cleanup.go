package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/openclaw-go/openclaw/internal/cli/term"
	"github.com/openclaw-go/openclaw/internal/config"
)

// The bounds of session.maintenance when it says nothing.
const (
	pruneAfter = 30 * 24 * time.Hour
	maxEntries = 500
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

// sessionsCleanup is openclaw sessions cleanup. The gateway cleans up by
// itself; this shows what there would be to do.
func (sh *shell) sessionsCleanup() *cobra.Command {
	var (
		f           sessionFlags
		fix, dryRun bool
		enforce     bool
		keep        string
	)
	cmd := sh.command(spec{
		name: "cleanup", short: "Show what a clean-up of the index would remove",
		run: func(ctx context.Context, _ []string) error {
			if !dryRun {
				return say("this version only shows what a clean-up would do; add --dry-run. The running gateway keeps its index bounded by itself")
			}
			c, err := sh.config(ctx)
			if err != nil {
				return err
			}
			stores, err := f.stores(c)
			if err != nil {
				return err
			}
			var all []cleanup
			for _, s := range stores {
				p, err := sh.planCleanup(ctx, c, s, fix, keep)
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
	cmd.Flags().BoolVar(&enforce, "enforce", false, "also when session.maintenance.mode is warn")
	cmd.Flags().BoolVar(&fix, "fix-missing", false, "count entries without a transcript as removable")
	cmd.Flags().StringVar(&keep, "active-key", "", "never remove this session `key`")
	sh.jsonFlag(cmd)
	return cmd
}

func (sh *shell) planCleanup(ctx context.Context, c *config.Config, s sessionStore, fix bool, keep string) (cleanup, error) {
	now := time.Now()
	rows, err := sh.readSessions(ctx, c, s, now)
	if err != nil {
		return cleanup{}, err
	}
	sortSessions(rows)
	p := cleanup{Agent: string(s.Agent), Path: s.Path, Mode: "warn", DryRun: true, Before: len(rows)}
	kept := 0
	for _, r := range rows {
		what := "keep"
		switch {
		case r.Key == keep:
		case fix && !hasTranscript(s.Path, r):
			what = "prune-missing"
			p.Missing++
		case r.AgeMs != nil && time.Duration(*r.AgeMs)*time.Millisecond > pruneAfter:
			what = "prune-stale"
			p.Pruned++
		case kept >= maxEntries:
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
			}{true, "warn", true, all})
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
