package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/cli/term"
)

// printJSON prints v as the original does: two spaces, no HTML escapes.
func (sh *shell) printJSON(v any) {
	enc := json.NewEncoder(sh.Stdout)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		fmt.Fprintln(sh.Stderr, "Error:", err)
	}
}

// line prints one line of a result.
func (sh *shell) line(format string, args ...any) {
	fmt.Fprintln(sh.Stdout, lines(fmt.Sprintf(format, args...)))
}

// note prints one line beside the result.
func (sh *shell) note(format string, args ...any) {
	fmt.Fprintln(sh.Stderr, lines(fmt.Sprintf(format, args...)))
}

func (sh *shell) table(t term.Table) { t.Write(sh.Stdout, sh.out) }

// short is path with the home directory as ~.
func (sh *shell) short(path string) string {
	home := sh.paths().Home
	rest, ok := strings.CutPrefix(path, home)
	if !ok || home == "" || rest != "" && rest[0] != '/' && rest[0] != '\\' {
		return path
	}
	if sh.Getenv("OPENCLAW_HOME") != "" {
		return "$OPENCLAW_HOME" + rest
	}
	return "~" + rest
}

// ago is how long something has been, in one unit.
func ago(d time.Duration) string {
	switch {
	case d < 0 || d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh ago", d/time.Hour)
	}
	return fmt.Sprintf("%dd ago", d/(24*time.Hour))
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// orDash is s, or a dash for nothing.
func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// prompt returns a way to ask, or an error when nobody is there to answer;
// instead says what to type then.
func (sh *shell) prompt(instead string) (*term.Prompt, error) {
	if !term.Terminal(sh.Stdin) {
		return nil, say("this needs a terminal to ask questions in; instead: %s", instead)
	}
	return term.NewPrompt(sh.Stdin, sh.Stderr, sh.err), nil
}
