package command

import "strings"

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
	return t.findIn(text, shielded(text))
}

// findIn is find where skip says what is code or quoted.
func (t *Table) findIn(text string, skip shield) (rest string, out []found) {
	if t == nil || !strings.Contains(text, "/") {
		return text, nil
	}
	var b strings.Builder
	kept := 0
	for i := 0; i < len(text) && len(out) < mostFound; i++ {
		if skip[i] || text[i] != '/' || i > 0 && !space(text[i-1]) {
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
