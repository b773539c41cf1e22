package store_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/chat/inbox"
	"github.com/openclaw-go/openclaw/internal/store"
)

const crashDir = "STORE_CRASH_TEST_DIR"

// writeUntilKilled is the child of TestKill: it writes from many goroutines
// and says what was acknowledged.
func writeUntilKilled() bool {
	dir := os.Getenv(crashDir)
	if dir == "" {
		return false
	}
	ctx := context.Background()
	d, err := store.Open(ctx, store.Options{StateDir: dir})
	if err != nil {
		fmt.Println("error", err)
		return true
	}
	fmt.Println("ready")
	var mu sync.Mutex
	say := func(words ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Println(words...)
	}
	var wg sync.WaitGroup
	for g := range 16 {
		wg.Go(func() {
			for i := 0; ; i++ {
				in := msg.Inbound{ID: id.Message(fmt.Sprintf("%d-%d-%d", os.Getpid(), g, i)), Text: "hello"}
				if _, err := d.PutInbound(ctx, in); err != nil {
					say("error", err)
					return
				}
				say("put", in.DedupeKey())
				if i%2 == 0 {
					continue
				}
				f := inbox.Finished{Keys: []string{in.DedupeKey()}}
				if i%31 == 1 { // few, since what waits at the end is written to files
					f.Outs = []msg.Outbound{{ID: id.NewDelivery(), To: msg.Address{Channel: "irc", Peer: "p"}}}
				}
				if err := d.Finish(ctx, f); err != nil {
					say("error", err)
					return
				}
				if len(f.Outs) > 0 {
					say("done", in.DedupeKey(), f.Outs[0].ID)
				} else {
					say("done", in.DedupeKey(), "-")
				}
			}
		})
	}
	wg.Wait()
	return true
}

// TestKill kills a writing process at random and looks for every row that it
// had acknowledged.
func TestKill(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	put, done := map[string]bool{}, map[string]string{}
	for range 20 {
		child := exec.CommandContext(t.Context(), self)
		child.Env = append(os.Environ(), crashDir+"="+dir)
		stdout, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		// At any moment behind some finished rows, however slow the machine is.
		after := rand.IntN(8)
		lines := bufio.NewScanner(stdout)
		var kill *time.Timer
		ready, seen := false, 0
		for lines.Scan() {
			words := strings.Fields(lines.Text())
			switch {
			case len(words) == 1 && words[0] == "ready":
				ready = true
			case len(words) == 2 && words[0] == "put":
				put[words[1]] = true
			case len(words) == 3 && words[0] == "done":
				done[words[1]] = words[2]
				seen++
			case len(words) > 0 && words[0] == "error":
				t.Error(lines.Text())
			}
			if ready && kill == nil && seen >= after {
				kill = time.AfterFunc(time.Duration(rand.IntN(10))*time.Millisecond, func() { _ = child.Process.Kill() })
			}
		}
		if kill == nil {
			t.Fatal("the child did not start")
		}
		_ = child.Wait() // it was killed
		lookFor(t, dir, put, done)
	}
	if len(done) < 20 {
		t.Errorf("only %d acknowledged rows: nothing was tried", len(done))
	}
	t.Logf("%d stored, %d finished, all there", len(put), len(done))
}

func lookFor(t *testing.T, dir string, put map[string]bool, done map[string]string) {
	t.Helper()
	d, err := store.Open(t.Context(), store.Options{StateDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	open, err := d.OpenInbound(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	undone := map[string]bool{}
	for _, it := range open {
		undone[it.Key] = true
	}
	outs, err := d.OpenOutbound(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	waiting := map[string]bool{}
	for _, it := range outs {
		waiting[string(it.Out.ID)] = true
	}
	for k := range put {
		if _, ok := done[k]; !ok && !undone[k] {
			// Finished, perhaps, but killed before it could say so.
			if it, found, err := d.Inbound(t.Context(), k); err != nil || !found {
				t.Fatalf("acknowledged %s is lost (%v, %+v)", k, err, it)
			}
		}
	}
	for k, out := range done {
		if undone[k] || out != "-" && !waiting[out] {
			t.Fatalf("finished %s: open %v, its answer stored %v", k, undone[k], waiting[out])
		}
	}
}
