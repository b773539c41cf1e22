package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/chat/access"
	"github.com/openclaw-go/openclaw/internal/cli"
	"github.com/openclaw-go/openclaw/internal/store"
)

// in runs a command line with a state directory.
func in(t *testing.T, state string, args ...string) (out, errs string, code int) {
	t.Helper()
	var o, e strings.Builder
	p := cli.System()
	p.Stdin, p.Stdout, p.Stderr = strings.NewReader(""), &o, &e
	env := map[string]string{"HOME": t.TempDir(), "OPENCLAW_STATE_DIR": state}
	p.Getenv = func(k string) string { return env[k] }
	code = cli.Run(t.Context(), args, deps(), p)
	return o.String(), e.String(), code
}

// While a gateway has the database open, an approval must reach it.
func TestPairingThroughTheDatabase(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	lock, err := store.Lock(state)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	db, err := store.Open(t.Context(), store.Options{StateDir: state})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	now := time.Now()
	req := access.Request{Channel: "telegram", Account: "default", Peer: "42", Code: "ABCD2345", Created: now, Seen: now, Meta: map[string]string{"username": "ada", "firstName": "ada"}}
	if _, ok, err := db.RequestPairing(t.Context(), req, access.Limits{Life: time.Hour, Pending: 3}); err != nil || !ok {
		t.Fatal(ok, err)
	}
	out, errs, code := in(t, state, "pairing", "list", "telegram")
	if code != 0 || !strings.Contains(out, "ABCD2345") || strings.Count(out, "ada") != 1 {
		t.Errorf("list = %d, %s%s", code, out, errs)
	}
	out, errs, code = in(t, state, "pairing", "approve", "telegram", "abcd2345")
	if code != 0 || out != "Approved telegram sender 42.\n" {
		t.Errorf("approve = %d, %s%s", code, out, errs)
	}
	peers, err := db.Allowed(t.Context(), "telegram", "default")
	if err != nil || len(peers) != 1 || peers[0] != "42" {
		t.Errorf("allowed = %v, %v", peers, err)
	}
}

func TestPairingThroughFiles(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	dir := filepath.Join(state, "credentials")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	now := time.Now().UTC().Format(time.RFC3339Nano)
	old := time.Now().UTC().Add(-2 * time.Hour).Format(time.RFC3339Nano)
	text := `{"version":1,"requests":[
		{"id":"7","code":"WXYZ2345","createdAt":"` + now + `","lastSeenAt":"` + now + `","meta":{"accountId":"work"}},
		{"id":"8","code":"OLDOLD22","createdAt":"` + old + `","lastSeenAt":"` + old + `"}]}`
	if err := os.WriteFile(filepath.Join(dir, "telegram-pairing.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _, _ := in(t, state, "pairing", "list", "--channel", "telegram", "--json")
	if !strings.Contains(out, "WXYZ2345") || strings.Contains(out, "OLDOLD22") {
		t.Errorf("list = %s", out)
	}
	if out, errs, code := in(t, state, "pairing", "approve", "--channel", "telegram", "WXYZ2345"); code != 0 {
		t.Fatalf("approve = %d, %s%s", code, out, errs)
	}
	raw, err := os.ReadFile(filepath.Join(dir, "telegram-work-allowFrom.json"))
	if err != nil || !strings.Contains(string(raw), `"7"`) {
		t.Errorf("allowFrom = %s, %v", raw, err)
	}
	if out, _, _ := in(t, state, "pairing", "list", "telegram"); !strings.HasPrefix(out, "No pending") {
		t.Errorf("after: %s", out)
	}
}
