package cli

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/cli/term"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/feature"
)

type doctorFlags struct {
	yes, repair, force, nonInteractive bool
	token, deep, noTips                bool
}

// fixes reports whether mends are made without asking.
func (f doctorFlags) fixes() bool { return f.repair || f.yes || f.force }

// doctor is openclaw doctor: it looks at everything, and mends with --fix or
// when told so. Findings are no failure; a mend that fails is.
func (sh *shell) doctor() *cobra.Command {
	var f doctorFlags
	cmd := sh.command(spec{
		name: "doctor", short: "Find what is wrong, and mend it with --fix",
		example: "openclaw doctor\nopenclaw doctor --fix",
		run:     func(ctx context.Context, _ []string) error { return sh.examine(ctx, f) },
	})
	fs := cmd.Flags()
	fs.BoolVar(&f.repair, "fix", false, "mend what can be mended; what changes is backed up")
	fs.BoolVar(&f.repair, "repair", false, "the same as --fix")
	fs.BoolVar(&f.yes, "yes", false, "answer every question with yes")
	fs.BoolVar(&f.force, "force", false, "the same as --yes")
	fs.BoolVar(&f.nonInteractive, "non-interactive", false, "ask nothing")
	fs.BoolVar(&f.token, "generate-gateway-token", false, "make a new gateway token")
	fs.BoolVar(&f.deep, "deep", false, "look longer")
	fs.BoolVar(&f.noTips, "no-workspace-suggestions", false, "no tips about the workspace")
	sh.jsonFlag(cmd)
	return cmd
}

// diagnosis is a finding and what became of it.
type diagnosis struct {
	Check    string `json:"check"`
	Severity string `json:"severity"`
	Text     string `json:"text"`
	Mend     string `json:"mend,omitempty"`
	Fixable  bool   `json:"fixable"`
	Fixed    bool   `json:"fixed"`
	Error    string `json:"error,omitempty"`
}

func (sh *shell) examine(ctx context.Context, f doctorFlags) error {
	var ask *term.Prompt
	if !f.fixes() && !f.nonInteractive && !sh.json && term.Terminal(sh.Stdin) {
		ask = term.NewPrompt(sh.Stdin, sh.Stderr, sh.err)
	}
	var all []diagnosis
	// The configuration is mended first: the other checks read it.
	all = append(all, sh.runChecks(ctx, f, ask, []feature.Check{{Name: "Config", Run: sh.checkConfig}})...)
	c, err := sh.settled(ctx)
	if c == nil { // nothing to look with; what there is to say was said
		return sh.conclude(all, f, err)
	}
	if f.token {
		all = append(all, sh.newGatewayToken(ctx))
	}
	checks := sh.checks(c, f)
	if sh.Checks != nil {
		checks = append(checks, sh.Checks(ctx, c)...)
	}
	all = append(all, sh.runChecks(ctx, f, ask, checks)...)
	return sh.conclude(all, f, err)
}

// settled loads the configuration anew. The other checks look at an invalid one
// through the last that worked, which is what a gateway runs on meanwhile, or as
// far as it goes.
func (sh *shell) settled(ctx context.Context) (*config.Config, error) {
	sh.loaded = nil
	l, err := sh.load(ctx)
	if l == nil {
		return nil, err
	}
	if !l.Valid() {
		if good := config.Remembered(sh.paths(), config.LoadOptions{Env: sh.Getenv}); good != nil {
			l = good
		}
	}
	sh.loaded = l
	return l.Config, err
}

func (sh *shell) runChecks(ctx context.Context, f doctorFlags, ask *term.Prompt, checks []feature.Check) []diagnosis {
	var out []diagnosis
	for _, ch := range checks {
		ch.Name = strings.ToUpper(ch.Name[:1]) + ch.Name[1:]
		end := func() {}
		if !sh.json {
			end = term.Progress(sh.Stderr, sh.err, ch.Name)
		}
		findings := ch.Run(ctx)
		end()
		if len(findings) == 0 && !sh.json {
			sh.line("%s %s", sh.out.Good("✓"), ch.Name)
		}
		for _, x := range findings {
			d := diagnosis{Check: ch.Name, Severity: x.Severity, Text: x.Text, Mend: x.Mend, Fixable: x.Fix != nil}
			if x.Fix != nil && sh.wanted(f, ask, x) {
				if err := x.Fix(ctx); err != nil {
					d.Error = hint(err)
				} else {
					d.Fixed = true
				}
			}
			sh.showDiagnosis(d)
			out = append(out, d)
		}
	}
	return out
}

func (sh *shell) wanted(f doctorFlags, ask *term.Prompt, x feature.Finding) bool {
	if f.fixes() || ask == nil {
		return f.fixes()
	}
	ok, err := ask.Confirm(x.Text+" Mend it?", true)
	return err == nil && ok
}

