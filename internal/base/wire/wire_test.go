package wire_test

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/openclaw-go/openclaw/internal/base/wire"
)

func TestReason(t *testing.T) {
	t.Parallel()
	long := ""
	for range 61 {
		long += "ä"
	}
	tests := []struct{ in, want string }{
		{"short", "short"}, {long, long[:120]}, {"x" + long, ("x" + long)[:119]},
	}
	for _, tt := range tests {
		if got := wire.Reason(tt.in); got != tt.want {
			t.Errorf("Reason(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "plain", "a\"b\\c\n\r\t\x00\x1f", "äöü €", "\xff\xfe", "a\xc3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var got string
		if err := json.Unmarshal(wire.AppendString(nil, s), &got); err != nil {
			t.Fatalf("not JSON: %q: %v", s, err)
		}
		if utf8.ValidString(s) && got != s {
			t.Errorf("got %q, want %q", got, s)
		}
	})
}
