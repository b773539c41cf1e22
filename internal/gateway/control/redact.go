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
		`|()\b(?:sk-[a-z0-9_-]{12,}|gh[pousr]_[a-z0-9]{20,}|xox[abprs]-[a-z0-9-]{10,}|AIza[a-z0-9_-]{20,}|(?:bot)?[0-9]{6,12}:[a-z0-9_-]{30,})`)
})

// hints are the rarest substrings of secretShapes, to leave most lines alone.
func suspicious(line string) bool {
	l := strings.ToLower(line)
	for _, h := range []string{"bearer", "basic ", "token", "passw", "secret", "key", "sk-", "gh", "xox", "aiza", ":aa"} {
		if strings.Contains(l, h) {
			return true
		}
	}
	return false
}

func redacted(line string) string {
	if !suspicious(line) {
		return line
	}
	return secretShapes().ReplaceAllString(line, "${1}${2}${3}${4}***")
}
