package irc

import (
	"strings"
	"unicode/utf8"

	"github.com/ergochat/irc-go/ircmsg"

	"github.com/openclaw-go/openclaw/internal/base/text"
)

func last(m ircmsg.Message) string {
	if len(m.Params) == 0 {
		return ""
	}
	return m.Params[len(m.Params)-1]
}

// fold is lower case as IRC has it.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '[':
			return '{'
		case ']':
			return '}'
		case '\\':
			return '|'
		case '~':
			// rfc1459 folds it to '^', but idents begin with it and people copy
			// them into allow lists as they see them.
			return '~'
		}
		return r
	}, strings.ToLower(s))
}

func same(a, b string) bool { return fold(a) == fold(b) }

// decodeText is a line as UTF-8: one that isn't is Latin 1, as old clients
// send it.
func decodeText(line []byte) string {
	if utf8.Valid(line) {
		return string(line)
	}
	var b strings.Builder
	b.Grow(len(line) + len(line)/4)
	for _, c := range line {
		b.WriteRune(rune(c))
	}
	return b.String()
}

// body is what a person wrote, without formatting; ok is false for machine
// talk (CTCP other than ACTION) and for nothing.
func body(s, nick string) (string, bool) {
	if strings.HasPrefix(s, "\x01") {
		act, ok := strings.CutPrefix(strings.Trim(s, "\x01"), "ACTION ")
		if !ok {
			return "", false
		}
		s = "* " + nick + " " + act
	}
	s = strings.TrimSpace(plain(s))
	return s, s != ""
}

// plain drops the control codes of mIRC formatting.
func plain(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == 0x03: // colour: up to two digits, a comma, two more
			i = skipColour(s, i+1, 2, true)
		case c == 0x04:
			i = skipColour(s, i+1, 6, true)
		case c == '\t':
			b.WriteByte(' ')
			i++
		case c < ' ' || c == 0x7f:
			i++
		default:
			b.WriteByte(c)
			i++
		}
	}
	return b.String()
}

func skipColour(s string, i, most int, more bool) int {
	hex := func(c byte) bool {
		return c >= '0' && c <= '9' || most == 6 && (c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F')
	}
	n := 0
	for n < most && i < len(s) && hex(s[i]) {
		i++
		n++
	}
	if more && n > 0 && i+1 < len(s) && s[i] == ',' && hex(s[i+1]) {
		return skipColour(s, i+1, most, false)
	}
	return i
}

// printable is text of the server that is safe to log and to show.
func printable(s string) string {
	return text.Cut(plain(s), 200)
}

// names tells whether text holds nick as a word.
func names(text, nick string) bool {
	t, n := fold(text), fold(nick)
	if n == "" {
		return false
	}
	for at := 0; ; {
		i := strings.Index(t[at:], n)
		if i < 0 {
			return false
		}
		i += at
		end := i + len(n)
		if (i == 0 || !nickByte(t[i-1])) && (end == len(t) || !nickByte(t[end])) {
			return true
		}
		at = i + 1
	}
}

// nickByte tells what may stand in a nick.
func nickByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 0x80 || strings.IndexByte("_-{}|^`", c) >= 0
}
