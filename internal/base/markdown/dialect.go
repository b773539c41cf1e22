package markdown

import (
	"strings"
)

// Marks are what stands before and after a piece of text.
type Marks struct{ Open, Close string }

// Dialect is the format of a network. The zero value is plain text without
// any marks.
type Dialect struct {
	Strong, Emph, Strike, Code Marks
	Heading                    Marks // around a heading, whatever its level

	// Block gives the marks around a code block; nil is none.
	Block func(lang string) Marks
	// Quote is around a quote; when empty, QuotePrefix is before each line.
	Quote       Marks
	QuotePrefix string
	Bullet      string // "" is "- "
	Rule        string // "" is "---"

	// Text makes a text safe outside code, CodeText inside; nil is as it is.
	Text, CodeText func(string) string
	// Link writes a link around a label that is already rendered; nil is
	// "label (url)". Auto writes a bare one; nil is the text of its URL.
	Link func(label, url string) string
	Auto func(url string) string

	// PerLine says that a mark ends at the end of its line, so that it is closed
	// there and opened again on the next.
	PerLine bool
	// BlockTables shows a table as a code block of aligned columns; otherwise
	// its rows are lines with the cells between bars.
	BlockTables bool
}

// Plain is text without marks, as SMS and logs want it.
func Plain() Dialect { return Dialect{Text: printable, CodeText: printable} }

// printable drops control characters, except new lines and tabs.
func printable(s string) string {
	if strings.IndexFunc(s, control) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if control(r) {
			return -1
		}
		return r
	}, s)
}

func control(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' || r == 0x7f
}

// IRC is text with the control codes that clients have agreed on since mIRC.
// The caller sends each line as a message of its own.
func IRC() Dialect {
	const bold, italic, strike = "\x02", "\x1d", "\x1e"
	return Dialect{
		Strong:      Marks{bold, bold},
		Emph:        Marks{italic, italic},
		Strike:      Marks{strike, strike},
		Heading:     Marks{bold, bold},
		QuotePrefix: "> ",
		Text:        printable,
		CodeText:    printable,
		PerLine:     true,
	}
}

// TelegramHTML is the HTML of Telegram's Bot API.
func TelegramHTML() Dialect {
	return Dialect{
		Strong:  Marks{"<b>", "</b>"},
		Emph:    Marks{"<i>", "</i>"},
		Strike:  Marks{"<s>", "</s>"},
		Code:    Marks{"<code>", "</code>"},
		Heading: Marks{"<b>", "</b>"},
		Block: func(lang string) Marks {
			if lang = language(lang); lang != "" {
				return Marks{`<pre><code class="language-` + lang + `">`, "</code></pre>"}
			}
			return Marks{"<pre>", "</pre>"}
		},
		Quote:    Marks{"<blockquote>", "</blockquote>"},
		Bullet:   "• ",
		Rule:     "———",
		Text:     fileNames,
		CodeText: escapeHTML,
		Link: func(label, url string) string {
			if label == "" {
				return escapeHTML(url)
			}
			if !webLink(url) {
				return label + " (" + escapeHTML(url) + ")"
			}
			return `<a href="` + strings.ReplaceAll(escapeHTML(url), `"`, "&quot;") + `">` + label + "</a>"
		},
		Auto:        escapeHTML,
		BlockTables: true,
	}
}

// escapeHTML escapes what Telegram wants escaped, and drops what it refuses.
func escapeHTML(s string) string {
	i := strings.IndexFunc(s, func(r rune) bool { return r == '&' || r == '<' || r == '>' || control(r) })
	if i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	b.WriteString(s[:i])
	for _, r := range s[i:] {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case control(r):
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// fileNames escapes s and marks names such as README.md as code: Telegram
// would link them to whoever owns the domain.
func fileNames(s string) string {
	if strings.IndexByte(s, '.') < 0 {
		return escapeHTML(s)
	}
	var b strings.Builder
	for len(s) > 0 {
		i := strings.IndexFunc(s, isName)
		if i < 0 {
			break
		}
		j := strings.IndexFunc(s[i:], func(r rune) bool { return !isName(r) })
		if j < 0 {
			j = len(s) - i
		}
		b.WriteString(escapeHTML(s[:i]))
		word := s[i : i+j]
		name := strings.TrimRight(word, ".&-/")
		if isFile(name) {
			b.WriteString("<code>" + escapeHTML(name) + "</code>" + escapeHTML(word[len(name):]))
		} else {
			b.WriteString(escapeHTML(word))
		}
		s = s[i+j:]
	}
	b.WriteString(escapeHTML(s))
	return b.String()
}

func isName(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-&/", r)
}

// isFile tells file names whose ending is a top-level domain too.
func isFile(s string) bool {
	i := strings.LastIndexByte(s, '.')
	if i < 1 {
		return false
	}
	switch strings.ToLower(s[i+1:]) {
	case "md", "go", "py", "pl", "pm", "sh", "rs", "cc", "ps", "so", "ml", "tf", "zip", "mov":
		return true
	}
	return false
}

// language keeps what may stand in a class name.
func language(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("+-#._", r) {
			return r
		}
		return -1
	}, s)
}

// webLink tells the addresses that clients open.
func webLink(url string) bool {
	scheme, _, ok := strings.Cut(url, ":")
	if !ok {
		return false
	}
	switch strings.ToLower(scheme) {
	case "http", "https", "tg", "mailto", "ftp":
		return true
	}
	return false
}
