// Package markdown reads the Markdown that models write and renders it for
// the networks that people read it on.
//
// A text is parsed once into a small tree ([Parse]). A [Dialect] says how a
// network marks bold, code, links and so on; [Node.Render] writes the tree in
// it. Because rendering starts from a tree, one rule never sees the output of
// another, and text is escaped exactly once. [Split] cuts a text into parts
// that each fit a network's limit after rendering and each stand alone.
//
// A network whose format is a Dialect needs no code here: it makes one beside
// its channel. One that wants something else (Signal's style ranges, Matrix'
// full HTML) walks the tree itself.
package markdown

// Kind is the kind of a node.
type Kind uint8

// The kinds of nodes: blocks first, then what stands inside a line.
const (
	Document  Kind = iota
	Paragraph      // inline children
	Heading        // Level, inline children
	CodeBlock      // Info (the language), Text
	Quote          // block children
	List           // Start (0 is a bullet list), Item children
	Item           // block children
	Table          // Row children, the first is the head
	Row            // Cell children
	Cell           // inline children
	Rule

	Text     // Text, as it shall be read
	Break    // a new line
	Emph     // inline children
	Strong   // inline children
	Strike   // inline children
	CodeSpan // Text
	Link     // URL, inline children
	AutoLink // URL, shown as it is
	Image    // URL, inline children are its description
)

// Node is one node of a parsed text.
type Node struct {
	Kind     Kind
	Text     string
	Info     string
	URL      string
	Level    int  // of a heading
	Start    int  // number of the first item of an ordered list
	Loose    bool // a list with blank lines between its items
	Children []*Node
}

func (n *Node) add(c *Node) {
	if k := len(n.Children); c.Kind == Text && k > 0 && n.Children[k-1].Kind == Text {
		n.Children[k-1].Text += c.Text
		return
	}
	n.Children = append(n.Children, c)
}
