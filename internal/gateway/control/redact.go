package control

import (
	"regexp"
	"strings"
	"sync"
)

// secretShapes are what secrets look like in a log line. The log writer keeps
// them out already; this is the second lock.
//
//nolint:gochecknoglobals // compiled once, on first use
var secretShapes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)` +
		`(authorization\\?"?\s*[:=]\s*\\?"?(?:bearer|basic)\s+)[^\s"\\,}]+` +
		`|(\bbearer\s+)[a-z0-9._~+/=-]{12,}` +
		`|((?:token|password|passwd|secret|api[_-]?key)\\?"?\s*[:=]\s*\\?"?)[^\s"\\,}&]{6,}` +
		`|(://[^/\s:@]{0,64}:)[^/\s@]+@` +
		`|()\b(?:sk-[a-z0-9_-]{12,}|gh[pousr]_[a-z0-9]{20,}|xox[abprs]-[a-z0-9-]{10,}|AIza[a-z0-9_-]{20,}|(?:bot)?[0-9]{6,12}:AA[a-z0-9_-]{28,})`)
})

// hints returns substrings of which every match of secretShapes has one. They
// are rare, so most lines cost no more than a search.
func hints() []string {
	return []string{
		"token\"", "token:", "token=", "token\\", "token ", "passw", "secret", "apikey", "api_key", "api-key", "bearer", "authorization",
		"://", "sk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "xoxa-", "xoxb-", "xoxp-", "xoxr-", "xoxs-", "aiza", ":aa",
	}
}

func suspicious(line string, hints []string) bool {
	l := strings.ToLower(line)
	for _, h := range hints {
		if strings.Contains(l, h) {
			return true
		}
	}
	return false
}

func redacted(line string, hints []string) string {
	if !suspicious(line, hints) {
		return line
	}
	return secretShapes().ReplaceAllString(line, "${1}${2}${3}${4}${5}***")
}

// harmless is a short text, such as an error, without secrets.
func harmless(s string) string { return redacted(s, hints()) }