func (sh *shell) showDiagnosis(d diagnosis) {
	if sh.json {
		return
	}
	s, mark := sh.out, paint(sh.out, d.Severity)
	if d.Fixed {
		mark = s.Good("✓")
	}
	sh.line("%s %s: %s", mark, d.Check, d.Text)
	switch {
	case d.Fixed:
		sh.line("    %s", s.Good("mended"))
	case d.Error != "":
		sh.line("    %s", s.Bad("could not be mended: "+d.Error))
	case d.Mend != "":
		sh.line("    %s", s.Accent(d.Mend))
	}
}

func (sh *shell) conclude(all []diagnosis, f doctorFlags, invalid error) error {
	open, fixable, failed := 0, 0, 0
	for _, d := range all {
		if d.Fixed || d.Severity == "info" {
			continue
		}
		open++
		if d.Fixable {
			fixable++
		}
		if d.Error != "" {
			failed++
		}
	}
	switch {
	case sh.json:
		if all == nil {
			all = []diagnosis{}
		}
		sh.printJSON(map[string]any{"ok": open == 0, "findings": all})
	case open == 0:
		sh.line("\n%s", sh.out.Good("All well."))
	case fixable > 0 && !f.fixes():
		sh.line("\n%s. Mend what can be mended: %s", plural(open, "finding", "findings"), sh.out.Accent("openclaw doctor --fix"))
	default:
		sh.line("\n%s.", plural(open, "finding is left", "findings are left"))
	}
	if f.fixes() && (failed > 0 || invalid != nil) {
		return quiet{1}
	}
	return nil
}

func (sh *shell) newGatewayToken(ctx context.Context) diagnosis {
	d := diagnosis{Check: "Gateway token", Severity: "warning", Text: "a new token was asked for.", Fixable: true}
	token, err := newToken()
	if err == nil {
		_, err = sh.edit(ctx, change{"gateway.auth.mode", "token", false}, change{"gateway.auth.token", token, false})
	}
	if d.Fixed = err == nil; err != nil {
		d.Error = hint(err)
	}
	sh.showDiagnosis(d)
	return d
}

// checkConfig reports every problem of the file. What older releases called
// otherwise and what nobody knows can be mended.
func (sh *shell) checkConfig(ctx context.Context) []feature.Finding {
	sh.loaded = nil
	l, err := sh.load(ctx)
	inv, ok := errors.AsType[*config.Invalid](err)
	switch {
	case ok:
	case err != nil:
		return []feature.Finding{{Severity: "error", Text: hint(err), Mend: "check the file's permissions"}}
	case !l.Exists:
		return []feature.Finding{{Severity: "warning", Text: "there is no config file.", Mend: "openclaw onboard"}}
	default:
		var out []feature.Finding
		for _, w := range l.Warnings {
			f := feature.Finding{Severity: "warning", Text: w.String()}
			if w.Open {
				f.Fix = func(context.Context) error { return os.Chmod(w.File, 0o600) }
			}
			out = append(out, f)
		}
		return out
	}
	var out []feature.Finding
	for _, p := range inv.Problems { // one repair mends all; the next ones find it done
		mend, fix := p.Mend, func(ctx context.Context) error { return sh.repairConfig(ctx, p) }
		p.Mend = "" // it has a line of its own
		if l.Doc == nil {
			if fix = sh.bringBack(); fix != nil {
				mend = "put back the last config that worked, and keep this file as a backup: openclaw doctor --fix"
			}
		}
		out = append(out, feature.Finding{Severity: "error", Text: p.String(), Mend: mend, Fix: fix})
	}
	return out
}

// bringBack puts the last configuration that worked where a file is that can't
// even be read. It is nil when there is none.
func (sh *shell) bringBack() func(context.Context) error {
	good := config.Remembered(sh.paths(), config.LoadOptions{Env: sh.Getenv})
	if good == nil {
		return nil
	}
	return func(ctx context.Context) error {
		s, err := sh.file().Replace(ctx, good.Raw)
		if err != nil {
			return err
		}
		sh.note("  Put back the last config that worked; the broken file is %s.", s.Backup)
		return nil
	}
}

// repairConfig mends p and everything else that can be, or nothing: a file that
// stays invalid isn't written. The error is about p.
func (sh *shell) repairConfig(ctx context.Context, p config.Problem) error {
	s, changes, err := sh.file().Repair(ctx)
	if inv, ok := errors.AsType[*config.Invalid](err); ok {
		return byHand(p, inv.Problems)
	}
	if err != nil {
		return err
	}
	for _, c := range changes {
		sh.note("  %s", c)
	}
	if _, err := sh.saved(s, nil); err != nil {
		return err
	}
	if !s.Valid() {
		return fault.New(fault.Invalid, "cli.doctor", "what is left must be changed by hand: openclaw config validate")
	}
	return nil
}

// byHand says why p wasn't mended: it has to be changed by hand, or waits for
// those that have to.
func byHand(p config.Problem, left []config.Problem) error {
	var names []string
	for _, q := range left {
		if q.Path == p.Path && q.Message == p.Message {
			return fault.New(fault.Invalid, "cli.doctor", "only you know what is meant; "+first(q.Mend, "change it in the file"))
		}
		names = append(names, first(q.Path, q.Message))
	}
	return fault.New(fault.Invalid, "cli.doctor", "first change by hand: "+strings.Join(names, ", "))
}
