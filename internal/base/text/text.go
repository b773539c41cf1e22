// Package text cuts and cleans text without breaking characters.
//
// Everything that shortens text (previews, tool results, approvals, titles,
// memory excerpts, log fields) goes through here, so what comes out is always
// valid UTF-8 and never ends inside a character as people see it: an accent
// stays with its letter, a flag with both of its halves, a family emoji whole.
//
// The borders are those of Unicode's extended grapheme clusters; [Next] finds
// one. [UTF16], [Bytes] and [Runes] are the units in which networks count.
package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Cut returns the longest start of s that has at most limit bytes and ends
// between two characters. Invalid bytes of s become U+FFFD first.
func Cut(s string, limit int) string {
	s = Valid(s)
	if len(s) <= limit {
		return s
	}
	return s[:before(s, limit)]
}

// Fit returns the longest start of s that has at most limit units as counted
// by size and ends between two characters. Unlike [Cut] it makes progress: a
// first character that alone has more units is cut between its runes. What it
// returns is a start of s, invalid bytes and all; a first rune that doesn't fit
// gives "".
func Fit(s string, limit int, size func(string) int) string {
	end, used := 0, 0
	for end < len(s) {
		n := Next(s[end:])
		if used += size(s[end : end+n]); used > limit {
			break
		}
		end += n
	}
	if end > 0 {
		return s[:end]
	}
	for used = 0; end < len(s); {
		_, n := utf8.DecodeRuneInString(s[end:])
		if used += size(s[end : end+n]); used > limit {
			break
		}
		end += n
	}
	return s[:end]
}

// Ellipsis is Cut for text that people read on: it ends in … when something
// is left out.
func Ellipsis(s string, limit int) string {
	const mark = "…"
	switch {
	case len(s) <= limit:
		return Valid(s)
	case limit < len(mark):
		return Cut(s, limit)
	}
	return Cut(s, limit-len(mark)) + mark
}

// Tail returns the longest end of s that has at most limit bytes and starts
// between two characters.
func Tail(s string, limit int) string {
	s = Valid(s)
	if len(s) <= limit {
		return s
	}
	if limit <= 0 {
		return ""
	}
	return s[after(s, len(s)-limit):]
}

// CutRunes is Cut with the limit in runes.
func CutRunes(s string, limit int) string {
	if limit <= 0 {
		return ""
	}
	s, n := Valid(s), 0
	for i := range s {
		if n == limit {
			return s[:before(s, i)]
		}
		n++
	}
	return s
}

// TailRunes is Tail with the limit in runes.
func TailRunes(s string, limit int) string {
	s = Valid(s)
	i := len(s)
	for ; limit > 0 && i > 0; limit-- {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	return s[after(s, i):]
}

// Middle shortens s to about limit runes by leaving out its middle. It keeps
// headShare percent of the limit from the start and the rest from the end, and
// puts what marker returns for the number of runes left out between them. The
// marker comes on top of the limit.
func Middle(s string, limit, headShare int, marker func(dropped int) string) string {
	s = Valid(s)
	if len(s) <= limit {
		return s
	}
	total := utf8.RuneCountInString(s)
	if total <= limit {
		return s
	}
	headRunes := limit * headShare / 100
	head := CutRunes(s, headRunes)
	tail := TailRunes(s, limit-headRunes)
	if len(head)+len(tail) >= len(s) {
		return s
	}
	dropped := total - utf8.RuneCountInString(head) - utf8.RuneCountInString(tail)
	return head + marker(dropped) + tail
}

// Preview returns s as one line of at most limit runes, ending in … when
// something is left out. Control characters and runs of blanks are one space.
func Preview(s string, limit int) string {
	if limit <= 0 {
		return ""
	}
	var b strings.Builder
	gap, n := false, 0
	for _, r := range s {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			gap = b.Len() > 0
			continue
		}
		if gap {
			b.WriteByte(' ')
			n++
		}
		gap = false
		b.WriteRune(r) // U+FFFD for an invalid byte
		if n++; n > limit {
			return CutRunes(b.String(), limit-1) + "…"
		}
	}
	return b.String()
}

// Valid returns s with every run of invalid bytes replaced by one U+FFFD.
func Valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
