package markdown

import (
	"strings"
)

// Tables writes the tables of source in another way: as lists (bullets), as
// code (code) or as the text they were written as (off). Any other mode, and a
// source without tables, changes nothing.
func Tables(source, mode string) string {
	if mode != "bullets" && mode != "code" && mode != "off" || !strings.Contains(source, "|") {
		return source
	}
	doc := Parse(source)
	if !retable(doc, mode) {
		return source
	}
	return Source(doc)
}

// retable replaces the tables below n and reports whether there were any.
func retable(n *Node, mode string) (found bool) {
	for i, c := range n.Children {
		if c.Kind != Table {
			found = retable(c, mode) || found
			continue
		}
		found = true
		switch mode {
		case "bullets":
			n.Children[i] = bulleted(c)
		case "code":
			n.Children[i] = &Node{Kind: CodeBlock, Text: grid(c)}
		case "off":
			n.Children[i] = piped(c)
		}
	}
	return found
}

// bulleted makes an item of each row: its first cell, and the others with the
// head of their column below it.
func bulleted(t *Node) *Node {
	list := &Node{Kind: List}
	if len(t.Children) == 0 {
		return list
	}
	head := t.Children[0].Children
	for _, row := range t.Children[1:] {
		item := &Node{Kind: Item}
		more := &Node{Kind: List}
		for j, cell := range row.Children {
			if len(cell.Children) == 0 {
				continue
			}
			if j == 0 {
				item.Children = append(item.Children, &Node{Kind: Paragraph, Children: cell.Children})
				continue
			}
			line := &Node{Kind: Paragraph}
			if j < len(head) && len(head[j].Children) > 0 {
				line.Children = append(line.Children, head[j].Children...)
				line.Children = append(line.Children, &Node{Kind: Text, Text: ": "})
			}
			line.Children = append(line.Children, cell.Children...)
			more.Children = append(more.Children, &Node{Kind: Item, Children: []*Node{line}})
		}
		if len(more.Children) > 0 {
			item.Children = append(item.Children, more)
		}
		if len(item.Children) > 0 {
			list.Children = append(list.Children, item)
		}
	}
	if len(list.Children) == 0 { // a head alone
		return piped(t)
	}
	return list
}

// piped is the rows as lines with bars.
func piped(t *Node) *Node {
	p := &Node{Kind: Paragraph}
	for i, row := range t.Children {
		if i > 0 {
			p.Children = append(p.Children, &Node{Kind: Break})
		}
		p.add(&Node{Kind: Text, Text: "|"})
		for _, cell := range row.Children {
			p.add(&Node{Kind: Text, Text: " "})
			for _, c := range cell.Children {
				p.add(c)
			}
			p.add(&Node{Kind: Text, Text: " |"})
		}
	}
	return p
}
