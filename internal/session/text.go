package session

import (
	"regexp"
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

func unix(ms int64) time.Time { return time.UnixMilli(ms) }

// bare takes what the gateway put before a person's words off again: system
// lines, the blocks about the sender and the place, the time.
func bare(s string) string {
	for strings.HasPrefix(s, "System: [") {
		_, rest, ok := strings.Cut(s, "\n")
		if !ok {
			return s
		}
		s = strings.TrimLeft(rest, "\n")
	}
	for _, head := range []string{
		"Conversation info (untrusted metadata):", "Sender (untrusted metadata):", "Thread starter (untrusted, for context):",
		"Replied message (untrusted, for context):", "Forwarded message context (untrusted metadata):",
		"Chat history since last reply (untrusted, for context):",
	} {
		if !strings.HasPrefix(s, head) {
			continue
		}
		at := strings.Index(s, "\n```\n")
		if at < 0 {
			break
		}
		s = strings.TrimLeft(s[at+5:], "\n")
	}
	if strings.HasPrefix(s, "[") {
		if at := strings.Index(s, "] "); at > 0 && at < 40 && stamp.MatchString(s[:at+1]) {
			s = s[at+2:]
		}
	}
	return s
}

// stamp is the time before a message, as in [Mon 2026-11-30 20:45 UTC].
var stamp = regexp.MustCompile(`^\[[A-Z][a-z]{2} \d{4}-\d{2}-\d{2} \d{2}:\d{2}[^\]]*\]$`)
