package term

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// Table is rows in aligned columns.
type Table struct {
	Head []string
	Rows [][]string
	// Max bounds the width of a column by its index; longer cells are cut.
	Max map[int]int
}

// Write prints t with its heading in bold. An empty table prints nothing.
func (t Table) Write(w io.Writer, s Style) {
	if len(t.Rows) == 0 {
		return
	}
	rows := make([][]string, 0, len(t.Rows)+1)
	if t.Head != nil {
		head := make([]string, len(t.Head))
		for i, h := range t.Head {
			head[i] = s.Bold(h)
		}
		rows = append(rows, head)
	}
	for _, r := range t.Rows {
		cells := make([]string, len(r))
		for i, c := range r {
			cells[i] = cut(Clean(c), t.Max[i])
		}
		rows = append(rows, cells)
	}
	for _, line := range align(rows) {
		fmt.Fprintln(w, line)
	}
}

// align pads every cell but the last of its row.
func align(rows [][]string) []string {
	var widths []int
	for _, r := range rows {
		for i, c := range r {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], width(c))
		}
	}
	lines := make([]string, len(rows))
	for n, r := range rows {
		var b strings.Builder
		for i, c := range r {
			b.WriteString(c)
			if i < len(r)-1 {
				b.WriteString(strings.Repeat(" ", widths[i]-width(c)+2))
			}
		}
		lines[n] = strings.TrimRight(b.String(), " ")
	}
	return lines
}

func cut(s string, most int) string {
	if most <= 0 || width(s) <= most {
		return s
	}
	return ansi.Truncate(s, most, "…")
}

// Clean makes text from outside fit for a terminal: control characters,
// escape codes among them, become spaces, except the ones that we paint with.
func Clean(s string) string {
	if !strings.ContainsFunc(s, odd) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if n := painted(s[i:]); n > 0 {
			b.WriteString(s[i : i+n])
			i += n
			continue
		}
		r, n := rune(s[i]), 1
		if r >= 0x80 {
			for _, r = range s[i:] {
				break
			}
			n = len(string(r))
		}
		if odd(r) {
			r = ' '
		}
		b.WriteRune(r)
		i += n
	}
	return b.String()
}

func odd(r rune) bool {
	return unicode.IsControl(r) || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// painted is the length of one of our colour codes at the start of s.
func painted(s string) int {
	for _, code := range []string{"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[36m"} {
		if strings.HasPrefix(s, code) {
			return len(code)
		}
	}
	return 0
}
