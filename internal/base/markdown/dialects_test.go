package markdown_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/markdown"
	"github.com/openclaw-go/openclaw/internal/base/text"
)

func TestRanges(t *testing.T) {
	t.Parallel()
	got, ranges := markdown.Ranges(markdown.Parse("# Hé 😀\n\nA **bold *both* x** `code` ~~no~~ [label](https://x.example) end"))
	want := "Hé 😀\n\nA bold both x code no label (https://x.example) end"
	if got != want {
		t.Fatalf("text %q, want %q", got, want)
	}
	if d := cmp.Diff([]markdown.Range{
		{0, 5, markdown.Bold}, {14, 4, markdown.Italic}, {9, 11, markdown.Bold}, {21, 4, markdown.Monospace}, {26, 2, markdown.Strikethrough},
	}, ranges); d != "" {
		t.Error(d)
	}
}

func TestWhatsApp(t *testing.T) {
	t.Parallel()
	d := markdown.WhatsApp()
	got := markdown.Render(markdown.Parse("# Head\n\n**b** *i* ~~s~~ `c` 2*3*4\n\n```go\nx := 1\n```\n\n- one\n- two\n\n[l](https://x.example)"), &d)
	want := "*Head*\n\n*b* _i_ ~s~ `c` 2*3*4\n\n```\nx := 1\n```\n\n- one\n- two\n\nl (https://x.example)"
	if got != strings.ReplaceAll(want, "2*3*4", "2_3_4") && got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestHTML(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"hi **you** <b>":                 "hi <strong>you</strong> &lt;b&gt;",
		"a\n\nb":                         "<p>a</p><p>b</p>",
		"```go\na < b\n```":              "<pre><code class=\"language-go\">a &lt; b\n</code></pre>",
		"- a\n- b":                       "<ul><li>a</li><li>b</li></ul>",
		"3. a\n4. b":                     `<ol start="3"><li>a</li><li>b</li></ol>`,
		"[x](javascript:alert(1))":       "x",
		"[x](https://e.example/?a=\"&b)": `<a href="https://e.example/?a=&quot;&amp;b">x</a>`,
		"|a|b|\n|-|-|\n|1|2|":            "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>",
		"> q":                            "<blockquote><p>q</p></blockquote>",
	} {
		if got := markdown.HTML(markdown.Parse(in)); got != want {
			t.Errorf("HTML(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestTables(t *testing.T) {
	t.Parallel()
	const in = "Look:\n\n| Name | Age |\n|---|---|\n| **Al** | 7 |\n| Bo | 8 |\n\nDone."
	plain := markdown.Plain()
	for mode, want := range map[string]string{
		"":        in,
		"bullets": "Look:\n\n- Al\n  - Age: 7\n\n- Bo\n  - Age: 8\n\nDone.",
		"off":     "Look:\n\n| Name | Age |\n| Al | 7 |\n| Bo | 8 |\n\nDone.",
		"code":    "Look:\n\nName | Age\n-----+----\nAl   | 7\nBo   | 8\n\nDone.",
	} {
		got := markdown.Tables(in, mode)
		if mode != "" {
			got = markdown.Render(markdown.Parse(got), &plain)
		}
		if got != want {
			t.Errorf("Tables(%s) =\n%s\nwant\n%s", mode, got, want)
		}
	}
}

// What any text is cut into fits, is valid, and shows what the text shows.
func FuzzDialects(f *testing.F) {
	for _, s := range []string{"**a** `b`", "|a|b|\n|-|-|\n|1|2|", "> - x\n\n```\ny", "😀👨‍👩‍👧 é", "[a](b) ![c](d) <https://e.example>", "\ufdd0\ufdd1"} {
		f.Add(s, 20)
	}
	f.Fuzz(func(t *testing.T, s string, limit int) {
		s = strings.ToValidUTF8(s, "?")
		if len(s) > 2000 {
			return
		}
		limit = 16 + (limit&0x7fffffff)%400
		wa := markdown.WhatsApp()
		for name, m := range map[string]markdown.Measure{
			"whatsapp": markdown.Rendered(wa, text.Runes),
			"signal":   func(n *markdown.Node) int { s, _ := markdown.Ranges(n); return text.UTF16(s) },
		} {
			for _, p := range markdown.Split(s, limit, m) {
				doc := markdown.Parse(p)
				if n := m(doc); n > limit {
					t.Errorf("%s: a part of %d measures %d: %q", name, limit, n, p)
				}
				plain, ranges := markdown.Ranges(doc)
				if !utf8.ValidString(p) || !utf8.ValidString(plain) {
					t.Errorf("%s: invalid UTF-8 in %q", name, p)
				}
				for _, r := range ranges {
					if r.Start < 0 || r.Length <= 0 || r.Start+r.Length > text.UTF16(plain) {
						t.Errorf("a range %v is outside %q", r, plain)
					}
				}
			}
		}
		if h := markdown.HTML(markdown.Parse(s)); !utf8.ValidString(h) || strings.Count(h, "<") != strings.Count(h, ">") {
			t.Errorf("HTML(%q) = %q", s, h)
		}
		for _, mode := range []string{"bullets", "off", "code"} {
			if x := markdown.Tables(s, mode); !utf8.ValidString(x) {
				t.Errorf("Tables(%q, %s) = %q", s, mode, x)
			}
		}
	})
}
