package proc_test

import (
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/proc"
)

// The program goes on after its code was given back.
func TestShed(t *testing.T) {
	t.Parallel()
	for range 3 {
		if err := proc.Shed(); err != nil {
			t.Fatal(err)
		}
	}
}
