package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/wire"
	"github.com/openclaw-go/openclaw/internal/cli/service"
	"github.com/openclaw-go/openclaw/internal/cli/term"
	"github.com/openclaw-go/openclaw/internal/client"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/rpc"
)

// usageError is a command line that can't be understood.
type usageError struct {
	code int
	text string
}

func (e *usageError) Error() string { return e.text }

func usage(code int, format string, args ...any) error {
	return &usageError{code: code, text: fmt.Sprintf(format, args...)}
}

// quiet ends the program with a code after everything was said.
type quiet struct{ code int }

func (quiet) Error() string { return "exit" }

// labeled is an error of a command that names itself, as in
// "Gateway call failed: Error: …".
type labeled struct {
	label string
	err   error
}

func (e *labeled) Error() string { return e.label + " failed: Error: " + text(e.err) }
func (e *labeled) Unwrap() error { return e.err }

// say is an error for a person who made a mistake or has something to do.
func say(format string, args ...any) error {
	return fault.New(fault.Invalid, "cli", fmt.Sprintf(format, args...))
}

// report prints err and returns the exit code: 0, 1, or 2 for a wrong profile.
func (sh *shell) report(err error) int {
	if err == nil {
		return 0
	}
	if q, ok := errors.AsType[quiet](err); ok {
		return q.code
	}
	if fault.KindOf(err) == fault.Canceled && !sh.json {
		return 130
	}
	code := 1
	if sh.Getenv("OPENCLAW_SERVICE_MARKER") != "" && fault.KindOf(err) == fault.Invalid {
		code = service.NoRestart
	}
	if sh.json || sh.askedJSON() {
		sh.printJSON(failure(err))
	}
	switch e, _ := errors.AsType[*usageError](err); {
	case e != nil:
		code = e.code
		fmt.Fprintln(sh.Stderr, sh.err.Bad("error:"), e.text)
	default:
		if _, ok := errors.AsType[*labeled](err); ok {
			fmt.Fprintln(sh.Stderr, lines(firstUpper(err.Error())))
			break
		}
		fmt.Fprintln(sh.Stderr, sh.err.Bad("Error:"), lines(text(err)))
	}
	if sh.global.logLevel == "debug" || sh.global.logLevel == "trace" {
		fmt.Fprintln(sh.Stderr, sh.err.Dim("cause: "+lines(err.Error())))
	}
	return code
}

// askedJSON reports whether the command line asks for JSON, also when it could
// not be understood to its end.
func (sh *shell) askedJSON() bool {
	for _, a := range sh.argv {
		switch a {
		case "--json", "--json=true":
			return true
		case "--":
			return false
		}
	}
	return false
}

// lines cleans text that may have several lines.
func lines(s string) string {
	parts := strings.Split(s, "\n")
	for i, p := range parts {
		parts[i] = term.Clean(p)
	}
	return strings.Join(parts, "\n")
}

