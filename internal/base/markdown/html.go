package markdown

import (
	"strconv"
	"strings"
)

// HTML writes n in the HTML that Matrix clients show: only what its
// specification allows, with links to the web and by mail only.
func HTML(n *Node) string {
	var w htmlWriter
	if n.Kind == Document {
		w.blocks(n.Children, len(n.Children) == 1)
	} else {
		w.block(n, true)
	}
	return w.b.String()
}

type htmlWriter struct{ b strings.Builder }

func (w *htmlWriter) blocks(ns []*Node, tight bool) {
	for _, n := range ns {
		w.block(n, tight)
	}
}

func (w *htmlWriter) tag(name string, children func()) {
	w.b.WriteString("<" + name + ">")
	children()
	name, _, _ = strings.Cut(name, " ")
	w.b.WriteString("</" + name + ">")
}

// block writes n; the only paragraph of what it stands in needs no tag.
func (w *htmlWriter) block(n *Node, tight bool) {
	inlines := func() { w.inlines(n.Children) }
	switch n.Kind {
	case Paragraph:
		if tight {
			inlines()
			return
		}
		w.tag("p", inlines)
	case Heading:
		w.tag("h"+strconv.Itoa(min(max(n.Level, 1), 6)), inlines)
	case CodeBlock:
		code := "code"
		if l := language(n.Info); l != "" {
			code = `code class="language-` + l + `"`
		}
		w.tag("pre", func() { w.tag(code, func() { w.b.WriteString(escapeHTML(n.Text) + "\n") }) })
	case Quote:
		w.tag("blockquote", func() { w.blocks(n.Children, false) })
	case List:
		name := "ul"
		if n.Start > 1 {
			name = `ol start="` + strconv.Itoa(n.Start) + `"`
		} else if n.Start == 1 {
			name = "ol"
		}
		w.tag(name, func() {
			for _, item := range n.Children {
				w.tag("li", func() { w.blocks(item.Children, !n.Loose) })
			}
		})
	case Table:
		w.tag("table", func() {
			for i, row := range n.Children {
				cell := "td"
				if i == 0 {
					cell = "th"
				}
				w.tag("tr", func() {
					for _, c := range row.Children {
						w.tag(cell, func() { w.inlines(c.Children) })
					}
				})
			}
		})
	case Rule:
		w.b.WriteString("<hr>")
	default:
		w.inlines([]*Node{n})
	}
}

func (w *htmlWriter) inlines(ns []*Node) {
	for _, n := range ns {
		inner := func() { w.inlines(n.Children) }
		switch n.Kind {
		case Text:
			w.b.WriteString(escapeHTML(n.Text))
		case Break:
			w.b.WriteString("<br>")
		case Emph:
			w.tag("em", inner)
		case Strong:
			w.tag("strong", inner)
		case Strike:
			w.tag("del", inner)
		case CodeSpan:
			w.tag("code", func() { w.b.WriteString(escapeHTML(n.Text)) })
		case AutoLink:
			w.link(n.URL, func() { w.b.WriteString(escapeHTML(n.URL)) })
		case Link, Image:
			w.link(n.URL, func() {
				if len(n.Children) == 0 {
					w.b.WriteString(escapeHTML(n.URL))
				}
				inner()
			})
		}
	}
}

func (w *htmlWriter) link(url string, label func()) {
	if !webLink(url) {
		label()
		return
	}
	w.tag(`a href="`+strings.ReplaceAll(escapeHTML(url), `"`, "&quot;")+`"`, label)
}
