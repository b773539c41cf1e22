package markdown

import (
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/text"
)

// Measure returns how long a part is for a network: after rendering, in the
// network's unit.
type Measure func(part *Node) int

// Rendered measures what d makes of a part by size, which counts units of a
// text: one of [text.UTF16], [text.Bytes] and [text.Runes].
func Rendered(d Dialect, size func(string) int) Measure {
	return func(part *Node) int { return size(Render(part, &d)) }
}

// Split cuts source into parts of Markdown that measure at most limit each and
// stand alone: marks and code blocks that a cut goes through are closed before
// it and opened again behind it. It cuts between blocks if it can, else at the
// end of a line, a sentence or a word, and never inside what a reader sees as
// one character. A limit of 0 or less, or a text that fits, gives one part; a
// text without anything to read gives none.
func Split(source string, limit int, measure Measure) []string {
	if strings.TrimSpace(source) == "" {
		return nil
	}
	doc := Parse(source)
	if limit <= 0 || measure(doc) <= limit {
		return []string{source}
	}
	s := splitter{limit: limit, measure: measure}
	for _, b := range doc.Children {
		s.place(b)
	}
	s.flush()
	return s.parts
}

type splitter struct {
	limit   int
	measure Measure
	cur     []*Node
	parts   []string
}

func (s *splitter) fits(bs ...*Node) bool {
	return s.measure(&Node{Kind: Document, Children: bs}) <= s.limit
}

// with is the current part with b added.
func (s *splitter) with(b *Node) []*Node { return append(s.cur[:len(s.cur):len(s.cur)], b) }

// place adds b to the current part, or to as many new ones as it takes.
func (s *splitter) place(b *Node) {
	for {
		if b.Kind == Document {
			for _, c := range b.Children {
				s.place(c)
			}
			return
		}
		if s.fits(s.with(b)...) {
			s.cur = s.with(b)
			return
		}
		if len(s.cur) > 0 && (s.fits(b) || s.full()) {
			s.flush()
			continue
		}
		head, rest := s.cut(b)
		switch {
		case head != nil:
			s.cur = s.with(head)
			s.flush()
		case len(s.cur) > 0:
			s.flush()
			continue
		default:
			s.raw(b)
			return
		}
		if rest == nil {
			return
		}
		b = rest
	}
}

// full tells that too little room is left to start a block that must be cut.
func (s *splitter) full() bool {
	return s.measure(&Node{Kind: Document, Children: s.cur}) > s.limit*3/4
}

func (s *splitter) flush() {
	if len(s.cur) == 0 {
		return
	}
	doc := &Node{Kind: Document, Children: s.cur}
	s.cur = nil
	part := Source(doc)
	if s.same(part, doc) {
		s.parts = append(s.parts, part)
		return
	}
	// A tree that Markdown can't say, such as two lists in a row: its blocks go
	// as parts of their own, and what still fails as text without marks.
	if len(doc.Children) > 1 {
		for _, b := range doc.Children {
			s.cur = []*Node{b}
			s.flush()
		}
		return
	}
	s.raw(doc.Children[0])
}

// same checks that part reads as doc does and fits.
func (s *splitter) same(part string, doc *Node) bool {
	d := Plain()
	again := Parse(part)
	return s.measure(again) <= s.limit && Render(again, &d) == Render(doc, &d)
}

// raw emits b as text without marks, cut wherever it must be. It is for what
// can't be cut otherwise: a link that is longer than the limit.
func (s *splitter) raw(b *Node) {
	d := Plain()
	plain := Render(b, &d)
	for plain != "" {
		n := s.head(plain)
		part := &Node{Kind: Document, Children: []*Node{{Kind: Paragraph, Children: lines(plain[:n])}}}
		if out := Source(part); strings.TrimSpace(out) != "" {
			s.parts = append(s.parts, out)
		}
		plain = strings.TrimLeft(plain[n:], "\n")
	}
}

// head is the length of the longest head of plain that fits, or
// of one character when none does.
func (s *splitter) head(plain string) int {
	fits := func(n int) bool {
		return s.fits(&Node{Kind: Paragraph, Children: lines(plain[:n])})
	}
	return max(longest(plain, s.limit, fits), text.Next(plain))
}

// longest is the length of the longest head of plain, ending at a border of
// characters, for which fits holds; fits must be monotonic.
func longest(plain string, limit int, fits func(n int) bool) int {
	borders := make([]int, 0, 64)
	for i := 0; i < len(plain) && len(borders) <= limit; {
		i += text.Next(plain[i:])
		borders = append(borders, i)
	}
	lo, hi := 0, len(borders) // borders[lo-1] fits
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if fits(borders[mid-1]) {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	if lo == 0 {
		return 0
	}
	return borders[lo-1]
}
