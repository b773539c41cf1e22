package session

import (
	"encoding/json"
	"strconv"
	"strings"
)

// scanner walks JSON text. It is for transcripts, where encoding/json would
// make the first turn of a long session slow: strings without escapes are
// pieces of the text, and what nobody asks for is only skipped.
//
// A method that returns false has met something that is not JSON.
type scanner struct {
	s     string
	i     int
	depth int
	dirty bool // s isn't valid UTF-8: strings are mended
}

// maxDepth bounds nesting in lines that others wrote.
const maxDepth = 200

func (p *scanner) space() {
	for p.i < len(p.s) {
		switch p.s[p.i] {
		case ' ', '\t', '\r', '\n':
			p.i++
		default:
			return
		}
	}
}

// end reports whether nothing but space is left.
func (p *scanner) end() bool {
	p.space()
	return p.i == len(p.s)
}

// peek returns the first byte of the next token, 0 at the end.
func (p *scanner) peek() byte {
	p.space()
	if p.i == len(p.s) {
		return 0
	}
	return p.s[p.i]
}

func (p *scanner) eat(c byte) bool {
	if p.peek() != c {
		return false
	}
	p.i++
	return true
}

// object calls f for each key; f must read the value.
func (p *scanner) object(f func(key string) bool) bool {
	if !p.eat('{') || !p.down() {
		return false
	}
	defer p.up()
	if p.eat('}') {
		return true
	}
	for {
		p.space()
		k, ok := p.str()
		if !ok || !p.eat(':') || !f(k) {
			return false
		}
		if p.eat(',') {
			continue
		}
		return p.eat('}')
	}
}

// array calls f for each element; f must read it.
func (p *scanner) array(f func() bool) bool {
	if !p.eat('[') || !p.down() {
		return false
	}
	defer p.up()
	if p.eat(']') {
		return true
	}
	for {
		if !f() {
			return false
		}
		if p.eat(',') {
			continue
		}
		return p.eat(']')
	}
}

func (p *scanner) down() bool { p.depth++; return p.depth <= maxDepth }
func (p *scanner) up()        { p.depth-- }

// value skips one value and returns its text.
func (p *scanner) value() (string, bool) {
	p.space()
	from := p.i
	ok := p.skip()
	return p.s[from:p.i], ok
}

func (p *scanner) skip() bool {
	switch p.peek() {
	case '{':
		return p.object(func(string) bool { return p.skip() })
	case '[':
		return p.array(p.skip)
	case '"':
		_, _, ok := p.quoted()
		return ok
	}
	return p.literal()
}

// literal skips a number, true, false or null.
func (p *scanner) literal() bool {
	from := p.i
	for p.i < len(p.s) {
		switch c := p.s[p.i]; {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c == '-', c == '+', c == '.', c == 'E':
			p.i++
			continue
		}
		break
	}
	switch word := p.s[from:p.i]; word {
	case "true", "false", "null":
		return true
	default:
		if digits(word) && (word[0] != '0' || len(word) == 1) {
			return true
		}
		return json.Valid([]byte(word))
	}
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// quoted skips a string and returns what is between the quotes.
func (p *scanner) quoted() (inside string, escaped, ok bool) {
	if p.i >= len(p.s) || p.s[p.i] != '"' {
		return "", false, false
	}
	from := p.i + 1
	for at := from; ; {
		n := strings.IndexByte(p.s[at:], '"')
		if n < 0 {
			return "", false, false
		}
		end := at + n
		back := 0
		for end-back-1 >= from && p.s[end-back-1] == '\\' {
			back++
		}
		if back%2 == 0 {
			p.i = end + 1
			inside = p.s[from:end]
			return inside, strings.IndexByte(inside, '\\') >= 0, true
		}
		at = end + 1
	}
}

// str reads a string.
func (p *scanner) str() (string, bool) {
	inside, escaped, ok := p.quoted()
	if !ok {
		return "", false
	}
	if escaped {
		inside, ok = unescape(inside)
	}
	if p.dirty {
		inside = strings.ToValidUTF8(inside, "\uFFFD")
	}
	return inside, ok
}

// text reads a string, or null as "".
func (p *scanner) text() (string, bool) {
	if p.peek() != '"' {
		v, ok := p.value()
		return "", ok && v == "null"
	}
	return p.str()
}

// integer reads a number; a fraction is cut off, null is 0.
func (p *scanner) integer() (int64, bool) {
	v, ok := p.value()
	if !ok {
		return 0, false
	}
	if n, err := strconv.ParseInt(v, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(v, 64)
	return int64(f), err == nil || v == "null"
}

// float reads a number, null as 0.
func (p *scanner) float() (float64, bool) {
	v, ok := p.value()
	if v == "0" {
		return 0, ok
	}
	f, err := strconv.ParseFloat(v, 64)
	return f, ok && (err == nil || v == "null")
}
