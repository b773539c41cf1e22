package text

import "unicode/utf8"

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
