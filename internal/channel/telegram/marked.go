package telegram

import (
	"slices"
	"strings"
	"unicode/utf16"
)

// marked is text with what Telegram formats as code or a quote marked as
// Markdown does: the agent sees what was meant, and nothing in it is taken for
// a command.
func marked(text string, entities []entity) string {
	if !slices.ContainsFunc(entities, func(e entity) bool {
		return e.Type == "code" || e.Type == "pre" || strings.HasSuffix(e.Type, "blockquote")
	}) {
		return text
	}
	units := utf16.Encode([]rune(text))
	put := map[int]string{} // in front of a unit
	at := func(i int) uint16 {
		if i < 0 || i >= len(units) {
			return '\n'
		}
		return units[i]
	}
	ownLines := func(from, to int) {
		if at(from-1) != '\n' {
			put[from] += "\n"
		}
		if at(to) != '\n' {
			put[to] = "\n" + put[to]
		}
	}
	for _, e := range entities {
		inside := e.slice(units)
		if inside == "" {
			continue
		}
		from, to := e.Offset, e.Offset+e.Length
		switch e.Type {
		case "code":
			marks := strings.Repeat("`", longest(inside)+1)
			pad := ""
			if strings.HasPrefix(inside, "`") || strings.HasSuffix(inside, "`") {
				pad = " "
			}
			put[from] += marks + pad
			put[to] = pad + marks + put[to]
		case "pre":
			marks := strings.Repeat("`", max(longest(inside)+1, 3))
			ownLines(from, to)
			put[from] += marks + "\n"
			end := "\n"
			if at(to-1) == '\n' {
				end = ""
			}
			put[to] = end + marks + put[to]
		case "blockquote", "expandable_blockquote":
			ownLines(from, to)
			put[from] += "> "
			for i := from + 1; i < to; i++ {
				if at(i-1) == '\n' {
					put[i] = "> " + put[i]
				}
			}
		}
	}
	var b strings.Builder
	last := 0
	places := make([]int, 0, len(put))
	for i := range put {
		places = append(places, i)
	}
	slices.Sort(places)
	for _, i := range places {
		b.WriteString(string(utf16.Decode(units[last:i])))
		b.WriteString(put[i])
		last = i
	}
	b.WriteString(string(utf16.Decode(units[last:])))
	return b.String()
}

// longest is the length of the longest run of backticks in s.
func longest(s string) (n int) {
	run := 0
	for _, r := range s {
		if r != '`' {
			run = 0
			continue
		}
		run++
		n = max(n, run)
	}
	return n
}
