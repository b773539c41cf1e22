package text

import (
	"bytes"
	"fmt"
	"net/http"
	"unicode/utf8"
)

// sniff is how much of a file or an output decides whether it is text.
const sniff = 8 << 10

// Binary reports whether b, the start of a file or an output, is not text for
// a person: it has NUL bytes, or more than a third of it is neither printable
// nor valid UTF-8. A multi-byte character torn at the end of b doesn't count.
func Binary(b []byte) bool {
	if len(b) > sniff {
		b = b[:sniff]
	}
	if bytes.IndexByte(b, 0) >= 0 {
		return true
	}
	odd, n := 0, 0
	for rest := b; len(rest) > 0; n++ {
		r, size := utf8.DecodeRune(rest)
		switch {
		case r == utf8.RuneError && size == 1:
			if !utf8.FullRune(rest) {
				size = len(rest)
				break
			}
			odd++
		case r < ' ' && r != '\n' && r != '\r' && r != '\t' && r != '\f' && r != '\b' && r != 0x1b:
			odd++
		}
		rest = rest[size:]
	}
	return odd*3 > n
}

// Describe names binary data in a few words: its size and its likely type.
func Describe(b []byte, size int64) string {
	kind := http.DetectContentType(b)
	if kind == "application/octet-stream" || kind == "text/plain; charset=utf-8" {
		kind = "unknown type"
	}
	return fmt.Sprintf("binary data, %s, %s", kind, Size(size))
}

// Size writes a number of bytes for people.
func Size(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d bytes", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}
