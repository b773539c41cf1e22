package markdown_test

import (
	"os"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/openclaw-go/openclaw/internal/base/markdown"
	"github.com/openclaw-go/openclaw/internal/base/text"
)

func read(tb testing.TB, name string) string {
	tb.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		tb.Fatal(err)
	}
	return string(raw)
}

// squeeze drops all white space: a cut may take it.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

func TestSplitLongReply(t *testing.T) {
	t.Parallel()
	in := read(t, "long.md")
	tg, d := markdown.TelegramHTML(), bare()
	parts := markdown.Split(in, 4096, markdown.Rendered(tg, text.UTF16))
	if len(parts) < 3 {
		t.Fatalf("Split gave %d parts", len(parts))
	}
	var all, code strings.Builder
	for i, p := range parts {
		html := markdown.Render(markdown.Parse(p), &tg)
		if n := text.UTF16(html); n > 4096 {
			t.Errorf("part %d has %d units", i, n)
		}
		all.WriteString(visible(t, html) + "\n")
		for _, b := range markdown.Parse(p).Children {
			if b.Kind == markdown.CodeBlock {
				if b.Info != "go" {
					t.Errorf("part %d: code block in %q", i, b.Info)
				}
				code.WriteString(b.Text + "\n")
			}
		}
	}
	want := strings.ReplaceAll(markdown.Render(markdown.Parse(in), &d), "\x00", "")
	if squeeze(all.String()) != squeeze(want) {
		t.Errorf("the parts show\n%s\nwant\n%s", all.String(), want)
	}
	if n := strings.Count(code.String(), "\n"); n != 70 {
		t.Errorf("the parts have %d lines of code, want 70", n)
	}
}

func TestSplitBytes(t *testing.T) {
	t.Parallel()
	in := read(t, "chinese.txt")
	for _, limit := range []int{20480, 2048, 400} {
		parts := markdown.Split(in, limit, markdown.Rendered(markdown.Plain(), text.Bytes))
		if len(parts) < len(in)/limit {
			t.Errorf("Split(%d bytes, %d) = %d parts", len(in), limit, len(parts))
		}
		for i, p := range parts {
			if len(p) > limit || !utf8.ValidString(p) {
				t.Errorf("limit %d: part %d has %d bytes", limit, i, len(p))
			}
			if !strings.HasSuffix(p, "。") && i < len(parts)-1 && limit > 1000 {
				t.Errorf("limit %d: part %d ends in %q", limit, i, p[len(p)-9:])
			}
		}
		if strings.Join(parts, "") != strings.TrimSpace(in) {
			t.Errorf("limit %d: the parts aren't the text", limit)
		}
	}
}

func TestSplit(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		in    string
		limit int
		want  []string
	}{
		{"fits", "**a**", 10, []string{"**a**"}},
		{"nothing", " \n", 10, nil},
		{"no limit", "aaaa", 0, []string{"aaaa"}},
		{"paragraphs", "one two\n\nthree", 8, []string{"one two", "three"}},
		{"words", "one two three", 8, []string{"one two", "three"}},
		{"sentence", "One. Two three four", 12, []string{"One. Two", "three four"}},
		{"bold", "**one two three**", 8, []string{"**one two**", "**three**"}},
		{"code", "```go\naa\nbb\ncc\n```", 6, []string{"```go\naa\nbb\n```", "```go\ncc\n```"}},
		{"long line of code", "```\nabcdefgh\n```", 5, []string{"```\nabcde\n```", "```\nfgh\n```"}},
		{"list", "1. aaa\n2. bbb\n3. ccc", 14, []string{"1. aaa\n2. bbb", "3. ccc"}},
		{"long item", "- aaa bbb ccc ddd\n- e", 12, []string{"- aaa bbb", "ccc ddd\n\n- e"}},
		{"quote", "> aaa bbb ccc", 8, []string{"> aaa bbb", "> ccc"}},
		{"surrogates", strings.Repeat("😀", 5), 4, []string{"😀😀", "😀😀", "😀"}},
		{"family", "👨‍👩‍👧👨‍👩‍👧", 9, []string{"👨‍👩‍👧", "👨‍👩‍👧"}},
		{"link", "aaa [bb cc](https://e.test/) dd", 40, []string{"aaa [bb cc](https://e.test/) dd"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := markdown.Split(tt.in, tt.limit, markdown.Rendered(markdown.Plain(), text.UTF16))
			if strings.Join(got, "\x00") != strings.Join(tt.want, "\x00") {
				t.Errorf("Split(%q, %d) = %q, want %q", tt.in, tt.limit, got, tt.want)
			}
		})
	}
}

