package store_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/chat/access"
	"github.com/openclaw-go/openclaw/internal/session"
	"github.com/openclaw-go/openclaw/internal/store"
)

const (
	sessionsPath = "agents/main/sessions/sessions.json"
	pairingPath  = "credentials/telegram-pairing.json"
	allowPath    = "credentials/telegram-default-allowFrom.json"
	oldAllowPath = "credentials/irc-allowFrom.json"
)

// original is a state directory as OpenClaw leaves it.
func original(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for from, to := range map[string]string{
		"sessions.json": sessionsPath, "cron.jobs.json": "cron/jobs.json",
		"devices.paired.json": "devices/paired.json", "nodes.paired.json": "nodes/paired.json",
	} {
		b, err := os.ReadFile(filepath.Join("testdata", from))
		ok(t, err)
		put(t, dir, to, string(b))
	}
	put(t, dir, "devices/pending.json", "{}")
	put(t, dir, pairingPath, `{"version":1,"requests":[{"id":"42","code":"ABCD2345","createdAt":"2026-11-30T20:45:28.985Z","lastSeenAt":"2026-11-30T20:46:28.985Z","meta":{"accountId":"default","username":"ann"}}]}`)
	put(t, dir, allowPath, `{"version":1,"allowFrom":["7","11"]}`)
	put(t, dir, oldAllowPath, `{"version":1,"allowFrom":["bob"]}`)
	return dir
}

func put(t *testing.T, dir, rel, text string) {
	t.Helper()
	path := filepath.Join(dir, rel)
	ok(t, os.MkdirAll(filepath.Dir(path), 0o700))
	ok(t, os.WriteFile(path, []byte(text), 0o600))
}

func ok(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// read returns a JSON file as a value.
func read(t *testing.T, dir, rel string) any {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, rel))
	ok(t, err)
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatalf("%s: %v\n%s", rel, err, b)
	}
	st, err := os.Stat(filepath.Join(dir, rel))
	ok(t, err)
	if st.Mode().Perm() != 0o600 {
		t.Errorf("%s has mode %v", rel, st.Mode())
	}
	return v
}

// with opens the store, has f use it and closes it, as one run of the gateway.
func with(t *testing.T, dir string, f func(*store.DB)) (log string) {
	t.Helper()
	var b bytes.Buffer
	d, err := store.Open(t.Context(), store.Options{StateDir: dir, Log: slog.New(slog.NewTextHandler(&b, nil))})
	ok(t, err)
	f(d)
	ok(t, d.Close())
	return b.String()
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	dir := original(t)
	files := []string{sessionsPath, "cron/jobs.json", "devices/paired.json", "devices/pending.json", "nodes/paired.json", pairingPath, allowPath, oldAllowPath}
	before := map[string]any{}
	for _, f := range files {
		before[f] = read(t, dir, f)
	}
	for range 2 {
		with(t, dir, func(*store.DB) {})
		for _, f := range files {
			if diff := cmp.Diff(before[f], read(t, dir, f)); diff != "" {
				t.Errorf("%s after a run (-want +got):\n%s", f, diff)
			}
		}
	}

	// Fifty turns of ours change one entry and add one.
	with(t, dir, func(d *store.DB) {
		s, found, err := d.Session(t.Context(), "agent:main:main")
		ok(t, err)
		if !found {
			t.Fatal("the main session was not imported")
		}
		for range 50 {
			s.InputTokens += 10
			s.Updated++
			ok(t, d.PutSession(t.Context(), s))
		}
		ok(t, d.PutSession(t.Context(), session.Session{Key: "agent:main:new", ID: "new-id", Updated: s.Updated, Label: "<New>"}))
	})
	want := before[sessionsPath].(map[string]any)
	main := want["agent:main:main"].(map[string]any)
	main["inputTokens"] = main["inputTokens"].(float64) + 500
	main["updatedAt"] = main["updatedAt"].(float64) + 50
	got := read(t, dir, sessionsPath).(map[string]any)
	if n := got["agent:main:new"].(map[string]any); n["label"] != "<New>" || n["sessionId"] != "new-id" {
		t.Errorf("new entry: %v", n)
	}
	delete(got, "agent:main:new")
	if diff := cmp.Diff(want, any(got)); diff != "" {
		t.Errorf("sessions after our turns (-want +got):\n%s", diff)
	}
}

