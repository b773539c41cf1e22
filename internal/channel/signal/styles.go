package signal

import (
	"fmt"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/markdown"
	"github.com/openclaw-go/openclaw/internal/base/text"
)

// Signal has no marks in a text: styles are ranges beside it, counted in UTF-16
// units. The text is rendered with marks of the private use area, which are
// then taken out; what people write there is dropped.
const (
	first = '\uE000'
	last  = '\uE009'
)

// dialect writes the marks: an opening one is even, its closing one odd.
func dialect(tables string) markdown.Dialect {
	m := func(n rune) markdown.Marks {
		return markdown.Marks{Open: string(first + 2*n), Close: string(first + 2*n + 1)}
	}
	clean := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r >= first && r <= last || r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
				return -1
			}
			return r
		}, s)
	}
	return markdown.Dialect{
		Strong: m(0), Heading: m(0), Emph: m(1), Strike: m(2), Code: m(3),
		Block:       func(string) markdown.Marks { return m(3) },
		QuotePrefix: "> ",
		Bullet:      "• ",
		Text:        clean,
		CodeText:    clean,
		BlockTables: tables == "" || tables == "code",
	}
}

// styled is a text and its styles, as signal-cli's send takes them:
// "start:length:STYLE".
func styled(marked string) (plain string, styles []string) {
	names := []string{"BOLD", "ITALIC", "STRIKETHROUGH", "MONOSPACE", ""}
	var out strings.Builder
	open := map[rune][]int{}
	at := 0
	for _, r := range marked {
		if r < first || r > last {
			out.WriteRune(r)
			at += text.UTF16(string(r))
			continue
		}
		n := (r - first) / 2
		if (r-first)%2 == 0 {
			open[n] = append(open[n], at)
			continue
		}
		if k := len(open[n]); k > 0 {
			from := open[n][k-1]
			open[n] = open[n][:k-1]
			if at > from && names[n] != "" {
				styles = append(styles, fmt.Sprintf("%d:%d:%s", from, at-from, names[n]))
			}
		}
	}
	return out.String(), styles
}

// plainly measures what is shown of a marked text.
func plainly(s string) int {
	p, _ := styled(s)
	return text.UTF16(p)
}
