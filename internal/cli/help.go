package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/openclaw-go/openclaw/internal/base/version"
	"github.com/openclaw-go/openclaw/internal/cli/term"
)

// help prints the help of cmd. It reads nothing from disk.
func (sh *shell) help(cmd *cobra.Command, w io.Writer, s term.Style) {
	if cmd == sh.root {
		fmt.Fprintf(w, "%s %s\n\n", s.Bold("OpenClaw"), s.Dim(version.String()))
	}
	fmt.Fprintf(w, "%s %s\n", s.Bold("Usage:"), usageLine(cmd))
	if cmd.Short != "" {
		fmt.Fprintf(w, "\n%s\n", cmd.Short)
	}
	if len(cmd.Aliases) > 0 {
		fmt.Fprintf(w, "\n%s %s\n", s.Bold("Also:"), strings.Join(cmd.Aliases, ", "))
	}
	for _, g := range groups(cmd) {
		section(w, s, g.title, g.rows)
	}
	section(w, s, "Options:", options(cmd.LocalFlags()))
	if cmd == sh.root {
		section(w, s, "Before the command:", globalRows())
	}
	if cmd.Example != "" {
		fmt.Fprintf(w, "\n%s\n", s.Bold("Examples:"))
		for line := range strings.Lines(cmd.Example) {
			fmt.Fprintln(w, "  "+strings.TrimSpace(line))
		}
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\n%s\n", s.Dim("More about one: "+cmd.CommandPath()+" <command> --help"))
	}
}

func usageLine(cmd *cobra.Command) string {
	parts := []string{cmd.CommandPath()}
	if cmd.LocalFlags().HasAvailableFlags() || !cmd.HasParent() {
		parts = append(parts, "[options]")
	}
	if cmd.HasAvailableSubCommands() {
		parts = append(parts, "[command]")
	}
	if a := cmd.Annotations[argsNote]; a != "" {
		parts = append(parts, a)
	}
	return strings.Join(parts, " ")
}

func section(w io.Writer, s term.Style, title string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\n", s.Bold(title))
	width := 0
	for _, r := range rows {
		width = max(width, len(r[0]))
	}
	for _, r := range rows {
		fmt.Fprintf(w, "  %s%s  %s\n", s.Accent(r[0]), strings.Repeat(" ", width-len(r[0])), r[1])
	}
}

type group struct {
	title string
	rows  [][]string
}

// groups are the subcommands under their headings, in the order of the tree.
func groups(cmd *cobra.Command) []group {
	var out []group
	for _, g := range cmd.Groups() {
		out = append(out, group{title: g.Title, rows: commandRows(cmd, g.ID)})
	}
	return append(out, group{title: "Commands:", rows: commandRows(cmd, "")})
}

func commandRows(cmd *cobra.Command, id string) [][]string {
	var rows [][]string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && c.GroupID == id && c.Name() != "help" {
			rows = append(rows, []string{strings.TrimSpace(c.Name() + " " + c.Annotations[argsNote]), c.Short})
		}
	}
	return rows
}

func options(fs *pflag.FlagSet) [][]string {
	rows := [][]string{}
	fs.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		name, text := pflag.UnquoteUsage(f)
		// The name of the value stands in the first column.
		text = strings.NewReplacer(" ("+name+")", "", " ("+name+"; ", " (").Replace(text)
		if f.Annotations[mandatory] != nil {
			text += " (required)"
		}
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "[]" {
			text += " (default: " + f.DefValue + ")"
		}
		rows = append(rows, []string{flagText(f), text})
	})
	return append(rows, []string{"-h, --help", "show this"})
}

func globalRows() [][]string {
	return [][]string{
		{"--profile <name>", "keep state and config apart, in ~/.openclaw-<name>"},
		{"--dev", "the profile dev, gateway port 19001"},
		{"--log-level <level>", "silent, fatal, error, warn, info, debug or trace"},
		{"--no-color", "plain text"},
		{"-V, --version", "show the version"},
	}
}

// dress wires help, errors and completion of the root command.
func (sh *shell) dress(root *cobra.Command) {
	root.SetOut(sh.Stdout)
	root.SetErr(sh.Stderr)
	root.SetIn(sh.Stdin)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { sh.help(cmd, sh.Stdout, sh.out) })
	root.SetUsageFunc(func(cmd *cobra.Command) error { sh.help(cmd, sh.Stderr, sh.err); return nil })
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if path := sh.unbuiltPath(); path != "" {
			return unbuiltError(path)
		}
		return flagError(cmd, err)
	})
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetHelpCommand(sh.helpCommand())
}

func (sh *shell) helpCommand() *cobra.Command {
	cmd := sh.command(spec{name: "help", short: "Help about a command", hidden: true})
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		target, rest, err := sh.root.Find(args)
		if err != nil || len(rest) > 0 {
			return sh.unknown(sh.root, strings.Join(args, " "))
		}
		sh.help(target, sh.Stdout, sh.out)
		return nil
	}
	return cmd
}
