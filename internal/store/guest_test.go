package store_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/chat/access"
	"github.com/openclaw-go/openclaw/internal/store"
)

// A command beside the running gateway sees and changes rows, and leaves the
// files to the owner.
func TestGuest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	owner, err := store.Open(t.Context(), store.Options{StateDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close()
	now := time.Now()
	r := access.Request{Channel: "irc", Account: "default", Peer: "ada", Code: "ABCD2345", Created: now, Seen: now}
	if _, ok, err := owner.RequestPairing(t.Context(), r, access.Limits{Life: time.Hour, Pending: 3}); err != nil || !ok {
		t.Fatal(ok, err)
	}
	// A file that only an owner would take in.
	file := filepath.Join(dir, "credentials", "telegram-default-allowFrom.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(`{"version":1,"allowFrom":["7"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	guest, err := store.Open(t.Context(), store.Options{StateDir: dir, Guest: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok, err := guest.ApprovePairing(t.Context(), "irc", "ABCD2345", now.Add(-time.Hour)); err != nil || !ok {
		t.Errorf("ApprovePairing = %v, %v", ok, err)
	}
	if peers, err := guest.Allowed(t.Context(), "telegram", "default"); err != nil || len(peers) != 0 {
		t.Errorf("the guest took in %v, %v", peers, err)
	}
	if err := guest.Close(); err != nil {
		t.Error(err)
	}
	if peers, err := owner.Allowed(t.Context(), "irc", "default"); err != nil || len(peers) != 1 {
		t.Errorf("the owner sees %v, %v", peers, err)
	}
}
