package exec

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/openclaw-go/openclaw/internal/base/text"
)

// text returns the last limit bytes that the command printed, as text.
func (s *session) text(limit int) string {
	out, _ := s.since(0, limit)
	return out
}

// since returns what the command printed from offset on, at most the last
// limit bytes, and the offset to go on with. It is text for a model: no
// terminal codes, valid UTF-8, binary output described.
func (s *session) since(offset int64, limit int) (out string, next int64) {
	b, from := s.ring.Since(offset, limit)
	next = from + int64(len(b))
	if !s.done() {
		// A character may be half printed.
		for k := 1; k <= min(utf8.UTFMax-1, len(b)); k++ {
			if tail := b[len(b)-k:]; utf8.RuneStart(tail[0]) {
				if !utf8.FullRune(tail) {
					b, next = b[:len(b)-k], next-int64(k)
				}
				break
			}
		}
	}
	if len(b) == 0 {
		return "", next
	}
	return s.shown(b, from, offset), next
}

// shown makes b, printed at from, readable; offset is where the reader left
// off.
func (s *session) shown(b []byte, from, offset int64) string {
	if from > offset {
		for len(b) > 0 && !utf8.RuneStart(b[0]) {
			b = b[1:]
		}
	}
	if text.Binary(b) {
		return "[" + text.Describe(b, s.ring.Total()-offset) + "; send it to a file, or pipe it through a program that prints text]"
	}
	out := strings.TrimRight(printable(string(b), s.pty), " \r\n")
	if from > offset {
		out = fmt.Sprintf("[%s of earlier output left out]\n%s", text.Size(from-offset), out)
	}
	return out
}

// printable removes terminal codes and makes s valid UTF-8. On a terminal a
// line that was overwritten is shown as it ended up.
func printable(s string, pty bool) string {
	s = text.Valid(s)
	if strings.ContainsAny(s, "\x1b\b\a") {
		s = plain(s)
	}
	if !strings.Contains(s, "\r") {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if !pty {
		return s
	}
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		l = strings.TrimRight(l, "\r")
		lines[i] = l[strings.LastIndexByte(l, '\r')+1:]
	}
	return strings.Join(lines, "\n")
}

// plain drops escape sequences, bells and backspaces.
func plain(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\a', '\b':
		case 0x1b:
			i = escape(s, i)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// escape returns the index of the last byte of the escape sequence at s[i].
func escape(s string, i int) int {
	if i+1 >= len(s) {
		return i
	}
	switch s[i+1] {
	case '[': // CSI: parameters, then a letter
		for j := i + 2; j < len(s); j++ {
			if s[j] >= 0x40 && s[j] <= 0x7e {
				return j
			}
			if s[j] < 0x20 || s[j] > 0x7e {
				return j - 1
			}
		}
		return len(s) - 1
	case ']', 'P', '_', '^', 'X': // a string, up to BEL or ESC \
		for j := i + 2; j < len(s) && j < i+4096; j++ {
			if s[j] == '\a' {
				return j
			}
			if s[j] == 0x1b && j+1 < len(s) && s[j+1] == '\\' {
				return j + 1
			}
		}
		return i + 1
	case '(', ')', '#', '%', ' ':
		if i+2 < len(s) && s[i+2] < utf8.RuneSelf {
			return i + 2
		}
		return i + 1
	}
	if s[i+1] < utf8.RuneSelf {
		return i + 1
	}
	return i
}
