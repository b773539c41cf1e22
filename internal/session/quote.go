package session

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

func unescape(s string) (string, bool) {
	b := make([]byte, 0, len(s))
	for {
		n := strings.IndexByte(s, '\\')
		if n < 0 {
			return string(append(b, s...)), true
		}
		b = append(b, s[:n]...)
		if s = s[n+1:]; s == "" {
			return "", false
		}
		c := s[0]
		s = s[1:]
		switch c {
		case '"', '\\', '/':
			b = append(b, c)
		case 'n':
			b = append(b, '\n')
		case 't':
			b = append(b, '\t')
		case 'r':
			b = append(b, '\r')
		case 'b':
			b = append(b, '\b')
		case 'f':
			b = append(b, '\f')
		case 'u':
			r, ok := hex4(s)
			if !ok {
				return "", false
			}
			s = s[4:]
			if utf16.IsSurrogate(r) && strings.HasPrefix(s, `\u`) {
				if low, ok := hex4(s[2:]); ok {
					if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
						r, s = pair, s[6:]
					}
				}
			}
			b = utf8.AppendRune(b, r) // a lone half becomes U+FFFD
		default:
			return "", false
		}
	}
}

func hex4(s string) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(s[:4], 16, 16)
	return rune(n), err == nil
}

// marshal is json.Marshal without the escapes meant for HTML, as the recorded
// files have it.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
