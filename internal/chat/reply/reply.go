// Package reply turns what an agent says into what people see: silence and
// heartbeat tokens are held back, also while the text still streams, reply tags
// are read and removed, the prefix is put on, and the text is shown as one
// answer, in blocks as it comes, or as a preview that becomes the answer.
//
// [Composer] is where to start: one for each run. It keeps the ledger of what
// was shown, so that each piece of text is visible once and in order, also when
// the run is resumed by another process.
package reply

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/openclaw-go/openclaw/internal/base/id"
)

// The tokens with which an agent says that it has nothing to say.
const (
	Silent    = "NO_REPLY"
	Heartbeat = "HEARTBEAT_OK"
)

// tag is [[reply_to_current]] or [[reply_to:<id>]].
var tag = sync.OnceValue(func() *regexp.Regexp { //nolint:gochecknoglobals // a lazily compiled constant
	return regexp.MustCompile(`\[\[\s*(?:reply_to_current|reply_to\s*:\s*([^\]\n]+))\s*\]\]\s*`)
})

// Text is the visible part of a finished answer.
type Text struct {
	Text    string
	Silent  bool       // nothing is to be sent
	ReplyTo id.Message // from a reply tag; current means the message answered
	Current bool
}

// Clean reads an answer.
func Clean(raw string) Text {
	var out Text
	s := raw
	if strings.Contains(s, "[[") {
		for _, m := range tag().FindAllStringSubmatch(s, -1) {
			out.tagged(m[1])
		}
		s = tag().ReplaceAllString(s, "")
	}
	s = strings.TrimSpace(s)
	if onlyTokens(s) {
		out.Silent = true
		return out
	}
	// A token before or behind real text is the model's habit, not part of it.
	if rest, ok := strings.CutPrefix(s, Heartbeat); ok && startsBlank(rest) {
		s = strings.TrimSpace(rest)
	}
	s = unTail(s)
	out.Text = s
	out.Silent = s == "" || onlyTokens(s)
	if out.Silent {
		out.Text = ""
	}
	return out
}

func (t *Text) tagged(message string) {
	if message != "" {
		t.ReplyTo = id.Message(strings.TrimSpace(message))
	} else {
		t.Current = true
	}
}

// Acked reads the answer to a heartbeat: with the token and at most limit
// characters beside it, nothing needs to be told.
func Acked(raw string, limit int) Text {
	t := Clean(raw)
	if strings.Contains(raw, Heartbeat) && utf8.RuneCountInString(t.Text) <= limit {
		return Text{Silent: true}
	}
	return t
}

// onlyTokens reports whether s is nothing but tokens and blanks.
func onlyTokens(s string) bool {
	return unToken(s) == ""
}

// unToken takes tokens and blanks off the start of s.
func unToken(s string) string {
	for {
		s = strings.TrimLeftFunc(s, unicode.IsSpace)
		switch {
		case strings.HasPrefix(s, Silent):
			s = s[len(Silent):]
		case strings.HasPrefix(s, Heartbeat):
			s = s[len(Heartbeat):]
		default:
			return s
		}
	}
}

func startsBlank(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	return n > 0 && unicode.IsSpace(r)
}
