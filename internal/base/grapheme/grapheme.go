// Package grapheme cuts text where a reader sees a border: never inside a
// character, and never inside a cluster of them (a flag, a family, an accent
// with its letter). Everything that shortens text for people uses it.
package grapheme

import (
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// maxCluster bounds one cluster: a longer one is an attack with combining
// marks and is cut between characters instead.
const maxCluster = 128

// Cut returns the longest head of s that has at most n units as counted by
// size and ends at a border. With a nil size, n counts bytes. A first cluster
// that alone has more than n units is cut between characters; a single
// character that does gives "".
func Cut(s string, n int, size func(string) int) string {
	if size == nil {
		size = func(s string) int { return len(s) }
	}
	end, used := 0, 0
	for end < len(s) {
		step := Next(s[end:])
		w := size(s[end : end+step])
		if used+w > n {
			break
		}
		used += w
		end += step
	}
	if end > 0 || len(s) == 0 {
		return s[:end]
	}
	for end < len(s) {
		_, w := utf8.DecodeRuneInString(s[end:])
		u := size(s[end : end+w])
		if used+u > n {
			break
		}
		used += u
		end += w
	}
	return s[:end]
}

// Next returns the length in bytes of the first cluster of s.
func Next(s string) int {
	if len(s) < 2 || s[0] < utf8.RuneSelf && s[0] != '\r' && s[1] < utf8.RuneSelf {
		return min(len(s), 1)
	}
	it := graphemes.FromString(s)
	if !it.Next() {
		return len(s)
	}
	if n := it.End(); n <= maxCluster {
		return n
	}
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// Ellipsis cuts s to at most n bytes, ending in "…" when something is left
// out. The result is valid UTF-8 when s is.
func Ellipsis(s string, n int) string {
	const mark = "…"
	if len(s) <= n {
		return s
	}
	if n < len(mark) {
		return Cut(s, n, nil)
	}
	return Cut(s, n-len(mark), nil) + mark
}

// UTF16 counts UTF-16 code units, as Telegram and JavaScript do.
func UTF16(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}

// Bytes counts bytes.
func Bytes(s string) int { return len(s) }

// Runes counts code points.
func Runes(s string) int { return utf8.RuneCountInString(s) }
