// Package term is how the command line looks: colours, tables and cards that
// stay aligned with wide characters, questions, and progress for long work.
//
// Nothing here decides anything about OpenClaw.
package term

import (
	"io"
	"os"

	"github.com/charmbracelet/x/ansi"
	xterm "github.com/charmbracelet/x/term"
)

// Style paints text, or leaves it as it is.
type Style struct{ Color bool }

func (s Style) paint(code, text string) string {
	if !s.Color || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// Bold is for headings.
func (s Style) Bold(text string) string { return s.paint("1", text) }

// Dim is for what may be overlooked.
func (s Style) Dim(text string) string { return s.paint("2", text) }

// Accent is for names and commands to type.
func (s Style) Accent(text string) string { return s.paint("36", text) }

// Good is for what works.
func (s Style) Good(text string) string { return s.paint("32", text) }

// Warn is for what needs a look.
func (s Style) Warn(text string) string { return s.paint("33", text) }

// Bad is for what is broken.
func (s Style) Bad(text string) string { return s.paint("31", text) }

// Terminal reports whether v, a reader or writer, is a terminal.
func Terminal(v any) bool {
	f, ok := v.(*os.File)
	return ok && xterm.IsTerminal(f.Fd())
}

// Colors decides whether output to w is painted: on a terminal, unless
// NO_COLOR says no; FORCE_COLOR says yes anywhere.
func Colors(w io.Writer, getenv func(string) string) bool {
	switch {
	case getenv("NO_COLOR") != "":
		return false
	case getenv("FORCE_COLOR") != "" && getenv("FORCE_COLOR") != "0":
		return true
	}
	return Terminal(w) && getenv("TERM") != "dumb"
}

// width counts columns; colours are none, a Chinese character is two.
func width(s string) int { return ansi.StringWidth(s) }
