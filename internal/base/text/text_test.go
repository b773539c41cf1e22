package text_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/openclaw-go/openclaw/internal/base/text"
)

func TestCut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in string
		limit    int
		want     string
	}{
		{"short", "abc", 10, "abc"},
		{"ascii", "abcdef", 3, "abc"},
		{"inside a CJK character", "漢字", 4, "漢"},
		{"inside the first character", "漢字", 2, ""},
		{"combining accent", "ae\u0301x", 2, "a"},
		{"skin tone", "a👍🏽b", 6, "a"},
		{"family", "x👨‍👩‍👧y", 12, "x"},
		{"flags stay whole", "🇩🇪🇫🇷", 12, "🇩🇪"},
		{"variation selector", "a❤️b", 4, "a"},
		{"CRLF", "a\r\nb", 2, "a"},
		{"Hangul parts", "\u1100\u1161\u11a8", 6, ""},
		{"invalid bytes", "a\xff\xfeb", 4, "a\uFFFD"},
		{"zero", "abc", 0, ""},
		{"negative", "abc", -1, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := text.Cut(c.in, c.limit); got != c.want {
				t.Errorf("Cut(%q, %d) = %q, want %q", c.in, c.limit, got, c.want)
			}
		})
	}
}

func TestCutCJK(t *testing.T) {
	t.Parallel()
	s := strings.Repeat("漢", 100)
	for _, limit := range []int{80, 100, 260, 4096} {
		got := text.Cut(s, limit)
		want := min(limit/3, 100)
		if n := utf8.RuneCountInString(got); n != want || !utf8.ValidString(got) || strings.ContainsRune(got, utf8.RuneError) {
			t.Errorf("Cut(100 x 漢, %d) has %d runes, want %d", limit, n, want)
		}
		if tail := text.Tail(s, limit); len(tail) != len(got) {
			t.Errorf("Tail(100 x 漢, %d) has %d bytes, want %d", limit, len(tail), len(got))
		}
	}
}

func TestTail(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in    string
		limit int
		want  string
	}{
		{"abcdef", 2, "ef"},
		{"漢字", 4, "字"},
		{"ae\u0301", 2, ""},
		{"🇩🇪🇫🇷", 8, "🇫🇷"},
		{"abc", 0, ""},
	} {
		if got := text.Tail(c.in, c.limit); got != c.want {
			t.Errorf("Tail(%q, %d) = %q, want %q", c.in, c.limit, got, c.want)
		}
	}
	if got := text.TailRunes("x漢字", 2); got != "漢字" {
		t.Errorf("TailRunes = %q", got)
	}
}

func TestMiddle(t *testing.T) {
	t.Parallel()
	mark := func(n int) string { return "[" + strings.Repeat("#", n) + "]" }
	if got := text.Middle("0123456789", 4, 50, mark); got != "01[######]89" {
		t.Errorf("Middle = %q", got)
	}
	if got := text.Middle("漢字漢字", 4, 50, mark); got != "漢字漢字" {
		t.Errorf("Middle of a text that fits = %q", got)
	}
}

func TestPreview(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in    string
		limit int
		want  string
	}{
		{"  a\n\n b\tc ", 10, "a b c"},
		{"abcdef", 4, "abc…"},
		{"abcd", 4, "abcd"},
		{"漢字漢字漢", 3, "漢字…"},
		{"a\x1b[31mb", 20, "a [31mb"},
		{"", 3, ""},
		{"x", 0, ""},
	} {
		if got := text.Preview(c.in, c.limit); got != c.want {
			t.Errorf("Preview(%q, %d) = %q, want %q", c.in, c.limit, got, c.want)
		}
	}
}

func TestBinary(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		in   string
		want bool
	}{
		{"text", "hello\nworld\n", false},
		{"colours", "\x1b[31mred\x1b[0m", false},
		{"torn character", "漢"[:2], false},
		{"latin1", "caf\xe9 au lait", false},
		{"NUL", "a\x00b", true},
		{"noise", "\xff\xfe\x01\x02\x03\x90\x91", true},
		{"empty", "", false},
	} {
		if got := text.Binary([]byte(c.in)); got != c.want {
			t.Errorf("Binary(%s) = %v, want %v", c.name, got, c.want)
		}
	}
	if got := text.Describe([]byte("\x89PNG\r\n\x1a\n"), 2048); got != "binary data, image/png, 2.0 KiB" {
		t.Errorf("Describe = %q", got)
	}
}

func FuzzCut(f *testing.F) {
	for _, s := range []string{"", "abc", "漢字", "👨‍👩‍👧", "🇩🇪🇫🇷x", "\xff\xfe", "a\u0301\u0301"} {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, s string, n int) {
		n = n % 64
		for _, got := range []string{text.Cut(s, n), text.Tail(s, n)} {
			if len(got) > max(n, 0) || !utf8.ValidString(got) {
				t.Errorf("cut of %q to %d = %q", s, n, got)
			}
		}
		for _, got := range []string{text.CutRunes(s, n), text.TailRunes(s, n), text.Preview(s, n)} {
			if n >= 0 && utf8.RuneCountInString(got) > n || !utf8.ValidString(got) {
				t.Errorf("cut of %q to %d runes = %q", s, n, got)
			}
		}
	})
}

// Where a cut may look for a border from must not change which ones there are.
func FuzzBorders(f *testing.F) {
	for _, s := range []string{"ab漢字\u0301かな\r\n", "🇩🇪🇫🇷🇩🇪x", "a\u200db\u0600c", strings.Repeat("\u0301", 200), "क\u094dष"} {
		f.Add(s, 7)
	}
	f.Fuzz(func(t *testing.T, s string, n int) {
		s = text.Valid(s)
		n = min(max(n, 0), len(s))
		head, tail := 0, 0
		for tail < n {
			head, tail = tail, tail+text.Next(s[tail:])
		}
		if tail == n {
			head = n
		}
		if got := text.Cut(s, n); got != s[:head] {
			t.Errorf("Cut(%q, %d) = %q, want %q", s, n, got, s[:head])
		}
		if got := text.Tail(s, len(s)-n); got != s[tail:] {
			t.Errorf("Tail(%q, %d) = %q, want %q", s, len(s)-n, got, s[tail:])
		}
	})
}

func BenchmarkCut(b *testing.B) {
	s := strings.Repeat("漢字 and text ", 5000)
	b.ReportAllocs()
	for b.Loop() {
		text.Cut(s, 40000)
	}
}
