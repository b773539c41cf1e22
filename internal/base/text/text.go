// Package text cuts and cleans text without breaking characters.
//
// Everything that shortens text (previews, tool results, approvals, titles,
// memory excerpts, log fields) goes through here, so what comes out is always
// valid UTF-8 and never ends inside a character as people see it: an accent
// stays with its letter, a flag with both of its halves, a family emoji whole.
//
// The borders are a compact form of Unicode's extended grapheme clusters; a
// cluster longer than [maxCluster] is cut between its runes.
package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxCluster bounds how far a cut looks back for a border, in bytes. Longer
// clusters are stacked accents meant to annoy.
const maxCluster = 128

// Cut returns the longest start of s that has at most limit bytes and ends
// between two characters. Invalid bytes of s become U+FFFD first.
func Cut(s string, limit int) string {
	s = Valid(s)
	if len(s) <= limit {
		return s
	}
	return s[:before(s, limit)]
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

// before returns the greatest border of s that is not after i.
func before(s string, i int) int {
	if i <= 0 {
		return 0
	}
	for i > 0 && i < len(s) && !utf8.RuneStart(s[i]) {
		i--
	}
	for j := i; j > 0 && j > i-maxCluster; {
		if border(s, j) {
			return j
		}
		_, size := utf8.DecodeLastRuneInString(s[:j])
		j -= size
	}
	if i < maxCluster {
		return 0
	}
	return i
}

// after returns the least border of s that is not before i.
func after(s string, i int) int {
	for i > 0 && i < len(s) && !utf8.RuneStart(s[i]) {
		i++
	}
	for j := i; j < len(s) && j < i+maxCluster; {
		if j == 0 || border(s, j) {
			return j
		}
		_, size := utf8.DecodeRuneInString(s[j:])
		j += size
	}
	if len(s)-i < maxCluster {
		return len(s)
	}
	return i
}

// border reports whether a character ends at s[:i] and another starts at
// s[i:]. i is the start of a rune, or len(s).
func border(s string, i int) bool {
	if i <= 0 || i >= len(s) {
		return true
	}
	l, _ := utf8.DecodeLastRuneInString(s[:i])
	r, _ := utf8.DecodeRuneInString(s[i:])
	switch {
	case l < utf8.RuneSelf && r < utf8.RuneSelf:
		return l != '\r' || r != '\n'
	case joins(r), l == zwj:
		return false
	case regional(l) && regional(r):
		return flagsBefore(s[:i])%2 == 0
	}
	return !hangul(l, r)
}

const zwj = '\u200d'

// joins reports whether r continues the character before it.
func joins(r rune) bool {
	return r == zwj || r == '\u200c' ||
		0x1F3FB <= r && r <= 0x1F3FF || // skin tones
		0xE0020 <= r && r <= 0xE007F || // tags of subdivision flags
		unicode.In(r, unicode.Mn, unicode.Me, unicode.Mc)
}

func regional(r rune) bool { return 0x1F1E6 <= r && r <= 0x1F1FF }

// flagsBefore counts the regional indicators at the end of s.
func flagsBefore(s string) int {
	n := 0
	for len(s) > 0 && n < maxCluster {
		r, size := utf8.DecodeLastRuneInString(s)
		if !regional(r) {
			break
		}
		n++
		s = s[:len(s)-size]
	}
	return n
}

// hangul reports whether l and r are parts of one Korean syllable.
func hangul(l, r rune) bool {
	lead := 0x1100 <= l && l <= 0x115F
	vowel := func(r rune) bool { return 0x1160 <= r && r <= 0x11A7 }
	trail := func(r rune) bool { return 0x11A8 <= r && r <= 0x11FF }
	whole := 0xAC00 <= l && l <= 0xD7A3
	switch {
	case lead:
		return 0x1100 <= r && r <= 0x11A7 || 0xAC00 <= r && r <= 0xD7A3
	case vowel(l), whole && (l-0xAC00)%28 == 0:
		return vowel(r) || trail(r)
	case trail(l), whole:
		return trail(r)
	}
	return false
}
