package cli

import (
	"context"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openclaw-go/openclaw/internal/agent/workspace"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/config"
)

// setup is openclaw setup: config and workspace without questions.
func (sh *shell) setup() *cobra.Command {
	var f onboardFlags
	var wizard bool
	cmd := sh.command(spec{name: "setup", short: "Make config and workspace, without questions", run: func(ctx context.Context, _ []string) error {
		if wizard || f.nonInteractive || f.mode != "" || f.remoteURL != "" {
			if f.nonInteractive {
				f.acceptRisk, f.skipHealth = true, true
			}
			return sh.runOnboard(ctx, f)
		}
		return sh.runSetup(ctx, f.workspace)
	}})
	fs := cmd.Flags()
	fs.StringVar(&f.workspace, "workspace", "", "the default agent's workspace (`dir`)")
	fs.BoolVar(&wizard, "wizard", false, "ask, as openclaw onboard does")
	fs.BoolVar(&f.nonInteractive, "non-interactive", false, "as openclaw onboard --non-interactive does")
	fs.StringVar(&f.mode, "mode", "", "local or remote (`mode`)")
	fs.StringVar(&f.remoteURL, "remote-url", "", "the remote gateway's `url`")
	fs.StringVar(&f.remoteToken, "remote-token", "", "the remote gateway's `token`")
	return cmd
}

func (sh *shell) runSetup(ctx context.Context, dir string) error {
	l, err := sh.load(ctx)
	if err != nil {
		return err
	}
	var changes []change
	var said []string
	if dir != "" && l.Config.Paths.Expand(dir) != l.Config.Workspace(l.Config.DefaultAgent()) {
		changes = append(changes, change{"agents.defaults.workspace", l.Config.Paths.Expand(dir), false})
		said = append(said, "set agents.defaults.workspace")
	}
	if l.Config.Gateway.Mode == "" {
		changes = append(changes, change{"gateway.mode", "local", false})
		said = append(said, "set gateway.mode")
	}
	path := sh.short(sh.paths().Config)
	if len(changes) == 0 {
		sh.line("Config OK: %s", path)
	} else {
		if l, err = sh.edit(ctx, changes...); err != nil {
			return err
		}
		sh.line("Updated %s (%s)", path, strings.Join(said, ", "))
	}
	made, err := sh.seedMain(ctx, l.Config)
	if err != nil {
		return err
	}
	for _, m := range made {
		sh.line("%s", m)
	}
	sh.line("Next: %s", sh.out.Accent(sh.typed()+" gateway run"))
	return nil
}

// seedMain makes the default agent's directories and its first files.
func (sh *shell) seedMain(ctx context.Context, c *config.Config) ([]string, error) {
	a := c.DefaultAgent()
	if err := seed(c, a); err != nil {
		return nil, err
	}
	git, err := exec.LookPath("git")
	if err != nil {
		git = ""
	}
	_, err = workspace.Ensure(ctx, workspace.Options{
		Dir: c.Workspace(a), Skip: c.Agents.Defaults.SkipBootstrap,
		Private: within(c.Paths.State, c.Workspace(a)), Git: git,
	})
	if err != nil {
		return nil, err
	}
	return []string{"Workspace OK: " + sh.short(c.Workspace(a)), "Sessions OK: " + sh.short(c.SessionsDir(a))}, nil
}

// seed makes the directories of an agent.
func seed(c *config.Config, a id.Agent) error {
	for _, dir := range []string{c.Workspace(a), c.SessionsDir(a), c.AgentDir(a)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return say("can't make %s: %s", dir, cause(err))
		}
	}
	return nil
}
