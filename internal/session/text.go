package session

import (
	"strings"
	"time"
)

func lower(s string) string { return strings.ToLower(s) }

func hasAny(s string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

// millis is the time of r, 0 when it can't be read.
func (r *record) millis() int64 {
	t, err := time.Parse(time.RFC3339, r.time)
	if err != nil {
		return 0
	}
	return t.UnixMilli()
}
