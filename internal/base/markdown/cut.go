package markdown

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// cut divides b so that head fits behind the current part. A nil head says
// that nothing of b does.
func (s *splitter) cut(b *Node) (head, rest *Node) {
	switch b.Kind {
	case CodeBlock:
		return s.cutCode(b)
	case Table:
		// Its parts can't be tables without repeating the head.
		return s.cutCode(&Node{Kind: CodeBlock, Text: grid(b)})
	case List, Quote:
		return s.cutBlocks(b)
	case Paragraph, Heading:
		return s.cutInline(b)
	}
	return nil, nil
}

// cutCode cuts between lines; a line that is too long, inside.
func (s *splitter) cutCode(b *Node) (head, rest *Node) {
	code := func(text string) *Node { return &Node{Kind: CodeBlock, Info: b.Info, Text: text} }
	fits := func(n int) bool { return s.fits(s.with(code(b.Text[:n]))...) }
	n := longest(b.Text, s.limit, fits)
	if n == len(b.Text) {
		return code(b.Text), nil
	}
	if n == 0 {
		return nil, nil
	}
	if i := strings.LastIndexByte(b.Text[:n+1], '\n'); i > 0 {
		return code(b.Text[:i]), code(b.Text[i+1:])
	}
	if len(s.cur) > 0 {
		return nil, nil // a line is cut only when it has a part for itself
	}
	return code(b.Text[:n]), code(b.Text[n:])
}

// cutBlocks cuts a list or a quote between its children, and inside the first
// one when that alone doesn't fit.
func (s *splitter) cutBlocks(b *Node) (head, rest *Node) {
	part := func(from, to int) *Node {
		c := *b
		c.Children = b.Children[from:to]
		if b.Start > 0 {
			c.Start = b.Start + from
		}
		return &c
	}
	n := sort.Search(len(b.Children), func(i int) bool { return !s.fits(s.with(part(0, i+1))...) })
	if n == len(b.Children) {
		return b, nil
	}
	if n > 0 {
		return part(0, n), part(n, len(b.Children))
	}
	if len(s.cur) > 0 {
		return nil, nil
	}
	return s.cutFirst(b, part)
}

// cutFirst cuts inside the first child of b. What is left of a list item goes
// on without a bullet.
func (s *splitter) cutFirst(b *Node, part func(from, to int) *Node) (head, rest *Node) {
	in := splitter{limit: s.limit, measure: func(doc *Node) int {
		return s.measure(&Node{Kind: Document, Children: []*Node{enclose(b, doc.Children)}})
	}}
	first := b.Children[0]
	inner := []*Node{first}
	if first.Kind == Item {
		inner = first.Children
	}
	n := 0
	for n < len(inner) && in.fits(inner[:n+1]...) {
		n++
	}
	in.cur = inner[:n:n]
	var h, r *Node
	if n < len(inner) && (n == 0 || !in.full()) {
		h, r = in.cut(inner[n])
	}
	if h != nil {
		in.cur, n = in.with(h), n+1
	} else {
		r = nil
	}
	if len(in.cur) == 0 {
		return nil, nil
	}
	left := inner[n:]
	switch {
	case r != nil && r.Kind == Document:
		left = append(r.Children[:len(r.Children):len(r.Children)], left...)
	case r != nil:
		left = append([]*Node{r}, left...)
	}
	head = enclose(b, in.cur)
	more := b.Children[1:]
	switch {
	case b.Kind != List:
		rest = enclose(b, append(left[:len(left):len(left)], more...))
	case len(more) > 0:
		rest = &Node{Kind: Document, Children: append(left[:len(left):len(left)], part(1, len(b.Children)))}
	default:
		rest = &Node{Kind: Document, Children: left}
	}
	if len(rest.Children) == 0 {
		rest = nil
	}
	return head, rest
}

// enclose puts blocks into a copy of b, a list or a quote.
func enclose(b *Node, blocks []*Node) *Node {
	c := *b
	c.Children = blocks
	if b.Kind == List {
		c.Children = []*Node{{Kind: Item, Children: blocks}}
	}
	return &c
}

