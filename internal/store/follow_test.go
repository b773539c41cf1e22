package store_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/store"
)

// What OpenClaw's command line and people write about who may write counts
// while the gateway runs, and the gateway's next change doesn't undo it.
func TestFollowsWhoMayWrite(t *testing.T) {
	t.Parallel()
	dir := original(t)
	settle := func(rel string) {
		t.Helper()
		before := time.Now().Add(-time.Minute)
		ok(t, os.Chtimes(filepath.Join(dir, rel), before, before))
	}
	with(t, dir, func(d *store.DB) {
		allowed := func(what string, want ...id.Peer) {
			t.Helper()
			got, err := d.Allowed(t.Context(), "telegram", "default")
			ok(t, err)
			slices.Sort(got) // their order says nothing
			slices.Sort(want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", what, diff)
			}
		}
		// An approval, as OpenClaw's command line does it.
		put(t, dir, pairingPath, `{"version":1,"requests":[]}`)
		put(t, dir, allowPath, `{"version":1,"allowFrom":["7","11","42"]}`)
		store.FollowAccess(t.Context(), d)
		allowed("a file that may still be written", "7", "11")
		settle(pairingPath)
		settle(allowPath)
		store.FollowAccess(t.Context(), d)
		allowed("approved by another program", "7", "11", "42")
		if rs, err := d.Pairings(t.Context(), "telegram", time.Time{}); err != nil || len(rs) > 0 {
			t.Errorf("requests %v, %v", rs, err)
		}

		// Somebody is let in here while a person edits the file.
		_, err := d.Allow(t.Context(), "telegram", "default", "99")
		ok(t, err)
		put(t, dir, allowPath, `{"version":1,"allowFrom":["7","11","42","50"]}`)
		settle(allowPath)
		store.FollowAccess(t.Context(), d)
		allowed("both", "7", "11", "42", "99", "50")

		// A list that is new counts; half a file is nobody's list.
		put(t, dir, "credentials/irc-work-allowFrom.json", `{"version":1,"allowFrom":["bob"]}`)
		settle("credentials/irc-work-allowFrom.json")
		store.FollowAccess(t.Context(), d)
		if got, err := d.Allowed(t.Context(), "irc", "work"); err != nil || len(got) != 1 {
			t.Errorf("a list that is new: %v, %v", got, err)
		}
		put(t, dir, "credentials/irc-work-allowFrom.json", `{"version":1,"allowFrom":["bob","al`)
		settle("credentials/irc-work-allowFrom.json")
		store.FollowAccess(t.Context(), d)
		if got, err := d.Allowed(t.Context(), "irc", "work"); err != nil || len(got) != 1 {
			t.Errorf("a damaged list: %v, %v", got, err)
		}
	})
	list, _ := read(t, dir, allowPath).(map[string]any)["allowFrom"].([]any)
	for _, p := range []any{"7", "11", "42", "99", "50"} {
		if !slices.Contains(list, p) {
			t.Errorf("the file lacks %v: %v", p, list)
		}
	}
}

// The command line, which looks in beside the gateway, and another program let
// somebody in at the same time: neither undoes the other.
func TestGuestAndAnotherProgram(t *testing.T) {
	t.Parallel()
	dir := original(t)
	with(t, dir, func(d *store.DB) {
		for _, first := range []string{"guest shows it", "gateway sees it"} {
			guest, err := store.Open(t.Context(), store.Options{StateDir: dir, Guest: true})
			ok(t, err)
			theirs, ours := id.Peer("42"), id.Peer("43")
			if first != "guest shows it" {
				theirs, ours = "52", "53"
			}
			before, err := d.Allowed(t.Context(), "telegram", "default")
			ok(t, err)
			list := []string{string(theirs)}
			for _, p := range before {
				list = append(list, string(p))
			}
			raw, err := json.Marshal(map[string]any{"version": 1, "allowFrom": list})
			ok(t, err)
			put(t, dir, allowPath, string(raw))
			_, err = guest.Allow(t.Context(), "telegram", "default", ours)
			ok(t, err)
			if first == "guest shows it" {
				ok(t, guest.Close())
			}
			long := time.Now().Add(-time.Minute)
			if first != "guest shows it" {
				ok(t, os.Chtimes(filepath.Join(dir, allowPath), long, long))
			}
			store.FollowAccess(t.Context(), d)
			if first != "guest shows it" {
				ok(t, guest.Close())
			}
			got, err := d.Allowed(t.Context(), "telegram", "default")
			ok(t, err)
			file, err := os.ReadFile(filepath.Join(dir, allowPath))
			ok(t, err)
			for _, p := range []id.Peer{theirs, ours} {
				if !slices.Contains(got, p) || !strings.Contains(string(file), string(p)) {
					t.Errorf("%s: %s is lost; stored %v, file %s", first, p, got, file)
				}
			}
		}
	})
}
