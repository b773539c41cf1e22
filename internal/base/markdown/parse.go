package markdown

import (
	"bytes"
	"regexp"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// maxDepth bounds the nesting of blocks and marks; deeper ones are flattened.
const maxDepth = 32

// parse is made at the first use: it compiles patterns.
//
//nolint:gochecknoglobals // a parser has no state of its own
var parse = sync.OnceValue(newParser)

// newParser is CommonMark with tables, strike-through and bare links, without
// HTML: what looks like a tag is text that the reader shall see.
func newParser() parser.Parser {
	never := regexp.MustCompile(`^[^\x00-\x{10FFFF}]`)
	return parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(parser.NewListParser(), 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(parser.NewBlockquoteParser(), 800),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewEmphasisParser(), 500),
			util.Prioritized(extension.NewStrikethroughParser(), 500),
			util.Prioritized(extension.NewLinkifyParser(
				extension.WithLinkifyAllowedProtocols([]string{"http:", "https:"}),
				extension.WithLinkifyURLRegexp(regexp.MustCompile("^https?://[^\\s<>*`|\"\\\\\x00-\x1f]+")),
				extension.WithLinkifyWWWRegexp(never),
				extension.WithLinkifyEmailRegexp(never),
			), 999),
		),
		parser.WithParagraphTransformers(
			util.Prioritized(parser.LinkReferenceParagraphTransformer, 100),
			util.Prioritized(extension.NewTableParagraphTransformer(), 200),
		),
	)
}

// Parse reads src. It never fails: what isn't Markdown is text. Bytes that
// aren't UTF-8 become U+FFFD.
func Parse(src string) *Node {
	doc := &Node{Kind: Document}
	src = strings.ToValidUTF8(src, "\uFFFD")
	if src == "" {
		return doc
	}
	if hostile(src) {
		doc.Children = []*Node{{Kind: Paragraph, Children: lines(src)}}
		return doc
	}
	source := []byte(src)
	c := converter{source: source}
	c.blocks(doc, parse().Parse(text.NewReader(source)), 0)
	return doc
}

// Bounds beyond which a text is shown as it is.
const (
	maxNest  = 4 * maxDepth // block marks at the start of a line
	maxMarks = 1500         // inline marks in one paragraph
)

// hostile tells texts that would cost the parser time out of all proportion:
// lines that nest hundreds of blocks, paragraphs with thousands of marks. No
// person or model writes them.
func hostile(src string) bool {
	marks, fence := 0, ""
	for line := range strings.Lines(src) {
		trim := strings.TrimSpace(line)
		if fence != "" {
			if strings.HasPrefix(trim, fence) && strings.Trim(trim, fence[:1]) == "" {
				fence = ""
			}
			continue
		}
		if fence = opensFence(line); fence != "" || trim == "" {
			marks = 0
			continue
		}
		if nest := len(line) - len(strings.TrimLeft(line, "> -*+\t")); nest > maxNest && strings.Trim(trim, "-*") != "" {
			return true
		}
		for _, c := range []string{"*", "_", "~", "`", "["} {
			marks += strings.Count(line, c)
		}
		if marks > maxMarks {
			return true
		}
	}
	return false
}

// opensFence returns the fence that line opens a code block with.
func opensFence(line string) string {
	s := strings.TrimLeft(line, " ")
	if len(line)-len(s) > 3 || len(s) < 3 || s[0] != '`' && s[0] != '~' {
		return ""
	}
	rest := strings.TrimLeft(s, s[:1])
	if n := len(s) - len(rest); n >= 3 && (s[0] == '~' || !strings.Contains(rest, "`")) {
		return s[:n]
	}
	return ""
}

type converter struct{ source []byte }

func (c converter) blocks(to *Node, from ast.Node, depth int) {
	for n := from.FirstChild(); n != nil; n = n.NextSibling() {
		if b := c.block(n, depth); b != nil {
			to.Children = append(to.Children, b)
		}
	}
}

