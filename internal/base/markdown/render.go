package markdown

import (
	"cmp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Render writes n, a document or any node of one, in dialect d. Blocks are
// separated by a blank line; there is no new line at the end.
func Render(n *Node, d *Dialect) string {
	w := &writer{d: d}
	w.b.Grow(256)
	if n.Kind == Document {
		w.blocks(n.Children, true)
	} else {
		w.block(n)
	}
	return strings.TrimRight(w.b.String(), "\n ")
}

type writer struct {
	d      *Dialect
	b      strings.Builder
	prefix string  // before each line
	open   []Marks // open marks, to close and reopen at the end of a line
	active uint32  // bit k: marks of Kind k are open
	bol    bool    // a new line was written, its prefix wasn't
	quoted bool    // inside a quote: networks don't nest them
}

// put writes text that is already in the dialect.
func (w *writer) put(s string) {
	if w.prefix == "" && !w.bol {
		w.b.WriteString(s)
		return
	}
	for s != "" {
		if w.bol && s[0] != '\n' {
			w.b.WriteString(w.prefix)
			w.bol = false
		}
		i := strings.IndexByte(s, '\n')
		if i < 0 {
			w.b.WriteString(s)
			return
		}
		w.b.WriteString(s[:i+1])
		w.bol = true
		s = s[i+1:]
	}
}

func (w *writer) newline() {
	if !w.d.PerLine {
		w.put("\n")
		return
	}
	for i := len(w.open) - 1; i >= 0; i-- {
		w.put(w.open[i].Close)
	}
	w.put("\n")
	for _, m := range w.open {
		w.put(m.Open)
	}
}

func (w *writer) blocks(ns []*Node, loose bool) {
	for i, n := range ns {
		if i > 0 {
			w.put("\n")
			if loose || ns[i-1].Kind != Paragraph && n.Kind != List {
				w.bol = w.bol || w.prefix != ""
				w.blank()
			}
		}
		w.block(n)
	}
}

// blank writes an empty line; a quoted one keeps its mark.
func (w *writer) blank() {
	if p := strings.TrimRight(w.prefix, " "); p != "" && w.bol {
		w.b.WriteString(p)
	}
	w.b.WriteByte('\n')
	w.bol = w.prefix != ""
}

func (w *writer) block(n *Node) {
	d := w.d
	switch n.Kind {
	case Document:
		w.blocks(n.Children, true)
	case Paragraph, Cell:
		w.inlines(n.Children)
	case Heading:
		w.mark(Strong, d.Heading, n.Children)
	case CodeBlock:
		w.code(n.Info, n.Text)
	case Quote:
		w.quote(n)
	case List:
		w.list(n)
	case Item:
		w.blocks(n.Children, false)
	case Table:
		w.table(n)
	case Rule:
		w.put(cmp.Or(d.Rule, "---"))
	default:
		w.inline(n)
	}
}

func (w *writer) code(lang, text string) {
	var m Marks
	if w.d.Block != nil {
		m = w.d.Block(lang)
	}
	if text == "" && m.Open != "" {
		text = " "
	}
	w.put(m.Open)
	if m.Open != "" && w.d.QuotePrefix == "" {
		// What stands between the marks is shown as it is: no prefix there.
		prefix := w.prefix
		w.prefix = ""
		w.put(w.safeCode(text))
		w.prefix, w.bol = prefix, false
	} else {
		w.put(w.safeCode(text))
	}
	w.put(m.Close)
}

func (w *writer) quote(n *Node) {
	d := w.d
	if d.Quote.Open == "" {
		prefix := w.prefix
		if d.QuotePrefix != "" {
			w.put(d.QuotePrefix)
		}
		w.prefix += d.QuotePrefix
		w.blocks(n.Children, true)
		w.prefix = prefix
		return
	}
	if w.quoted {
		w.blocks(n.Children, true)
		return
	}
	w.quoted = true
	w.put(d.Quote.Open)
	w.blocks(n.Children, true)
	w.put(d.Quote.Close)
	w.quoted = false
}

func (w *writer) list(n *Node) {
	bullet := cmp.Or(w.d.Bullet, "- ")
	for i, item := range n.Children {
		if i > 0 {
			w.put("\n")
			if n.Loose && n.Children[i-1].multiline() {
				w.blank()
			}
		}
		mark := bullet
		if n.Start > 0 {
			mark = strconv.Itoa(n.Start+i) + ". "
		}
		prefix := w.prefix
		w.put(mark)
		w.prefix += strings.Repeat(" ", utf8.RuneCountInString(mark))
		w.blocks(item.Children, false)
		w.prefix = prefix
	}
}

func (n *Node) multiline() bool { return len(n.Children) > 1 }

func (w *writer) inlines(ns []*Node) {
	for _, n := range ns {
		w.inline(n)
	}
}

func (w *writer) inline(n *Node) {
	d := w.d
	switch n.Kind {
	case Text:
		w.put(w.safe(n.Text))
	case Break:
		w.newline()
	case Emph:
		w.mark(Emph, d.Emph, n.Children)
	case Strong:
		w.mark(Strong, d.Strong, n.Children)
	case Strike:
		w.mark(Strike, d.Strike, n.Children)
	case CodeSpan:
		if n.Text != "" {
			w.put(d.Code.Open + w.safeCode(n.Text) + d.Code.Close)
		}
	case Link, Image:
		w.link(n)
	case AutoLink:
		if d.Auto != nil {
			w.put(d.Auto(n.URL))
		} else {
			w.put(w.safe(n.URL))
		}
	default:
		w.inlines(n.Children)
	}
}

// mark writes children between marks. Marks of one kind don't nest.
func (w *writer) mark(k Kind, m Marks, children []*Node) {
	if m.Open == "" || w.active&(1<<k) != 0 || len(children) == 0 {
		w.inlines(children)
		return
	}
	w.active |= 1 << k
	w.put(m.Open)
	w.open = append(w.open, m)
	w.inlines(children)
	w.open = w.open[:len(w.open)-1]
	w.put(m.Close)
	w.active &^= 1 << k
}

func (w *writer) link(n *Node) {
	in := &writer{d: w.d, active: w.active | 1<<Link}
	if w.d.Link != nil {
		in.d = w.d.inLink()
	}
	in.inlines(n.Children)
	label := in.b.String()
	switch {
	case w.active&(1<<Link) != 0 || n.URL == "": // a link inside a link
		w.put(label)
	case w.d.Link != nil:
		w.put(w.d.Link(label, n.URL))
	case label == "" || label == n.URL:
		w.put(w.safe(n.URL))
	default:
		w.put(label + " (" + w.safe(n.URL) + ")")
	}
}

// inLink is the dialect inside a link's label, where file names need no mark
// because the whole is a link already.
func (d *Dialect) inLink() *Dialect {
	c := *d
	if d.Text != nil {
		c.Text = d.CodeText
	}
	return &c
}

func (w *writer) safe(s string) string {
	if w.d.Text == nil {
		return s
	}
	return w.d.Text(s)
}

func (w *writer) safeCode(s string) string {
	if w.d.CodeText == nil {
		return s
	}
	return w.d.CodeText(s)
}
