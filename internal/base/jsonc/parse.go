package jsonc

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxDepth bounds nesting, so that hostile input can't exhaust the stack.
const maxDepth = 500

const eof rune = -1

type parser struct {
	doc   *Document
	src   []byte
	off   int
	depth int
	unq   int // unquoted minus quoted keys
	sgl   int // single-quoted minus double-quoted strings
	err   *SyntaxError
}

// Parse reads one JSON5 document. name is for messages. The error is a
// [*SyntaxError].
func Parse(name string, src []byte) (*Document, error) {
	d := &Document{Name: name, Source: src, lines: []int{0}}
	for i := 0; ; {
		j := bytes.IndexByte(src[i:], '\n')
		if j < 0 {
			break
		}
		i += j + 1
		d.lines = append(d.lines, i)
	}
	p := &parser{doc: d, src: src}
	p.space()
	d.Root = p.value()
	if p.err == nil {
		p.space()
		if p.err == nil && p.off < len(src) {
			p.invalid()
		}
	}
	if p.err != nil {
		return nil, p.err
	}
	d.style = styleOf(d, p.unq > 0, p.sgl > 0)
	return d, nil
}

// peek returns the rune at the cursor and its size.
func (p *parser) peek() (rune, int) {
	if p.off >= len(p.src) {
		return eof, 0
	}
	if c := p.src[p.off]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	return utf8.DecodeRune(p.src[p.off:])
}

// invalid reports the rune at the cursor, with the place npm json5 gives it:
// the column after reading it, and column 0 of the next line for a newline.
func (p *parser) invalid() *Node {
	c, size := p.peek()
	pos := p.doc.Pos(p.off)
	switch {
	case c == eof:
		return p.fail(pos, "invalid end of input")
	case c == '\n':
		pos = Pos{pos.Line + 1, 0}
	default:
		pos.Column += units(p.src[p.off:p.off+size]) - 1
	}
	return p.fail(pos, "invalid character '"+display(c)+"'")
}

func (p *parser) fail(pos Pos, msg string) *Node {
	if p.err == nil {
		p.err = &SyntaxError{Pos: pos, Msg: msg}
	}
	p.off = len(p.src)
	return nil
}

func display(c rune) string {
	if i := strings.IndexRune("'\"\\\b\f\n\r\t\v\x00\u2028\u2029", c); i >= 0 {
		return map[rune]string{
			'\'': `\'`, '"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`,
			'\t': `\t`, '\v': `\v`, 0: `\0`, '\u2028': `\u2028`, '\u2029': `\u2029`,
		}[c]
	}
	if c < ' ' {
		return fmt.Sprintf(`\x%02x`, c)
	}
	return string(c)
}

// space skips white space and comments.
func (p *parser) space() {
	for p.err == nil {
		c, size := p.peek()
		switch {
		case c == '/':
			p.comment()
		case isSpace(c):
			p.off += size
		default:
			return
		}
	}
}

func isSpace(c rune) bool {
	switch c {
	case ' ', '\t', '\n', '\r', '\v', '\f', 0xA0, 0xFEFF, 0x2028, 0x2029:
		return true
	}
	return c > 0xFF && unicode.Is(unicode.Zs, c)
}

func (p *parser) comment() {
	p.off++
	switch c, _ := p.peek(); c {
	case '/':
		for {
			c, size := p.peek()
			if c == eof || c == '\n' || c == '\r' || c == 0x2028 || c == 0x2029 {
				return
			}
			p.off += size
		}
	case '*':
		end := bytes.Index(p.src[p.off+1:], []byte("*/"))
		if end < 0 {
			p.off = len(p.src)
			p.invalid()
			return
		}
		p.off += end + 3
	default:
		p.invalid()
	}
}

func (p *parser) value() *Node {
	if p.err != nil {
		return nil
	}
	c, _ := p.peek()
	start := p.off
	switch {
	case c == '{':
		return p.nested(start, p.object)
	case c == '[':
		return p.nested(start, p.array)
	case c == '"' || c == '\'':
		if c == '\'' {
			p.sgl++
		} else {
			p.sgl--
		}
		s := p.str()
		return &Node{Kind: String, Text: s, Doc: p.doc, Start: start, End: p.off}
	case c == 'n' && p.literal("null"):
		return &Node{Kind: Null, Doc: p.doc, Start: start, End: p.off}
	case c == 't' && p.literal("true"):
		return &Node{Kind: Bool, Bool: true, Doc: p.doc, Start: start, End: p.off}
	case c == 'f' && p.literal("false"):
		return &Node{Kind: Bool, Doc: p.doc, Start: start, End: p.off}
	case c == '+' || c == '-' || c == '.' || c == 'I' || c == 'N' || c >= '0' && c <= '9':
		text := p.number()
		return &Node{Kind: Number, Text: text, Doc: p.doc, Start: start, End: p.off}
	}
	return p.invalid()
}

func (p *parser) literal(word string) bool {
	for i := range len(word) {
		if p.off >= len(p.src) || p.src[p.off] != word[i] {
			p.invalid()
			return false
		}
		p.off++
	}
	return true
}

func (p *parser) nested(start int, read func(*Node)) *Node {
	if p.depth++; p.depth > maxDepth {
		return p.fail(p.doc.Pos(start), fmt.Sprintf("nested deeper than %d", maxDepth))
	}
	n := &Node{Doc: p.doc, Start: start}
	p.off++
	read(n)
	n.End = p.off
	p.depth--
	return n
}

func (p *parser) array(n *Node) {
	n.Kind = Array
	for p.err == nil {
		p.space()
		if c, _ := p.peek(); c == ']' {
			p.off++
			return
		}
		v := p.value()
		if p.err != nil {
			return
		}
		n.Items = append(n.Items, v)
		p.space()
		switch c, _ := p.peek(); c {
		case ',':
			p.off++
		case ']':
			p.off++
			return
		default:
			p.invalid()
		}
	}
}

func (p *parser) object(n *Node) {
	n.Kind = Object
	for p.err == nil {
		p.space()
		c, _ := p.peek()
		if c == '}' {
			p.off++
			return
		}
		m := Member{Doc: p.doc, Start: p.off}
		if c == '"' || c == '\'' {
			p.unq--
			m.Key = p.str()
		} else {
			p.unq++
			m.Key = p.identifier()
		}
		m.End = p.off
		p.space()
		if c, _ := p.peek(); c != ':' {
			p.invalid()
			return
		}
		p.off++
		p.space()
		if m.Value = p.value(); p.err != nil {
			return
		}
		n.Members = append(n.Members, m)
		p.space()
		switch c, _ := p.peek(); c {
		case ',':
			p.off++
		case '}':
			p.off++
			return
		default:
			p.invalid()
		}
	}
}
