package markdown

import (
	"strconv"
	"strings"
)

// Source writes n as Markdown that parses to the same tree.
func Source(n *Node) string {
	var s sourcer
	s.blocks(n.Children, "")
	return strings.TrimRight(s.b.String(), "\n")
}

type sourcer struct{ b strings.Builder }

// blocks writes blocks whose lines after the first start with prefix.
func (s *sourcer) blocks(ns []*Node, prefix string) {
	for i, n := range ns {
		if i > 0 {
			s.line(prefix)
			s.line(prefix)
		}
		s.block(n, prefix, i > 0 && n.Kind == List && ns[i-1].Kind == List)
	}
}

func (s *sourcer) line(prefix string) {
	s.b.WriteByte('\n')
	s.b.WriteString(prefix)
}

// block writes n. A list after a list has other marks, or it would be one.
func (s *sourcer) block(n *Node, prefix string, other bool) {
	bullet, dot := "- ", ". "
	if other {
		bullet, dot = "+ ", ") "
	}
	switch n.Kind {
	case Heading:
		s.b.WriteString(strings.Repeat("#", max(n.Level, 1)) + " ")
		s.inlines(n.Children, " ", false)
	case CodeBlock:
		fence := run(n.Text, '`', 3)
		s.b.WriteString(fence + n.Info)
		for l := range strings.SplitSeq(n.Text, "\n") {
			s.line(prefix)
			s.b.WriteString(l)
		}
		s.line(prefix)
		s.b.WriteString(fence)
	case Quote:
		s.b.WriteString("> ")
		s.blocks(n.Children, prefix+"> ")
	case List:
		for i, item := range n.Children {
			if i > 0 {
				if n.Loose {
					s.line(prefix)
				}
				s.line(prefix)
			}
			mark := bullet
			if n.Start > 0 {
				mark = strconv.Itoa(n.Start+i) + dot
			}
			s.b.WriteString(mark)
			s.blocks(item.Children, prefix+strings.Repeat(" ", len(mark)))
		}
	case Table:
		for i, row := range n.Children {
			if i > 0 {
				s.line(prefix)
			}
			for _, cell := range row.Children {
				s.b.WriteString("| ")
				s.inlines(cell.Children, " ", true)
				s.b.WriteByte(' ')
			}
			s.b.WriteByte('|')
			if i == 0 {
				s.line(prefix)
				s.b.WriteString(strings.Repeat("|---", len(row.Children)) + "|")
			}
		}
	case Rule:
		s.b.WriteString("***")
	default:
		s.inlines(n.Children, "\n"+prefix, false)
	}
}

// inlines writes what stands in a line; nl is the text of a Break.
func (s *sourcer) inlines(ns []*Node, nl string, cell bool) {
	start := true
	for _, n := range ns {
		s.inline(n, nl, start, cell)
		start = n.Kind == Break
	}
}

func (s *sourcer) inline(n *Node, nl string, start, cell bool) {
	wrap := func(mark string) {
		s.b.WriteString(mark)
		s.inlines(n.Children, nl, cell)
		s.b.WriteString(mark)
	}
	switch n.Kind {
	case Text:
		s.b.WriteString(escapeText(n.Text, start))
	case Break:
		s.b.WriteString(nl)
	case Emph:
		wrap("*")
	case Strong:
		wrap("**")
	case Strike:
		wrap("~~")
	case CodeSpan:
		fence := run(n.Text, '`', 1)
		text := n.Text
		if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") ||
			strings.HasPrefix(text, " ") && strings.HasSuffix(text, " ") && strings.Trim(text, " ") != "" {
			text = " " + text + " "
		}
		if cell {
			text = strings.ReplaceAll(text, "|", `\|`)
		}
		s.b.WriteString(fence + text + fence)
	case Link, Image:
		if n.Kind == Image {
			s.b.WriteByte('!')
		}
		s.b.WriteByte('[')
		s.inlines(n.Children, nl, cell)
		s.b.WriteString("](" + destination(n.URL) + ")")
	case AutoLink:
		s.b.WriteString("<" + n.URL + ">")
	default:
		s.inlines(n.Children, nl, cell)
	}
}

// run is a fence longer than any run of c in s.
func run(s string, c byte, least int) string {
	best, cur := 0, 0
	for i := range len(s) {
		if s[i] != c {
			cur = 0
			continue
		}
		cur++
		best = max(best, cur)
	}
	return strings.Repeat(string(c), max(best+1, least))
}

// escapeText protects what Markdown would read as markup.
func escapeText(s string, start bool) string {
	var b strings.Builder
	b.Grow(len(s) + 8)
	digits := start // only digits so far on this line
	for i := range len(s) {
		c := s[i]
		special := false
		switch c {
		case '\\', '`', '*', '_', '[', ']', '<', '>', '~', '|':
			special = true
		case '#', '+', '-', '=':
			special = start && strings.Trim(s[:i], " #+-=") == ""
		case '.', ')':
			special = digits && i > 0
		case ':':
			// Not a bare link, and not the delimiter row of a table.
			special = strings.HasPrefix(s[i:], "://") || start && strings.Trim(s[:i], " -:") == ""
		}
		digits = digits && c >= '0' && c <= '9'
		if special {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}

func destination(url string) string {
	if url != "" && !strings.ContainsAny(url, " \t\n()<>\\") {
		return url
	}
	r := strings.NewReplacer(`\`, `\\`, "<", `\<`, ">", `\>`, "\n", "%0A")
	return "<" + r.Replace(url) + ">"
}
