package markdown

import (
	"strings"
)

// Discord is the Markdown of Discord, which differs from the common one: nothing
// opens a table, a fence has no longer form, and references to people stay as
// they are.
func Discord() Dialect {
	return Dialect{
		Strong:  Marks{"**", "**"},
		Emph:    Marks{"*", "*"},
		Strike:  Marks{"~~", "~~"},
		Code:    Marks{"`", "`"},
		Heading: Marks{"**", "**"},
		Block: func(lang string) Marks {
			return Marks{"```" + language(lang) + "\n", "\n```"}
		},
		QuotePrefix: "> ",
		Rule:        "———",
		Text:        discordText,
		CodeText:    discordCode,
		Link: func(label, url string) string {
			if label == "" {
				return discordURL(url)
			}
			// Discord shows a link whose label looks like another one as it is written.
			if !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://") || strings.Contains(label, "://") || strings.ContainsAny(label, "[]\n") {
				return label + " (" + discordURL(url) + ")"
			}
			return "[" + label + "](" + discordURL(url) + ")"
		},
		Auto: func(url string) string {
			return strings.NewReplacer(" ", "%20", "\n", "", "<", "%3C", ">", "%3E").Replace(printable(url))
		},
		BlockTables: true,
	}
}

// discordText escapes what Discord would read as marks. References (<@1>, <#1>,
// <:name:1>) and addresses stay.
func discordText(s string) string {
	s = printable(s)
	var b strings.Builder
	b.Grow(len(s) + 8)
	for start := true; s != ""; start = false {
		i := strings.IndexAny(s, "*_~`|\\<#>-:")
		if i < 0 {
			break
		}
		b.WriteString(s[:i])
		at := start && i == 0 || i > 0 && s[i-1] == '\n'
		c, rest := s[i], s[i+1:]
		switch {
		case c == '<':
			if n := reference(s[i:]); n > 0 {
				b.WriteString(s[i : i+n])
				s = s[i+n:]
				continue
			}
		case c == ':' && strings.HasPrefix(rest, "//") && b.Len() > 0: // an address
			j := strings.IndexAny(rest, " \n\t<>()")
			if j < 0 {
				j = len(rest)
			}
			b.WriteString(s[i : i+1+j])
			s = rest[j:]
			continue
		case c == '|' && !strings.HasPrefix(rest, "|") && !strings.HasSuffix(b.String(), "|"):
		case c == '#' || c == '>':
			if at && opens(s[i:]) {
				b.WriteByte('\\')
			}
		case c == '-':
			if at && strings.HasPrefix(rest, "# ") {
				b.WriteByte('\\')
			}
		case c == ':':
		default:
			b.WriteByte('\\')
		}
		b.WriteByte(c)
		s = rest
	}
	b.WriteString(s)
	return b.String()
}

// opens tells what begins a heading or a quote at the start of a line.
func opens(s string) bool {
	marks := strings.TrimLeft(s, s[:1])
	n := len(s) - len(marks)
	return n <= 3 && strings.HasPrefix(marks, " ")
}

// reference is the length of a reference that s begins with, or 0.
func reference(s string) int {
	const longest = 80
	end := strings.IndexByte(s[:min(len(s), longest)], '>')
	if end < 3 {
		return 0
	}
	in := s[1:end]
	switch {
	case in[0] == '@', in[0] == '#', in[0] == ':', strings.HasPrefix(in, "a:"), strings.HasPrefix(in, "t:"):
	default:
		return 0
	}
	if strings.ContainsAny(in, " \n`*|~\\<") || in[len(in)-1] < '0' || in[len(in)-1] > '9' && !strings.HasPrefix(in, "t:") {
		return 0
	}
	return end + 1
}

// discordCode keeps code from ending its own block: there is no longer fence to
// put around it, so what can't be seen goes between its ticks.
func discordCode(s string) string {
	s = printable(s)
	if !strings.Contains(s, "`") {
		return s
	}
	return strings.ReplaceAll(s, "```", "``\u200b`")
}

// discordURL is an address without what would end a link.
func discordURL(url string) string {
	return strings.NewReplacer(" ", "%20", "\n", "", "(", "%28", ")", "%29", "<", "%3C", ">", "%3E").Replace(printable(url))
}