func firstUpper(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// failure is what --json prints instead of a result.
func failure(err error) any {
	type body struct {
		Kind    string `json:"kind"`
		Code    string `json:"code,omitempty"`
		Message string `json:"message"`
	}
	b := body{Kind: kindName(fault.KindOf(err)), Message: text(err)}
	if e, ok := errors.AsType[*rpc.Error](err); ok {
		b.Code = e.Code
		if e.Code == wire.CodeInvalid && b.Kind == kindName(fault.Internal) {
			b.Kind = kindName(fault.Invalid)
		}
	}
	if _, ok := errors.AsType[*usageError](err); ok {
		b.Kind = "usage"
	}
	return struct {
		OK    bool `json:"ok"`
		Error body `json:"error"`
	}{false, b}
}

func kindName(k fault.Kind) string {
	names := []string{
		"internal", "invalid", "unauthenticated", "forbidden", "not-found", "conflict", "rate-limited", "unavailable", "timeout", "canceled",
	}
	if int(k) < len(names) {
		return names[k]
	}
	return names[0]
}

// text is what a person reads about err.
func text(err error) string {
	if e, ok := errors.AsType[*labeled](err); ok {
		return text(e.err)
	}
	if e, ok := errors.AsType[*unreachable](err); ok {
		return e.Error()
	}
	if e, ok := errors.AsType[*config.Invalid](err); ok {
		return invalidText(e)
	}
	if e, ok := errors.AsType[*rpc.Error](err); ok {
		return rpcText(e)
	}
	return hint(err)
}

// hint is the hint of a fault, or the text of an error that is none: those are
// of the system, as in "permission denied".
func hint(err error) string {
	if e, ok := errors.AsType[*fault.Error](err); ok {
		if e.Hint == "" {
			return e.Error()
		}
		if e.Err != nil && fault.KindOf(err) == fault.Internal {
			return e.Hint + ": " + e.Err.Error()
		}
		return e.Hint
	}
	return err.Error()
}

// rpcText adds what to do to the gateway's words.
func rpcText(e *rpc.Error) string {
	switch {
	case strings.HasPrefix(e.Message, "missing scope: "):
		return e.Message + "\nThis device may not do that. On the gateway's host: openclaw devices list"
	case strings.HasPrefix(e.Message, "unknown method: "):
		return e.Message + "\nThe gateway doesn't have it. What it has: openclaw gateway call status"
	case strings.HasPrefix(e.Message, "unknown requestId"):
		return e.Message + "\nWhat waits: openclaw devices list"
	case e.Code == "UNAVAILABLE" && e.RetryAfter > 0:
		return fmt.Sprintf("%s\nTry again in %s.", e.Message, e.RetryAfter)
	}
	return strings.TrimPrefix(e.Message, "Error: ") // which is said already
}

func invalidText(e *config.Invalid) string {
	var b strings.Builder
	b.WriteString("Invalid config at " + e.Path + ":\n")
	for _, p := range e.Problems {
		b.WriteString("- " + p.String() + "\n")
	}
	if e.Reason != "" {
		b.WriteString("The last config that worked isn't used either: " + e.Reason + "\n")
	}
	b.WriteString("\nConfig invalid\nFile: " + e.Path + "\nRun: openclaw doctor --fix")
	return b.String()
}

// unreachable is a gateway that we could not talk to.
type unreachable struct {
	place  client.Place
	config string
	bind   string
	err    error
}

func (e *unreachable) Unwrap() error { return e.err }

func (e *unreachable) Error() string {
	var b strings.Builder
	if c, ok := errors.AsType[*client.CloseError](e.err); ok {
		b.WriteString(c.Error())
	} else {
		b.WriteString(hint(e.err))
	}
	b.WriteString("\nGateway target: " + e.place.URL + "\nSource: " + e.place.Source + "\nConfig: " + e.config)
	if e.bind != "" {
		b.WriteString("\nBind: " + e.bind)
	}
	b.WriteString("\n" + e.mend())
	return b.String()
}

func (e *unreachable) mend() string {
	h := fault.Hint(e.err)
	if h == "no gateway answers there" {
		return "No gateway answers there. Start one: openclaw gateway run"
	}
	return firstUpper(h)
}

// flagError puts a complaint of the flag parser in the words of OpenClaw.
func flagError(cmd *cobra.Command, err error) error {
	if errors.Is(err, pflag.ErrHelp) {
		return err
	}
	var (
		unknown *pflag.NotExistError
		missing *pflag.ValueRequiredError
		bad     *pflag.InvalidValueError
	)
	switch {
	case errors.As(err, &unknown):
		dash := "--"
		if len(unknown.GetSpecifiedName()) == 1 {
			dash = "-"
		}
		return usage(1, "unknown option '%s%s'\nWhat it takes: %s --help", dash, unknown.GetSpecifiedName(), cmd.CommandPath())
	case errors.As(err, &missing):
		return usage(1, "option '%s' argument missing", flagText(missing.GetFlag()))
	case errors.As(err, &bad):
		return usage(1, "option '%s' argument '%s' is invalid", flagText(bad.GetFlag()), bad.GetValue())
	}
	return usage(1, "%s", err)
}

// interrupted reports whether ctx ended because someone wanted so.
func interrupted(ctx context.Context) bool { return errors.Is(ctx.Err(), context.Canceled) }
