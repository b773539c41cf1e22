package markdown

import (
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/text"
)

// Range is a piece of a plain text with a style, in UTF-16 units.
type Range struct {
	Start, Length int
	Style         Style
}

// Style is how a range looks.
type Style string

// The styles, by the names that Signal has for them.
const (
	Bold          Style = "BOLD"
	Italic        Style = "ITALIC"
	Strikethrough Style = "STRIKETHROUGH"
	Monospace     Style = "MONOSPACE"
)

// The marks of styles are characters that Unicode keeps out of every text.
const (
	firstMark = '\uFDD0'
	lastMark  = '\uFDEF'
)

// Ranges renders n as a plain text with styles beside it, as Signal wants it.
func Ranges(n *Node) (string, []Range) {
	styles := []Style{Bold, Italic, Strikethrough, Monospace}
	mark := func(i rune) Marks { return Marks{string(firstMark + 2*i), string(firstMark + 2*i + 1)} }
	d := Dialect{
		Strong: mark(0), Emph: mark(1), Strike: mark(2), Code: mark(3), Heading: mark(0),
		Block: func(string) Marks { return mark(3) }, QuotePrefix: "> ", Bullet: "• ",
		Text: unmarked, CodeText: unmarked, PerLine: true, BlockTables: true,
	}
	var b strings.Builder
	var out []Range
	at := 0
	open := map[Style][]int{}
	for _, r := range Render(n, &d) {
		if r < firstMark || r > lastMark {
			b.WriteRune(r)
			at += text.UTF16(string(r))
			continue
		}
		i := int(r - firstMark)
		s := styles[i/2]
		if i%2 == 0 {
			open[s] = append(open[s], at)
			continue
		}
		k := len(open[s]) - 1
		if k < 0 {
			continue
		}
		if from := open[s][k]; at > from {
			out = append(out, Range{from, at - from, s})
		}
		open[s] = open[s][:k]
	}
	return b.String(), out
}

func unmarked(s string) string {
	return strings.Map(func(r rune) rune {
		if control(r) || r >= firstMark && r <= lastMark {
			return -1
		}
		return r
	}, s)
}

// WhatsApp is the format of WhatsApp's messages. It has no way to say that a
// mark is only a character, so what people write with one stays as it is.
func WhatsApp() Dialect {
	return Dialect{
		Strong: Marks{"*", "*"}, Emph: Marks{"_", "_"}, Strike: Marks{"~", "~"}, Code: Marks{"`", "`"},
		Heading: Marks{"*", "*"}, Block: func(string) Marks { return Marks{"```\n", "\n```"} },
		QuotePrefix: "> ", Bullet: "- ", Text: printable, CodeText: printable, PerLine: true, BlockTables: true,
	}
}
