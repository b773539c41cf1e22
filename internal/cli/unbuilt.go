package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// unbuilt are the commands of OpenClaw 2026.3.13 that this version doesn't
// have yet, each with all that is below it. Help doesn't show them.
func unbuilt() []string {
	return strings.Split(`configure|backup|memory|browser|docs|acp|approvals|nodes|node|sandbox|tui|cron|dns|hooks|webhooks|qr|`+
		`clawbot|plugins|directory|security|secrets|skills|update|voicecall|dashboard|`+
		`agents bind|agents unbind|gateway usage-cost|gateway discover|`+
		`models auth login|models auth setup-token|models auth login-github-copilot|`+
		`channels capabilities|channels resolve|channels logs|channels login`, "|")
}

func unbuiltError(path string) error {
	return say("openclaw %s: this version doesn't have it yet", path)
}

// unbuiltPath is the unbuilt command that the command line names, "" when there
// is none. Its options are as unknown as the command itself.
func (sh *shell) unbuiltPath() string {
	_, rest, err := parseGlobal(sh.argv)
	if err != nil {
		return ""
	}
	line := strings.Join(rest, " ") + " "
	for _, u := range unbuilt() {
		if strings.HasPrefix(line, u+" ") {
			return u
		}
	}
	return ""
}

// unknown is the error of a command that isn't there: one that we will have,
// or one that nobody has.
func (sh *shell) unknown(cmd *cobra.Command, name string) error {
	path := strings.TrimSpace(strings.TrimPrefix(cmd.CommandPath(), sh.root.Name()) + " " + name)
	for _, u := range unbuilt() {
		if path == u {
			return unbuiltError(path)
		}
	}
	if s := cmd.SuggestionsFor(name); len(s) > 0 {
		return usage(1, "unknown command '%s'\n(Did you mean %s %s?)", name, cmd.CommandPath(), s[0])
	}
	return usage(1, "unknown command '%s'\nWhat there is: %s --help", name, cmd.CommandPath())
}
