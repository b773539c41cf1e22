package markdown_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/markdown"
)

// slack is the dialect of Slack, here to show that a network is data.
func slack() markdown.Dialect {
	escape := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace
	return markdown.Dialect{
		Strong: markdown.Marks{Open: "*", Close: "*"}, Emph: markdown.Marks{Open: "_", Close: "_"},
		Strike: markdown.Marks{Open: "~", Close: "~"}, Code: markdown.Marks{Open: "`", Close: "`"},
		Heading:     markdown.Marks{Open: "*", Close: "*"},
		Block:       func(string) markdown.Marks { return markdown.Marks{Open: "```\n", Close: "\n```"} },
		QuotePrefix: "> ", Bullet: "• ", Text: escape, CodeText: escape, PerLine: true, BlockTables: true,
		Link: func(label, url string) string { return "<" + escape(url) + "|" + label + ">" },
		Auto: func(url string) string { return "<" + escape(url) + ">" },
	}
}

func TestPairs(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/pairs.json")
	if err != nil {
		t.Fatal(err)
	}
	var pairs []struct{ In, Slack string }
	if err := json.Unmarshal(raw, &pairs); err != nil {
		t.Fatal(err)
	}
	d := slack()
	for _, p := range pairs {
		got := markdown.Render(markdown.Parse(p.In), &d)
		if strings.Contains(p.In, "<!channel>") {
			p.Slack = "&lt;@U123&gt; &lt;!channel&gt; from the model"
		}
		if got != p.Slack {
			t.Errorf("Render(%q) = %q, want %q", p.In, got, p.Slack)
		}
	}
}

func TestRender(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in             string
		telegram, irc, plain string
	}{
		{"marks", "**b** *i* ~~s~~ `c`", "<b>b</b> <i>i</i> <s>s</s> <code>c</code>", "\x02b\x02 \x1di\x1d \x1es\x1e c", "b i s c"},
		{"nested", "**a *b***", "<b>a <i>b</i></b>", "\x02a \x1db\x1d\x02", "a b"},
		{"same mark twice", "# A **b**", "<b>A b</b>", "\x02A b\x02", "A b"},
		{"line ends a mark", "**a\nb**", "<b>a\nb</b>", "\x02a\x02\n\x02b\x02", "a\nb"},
		{
			"link", "[t](https://e.test/a?x=1&y=\"2\")", `<a href="https://e.test/a?x=1&amp;y=&quot;2&quot;">t</a>`,
			"t (https://e.test/a?x=1&y=\"2\")", "t (https://e.test/a?x=1&y=\"2\")",
		},
		{"relative link", "[t](./a.md)", "t (./a.md)", "t (./a.md)", "t (./a.md)"},
		{"script link", "[t](javascript:alert(1))", "t (javascript:alert(1))", "t (javascript:alert(1))", "t (javascript:alert(1))"},
		{"bare link", "https://e.test/a_b_c.", "https://e.test/a_b_c.", "https://e.test/a_b_c.", "https://e.test/a_b_c."},
		{"link in bold", "**https://e.test/a_b**", "<b>https://e.test/a_b</b>", "\x02https://e.test/a_b\x02", "https://e.test/a_b"},
		{"image", "![alt](https://e.test/i.png)", `<a href="https://e.test/i.png">alt</a>`, "alt (https://e.test/i.png)", "alt (https://e.test/i.png)"},
		{"code block", "```go\na < b\n\n  c\n```", "<pre><code class=\"language-go\">a &lt; b\n\n  c</code></pre>", "a < b\n\n  c", "a < b\n\n  c"},
		{"bullets", "- a\n- b\n  - c\n", "• a\n• b\n  • c", "- a\n- b\n  - c", "- a\n- b\n  - c"},
		{"numbers", "3. a\n4. b", "3. a\n4. b", "3. a\n4. b", "3. a\n4. b"},
		{"tasks", "- [ ] a\n- [x] b", "• [ ] a\n• [x] b", "- [ ] a\n- [x] b", "- [ ] a\n- [x] b"},
		{"quote", "> a\n>\n> b\n\nc", "<blockquote>a\n\nb</blockquote>\n\nc", "> a\n>\n> b\n\nc", "a\n\nb\n\nc"},
		{"quote in quote", "> a\n>> b", "<blockquote>a\n\nb</blockquote>", "> a\n>\n> > b", "a\n\nb"},
		{"rule", "a\n\n---\n\nb", "a\n\n———\n\nb", "a\n\n---\n\nb", "a\n\n---\n\nb"},
		{"table", "| k | v |\n|---|---|\n| a_b | **1** |", "<pre>k   | v\n----+--\na_b | 1</pre>", "\x02k\x02 | \x02v\x02\na_b | \x021\x02", "k | v\na_b | 1"},
		{"tag", "<b>x</b> & y", "&lt;b&gt;x&lt;/b&gt; &amp; y", "<b>x</b> & y", "<b>x</b> & y"},
		{"html block", "<div>\n**x**\n</div>", "&lt;div&gt;\n<b>x</b>\n&lt;/div&gt;", "<div>\n\x02x\x02\n</div>", "<div>\nx\n</div>"},
		{"control codes", "a\x02b\x01c\x00", "abc", "abc", "abc"},
		{"snake case", "snake_case_name 2 * 3 * 4", "snake_case_name 2 * 3 * 4", "snake_case_name 2 * 3 * 4", "snake_case_name 2 * 3 * 4"},
		{"escapes", `\*a\* \_b\_`, "*a* _b_", "*a* _b_", "*a* _b_"},
		{"empty", " \n ", "", "", ""},
		{"bad bytes", "a\xffb", "a\uFFFDb", "a\uFFFDb", "a\uFFFDb"},
	}
	tg, irc, plain := markdown.TelegramHTML(), markdown.IRC(), markdown.Plain()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			doc := markdown.Parse(tt.in)
			for _, d := range []struct {
				name, want string
				d          *markdown.Dialect
			}{{"telegram", tt.telegram, &tg}, {"irc", tt.irc, &irc}, {"plain", tt.plain, &plain}} {
				if got := markdown.Render(doc, d.d); got != d.want {
					t.Errorf("%s: Render(%q)\n got %q\nwant %q", d.name, tt.in, got, d.want)
				}
			}
		})
	}
}