func TestTakesInWhatOthersChanged(t *testing.T) {
	t.Parallel()
	dir := original(t)
	with(t, dir, func(*store.DB) {})

	// The original runs: it changes, adds and deletes sessions, revokes a device
	// and lets someone in.
	ss := read(t, dir, sessionsPath).(map[string]any)
	main := ss["agent:main:main"].(map[string]any)
	main["label"], main["updatedAt"] = "theirs", main["updatedAt"].(float64)+5
	delete(ss, "agent:main:neverseen")
	ss["agent:main:theirs"] = map[string]any{"sessionId": "their-id", "updatedAt": main["updatedAt"]}
	b, err := json.Marshal(ss)
	ok(t, err)
	put(t, dir, sessionsPath, string(b))
	put(t, dir, "devices/paired.json", "{}")
	put(t, dir, allowPath, `{"version":1,"allowFrom":["11",12]}`)

	with(t, dir, func(d *store.DB) {
		for key, want := range map[id.SessionKey]bool{"agent:main:main": true, "agent:main:theirs": true, "agent:main:neverseen": false} {
			s, found, err := d.Session(t.Context(), key)
			ok(t, err)
			if found != want || key == "agent:main:main" && s.Label != "theirs" {
				t.Errorf("%s: %v, %+v", key, found, s)
			}
		}
		ds, err := d.Devices(t.Context())
		ok(t, err)
		if len(ds) != 0 {
			t.Errorf("%d devices, want none: they were revoked", len(ds))
		}
		ps, err := d.Allowed(t.Context(), "telegram", "default")
		ok(t, err)
		if diff := cmp.Diff([]id.Peer{"11", "12"}, ps); diff != "" {
			t.Errorf("allowed (-want +got):\n%s", diff)
		}
		// The old list of the default account is kept up, too.
		_, err = d.Disallow(t.Context(), "irc", "default", "bob")
		ok(t, err)
	})
	if diff := cmp.Diff(any([]any{}), read(t, dir, oldAllowPath).(map[string]any)["allowFrom"]); diff != "" {
		t.Errorf("%s still lets bob in:\n%s", oldAllowPath, diff)
	}
}

// TestWriteBehind looks for a file that follows within seconds, and only when
// something changes.
func TestWriteBehind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	with(t, dir, func(d *store.DB) {
		ok(t, d.PutSession(t.Context(), session.Session{Key: "agent:main:main", ID: "x", Updated: 1}))
		path := filepath.Join(dir, sessionsPath)
		var st os.FileInfo
		for began := time.Now(); ; {
			var err error
			if st, err = os.Stat(path); err == nil {
				break
			}
			if time.Since(began) > 5*time.Second {
				t.Fatal("sessions.json does not follow")
			}
			wait(t.Context(), 20*time.Millisecond)
		}
		ok(t, d.PutSession(t.Context(), session.Session{Key: "agent:main:main", ID: "x", Updated: 1}))
		wait(t.Context(), 1300*time.Millisecond)
		again, err := os.Stat(path)
		ok(t, err)
		if !again.ModTime().Equal(st.ModTime()) {
			t.Error("the file was written though nothing changed")
		}
	})
	if l, err := filepath.Glob(filepath.Join(dir, "agents/main/sessions/.*")); err != nil || len(l) > 0 {
		t.Errorf("left over: %v, %v", l, err)
	}
}

func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

func TestDamagedFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, text string }{
		"empty index":         {sessionsPath, ""},
		"half an index":       {sessionsPath, `{"agent:main:main":{"sessionId":"a","upd`},
		"index of wrong type": {sessionsPath, `[1,2]`},
		"devices":             {"devices/paired.json", `{"x":`},
		"allow list":          {allowPath, `{"version":1,"allowFrom":`},
		"allow list of text":  {allowPath, `{"version":1,"allowFrom":"*"}`},
		"pairing":             {pairingPath, "\x00\x00\x00"},
		"jobs":                {"cron/jobs.json", `{"version":1,"jobs":[{"name":"no id"}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := original(t)
			put(t, dir, c.file, c.text)
			put(t, dir, "agents/main/sessions/0b5ad2a4-1.jsonl", `{"type":"session","version":3,"id":"0b5ad2a4-1","timestamp":"2026-11-30T20:45:28.971Z","cwd":"/ws"}`+"\n")
			old := filepath.Join(dir, "agents/main/sessions/0b5ad2a4-1.jsonl")
			ok(t, os.Chtimes(old, time.Time{}, time.Now().Add(-time.Hour)))
			put(t, dir, "agents/main/sessions/77aa-2.jsonl", `{"type":"session","version":3,"id":"77aa-2","timestamp":"2026-11-30T20:45:28.971Z","cwd":"/ws"}`+"\n")
			log := with(t, dir, func(d *store.DB) {
				ps, err := d.Allowed(t.Context(), "telegram", "default")
				ok(t, err)
				if c.file == allowPath && len(ps) > 0 {
					t.Errorf("a broken list lets in %v", ps)
				}
				_, found, err := d.Session(t.Context(), "agent:main:recovered:0b5ad2a4-1")
				ok(t, err)
				if lost := c.file == sessionsPath; found != lost {
					t.Errorf("recovered session: %v, want %v", found, lost)
				}
				if _, found, _ = d.Session(t.Context(), "agent:main:main"); !found {
					t.Error("no main session")
				}
			})
			kept, err := filepath.Glob(filepath.Join(dir, c.file+".bad.*"))
			ok(t, err)
			if len(kept) != 1 || !strings.Contains(log, "level=ERROR") {
				t.Errorf("kept aside: %v; log:\n%s", kept, log)
			}
			read(t, dir, c.file) // whole again
			if log := with(t, dir, func(*store.DB) {}); strings.Contains(log, "level=ERROR") {
				t.Errorf("told twice:\n%s", log)
			}
		})
	}
}

func TestDeliveryQueue(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b, err := os.ReadFile("testdata/delivery-queue.json")
	ok(t, err)
	var recorded struct {
		Files []struct {
			File    string
			Content json.RawMessage
		}
	}
	ok(t, json.Unmarshal(b, &recorded))
	for _, f := range recorded.Files {
		put(t, dir, strings.NewReplacer("<", "", ">", "").Replace(f.File), strings.NewReplacer("<", "", ">", "").Replace(string(f.Content)))
	}
	left := func() int {
		l, err := filepath.Glob(filepath.Join(dir, "delivery-queue/*.json"))
		ok(t, err)
		return len(l)
	}
	with(t, dir, func(d *store.DB) {
		open, err := d.OpenOutbound(t.Context())
		ok(t, err)
		if len(open) != 4 || left() != 0 {
			t.Fatalf("%d messages, %d files left", len(open), left())
		}
		for _, it := range open {
			if it.Out.Text == "will fail" && (it.Tries != 2 || it.Out.To.Peer != "bob" || it.Reason == "") {
				t.Errorf("tries of the other program are lost: %+v", it)
			}
		}
		ok(t, d.SentOutbound(t.Context(), open[0].Out.ID, msg.Receipt{}))
	})
	if left() != 3 {
		t.Fatalf("%d messages are handed over, want 3", left())
	}
	// The original delivers one of them.
	ok(t, os.Remove(filepath.Join(dir, "delivery-queue", "uuid-188.json")))
	with(t, dir, func(d *store.DB) {
		open, err := d.OpenOutbound(t.Context())
		ok(t, err)
		if len(open) != 2 || left() != 0 {
			t.Errorf("%d messages wait, %d files", len(open), left())
		}
	})
}

func TestDamagedDatabase(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(*testing.T, string){
		"no database": func(t *testing.T, path string) {
			t.Helper()
			ok(t, os.WriteFile(path, []byte(strings.Repeat("garbage ", 4096)), 0o600))
		},
		"a page": func(t *testing.T, path string) {
			t.Helper()
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			ok(t, err)
			_, err = f.WriteAt(bytes.Repeat([]byte{0xA5}, 4096), 4096)
			ok(t, err)
			ok(t, f.Close())
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := original(t)
			with(t, dir, func(d *store.DB) {
				ok(t, d.PutSession(t.Context(), session.Session{Key: "agent:main:ours", ID: "ours", Updated: 5}))
			})
			damage(t, filepath.Join(dir, store.FileName))
			log := with(t, dir, func(d *store.DB) {
				for _, k := range []id.SessionKey{"agent:main:main", "agent:main:ours"} {
					if _, found, err := d.Session(t.Context(), k); err != nil || !found {
						t.Errorf("%s: %v, %v", k, found, err)
					}
				}
				ds, err := d.Devices(t.Context())
				ok(t, err)
				if len(ds) == 0 {
					t.Error("the devices are gone")
				}
			})
			kept, err := filepath.Glob(filepath.Join(dir, store.FileName+".damaged.*"))
			ok(t, err)
			if len(kept) == 0 || !strings.Contains(log, "level=ERROR") {
				t.Errorf("kept: %v; log:\n%s", kept, log)
			}
		})
	}
}

func TestNewerSchemaIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	with(t, dir, func(*store.DB) {})
	store.SetSchema(t, dir, 1000)
	before, err := os.ReadFile(filepath.Join(dir, store.FileName))
	ok(t, err)
	_, err = store.Open(t.Context(), store.Options{StateDir: dir})
	if err == nil || !strings.Contains(err.Error(), "newer OpenClaw") {
		t.Fatalf("Open = %v", err)
	}
	after, err := os.ReadFile(filepath.Join(dir, store.FileName))
	ok(t, err)
	if !bytes.Equal(before, after) {
		t.Error("the database was touched")
	}
}

func TestPairingsAreImported(t *testing.T) {
	t.Parallel()
	with(t, original(t), func(d *store.DB) {
		r, found, err := d.ApprovePairing(t.Context(), "telegram", "abcd2345", time.Time{})
		ok(t, err)
		want := access.Request{
			Channel: "telegram", Account: "default", Peer: "42", Code: "ABCD2345", Meta: map[string]string{"username": "ann"},
			Created: time.UnixMilli(1796071528985), Seen: time.UnixMilli(1796071588985),
		}
		if diff := cmp.Diff(want, r); !found || diff != "" {
			t.Errorf("approved: %v (-want +got):\n%s", found, diff)
		}
	})
}
