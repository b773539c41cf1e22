package text_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/openclaw-go/openclaw/internal/base/text"
)

func TestFit(t *testing.T) {
	t.Parallel()
	family := "👨‍👩‍👧"
	tests := []struct {
		name string
		in   string
		n    int
		size func(string) int
		want string
	}{
		{"short", "abc", 5, text.Bytes, "abc"},
		{"exact", "abc", 3, text.Bytes, "abc"},
		{"ascii", "abcdef", 3, text.Bytes, "abc"},
		{"inside a character", "漢字漢字", 4, text.Bytes, "漢"},
		{"accent stays with its letter", "e\u0301e\u0301", 4, text.Bytes, "e\u0301"},
		{"family is whole or not there", "a" + family, 10, text.Bytes, "a"},
		{"flag in UTF-16", "🇩🇪🇫🇷", 6, text.UTF16, "🇩🇪"},
		{"surrogate pair", "😀😀", 3, text.UTF16, "😀"},
		{"runes", "漢字漢字", 3, text.Runes, "漢字漢"},
		{"first cluster too long", family, 5, text.Bytes, "👨"},
		{"nothing fits", "漢", 2, text.Bytes, ""},
		{"zero", "abc", 0, text.Bytes, ""},
		{"carriage return", "a\r\nb", 2, text.Bytes, "a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := text.Fit(tt.in, tt.n, tt.size); got != tt.want {
				t.Errorf("Fit(%q, %d) = %q, want %q", tt.in, tt.n, got, tt.want)
			}
		})
	}
}

// 100 CJK characters at the limits of the recorded fault.
func TestEllipsis(t *testing.T) {
	t.Parallel()
	s := strings.Repeat("漢", 100)
	for _, n := range []int{80, 100, 260, 4096} {
		got := text.Ellipsis(s, n)
		if !utf8.ValidString(got) || len(got) > n || strings.ContainsRune(got, utf8.RuneError) {
			t.Errorf("Ellipsis(100 characters, %d) = %q", n, got)
		}
	}
}

func FuzzFit(f *testing.F) {
	f.Add("e\u0301👨‍👩‍👧🇩🇪", 7)
	f.Add("a\xffb", 2)
	f.Add(strings.Repeat("\u0301", 500), 100)
	f.Fuzz(func(t *testing.T, s string, n int) {
		for name, size := range map[string]func(string) int{
			"bytes": text.Bytes, "utf16": text.UTF16, "runes": text.Runes,
		} {
			got := text.Fit(s, n, size)
			if !strings.HasPrefix(s, got) || n >= 0 && size(got) > n || n < 0 && got != "" {
				t.Errorf("Fit(%q, %d, %s) = %q", s, n, name, got)
			}
			if utf8.ValidString(s) && !utf8.ValidString(got) {
				t.Errorf("Fit(%q, %d, %s) = %q, not UTF-8", s, n, name, got)
			}
		}
	})
}
