package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/openclaw-go/openclaw/internal/config"
)

// reset is openclaw reset: away with config or state; the binary stays.
func (sh *shell) reset() *cobra.Command {
	var (
		scope               string
		yes, nonInteractive bool
		dry                 bool
	)
	cmd := sh.command(spec{
		name: "reset", short: "Start over: config, state, or all of it goes to the trash",
		example: "openclaw reset --scope config --dry-run",
		run: func(ctx context.Context, _ []string) error {
			l, err := sh.load(ctx)
			if l == nil || l.Config == nil {
				return err
			}
			sh.loaded = l // an invalid file is a reason to reset
			if scope == "" {
				if scope, err = sh.askScope(nonInteractive); err != nil {
					return err
				}
			}
			if err := validScope(scope); err != nil {
				return err
			}
			if dry {
				sh.dryRun(victims(l.Config, scope))
				return nil
			}
			if ok, err := sh.sure("Reset "+scope+"?", yes, "openclaw reset --scope "+scope+" --yes"); err != nil || !ok {
				return err
			}
			return sh.wipe(l.Config.Paths, scope)
		},
	})
	cmd.Flags().StringVar(&scope, "scope", "", "config, config+creds+sessions or full (`scope`)")
	cmd.Flags().BoolVar(&yes, "yes", false, "don't ask")
	cmd.Flags().BoolVar(&nonInteractive, "non-interactive", false, "ask nothing; needs --scope and --yes")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only show what would go")
	return cmd
}

func (sh *shell) askScope(nonInteractive bool) (string, error) {
	if nonInteractive {
		return "", say("--non-interactive needs --scope: openclaw reset --scope config --yes --non-interactive")
	}
	p, err := sh.prompt("openclaw reset --scope config --yes")
	if err != nil {
		return "", err
	}
	n, err := p.Choose("Reset what?", []string{
		"the config", "config, credentials and sessions", "everything, workspaces too",
	})
	return scopes()[n], err
}

// sure asks, unless yes was said already.
func (sh *shell) sure(question string, yes bool, instead string) (bool, error) {
	if yes {
		return true, nil
	}
	p, err := sh.prompt(instead)
	if err != nil {
		return false, err
	}
	return p.Confirm(question, false)
}

func (sh *shell) dryRun(paths []string) {
	for _, v := range paths {
		if _, err := os.Lstat(v); !errors.Is(err, fs.ErrNotExist) {
			sh.line("[dry-run] remove %s", sh.short(v))
		}
	}
}

// uninstall is openclaw uninstall.
func (sh *shell) uninstall() *cobra.Command {
	var svc, state, workspace, app, all, yes, nonInteractive, dry bool
	cmd := sh.command(spec{name: "uninstall", short: "Remove the service, and if asked the state and workspaces", run: func(ctx context.Context, _ []string) error {
		if all {
			svc, state, workspace = true, true, true
		}
		if !svc && !state && !workspace && !app {
			return say("remove what? --service, --state, --workspace or --all")
		}
		l, err := sh.load(ctx)
		if l == nil || l.Config == nil {
			return err
		}
		sh.loaded = l
		gone := leaving(l.Config, state, workspace)
		if dry {
			if svc {
				sh.line("[dry-run] remove gateway service")
			}
			sh.dryRun(gone)
			return nil
		}
		if ok, err := sh.sure("Uninstall?", yes, "openclaw uninstall --all --yes"); err != nil || !ok {
			return err
		}
		if svc {
			m, err := sh.manager()
			if err == nil {
				err = m.Uninstall(ctx)
			}
			if err != nil {
				return err
			}
			sh.line("Removed gateway service")
		}
		return sh.leave(l.Config.Paths, gone)
	}})
	f := cmd.Flags()
	f.BoolVar(&svc, "service", false, "the gateway's service")
	f.BoolVar(&state, "state", false, "config and state")
	f.BoolVar(&workspace, "workspace", false, "the agents' workspaces")
	f.BoolVar(&app, "app", false, "no effect: there is no app")
	f.BoolVar(&all, "all", false, "all of it")
	f.BoolVar(&yes, "yes", false, "don't ask")
	f.BoolVar(&nonInteractive, "non-interactive", false, "ask nothing; needs --yes")
	f.BoolVar(&dry, "dry-run", false, "only show what would go")
	return cmd
}

// leaving lists what goes; workspaces before the state that may hold them.
func leaving(c *config.Config, state, workspaces bool) []string {
	var out []string
	if workspaces {
		for _, a := range c.AgentIDs() {
			out = append(out, c.Workspace(a))
		}
	}
	if state {
		if !within(c.Paths.State, c.Paths.Config) {
			out = append(out, c.Paths.Config)
		}
		out = append(out, c.Paths.State)
	}
	return out
}

// leave deletes for good: uninstalling keeps no trash, which lives in the
// state. What isn't OpenClaw's own is refused.
func (sh *shell) leave(p config.Paths, paths []string) error {
	for _, v := range paths {
		if within(v, p.Home) || v != p.State && within(v, p.State) {
			return say("%s holds more than OpenClaw's own files; remove by hand what you don't want", v)
		}
		if err := os.RemoveAll(v); err != nil {
			return say("can't remove %s: %s", v, cause(err))
		}
		sh.line("Removed %s", sh.short(v))
	}
	return nil
}
