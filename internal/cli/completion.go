package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// completion is openclaw completion: a script for the shell, which asks this
// program for what may come next. Without --install or --write-state it
// touches neither disk nor configuration.
func (sh *shell) completion() *cobra.Command {
	var (
		shells              []string
		install, write, yes bool
	)
	cmd := sh.command(spec{
		name: "completion", short: "Completion for bash, zsh, fish or PowerShell", args: []string{"shell?"},
		example: `source <(openclaw completion bash)
openclaw completion zsh --install`,
		run: func(_ context.Context, args []string) error {
			names := append(shells, args...)
			if len(names) == 0 {
				names = []string{"zsh"}
			}
			for _, name := range names {
				if err := sh.complete(name, install, write, yes); err != nil {
					return err
				}
			}
			return nil
		},
	})
	cmd.ValidArgs = []string{"bash", "zsh", "fish", "powershell"}
	f := cmd.Flags()
	f.StringArrayVarP(&shells, "shell", "s", nil, "bash, zsh, fish or powershell (`shell`; default: zsh)")
	f.BoolVarP(&install, "install", "i", false, "add it to the shell's start file")
	f.BoolVar(&write, "write-state", false, "write it below the state directory")
	f.BoolVarP(&yes, "yes", "y", false, "don't ask")
	return cmd
}

func (sh *shell) complete(name string, install, write, yes bool) error {
	script, err := sh.script(name)
	if err != nil {
		return err
	}
	if !install && !write {
		_, err := io.WriteString(sh.Stdout, script)
		return err
	}
	ext := map[string]string{"bash": "bash", "zsh": "zsh", "fish": "fish", "powershell": "ps1"}[name]
	path := filepath.Join(sh.paths().State, "completions", "openclaw."+ext)
	if err := writeFile(path, []byte(script)); err != nil {
		return err
	}
	sh.line("Completion written: %s", sh.short(path))
	if !install {
		return nil
	}
	return sh.hookShell(name, path, yes)
}

// bashAlone goes after the script for bash, which else works only where the
// package bash-completion is installed.
const bashAlone = `
__openclaw_init_completion()
{
    COMPREPLY=()
    if declare -F _get_comp_words_by_ref >/dev/null 2>&1; then
        _get_comp_words_by_ref "$@" cur prev words cword
        return
    fi
    words=("${COMP_WORDS[@]}")
    cword=$COMP_CWORD
    cur=${words[cword]}
    prev=${words[cword-1]}
}
if ! declare -F __ltrim_colon_completions >/dev/null 2>&1; then
    __ltrim_colon_completions() { :; }
fi
`

func (sh *shell) script(name string) (string, error) {
	var (
		b   bytes.Buffer
		err error
	)
	switch name {
	case "bash":
		err = sh.root.GenBashCompletionV2(&b, true)
		b.WriteString(bashAlone)
	case "zsh":
		err = sh.root.GenZshCompletion(&b)
	case "fish":
		err = sh.root.GenFishCompletion(&b, true)
	case "powershell":
		err = sh.root.GenPowerShellCompletionWithDesc(&b)
	default:
		return "", say("no completion for %q: bash, zsh, fish or powershell", name)
	}
	return b.String(), err
}

// hookShell adds one line to the shell's start file, once.
func (sh *shell) hookShell(name, script string, yes bool) error {
	home := sh.paths().Home
	rc := map[string]string{
		"bash": filepath.Join(home, ".bashrc"), "zsh": filepath.Join(home, ".zshrc"),
		"fish": filepath.Join(home, ".config", "fish", "config.fish"),
	}[name]
	if rc == "" {
		sh.line("Add this to your $PROFILE: . \"%s\"", script)
		return nil
	}
	line := `[ -f "` + script + `" ] && source "` + script + `" # OpenClaw`
	if name == "fish" {
		line = `test -f "` + script + `"; and source "` + script + `" # OpenClaw`
	}
	if strings.Contains(readString(rc), line) {
		sh.line("%s has it already.", sh.short(rc))
		return nil
	}
	if ok, err := sh.sure("Add a line to "+sh.short(rc)+"?", yes, "openclaw completion "+name+" --install --yes"); err != nil || !ok {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(rc), 0o700); err != nil {
		return say("can't make %s: %s", filepath.Dir(rc), cause(err))
	}
	f, err := os.OpenFile(rc, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return say("can't write %s: %s", rc, cause(err))
	}
	_, err = f.WriteString("\n" + line + "\n")
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return say("can't write %s: %s", rc, cause(err))
	}
	sh.line("Added to %s. Start a new shell.", sh.short(rc))
	return nil
}