func FuzzSplit(f *testing.F) {
	f.Add(read(f, "long.md"), 700)
	f.Add(read(f, "files.md"), 60)
	f.Add("> - `a b c`\n>   1. **b\n> c**\n\n| a | b |\n|-|-|\n| \\| | ![x](y) |", 12)
	f.Add("- a\n\n+ b\n\n      code\n* * *\n1) x", 9)
	f.Add("[a](<x y>)***b*c**~~d~~`` ` ``", 6)
	f.Add("![0](0000000000)", 9)
	f.Fuzz(func(t *testing.T, s string, limit int) {
		if limit < 8 || limit > 1<<12 || len(s) > 1<<13 {
			return
		}
		plain := markdown.Plain()
		for name, size := range map[string]func(string) int{"bytes": text.Bytes, "utf16": text.UTF16} {
			measure := markdown.Rendered(plain, size)
			parts := markdown.Split(s, limit, measure)
			var all strings.Builder
			for _, p := range parts {
				if n := measure(markdown.Parse(p)); n > limit {
					t.Errorf("%s: part %q measures %d > %d", name, p, n, limit)
				}
				if utf8.ValidString(s) && !utf8.ValidString(p) {
					t.Errorf("%s: part %q isn't UTF-8", name, p)
				}
				all.WriteString(markdown.Render(markdown.Parse(p), &plain))
			}
			if got, want := letters(all.String()), letters(markdown.Render(markdown.Parse(s), &plain)); got != want {
				t.Errorf("%s: Split(%q, %d) = %q shows\n%q, want\n%q", name, s, limit, parts, got, want)
			}
		}
	})
}

// letters is what must survive a cut: bullets and rules may come and go.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, s)
}

func BenchmarkParseRender(b *testing.B) {
	in, d := read(b, "files.md"), markdown.TelegramHTML()
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		markdown.Render(markdown.Parse(in), &d)
	}
}

func BenchmarkSplitFits(b *testing.B) {
	in, m := read(b, "files.md"), markdown.Rendered(markdown.TelegramHTML(), text.UTF16)
	b.ReportAllocs()
	for b.Loop() {
		markdown.Split(in, 4096, m)
	}
}

func BenchmarkSplitLong(b *testing.B) {
	in, m := strings.Repeat(read(b, "long.md")+"\n\n", 10), markdown.Rendered(markdown.TelegramHTML(), text.UTF16)
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		markdown.Split(in, 4096, m)
	}
}

// Nested blocks without end must not cost time out of proportion.
func BenchmarkHostile(b *testing.B) {
	for name, in := range map[string]string{
		"quotes":   strings.Repeat(">", 50000),
		"lists":    strings.Repeat("- ", 25000),
		"quoteLns": strings.Repeat(strings.Repeat("> ", 60)+"a\n", 300),
		"emph":     strings.Repeat("*a **b ", 8000),
		"links":    strings.Repeat("[a](", 15000),
		"brackets": strings.Repeat("[", 50000),
		"ticks":    strings.Repeat("`a``b", 10000),
		"deeplist": deepList(300),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				markdown.Parse(in)
			}
		})
	}
}

func deepList(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("  ", i) + "- a\n")
	}
	return b.String()
}
