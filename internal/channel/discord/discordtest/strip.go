package discordtest

import (
	"regexp"
	"strings"
)

var link = regexp.MustCompile(`\[([^\[\]\n]*)\]\((https?://[^\s()]+)\)`)

// Strip is what people see of Discord's Markdown.
func Strip(s string) string {
	var b strings.Builder
	for s != "" {
		switch {
		case strings.HasPrefix(s, "```"):
			end := strings.Index(s[3:], "```")
			if end < 0 {
				b.WriteString(s)
				return b.String()
			}
			code := s[3 : 3+end]
			if line, rest, ok := strings.Cut(code, "\n"); ok && !strings.ContainsAny(line, " \t") {
				code = rest
			}
			b.WriteString(strings.TrimSuffix(code, "\n"))
			s = s[3+end+3:]
		case s[0] == '`':
			end := strings.IndexByte(s[1:], '`')
			if end < 0 {
				b.WriteByte('`')
				s = s[1:]
				continue
			}
			b.WriteString(s[1 : 1+end])
			s = s[end+2:]
		case s[0] == '\\' && len(s) > 1 && strings.IndexByte("*_~`|\\#>-<:", s[1]) >= 0:
			b.WriteByte(s[1])
			s = s[2:]
		case strings.HasPrefix(s, "**"), strings.HasPrefix(s, "~~"), strings.HasPrefix(s, "||"), strings.HasPrefix(s, "__"):
			s = s[2:]
		case s[0] == '*':
			s = s[1:]
		case s[0] == '[':
			if m := link.FindStringSubmatch(s); m != nil && strings.HasPrefix(s, m[0]) {
				b.WriteString(Strip(m[1]))
				s = s[len(m[0]):]
				continue
			}
			fallthrough
		default:
			b.WriteByte(s[0])
			s = s[1:]
		}
	}
	return b.String()
}
