package matrix

import (
	"errors"
	"strings"

	"maunium.net/go/mautrix"

	"github.com/openclaw-go/openclaw/internal/base/markdown"
)

// html is the HTML that Matrix clients show (spec: m.room.message, formatted
// bodies).
func html(tables string) markdown.Dialect {
	return markdown.Dialect{
		Strong:  markdown.Marks{Open: "<strong>", Close: "</strong>"},
		Emph:    markdown.Marks{Open: "<em>", Close: "</em>"},
		Strike:  markdown.Marks{Open: "<del>", Close: "</del>"},
		Code:    markdown.Marks{Open: "<code>", Close: "</code>"},
		Heading: markdown.Marks{Open: "<strong>", Close: "</strong>"},
		Block: func(lang string) markdown.Marks {
			lang = strings.Map(func(r rune) rune {
				if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("+-#._", r) {
					return r
				}
				return -1
			}, lang)
			if lang == "" {
				return markdown.Marks{Open: "<pre><code>", Close: "</code></pre>"}
			}
			return markdown.Marks{Open: `<pre><code class="language-` + lang + `">`, Close: "</code></pre>"}
		},
		Quote:    markdown.Marks{Open: "<blockquote>", Close: "</blockquote>"},
		Bullet:   "• ",
		Rule:     "———",
		Text:     escape,
		CodeText: escape,
		Link: func(label, url string) string {
			scheme, _, _ := strings.Cut(strings.ToLower(url), ":")
			switch scheme {
			case "http", "https", "mailto", "matrix", "ftp":
			default:
				return label + " (" + escape(url) + ")"
			}
			if label == "" {
				label = escape(url)
			}
			return `<a href="` + strings.ReplaceAll(escape(url), `"`, "&quot;") + `">` + label + "</a>"
		},
		Auto:        escape,
		BlockTables: tables == "" || tables == "code",
	}
}

func escape(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, s)
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}

// breaks turns the line ends outside of code blocks into HTML's.
func breaks(s string) string {
	var b strings.Builder
	for s != "" {
		text, rest, code := strings.Cut(s, "<pre>")
		b.WriteString(strings.ReplaceAll(strings.Trim(text, "\n"), "\n", "<br>"))
		if !code {
			break
		}
		block, after, _ := strings.Cut(rest, "</pre>")
		b.WriteString("<pre>" + block + "</pre>")
		s = after
	}
	return b.String()
}

func isMissing(err error) bool { return errors.Is(err, mautrix.MNotFound) }