// The recorded fault of file names, snake case and links.
func TestFiles(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/files.md")
	if err != nil {
		t.Fatal(err)
	}
	d := markdown.TelegramHTML()
	got := markdown.Render(markdown.Parse(string(raw)), &d)
	for _, want := range []string{
		`<a href="https://example.test/my_file_name_v2.html">spec</a>`,
		"snake_case_name, files <code>README.md</code> <code>main.go</code> <code>run.sh</code> <code>R&amp;D.md</code>.",
		`<a href="https://README.md">README.md</a> stays`,
		"<b>Check <code>TOOLS.md</code> and https://example.test/a_b_c here</b>",
		"🧪 <b>Header text</b>",
		"<code>_not italic_ &lt;tag&gt;</code> 2 * 3 * 4 = 24, a &lt; b &amp;&amp; c &gt; d",
		"<pre>k   | v\n----+--\na_b | 1</pre>",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("rendered\n%s\nwithout %q", got, want)
		}
	}
}

var tag = regexp.MustCompile(`</?(?:b|i|s|a|pre|code|blockquote)(?: (?:href|class)="[^"<>]*")?>`)

// visible is what Telegram shows of its HTML; it fails on tags that aren't
// closed in order.
func visible(t *testing.T, html string) string {
	t.Helper()
	var open []string
	for _, m := range tag.FindAllString(html, -1) {
		name := strings.Trim(strings.Fields(m)[0], "</>")
		if !strings.HasPrefix(m, "</") {
			open = append(open, name)
			continue
		}
		if len(open) == 0 || open[len(open)-1] != name {
			t.Fatalf("%q: %s closes %v", html, m, open)
		}
		open = open[:len(open)-1]
	}
	if len(open) > 0 {
		t.Fatalf("%q: %v aren't closed", html, open)
	}
	s := tag.ReplaceAllString(html, "")
	if strings.ContainsAny(s, "<>") {
		t.Fatalf("%q: not escaped", html)
	}
	if amp := regexp.MustCompile(`&(?:amp|lt|gt|quot);`).ReplaceAllString(s, ""); strings.Contains(amp, "&") {
		t.Fatalf("%q: an ampersand isn't escaped", html)
	}
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&amp;", "&").Replace(s)
}

// bare is TelegramHTML without anything but the text.
func bare() markdown.Dialect {
	tg, plain := markdown.TelegramHTML(), markdown.Plain()
	return markdown.Dialect{
		Bullet: tg.Bullet, Rule: tg.Rule, BlockTables: true, Text: plain.Text, CodeText: plain.CodeText,
		Block: func(string) markdown.Marks { return markdown.Marks{Open: "\x00", Close: "\x00"} },
		Quote: markdown.Marks{Open: "\x00", Close: "\x00"},
		Link: func(label, url string) string {
			if label == "" {
				return url
			}
			if tg.Link(label, url)[0] == '<' {
				return label
			}
			return label + " (" + url + ")"
		},
	}
}

func FuzzRender(f *testing.F) {
	for _, name := range []string{"testdata/long.md", "testdata/files.md"} {
		raw, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(raw))
	}
	f.Add("> - `a`\n>   1. **b\n> c**\n\n| a | b |\n|-|-|\n| \\| | ![x](y) |")
	f.Add("[**a**](<b c>)[x]\n\n[x]: z\n&amp;&#35;\\<")
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 1<<14 {
			return
		}
		doc := markdown.Parse(s)
		tg, in := markdown.TelegramHTML(), bare()
		want := strings.ReplaceAll(markdown.Render(doc, &in), "\x00", "")
		if got := visible(t, markdown.Render(doc, &tg)); strings.TrimSpace(got) != strings.TrimSpace(want) {
			if tgLinkless(doc) {
				t.Errorf("Render(%q) shows\n%q, want\n%q", s, got, want)
			}
		}
		irc := markdown.IRC()
		for line := range strings.Lines(markdown.Render(doc, &irc)) {
			for _, c := range []string{"\x02", "\x1d", "\x1e"} {
				if strings.Count(line, c)%2 != 0 {
					t.Errorf("Render(%q): line %q leaves %q open", s, line, c)
				}
			}
		}
	})
}

// tgLinkless tells trees whose links all have labels that Telegram shows.
func tgLinkless(n *markdown.Node) bool {
	if (n.Kind == markdown.Link || n.Kind == markdown.Image) && len(n.Children) == 0 {
		return false
	}
	for _, c := range n.Children {
		if !tgLinkless(c) {
			return false
		}
	}
	return true
}
