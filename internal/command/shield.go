package command

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// shield tells which bytes of a text are no place for a command: code, quoted
// lines, and what stands between quotation marks.
type shield []bool

// shielded reads text as Markdown does, as far as it matters here: fences and
// indented code, quoted lines, and within each paragraph code spans and
// quotation marks. In doubt it shields: words that are left in a text harm
// nobody.
func shielded(text string) shield {
	s := make(shield, len(text))
	var fence string // the marks that opened one
	from := 0        // of the paragraph
	blank, indented := true, false
	for i := 0; i < len(text); {
		end := i + len(line(text[i:]))
		l := text[i:end]
		words := strings.TrimLeft(l, " ")
		deep := len(l)-len(words) >= 4 || strings.HasPrefix(words, "\t")
		marks := fenceOf(words)
		switch {
		case fence != "":
			s.over(i, end)
			if len(marks) >= len(fence) && marks[0] == fence[0] && strings.Trim(words, marks[:1]+" \t\r\n") == "" {
				fence = ""
			}
			from = end
		case marks != "" && !deep:
			s.inline(text, from, i)
			fence = marks
			s.over(i, end)
			from = end
		case strings.HasPrefix(words, ">") && !deep:
			s.inline(text, from, i)
			s.over(i, end)
			from = end
		case deep && i > 0 && (blank || indented) && strings.TrimSpace(l) != "":
			s.inline(text, from, i)
			s.over(i, end)
			indented = true
			from = end
		case strings.TrimSpace(l) == "":
			s.inline(text, from, i)
			from = end
		default:
			indented = false
		}
		blank = strings.TrimSpace(l) == ""
		i = end
	}
	s.inline(text, from, len(text))
	return s
}

// line is the first line of text with its end.
func line(text string) string {
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return text[:i+1]
	}
	return text
}

// fenceOf are the marks that open or close a fence at the beginning of a line,
// or "".
func fenceOf(l string) string {
	for _, c := range []string{"`", "~"} {
		rest := strings.TrimLeft(l, c)
		n := len(l) - len(rest)
		if n >= 3 && (c == "~" || !strings.Contains(line(rest), "`")) {
			return l[:n]
		}
	}
	return ""
}

func (s shield) over(from, to int) {
	for i := from; i < to; i++ {
		s[i] = true
	}
}

// inline shields the code spans and the words between quotation marks of one
// paragraph.
func (s shield) inline(text string, from, to int) {
	open := map[string]bool{} // marks that nothing closes any more
	for i := from; i < to; {
		if text[i] == '`' {
			n := run(text[i:to])
			end := i + n
			if j := closing(text[end:to], n); j >= 0 {
				end += j
			} else if n >= 3 { // a fence that was never closed, begun within a line
				end = to
			}
			s.over(i, end)
			i = end
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:to])
		if until := closes(r, text[:i]); until != "" && !open[until] {
			if j := strings.IndexAny(text[i+n:to], until); j >= 0 {
				_, m := utf8.DecodeRuneInString(text[i+n+j : to])
				s.over(i, i+n+j+m)
				i += n + j + m
				continue
			}
			open[until] = true
		}
		i += n
	}
}

// run counts the backticks that s begins with.
func run(s string) int { return len(s) - len(strings.TrimLeft(s, "`")) }

// closing is where a code span that n backticks opened ends in s, or -1.
func closing(s string, n int) int {
	for i := 0; i < len(s); {
		if s[i] != '`' {
			i++
			continue
		}
		m := run(s[i:])
		if m == n {
			return i + m
		}
		i += m
	}
	return -1
}

// closes are the marks that end what the quotation mark r begins, or "".
func closes(r rune, before string) string {
	switch r {
	case '"', '＂':
		return string(r)
	case '“', '„':
		return "”“"
	case '‘', '‚':
		return "’‘"
	case '«':
		return "»"
	case '»':
		return "«"
	case '‹':
		return "›"
	case '「':
		return "」"
	case '『':
		return "』"
	case '\'':
		if !letter(before) { // else an apostrophe
			return "'"
		}
	}
	return ""
}

// letter reports whether s ends in a letter or digit.
func letter(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}