func (c converter) block(n ast.Node, depth int) *Node {
	if depth > maxDepth {
		p := &Node{Kind: Paragraph}
		c.flatten(p, n)
		return p
	}
	switch n := n.(type) {
	case *ast.Paragraph, *ast.TextBlock:
		return c.inlines(&Node{Kind: Paragraph}, n)
	case *ast.Heading:
		return c.inlines(&Node{Kind: Heading, Level: n.Level}, n)
	case *ast.FencedCodeBlock:
		return &Node{Kind: CodeBlock, Info: string(n.Language(c.source)), Text: c.lines(n)}
	case *ast.CodeBlock:
		return &Node{Kind: CodeBlock, Text: c.lines(n)}
	case *ast.Blockquote:
		q := &Node{Kind: Quote}
		c.blocks(q, n, depth+1)
		return q
	case *ast.List:
		l := &Node{Kind: List, Loose: !n.IsTight}
		if n.IsOrdered() {
			l.Start = max(n.Start, 1)
		}
		c.blocks(l, n, depth+1)
		return l
	case *ast.ListItem:
		i := &Node{Kind: Item}
		c.blocks(i, n, depth+1)
		return i
	case *ast.ThematicBreak:
		return &Node{Kind: Rule}
	case *east.Table:
		t := &Node{Kind: Table}
		for r := n.FirstChild(); r != nil; r = r.NextSibling() {
			row := &Node{Kind: Row}
			for cell := r.FirstChild(); cell != nil; cell = cell.NextSibling() {
				row.Children = append(row.Children, c.inlines(&Node{Kind: Cell}, cell))
			}
			t.Children = append(t.Children, row)
		}
		return t
	}
	return nil
}

// lines returns the text of a code block without its last newline.
func (c converter) lines(n ast.Node) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		s := n.Lines().At(i)
		b.Write(s.Value(c.source))
	}
	return strings.TrimSuffix(strings.ReplaceAll(b.String(), "\r\n", "\n"), "\n")
}

// flatten writes everything below n as text.
func (c converter) flatten(to *Node, n ast.Node) {
	for x := n.FirstChild(); x != nil; x = x.NextSibling() {
		if x.Type() == ast.TypeBlock {
			if len(to.Children) > 0 {
				to.add(&Node{Kind: Break})
			}
			if code, ok := x.(*ast.FencedCodeBlock); ok {
				to.add(&Node{Kind: Text, Text: c.lines(code)})
			}
			c.flatten(to, x)
			continue
		}
		c.inline(to, x, 0)
	}
}

func (c converter) inlines(to *Node, from ast.Node) *Node {
	for n := from.FirstChild(); n != nil; n = n.NextSibling() {
		c.inline(to, n, 0)
	}
	return to
}

func (c converter) inline(to *Node, n ast.Node, depth int) {
	wrap := func(x *Node) {
		in := x
		if depth > maxDepth {
			in = to
		}
		for k := n.FirstChild(); k != nil; k = k.NextSibling() {
			c.inline(in, k, depth+1)
		}
		if in == x {
			to.Children = append(to.Children, x)
		}
	}
	switch n := n.(type) {
	case *ast.Text:
		if s := unescape(n.Segment.Value(c.source)); s != "" {
			to.add(&Node{Kind: Text, Text: s})
		}
		if n.SoftLineBreak() || n.HardLineBreak() {
			to.add(&Node{Kind: Break})
		}
	case *ast.String:
		to.add(&Node{Kind: Text, Text: string(n.Value)})
	case *ast.CodeSpan:
		to.Children = append(to.Children, &Node{Kind: CodeSpan, Text: c.raw(n)})
	case *ast.Emphasis:
		k := Emph
		if n.Level == 2 {
			k = Strong
		}
		wrap(&Node{Kind: k})
	case *east.Strikethrough:
		wrap(&Node{Kind: Strike})
	case *ast.Link:
		wrap(&Node{Kind: Link, URL: unescape(n.Destination)})
	case *ast.Image:
		wrap(&Node{Kind: Image, URL: unescape(n.Destination)})
	case *ast.AutoLink:
		to.Children = append(to.Children, &Node{Kind: AutoLink, URL: string(n.Label(c.source))})
	default:
		wrap(&Node{Kind: Text})
	}
}

// raw is the text of a code span.
func (c converter) raw(n ast.Node) string {
	var b strings.Builder
	for t := n.FirstChild(); t != nil; t = t.NextSibling() {
		if t, ok := t.(*ast.Text); ok {
			b.Write(bytes.ReplaceAll(t.Segment.Value(c.source), []byte("\n"), []byte(" ")))
		}
	}
	return strings.ReplaceAll(b.String(), "\r", "")
}

// unescape resolves backslashes. Entities stay as they are written: "&amp;"
// from a model is a thing to be read.
func unescape(b []byte) string {
	s := string(b)
	if strings.IndexByte(s, '\r') >= 0 {
		s = strings.ReplaceAll(s, "\r", "")
	}
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	return string(util.UnescapePunctuations([]byte(s)))
}

// lines is src as text and breaks.
func lines(src string) []*Node {
	var out []*Node
	for i, l := range strings.Split(strings.TrimRight(src, "\r\n"), "\n") {
		if i > 0 {
			out = append(out, &Node{Kind: Break})
		}
		if l = strings.TrimRight(l, "\r"); l != "" {
			out = append(out, &Node{Kind: Text, Text: l})
		}
	}
	return out
}
