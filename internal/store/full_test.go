package store_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/store"
)

// TestFullDisk fills the disk under many writers: who was told that a message
// is stored finds it, everyone else has an error, and when there is room again
// all goes on.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	d := open(t, t.TempDir())
	ok(t, store.SetRoom(t.Context(), d, 150))
	stored := make([]bool, 200)
	var g errgroup.Group
	g.SetLimit(20)
	for i := range stored {
		g.Go(func() error {
			_, err := d.PutInbound(t.Context(), msg.Inbound{ID: id.Message(fmt.Sprint(i)), Text: strings.Repeat("x", 9000)})
			stored[i] = err == nil
			if err != nil && (fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.Hint(err), "free space")) {
				return err
			}
			return nil
		})
	}
	ok(t, g.Wait())
	kept := 0
	for i, was := range stored {
		_, found, err := d.Inbound(t.Context(), msg.Inbound{ID: id.Message(fmt.Sprint(i))}.DedupeKey())
		ok(t, err)
		if found != was {
			t.Errorf("message %d: acknowledged %v, there %v", i, was, found)
		}
		if found {
			kept++
		}
	}
	if kept == 0 || kept == len(stored) {
		t.Errorf("%d of %d were stored: the disk did not fill up", kept, len(stored))
	}
	ok(t, store.SetRoom(t.Context(), d, 1<<30))
	if fresh, err := d.PutInbound(t.Context(), msg.Inbound{ID: "later"}); err != nil || !fresh {
		t.Errorf("with room again: %v, %v", fresh, err)
	}
}
