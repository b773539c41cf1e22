// Package jsonr walks over JSON without building anything. A streamed answer
// is hundreds of small objects of one shape; looking at their members in place
// costs a tenth of decoding them. It is for shortcuts: what it doesn't find as
// expected is left to encoding/json.
package jsonr

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// Object calls f with each member of the object raw, in order, until f returns
// false. Key is without quotes and as written; value has no white space around
// it. It reports whether raw is one object, walked to its end, as far as
// brackets, quotes and commas tell.
func Object(raw []byte, f func(key, value []byte) bool) bool {
	i := space(raw, 0)
	if i >= len(raw) || raw[i] != '{' {
		return false
	}
	i = space(raw, i+1)
	if i < len(raw) && raw[i] == '}' {
		return space(raw, i+1) == len(raw)
	}
	for {
		end := str(raw, i)
		if end < 0 {
			return false
		}
		key := raw[i+1 : end-1]
		i = space(raw, end)
		if i >= len(raw) || raw[i] != ':' {
			return false
		}
		i = space(raw, i+1)
		end = skip(raw, i)
		if end < 0 || !f(key, raw[i:end]) {
			return false
		}
		i = space(raw, end)
		if i >= len(raw) {
			return false
		}
		switch raw[i] {
		case ',':
			i = space(raw, i+1)
		case '}':
			return space(raw, i+1) == len(raw)
		default:
			return false
		}
	}
}

// Single returns the only element of the array raw, or nil.
func Single(raw []byte) []byte {
	if len(raw) < 2 || raw[0] != '[' {
		return nil
	}
	i := space(raw, 1)
	end := skip(raw, i)
	if end < 0 {
		return nil
	}
	j := space(raw, end)
	if j != len(raw)-1 || raw[j] != ']' {
		return nil
	}
	return raw[i:end]
}

// String is the value of a JSON string.
func String(raw []byte) (string, bool) {
	if len(raw) < 2 || raw[0] != '"' || str(raw, 0) != len(raw) {
		return "", false
	}
	in := raw[1 : len(raw)-1]
	if bytes.IndexByte(in, '\\') < 0 && utf8.Valid(in) {
		return string(in), true
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err == nil
}

// IsNull tells whether raw is null.
func IsNull(raw []byte) bool { return string(raw) == "null" }

func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// str returns the index after the string that begins at i, or -1.
func str(b []byte, i int) int {
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	for i++; i < len(b); i++ {
		switch c := b[i]; {
		case c == '\\':
			i++
		case c == '"':
			return i + 1
		case c < ' ':
			return -1
		}
	}
	return -1
}

// skip returns the index after the value that begins at i, or -1.
func skip(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		return str(b, i)
	case '{', '[':
		depth := 0
		for i < len(b) {
			switch b[i] {
			case '"':
				end := str(b, i)
				if end < 0 {
					return -1
				}
				i = end
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
			i++
		}
		return -1
	}
	start := i
	for i < len(b) && (b[i] >= '0' && b[i] <= '9' || b[i] >= 'a' && b[i] <= 'z' || b[i] == '-' || b[i] == '+' || b[i] == '.' || b[i] == 'E') {
		i++
	}
	if i == start {
		return -1
	}
	return i
}
