package grapheme_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/openclaw-go/openclaw/internal/base/grapheme"
)

func TestCut(t *testing.T) {
	t.Parallel()
	family := "👨‍👩‍👧"
	tests := []struct {
		name string
		in   string
		n    int
		size func(string) int
		want string
	}{
		{"short", "abc", 5, nil, "abc"},
		{"exact", "abc", 3, nil, "abc"},
		{"ascii", "abcdef", 3, nil, "abc"},
		{"inside a character", "漢字漢字", 4, nil, "漢"},
		{"accent stays with its letter", "e\u0301e\u0301", 4, nil, "e\u0301"},
		{"family is whole or not there", "a" + family, 10, nil, "a"},
		{"flag in UTF-16", "🇩🇪🇫🇷", 6, grapheme.UTF16, "🇩🇪"},
		{"surrogate pair", "😀😀", 3, grapheme.UTF16, "😀"},
		{"runes", "漢字漢字", 3, grapheme.Runes, "漢字漢"},
		{"first cluster too long", family, 5, nil, "👨"},
		{"nothing fits", "漢", 2, nil, ""},
		{"zero", "abc", 0, nil, ""},
		{"carriage return", "a\r\nb", 2, nil, "a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := grapheme.Cut(tt.in, tt.n, tt.size); got != tt.want {
				t.Errorf("Cut(%q, %d) = %q, want %q", tt.in, tt.n, got, tt.want)
			}
		})
	}
}

// 100 CJK characters at the limits of the recorded fault.
func TestCutCJK(t *testing.T) {
	t.Parallel()
	s := strings.Repeat("漢", 100)
	for _, n := range []int{80, 100, 260, 4096} {
		got := grapheme.Ellipsis(s, n)
		if !utf8.ValidString(got) || len(got) > n || strings.ContainsRune(got, utf8.RuneError) {
			t.Errorf("Ellipsis(100 characters, %d) = %q", n, got)
		}
	}
}

func FuzzCut(f *testing.F) {
	f.Add("e\u0301👨‍👩‍👧🇩🇪", 7)
	f.Add("a\xffb", 2)
	f.Add(strings.Repeat("\u0301", 500), 100)
	f.Fuzz(func(t *testing.T, s string, n int) {
		for name, size := range map[string]func(string) int{
			"bytes": grapheme.Bytes, "utf16": grapheme.UTF16, "runes": grapheme.Runes,
		} {
			got := grapheme.Cut(s, n, size)
			if !strings.HasPrefix(s, got) || n >= 0 && size(got) > n || n < 0 && got != "" {
				t.Errorf("Cut(%q, %d, %s) = %q", s, n, name, got)
			}
			if utf8.ValidString(s) && !utf8.ValidString(got) {
				t.Errorf("Cut(%q, %d, %s) = %q, not UTF-8", s, n, name, got)
			}
		}
	})
}
