// Package jsonw appends JSON to a byte slice: requests to models, frames of the
// gateway and lines of transcripts. They are long or many; writing them by hand
// costs a copy, where reflection over maps costs several. What is small or rare
// goes through encoding/json, and what people write through package jsonc.
package jsonw

import (
	"encoding/base64"
	"unicode/utf8"
)

// String appends s as a JSON string, escaping only what must be, as JavaScript
// does it. Bytes that aren't UTF-8 become U+FFFD.
func String[S ~string | ~[]byte](dst []byte, s S) []byte {
	return append(Inside(append(dst, '"'), s), '"')
}

// Inside appends what [String] puts between the quotes. Pieces that end at
// borders of characters may be appended one after the other.
func Inside[S ~string | ~[]byte](dst []byte, s S) []byte {
	const hex = "0123456789abcdef"
	start := 0
	for i := 0; i < len(s); {
		if i = plain(s, i); i == len(s) {
			break
		}
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(string(s[i:min(i+utf8.UTFMax, len(s))]))
			if r == utf8.RuneError && n == 1 {
				dst = append(append(dst, s[start:i]...), "\uFFFD"...)
				start = i + 1
			}
			i += n
			continue
		}
		dst = append(dst, s[start:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		start = i
	}
	return append(dst, s[start:]...)
}

// plain returns the index of the first byte of s, from i on, that doesn't stand
// for itself: one that isn't ASCII, a control character, quote or backslash. It
// looks at eight at a time, since most of a long request needs no escape.
func plain[S ~string | ~[]byte](s S, i int) int {
	const (
		ones  = 0x0101010101010101
		highs = 0x80 * ones
	)
	for ; i+8 <= len(s); i += 8 {
		x := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
			uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
		quote, slash := x^'"'*ones, x^'\\'*ones
		// A byte that is zero, or less than a space, borrows into its high bit.
		// Bytes above it may have theirs set too, but none when there is no such.
		if (x|(x-' '*ones)|(quote-ones)|(slash-ones))&highs != 0 {
			break
		}
	}
	for i < len(s) && s[i] >= ' ' && s[i] != '"' && s[i] != '\\' && s[i] < utf8.RuneSelf {
		i++
	}
	return i
}

// Key appends a member's key and colon, with a comma before it unless it is
// the first of its object.
func Key(dst []byte, key string) []byte {
	dst = Comma(dst)
	dst = append(dst, '"')
	dst = append(dst, key...) // keys are ours: plain ASCII
	return append(dst, '"', ':')
}

// Comma appends a comma unless dst ends where a list, object or value begins.
func Comma(dst []byte) []byte {
	if n := len(dst); n > 0 {
		switch dst[n-1] {
		case '{', '[', ':', ',':
			return dst
		}
		return append(dst, ',')
	}
	return dst
}

// Base64 appends data as a JSON string in standard base64, after prefix.
func Base64(dst []byte, prefix string, data []byte) []byte {
	dst = String(dst, prefix)
	dst = base64.StdEncoding.AppendEncode(dst[:len(dst)-1], data)
	return append(dst, '"')
}
