package reply

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/openclaw-go/openclaw/internal/base/text"
)

// Chunk bounds the pieces of a text that is shown as it comes, in characters.
type Chunk struct {
	Min, Max int
	Break    string // where to cut by preference: paragraph (""), newline, sentence
}

// Next returns how many bytes of s are the next piece; 0 is none yet. With
// whole no more text comes. A code fence is never cut: one that doesn't fit is
// a piece of its own, however long.
func (c Chunk) Next(s string, whole bool) int {
	n := utf8.RuneCountInString(s)
	switch {
	case whole && n <= c.Max:
		return len(s)
	case !whole && n < c.Min:
		return 0
	}
	lo, hi := len(text.CutRunes(s, c.Min)), len(text.CutRunes(s, c.Max))
	b := breaksOf(s, lo, hi)
	order := []int{b.paragraph, b.newline, b.sentence, b.blank}
	switch c.Break {
	case "newline":
		order = order[1:]
	case "sentence":
		order = order[2:]
	}
	if n < c.Max {
		return order[0]
	}
	for _, at := range order {
		if at > 0 {
			return at
		}
	}
	switch {
	case !b.fenced:
		return max(hi, 1)
	case b.end > 0:
		return b.end
	case whole:
		return len(s)
	}
	return 0 // until the fence is closed
}

// breaks are the last places of each kind between two bounds; 0 is none.
type breaks struct {
	paragraph, newline, sentence, blank int
	fenced                              bool // the upper bound is inside a fence or a line that must stay whole
	end                                 int  // behind what the upper bound is in, 0 while it is open
}

func breaksOf(s string, lo, hi int) breaks {
	var b breaks
	fence := ""
	for at := 0; at < len(s); {
		line, end := s[at:], len(s)
		complete := false
		if i := strings.IndexByte(line, '\n'); i >= 0 {
			line, end, complete = line[:i], at+i+1, true
		}
		mark := fenceMark(line)
		was := fence
		switch {
		case fence == "" && mark != "":
			fence = mark
		case fence != "" && closes(line, fence):
			fence = ""
		}
		in := was != "" || fence != "" || isMedia(line) // this line isn't cut
		if at < hi && hi <= end && in && (hi < end || fence != "") {
			b.fenced = true
		}
		if b.fenced && b.end == 0 && fence == "" && complete {
			b.end = end
		}
		if !in {
			b.inside(s, at, min(at+len(line), hi), lo)
		}
		if complete && fence == "" && end >= lo && end <= hi {
			b.newline = end
			if strings.TrimSpace(line) == "" || strings.HasPrefix(s[end:], "\n") {
				b.paragraph = end
			}
		}
		if at > hi && (!b.fenced || b.end > 0) {
			break
		}
		at = end
	}
	return b
}

// inside notes the ends of sentences and words in s[from:to].
func (b *breaks) inside(s string, from, to, lo int) {
	for i := max(from, lo); i < to; {
		r, n := utf8.DecodeRuneInString(s[i:])
		if unicode.IsSpace(r) {
			if i > 0 {
				b.blank = i
				if last, _ := utf8.DecodeLastRuneInString(s[:i]); strings.ContainsRune(".!?", last) {
					b.sentence = i
				}
			}
		} else if strings.ContainsRune("。！？…", r) && i+n <= to {
			b.sentence = i + n
		}
		i += n
	}
}

// fenceMark is the mark with which line opens a code fence, or "".
func fenceMark(line string) string {
	l := strings.TrimLeft(line, " ")
	if len(line)-len(l) > 3 || len(l) < 3 || l[0] != '`' && l[0] != '~' {
		return ""
	}
	m := l[:len(l)-len(strings.TrimLeft(l, l[:1]))]
	if len(m) < 3 || l[0] == '`' && strings.Contains(l[len(m):], "`") {
		return ""
	}
	return m
}

// closes reports whether line closes a fence that mark opened.
func closes(line, mark string) bool {
	l := strings.TrimSpace(line)
	return len(l) >= len(mark) && strings.Trim(l, mark[:1]) == ""
}
