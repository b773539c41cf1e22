package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// spec is a command before it is one of cobra's.
type spec struct {
	name    string
	short   string
	aliases []string
	args    []string // "path", "id?" is optional, "entries..." takes the rest
	run     func(ctx context.Context, args []string) error
	loose   bool   // unknown options are ignored, as OpenClaw's quick commands do
	hidden  bool   // works, but help doesn't list it
	example string // lines of what to type
	subs    []*cobra.Command
}

const (
	mandatory = "openclaw_mandatory"
	argsNote  = "openclaw_args"
)

// command makes a command of s. One without run is a group: alone it prints
// its help to the errors and fails.
func (sh *shell) command(s spec) *cobra.Command {
	cmd := &cobra.Command{
		Use: s.name, Short: s.short, Aliases: s.aliases, Example: s.example, Hidden: s.hidden,
		SilenceErrors: true, SilenceUsage: true, DisableFlagsInUseLine: true,
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: s.loose},
	}
	cmd.Annotations = map[string]string{argsNote: argsText(s.args)}
	cmd.Flags().SortFlags = false
	cmd.AddCommand(s.subs...)
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 && cmd.HasSubCommands() && len(s.args) == 0 {
			return sh.unknown(cmd, args[0])
		}
		if s.run == nil {
			sh.help(cmd, sh.Stderr, sh.err)
			return quiet{1}
		}
		if err := checkArgs(cmd.Name(), s.args, args, s.loose); err != nil {
			return err
		}
		if err := checkMandatory(cmd); err != nil {
			return err
		}
		return s.run(cmd.Context(), args)
	}
	return cmd
}

func argsText(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		switch {
		case strings.HasSuffix(n, "?"):
			out[i] = "[" + strings.TrimSuffix(n, "?") + "]"
		default:
			out[i] = "<" + n + ">"
		}
	}
	return strings.Join(out, " ")
}

func checkArgs(cmd string, want, got []string, loose bool) error {
	for i, n := range want {
		if i >= len(got) && !strings.HasSuffix(n, "?") {
			return usage(1, "missing required argument '%s'", strings.TrimSuffix(n, "..."))
		}
	}
	if loose || len(got) <= len(want) || len(want) > 0 && strings.HasSuffix(want[len(want)-1], "...") {
		return nil
	}
	s := "s"
	if len(want) == 1 {
		s = ""
	}
	return usage(1, "too many arguments for '%s'. Expected %d argument%s but got %d.", cmd, len(want), s, len(got))
}

// require marks flags that must be given.
func require(cmd *cobra.Command, names ...string) {
	for _, n := range names {
		f := cmd.Flags().Lookup(n)
		f.Annotations = map[string][]string{mandatory: {"true"}}
	}
}

func checkMandatory(cmd *cobra.Command) error {
	var err error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if err == nil && f.Annotations[mandatory] != nil && !f.Changed {
			err = usage(1, "required option '%s' not specified", flagText(f))
		}
	})
	return err
}

// flagText is a flag as help shows it: -m, --message <text>.
func flagText(f *pflag.Flag) string {
	name, _ := pflag.UnquoteUsage(f)
	s := "--" + f.Name
	if f.Shorthand != "" {
		s = "-" + f.Shorthand + ", " + s
	}
	if f.Value.Type() != "bool" {
		s += fmt.Sprintf(" <%s>", name)
	}
	return s
}

// jsonFlag adds --json, which many commands have.
func (sh *shell) jsonFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&sh.json, "json", false, "print JSON and nothing else")
}
