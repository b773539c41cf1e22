package wire_test

import (
	"testing"

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
