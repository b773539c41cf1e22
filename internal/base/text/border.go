package text

import (
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// maxCluster bounds one character, in bytes: a longer one is stacked accents
// meant to annoy and is cut between its runes.
const maxCluster = 128

// Next returns the length in bytes of the first character of s.
func Next(s string) int {
	if len(s) < 2 || s[0] < utf8.RuneSelf && s[0] != '\r' && s[1] < utf8.RuneSelf {
		return min(len(s), 1)
	}
	it := graphemes.FromString(s[:min(len(s), maxCluster+utf8.UTFMax)])
	if it.Next() && it.End() <= maxCluster {
		return it.End()
	}
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// before returns the greatest border of s that is not after i.
func before(s string, i int) int {
	if i >= len(s) {
		return len(s)
	}
	for j := known(s, i); ; {
		n := Next(s[j:])
		if j+n > i {
			return j
		}
		j += n
	}
}

// after returns the least border of s that is not before i.
func after(s string, i int) int {
	if i >= len(s) {
		return len(s)
	}
	j := known(s, i)
	for j < i {
		j += Next(s[j:])
	}
	return j
}

// known goes back from i to a place that is a border whatever stands before
// it: the start of s, or between two runes that never join. In most texts it
// is a few bytes away.
func known(s string, i int) int {
	for i = max(i, 0); i > 0; i-- {
		if !utf8.RuneStart(s[i]) {
			continue
		}
		r, _ := utf8.DecodeRuneInString(s[i:])
		l, _ := utf8.DecodeLastRuneInString(s[:i])
		if single(l) && single(r) && (l != '\r' || r != '\n') {
			return i
		}
	}
	return 0
}

// single reports whether r neither joins the rune before it nor, by itself,
// the one behind it: ASCII, kana and Han.
func single(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return true
	case 0x3041 <= r && r <= 0x3096, 0x30A1 <= r && r <= 0x30FA:
		return true
	}
	return 0x4E00 <= r && r <= 0x9FFF
}
