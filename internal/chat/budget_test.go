package chat_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// What one turn may cost, from the message to its stored answer, in a session
// that has been going on for a while. The figures measured when these were set
// are a fifth lower; a change that needs more says why.
const (
	maxAllocs = 330       // per turn; the watch over a run and the modes of waiting cost 30
	maxBytes  = 46 * 1024 // written per turn of a lone session: two commits of whole pages, two lines
)

// turns returns a function that takes one turn of the house.
func turns(t testing.TB) func() {
	t.Helper()
	h := open(t, t.TempDir(), &mind{})
	t.Cleanup(h.crash)
	n := 0
	return func() {
		n++
		if r, err := h.Do(t.Context(), say(fmt.Sprint("run-", n), "a question of the usual length"), nil); err != nil || r.Status != "ok" {
			t.Fatalf("turn %d: %+v, %v", n, r, err)
		}
	}
}

// The tests of this file aren't parallel: they count for the whole process.

func TestAllocationsPerTurn(t *testing.T) { //nolint:paralleltest // see above
	turn := turns(t)
	for range 50 {
		turn()
	}
	got := testing.AllocsPerRun(200, turn)
	t.Logf("%.0f allocations per turn (at most %d)", got, maxAllocs)
	if got > maxAllocs {
		t.Errorf("%.0f allocations per turn, at most %d", got, maxAllocs)
	}
}

func TestBytesPerTurn(t *testing.T) { //nolint:paralleltest // see above
	if _, ok := written(t); !ok {
		t.Log("this system doesn't count what a process writes; on Linux the ceiling is tested")
		return
	}
	turn := turns(t)
	for range 50 {
		turn()
	}
	const n = 200
	before, _ := written(t)
	for range n {
		turn()
	}
	after, _ := written(t)
	got := (after - before) / n
	t.Logf("%d bytes written per turn (at most %d)", got, maxBytes)
	if got > maxBytes {
		t.Errorf("%d bytes written per turn, at most %d", got, maxBytes)
	}
}

// written is how many bytes this process has handed to the system.
func written(t testing.TB) (n int64, ok bool) {
	t.Helper()
	raw, err := os.ReadFile("/proc/self/io")
	if err != nil {
		return 0, false
	}
	_, rest, _ := strings.Cut(string(raw), "wchar: ")
	if _, err := fmt.Sscan(rest, &n); err != nil {
		t.Fatalf("/proc/self/io: %v", err)
	}
	return n, true
}

func BenchmarkTurn(b *testing.B) {
	turn := turns(b)
	b.ReportAllocs()
	for b.Loop() {
		turn()
	}
}
