package compaction

import (
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/text"
)

// parts are a summary: the model's notes, and behind them what is kept letter
// by letter, however often the conversation is summed up.
type parts struct {
	notes          string
	request        string   // what the person asked in the turn that goes on
	names          []string // identifiers that the notes lack
	read, modified []string // files
}

const maxRequest = 4000 // bytes

// The headings of what stands behind the notes.
const (
	headRequest  = "\n\n## Being worked on\nThe person's words: "
	headNames    = "\n\n## Identifiers\n"
	headRead     = "\n\n## Files read\n"
	headModified = "\n\n## Files changed\n"
)

func (p parts) text() string {
	var b strings.Builder
	b.WriteString(p.notes)
	if p.request != "" {
		b.WriteString(headRequest + p.request)
	}
	for _, l := range []struct {
		head string
		list []string
	}{{headNames, p.names}, {headRead, p.read}, {headModified, p.modified}} {
		if len(l.list) > 0 {
			b.WriteString(l.head + strings.Join(l.list, "\n"))
		}
	}
	return b.String()
}

// parse reads what text wrote; of another program's summary all is notes.
func parse(s string) (p parts) {
	take := func(head string) (found string) {
		if i := strings.LastIndex(s, head); i >= 0 {
			s, found = s[:i], s[i+len(head):]
		}
		return found
	}
	lines := func(s string) []string {
		if s == "" {
			return nil
		}
		return strings.Split(s, "\n")
	}
	p.modified, p.read, p.names = lines(take(headModified)), lines(take(headRead)), lines(take(headNames))
	p.request = take(headRequest)
	p.notes = s
	return p
}

// request is what the person asked in the turn that first, the first message
// that stays, is in, when that stands in old or was before it: it would be lost
// from sight. "" when the turn begins with first.
func request(old []llm.Message, first llm.Message, before string) string {
	if first.Role == llm.User {
		return ""
	}
	for i := len(old) - 1; i >= 0; i-- {
		if old[i].Role == llm.User && !isSummary(old[i]) {
			return text.Ellipsis(strings.TrimSpace(old[i].Text()), maxRequest)
		}
	}
	return before
}