// cutInline cuts a paragraph or a heading.
func (s *splitter) cutInline(b *Node) (head, rest *Node) {
	text := flat(b)
	halves := func(n int) (l, r *Node) {
		x, y := *b, *b
		x.Children, y.Children = divide(b.Children, n)
		return &x, &y
	}
	fits := func(n int) bool {
		l, _ := halves(n)
		return s.fits(s.with(l)...)
	}
	n := longest(text, s.limit, fits)
	if n == 0 {
		return nil, nil
	}
	n = border(text, n)
	if len(s.cur) > 0 && n < len(text)/16 && n < 80 {
		return nil, nil // a few words before the cut read worse than none
	}
	l, r := halves(n)
	l.Children, r.Children = trimRight(l.Children), trimLeft(r.Children)
	if len(r.Children) == 0 {
		r = nil
	}
	if len(l.Children) == 0 {
		return nil, nil
	}
	return l, r
}

// border moves n, a place in text, back to where a reader would pause: the end
// of a line or a sentence in the last half, or of a word in the last quarter.
func border(text string, n int) int {
	if n >= len(text) {
		return n
	}
	head := text[:n]
	if i := strings.LastIndexByte(text[:n+1], '\n'); i > n/2 {
		return i
	}
	best := -1
	for i := len(head); i > n/2; {
		r, w := utf8.DecodeLastRuneInString(head[:i])
		next, _ := utf8.DecodeRuneInString(text[i:])
		switch {
		case strings.ContainsRune("。！？…", r), strings.ContainsRune(".!?", r) && unicode.IsSpace(next):
			return i
		case best < 0 && unicode.IsSpace(next):
			best = i
		}
		i -= w
	}
	if best > n/2 {
		return best
	}
	return n
}

// flat is the text of the leaves below n; a Break is "\n", and what must not
// be cut unless nothing else helps counts as one character.
func flat(n *Node) string {
	var b strings.Builder
	var walk func(ns []*Node)
	walk = func(ns []*Node) {
		for _, n := range ns {
			b.WriteString(n.leaf())
			walk(n.Children)
		}
	}
	walk(n.Children)
	return b.String()
}

// leaf is n's own text in flat.
func (n *Node) leaf() string {
	switch n.Kind {
	case Text, CodeSpan:
		return n.Text
	case Break:
		return "\n"
	case AutoLink:
		return "x"
	case Link, Image:
		if len(n.Children) == 0 {
			return "x"
		}
	}
	return ""
}

// divide cuts inline nodes at byte at of their flat text. A node that the cut
// goes through is on both sides.
func divide(ns []*Node, at int) (left, right []*Node) {
	for i, n := range ns {
		size := len(n.leaf())
		if size == 0 {
			size = len(flat(n))
		}
		if at >= size {
			at -= size
			continue
		}
		left, right = ns[:i:i], ns[i+1:]
		if at == 0 {
			return left, ns[i:]
		}
		l, r := *n, *n
		if n.Kind == Text || n.Kind == CodeSpan {
			l.Text, r.Text = n.Text[:at], n.Text[at:]
		} else {
			l.Children, r.Children = divide(n.Children, at)
		}
		return append(left, &l), append([]*Node{&r}, right...)
	}
	return ns, nil
}

// trimRight drops white space at the end, also inside marks.
func trimRight(ns []*Node) []*Node {
	for len(ns) > 0 {
		k := len(ns) - 1
		n, ok := trimmed(ns[k], trimRight, func(s string) string { return strings.TrimRightFunc(s, unicode.IsSpace) })
		if ok {
			return append(ns[:k:k], n)
		}
		ns = ns[:k]
	}
	return nil
}

// trimLeft drops white space at the start, also inside marks.
func trimLeft(ns []*Node) []*Node {
	for len(ns) > 0 {
		n, ok := trimmed(ns[0], trimLeft, func(s string) string { return strings.TrimLeftFunc(s, unicode.IsSpace) })
		if ok {
			return append([]*Node{n}, ns[1:]...)
		}
		ns = ns[1:]
	}
	return nil
}

// trimmed trims n; ok is false when nothing is left of it.
func trimmed(n *Node, list func([]*Node) []*Node, text func(string) string) (_ *Node, ok bool) {
	c := *n
	switch {
	case n.Kind == Break:
		return nil, false
	case n.Kind == Text:
		c.Text = text(n.Text)
		return &c, c.Text != ""
	case len(n.Children) > 0:
		c.Children = list(n.Children)
		return &c, len(c.Children) > 0
	}
	return n, true
}
