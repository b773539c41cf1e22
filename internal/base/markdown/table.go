package markdown

import (
	"strings"
	"unicode/utf8"
)

func (w *writer) table(n *Node) {
	if w.d.BlockTables {
		w.code("", grid(n))
		return
	}
	for i, row := range n.Children {
		if i > 0 {
			w.put("\n")
		}
		for j, cell := range row.Children {
			if j > 0 {
				w.put(" | ")
			}
			if i == 0 {
				w.mark(Strong, w.d.Strong, cell.Children)
			} else {
				w.inlines(cell.Children)
			}
		}
	}
}

// grid is the text of a table with aligned columns and a line under its head.
func grid(n *Node) string {
	plain := Plain()
	var cells [][]string
	var width []int
	for _, row := range n.Children {
		var line []string
		for j, cell := range row.Children {
			s := strings.ReplaceAll(Render(cell, &plain), "\n", " ")
			line = append(line, s)
			if j == len(width) {
				width = append(width, 0)
			}
			width[j] = max(width[j], columns(s))
		}
		cells = append(cells, line)
	}
	var b strings.Builder
	for i, line := range cells {
		if i > 0 {
			b.WriteByte('\n')
		}
		for j, s := range line {
			if j > 0 {
				b.WriteString(" | ")
			}
			b.WriteString(s)
			if j < len(line)-1 {
				b.WriteString(strings.Repeat(" ", pad(width[j], s)))
			}
		}
		if i == 0 {
			b.WriteByte('\n')
			for j, k := range width {
				if j > 0 {
					b.WriteString("-+-")
				}
				b.WriteString(strings.Repeat("-", min(k, maxColumn)))
			}
		}
	}
	return b.String()
}

// maxColumn bounds the padding: beyond it columns aren't aligned, so that one
// long cell doesn't multiply the size of a table.
const maxColumn = 40

func pad(width int, s string) int { return max(0, min(width, maxColumn)-columns(s)) }

// columns is the width of s where wide characters take two.
func columns(s string) int {
	n := utf8.RuneCountInString(s)
	for _, r := range s {
		if r >= 0x1100 && (r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 ||
			r >= 0xf900 && r <= 0xfaff || r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 ||
			r >= 0x1f300 && r <= 0x1faff || r >= 0x20000 && r <= 0x3fffd) {
			n++
		}
	}
	return n
}
