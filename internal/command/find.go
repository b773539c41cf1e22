package command

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// found is a directive or inline command within a text.
type found struct {
	Command
	args string
}

// mostFound bounds how many are looked for in one text.
const mostFound = 16

// find cuts the directives and inline commands out of text. Nothing in code, in
// quotes or in a path is one.
func (t *Table) find(text string) (rest string, out []found) {
	if t == nil || !strings.Contains(text, "/") {
		return text, nil
	}
	var b strings.Builder
	kept := 0
	skip := shielded(text)
	for i := 0; i < len(text) && len(out) < mostFound; i++ {
		if skip(i) || text[i] != '/' || i > 0 && !space(text[i-1]) {
			continue
		}
		end := i + 1
		for end < len(text) && !space(text[end]) && text[end] != ':' {
			end++
		}
		name, _, _ := strings.Cut(text[i+1:end], "@")
		c, ok := t.byName[strings.ToLower(name)]
		if !ok || c.Takes == nil && !c.Inline {
			continue
		}
		args, after := take(c, text, end)
		if args != "" && c.Once != nil && strings.TrimSpace(text[:i]+text[after:]) != "" && c.Once(new(Once), args) != nil {
			args, after = "", end // the word isn't a value: it belongs to the text
		}
		out = append(out, found{c, args})
		b.WriteString(strings.TrimRight(text[kept:i], " \t"))
		if b.Len() > 0 && after < len(text) && !space(text[after]) {
			b.WriteByte(' ')
		}
		kept, i = after, after-1
	}
	b.WriteString(text[kept:])
	return b.String(), out
}

// take reads the words after a name that belong to c.
func take(c Command, text string, at int) (args string, after int) {
	after = at
	if j := skipBlank(text, at); j < len(text) && text[j] == ':' {
		after = j + 1
	}
	if c.Takes == nil {
		return "", after
	}
	var words []string
	for i, j := 0, skipBlank(text, after); j < len(text) && text[j] != '\n'; i++ {
		end := j
		for end < len(text) && !space(text[end]) {
			end++
		}
		w := text[j:end]
		if end == j || strings.HasPrefix(w, "/") || !c.Takes(i, w) {
			break
		}
		words, after = append(words, w), end
		j = skipBlank(text, end)
	}
	return strings.Join(words, " "), after
}

func skipBlank(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
		i++
	}
	return i
}

func space(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// shielded returns a function that tells whether a byte of text, asked in
// order, stands in code, in quotes or in a quoted line.
func shielded(text string) func(i int) bool {
	until := 0
	return func(i int) bool {
		if i < until {
			return true
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		line := text[i:]
		if j := strings.IndexByte(line, '\n'); j >= 0 {
			line = line[:j]
		}
		start := i == 0 || text[i-1] == '\n'
		closed := func(with string) bool {
			j := strings.Index(line[n:], with)
			if j >= 0 {
				until = i + n + j + len(with)
			}
			return j >= 0
		}
		switch {
		case strings.HasPrefix(text[i:], "```"):
			until = len(text)
			if j := strings.Index(text[i+3:], "```"); j >= 0 {
				until = i + 3 + j + 3
			}
			return true
		case r == '`':
			return closed("`")
		case r == '"':
			return closed(`"`)
		case r == '“' || r == '„':
			return closed("”") || closed("“")
		case r == '«':
			return closed("»")
		case r == '\'' && (i == 0 || !letter(text[:i])):
			return closed("'")
		case r == '>' && start:
			until = i + len(line)
			return true
		}
		return false
	}
}

// letter reports whether s ends in a letter or digit.
func letter(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}
