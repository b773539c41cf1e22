package jsonc

import (
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// str reads a quoted string; the cursor is on the quote.
func (p *parser) str() string {
	quote := p.src[p.off]
	p.off++
	start := p.off
	for p.off < len(p.src) { // the common case has no escapes
		c := p.src[p.off]
		if c == quote {
			p.off++
			return valid(p.src[start : p.off-1])
		}
		if c == '\\' || c == '\n' || c == '\r' {
			break
		}
		p.off++
	}
	var b strings.Builder
	b.WriteString(valid(p.src[start:p.off]))
	for p.err == nil {
		c, size := p.peek()
		switch c {
		case rune(quote):
			p.off++
			return b.String()
		case '\\':
			p.off++
			p.escape(&b)
		case '\n', '\r', eof:
			p.invalid()
		default:
			b.WriteRune(c)
			p.off += size
		}
	}
	return ""
}

func valid(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }

func (p *parser) escape(b *strings.Builder) {
	c, size := p.peek()
	if c == eof || c >= '1' && c <= '9' {
		p.invalid()
		return
	}
	p.off += size
	switch c {
	case 'b', 'f', 'n', 'r', 't', 'v':
		b.WriteByte("\b\f\n\r\t\v"[strings.IndexRune("bfnrtv", c)])
	case '0':
		if c, _ := p.peek(); c >= '0' && c <= '9' {
			p.invalid()
			return
		}
		b.WriteByte(0)
	case 'x':
		b.WriteRune(p.hex(2))
	case 'u':
		b.WriteRune(p.unicodeEscape())
	case '\r':
		if c, _ := p.peek(); c == '\n' {
			p.off++
		}
	case '\n', 0x2028, 0x2029: // a line continuation
	default:
		b.WriteRune(c)
	}
}

// unicodeEscape reads the four digits after \u, and the second half of a
// surrogate pair.
func (p *parser) unicodeEscape() rune {
	r := p.hex(4)
	if !utf16.IsSurrogate(r) || p.err != nil {
		return r
	}
	rest := p.src[p.off:]
	if len(rest) < 6 || rest[0] != '\\' || rest[1] != 'u' {
		return utf8.RuneError
	}
	save := p.off
	p.off += 2
	pair := utf16.DecodeRune(r, p.hex(4))
	if pair == utf8.RuneError && p.err == nil {
		p.off = save
	}
	return pair
}

func (p *parser) hex(digits int) rune {
	var r rune
	for range digits {
		c, _ := p.peek()
		d := hexDigit(c)
		if d < 0 {
			p.invalid()
			return 0
		}
		r = r<<4 | d
		p.off++
	}
	return r
}

func hexDigit(c rune) rune {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	}
	return -1
}

// identifier reads an unquoted key.
func (p *parser) identifier() string {
	var b strings.Builder
	for p.err == nil {
		c, size := p.peek()
		escaped := c == '\\'
		if escaped {
			p.off++
			if c, _ := p.peek(); c != 'u' {
				p.invalid()
				return ""
			}
			p.off++
			c, size = p.hex(4), 0
			if p.err != nil {
				return ""
			}
		}
		if !idStart(c) && (b.Len() == 0 || !idPart(c)) {
			switch {
			case escaped:
				pos := p.doc.Pos(p.off)
				p.fail(Pos{pos.Line, pos.Column - 6}, "invalid identifier character")
			case b.Len() == 0:
				p.invalid()
			}
			return b.String()
		}
		b.WriteRune(c)
		p.off += size
	}
	return ""
}

func idStart(c rune) bool {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '$', c == '_':
		return true
	case c < utf8.RuneSelf:
		return false
	}
	return unicode.In(c, unicode.L, unicode.Nl, unicode.Other_ID_Start)
}

func idPart(c rune) bool {
	if c < utf8.RuneSelf {
		return c >= '0' && c <= '9'
	}
	return c == 0x200C || c == 0x200D || unicode.In(c, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue)
}
