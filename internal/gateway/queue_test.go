package gateway_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/gateway"
)

func TestQueue(t *testing.T) {
	t.Parallel()
	q := gateway.NewQueue()
	half := make([]byte, 1<<19)
	q.Push(half, true)
	q.Push(half[:1<<18], true)
	q.Push(half, true) // dropped: too much waits
	q.Push(half[:7], false)
	big := make([]byte, 25<<20-16)
	q.Push(big, false)
	if !q.Push(big, false) { // fits when the volatile ones go
		t.Fatal("a client is too slow although volatile frames wait")
	}
	if q.Push(big, false) {
		t.Error("75 MB wait for a client")
	}
	if got := q.Sizes(); len(got) != 0 {
		t.Errorf("a closed queue holds %v", got)
	}
	q = gateway.NewQueue()
	q.Push(half, true)
	q.Push(big, false)
	q.Push(big, false)
	if diff := cmp.Diff([]int{len(big), len(big)}, q.Sizes()); diff != "" {
		t.Error(diff)
	}
}
