package slack

import (
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/markdown"
)

// dialect is Slack's mrkdwn: *bold*, _italic_, <url|text>, with &, < and > as
// entities. tables is code, bullets or off.
func dialect(tables string) markdown.Dialect {
	return markdown.Dialect{
		Strong:      markdown.Marks{Open: "*", Close: "*"},
		Emph:        markdown.Marks{Open: "_", Close: "_"},
		Strike:      markdown.Marks{Open: "~", Close: "~"},
		Code:        markdown.Marks{Open: "`", Close: "`"},
		Heading:     markdown.Marks{Open: "*", Close: "*"},
		Block:       func(string) markdown.Marks { return markdown.Marks{Open: "```\n", Close: "\n```"} },
		QuotePrefix: "> ",
		Bullet:      "• ",
		Rule:        "———",
		Text:        escapeText,
		CodeText:    escape,
		PerLine:     true,
		BlockTables: tables == "code",
		Link: func(label, url string) string {
			switch {
			case !webLink(url):
				if label == "" {
					return escape(url)
				}
				return label + " (" + escape(url) + ")"
			case label == "":
				return "<" + escapeURL(url) + ">"
			}
			// A bar or a new line would end the label.
			return "<" + escapeURL(url) + "|" + strings.NewReplacer("|", "¦", "\n", " ").Replace(label) + ">"
		},
		Auto: func(url string) string {
			if !webLink(url) {
				return escape(url)
			}
			return "<" + escapeURL(url) + ">"
		},
	}
}

// render writes a part as mrkdwn.
func (b *bot) render(n *markdown.Node) string {
	if b.cfg.tables() == "bullets" {
		n = bullets(n)
	}
	return markdown.Render(n, &b.dialect)
}

// bullets is n with its tables as lists: a row is an item, and each of its
// cells is named by the head of its column.
func bullets(n *markdown.Node) *markdown.Node {
	switch n.Kind {
	case markdown.Table:
		return listed(n)
	case markdown.Document, markdown.Quote, markdown.List, markdown.Item:
		c := *n
		c.Children = make([]*markdown.Node, len(n.Children))
		for i, k := range n.Children {
			c.Children[i] = bullets(k)
		}
		return &c
	default:
		return n
	}
}

func listed(table *markdown.Node) *markdown.Node {
	list := &markdown.Node{Kind: markdown.List}
	if len(table.Children) == 0 {
		return list
	}
	head := table.Children[0].Children
	rows := table.Children[1:]
	if len(rows) == 0 {
		rows, head = table.Children, nil
	}
	word := func(s string) *markdown.Node { return &markdown.Node{Kind: markdown.Text, Text: s} }
	for _, row := range rows {
		var line []*markdown.Node
		for i, cell := range row.Children {
			if i > 0 {
				line = append(line, word(", "))
			}
			if i < len(head) && len(head[i].Children) > 0 {
				line = append(line, &markdown.Node{Kind: markdown.Strong, Children: head[i].Children}, word(": "))
			}
			line = append(line, cell.Children...)
		}
		list.Children = append(list.Children, &markdown.Node{
			Kind: markdown.Item, Children: []*markdown.Node{{Kind: markdown.Paragraph, Children: line}},
		})
	}
	return list
}

// escape escapes what Slack wants escaped, and drops what it can't show.
func escape(s string) string {
	i := strings.IndexFunc(s, special)
	if i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	b.WriteString(s[:i])
	for _, r := range s[i:] {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case special(r):
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func special(r rune) bool {
	return r == '&' || r == '<' || r == '>' || r < ' ' && r != '\n' && r != '\t' || r == 0x7f
}

// escapeText escapes s but for mentions of one person or channel. Those of
// everybody (<!channel>) stay text: a model must not wake a whole company.
func escapeText(s string) string {
	if !strings.Contains(s, "<@") && !strings.Contains(s, "<#") {
		return escape(s)
	}
	var b strings.Builder
	for s != "" {
		i := strings.IndexByte(s, '<')
		if i < 0 {
			break
		}
		b.WriteString(escape(s[:i]))
		n := mention(s[i:])
		if n == 0 {
			b.WriteString("&lt;")
			n = 1
		} else {
			b.WriteString(s[i : i+n])
		}
		s = s[i+n:]
	}
	return b.String() + escape(s)
}

// mention is the length of the <@U1> or <#C1> that s begins with, or 0.
func mention(s string) int {
	const most = 32
	end := strings.IndexByte(s, '>')
	if end < 4 || end > most || s[1] != '@' && s[1] != '#' {
		return 0
	}
	if !idLike(s[2:end]) || s[2:end] != strings.ToUpper(s[2:end]) {
		return 0
	}
	return end + 1
}

// escapeURL keeps a bar, which would begin the label, out of an address.
func escapeURL(url string) string {
	return strings.NewReplacer("|", "%7C", " ", "%20", "\n", "", "\t", "").Replace(escape(url))
}

// webLink tells the addresses that clients open.
func webLink(url string) bool {
	scheme, _, ok := strings.Cut(url, ":")
	if !ok {
		return false
	}
	switch strings.ToLower(scheme) {
	case "http", "https", "mailto", "tel", "slack":
		return true
	}
	return false
}
