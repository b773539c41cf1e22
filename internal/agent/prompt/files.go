package prompt

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/openclaw-go/openclaw/internal/base/text"
)

const (
	// MaxFile and MaxTotal are the usual limits, in characters.
	MaxFile  = 20_000
	MaxTotal = 150_000
	// minLeft is the least room into which another file is put.
	minLeft = 64
	// near is the percentage of its limit at which a file is reported.
	near = 85
)

// File is one file of the workspace for the prompt.
type File struct {
	Name    string
	Path    string
	Text    string
	Missing bool
}

// Limits are agents.defaults.bootstrapMaxChars and bootstrapTotalMaxChars;
// values that are not positive are the usual ones.
type Limits struct{ File, Total int }

func (l Limits) filled() Limits {
	if l.File <= 0 {
		l.File = MaxFile
	}
	if l.Total <= 0 {
		l.Total = MaxTotal
	}
	return l
}

// files writes the project context.
func (w *writer) files(in Input) {
	limits := in.Limits.filled()
	left := limits.Total
	var body strings.Builder
	soul := false
	for _, f := range chosen(in) {
		if left < minLeft {
			w.report.noteFile(f, 0, utf8.RuneCountInString(trimmed(f.Text)), !f.Missing, "max/total")
			continue
		}
		s, raw, cause := inject(f, limits.File, left)
		n := utf8.RuneCountInString(s)
		left -= n
		w.report.noteFile(f, n, raw, cause != "", cause)
		if !f.Missing && raw*100 >= limits.File*near {
			w.report.Truncation.NearLimit++
		}
		soul = soul || f.Name == "SOUL.md" && !f.Missing
		fmt.Fprintf(&body, "\n## %s\n\n%s\n", one(f.Path), s)
	}
	w.report.Truncation.TotalNear = (limits.Total-left)*100 >= limits.Total*near
	if body.Len() == 0 {
		return
	}
	intro := "## Workspace Files (injected)\n\nThe files below belong to the person you work for, who may edit them at any time.\n\n# Project Context\n\nThe following files of your workspace are always loaded.\n"
	if soul {
		intro += "SOUL.md says who you are: take on its voice and manner, unless something above stands against it.\n"
	}
	if in.Warn {
		intro += w.report.warning()
	}
	w.section("Project Context", intro+body.String())
	w.report.Prompt.Project = w.report.Sections[len(w.report.Sections)-1].Chars
}

// chosen returns the files that this run gets.
func chosen(in Input) []File {
	only := in.Only
	if only == nil && in.Mode == Minimal {
		only = []string{"AGENTS.md", "TOOLS.md"}
	}
	if only == nil {
		return in.Files
	}
	var out []File
	for _, f := range in.Files {
		if slices.Contains(only, path.Base(f.Name)) {
			out = append(out, f)
		}
	}
	return out
}

func trimmed(s string) string { return strings.TrimRight(s, " \t\r\n") }

// inject returns what of f goes into the prompt, its whole length, and why it
// was shortened if it was.
func inject(f File, most, left int) (s string, raw int, cause string) {
	if f.Missing {
		return text.CutRunes("[MISSING] Expected at: "+one(f.Path), left), 0, ""
	}
	s = trimmed(text.Valid(f.Text))
	raw = utf8.RuneCountInString(s)
	n := min(most, left)
	if raw <= n {
		return s, raw, ""
	}
	cause = "max/file"
	if left < most {
		cause = "max/total"
	}
	head, tail := text.CutRunes(s, n*7/10), text.TailRunes(s, n*2/10)
	s = fmt.Sprintf("%s\n\n[...truncated, read %s for full content...]\n…(truncated %s: kept %d+%d chars of %d)…\n\n%s",
		head, f.Name, f.Name, utf8.RuneCountInString(head), utf8.RuneCountInString(tail), raw, tail)
	if utf8.RuneCountInString(s) > left {
		s = text.CutRunes(s, left-1) + "…"
	}
	return s, raw, cause
}
