package session_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/session"
	"github.com/openclaw-go/openclaw/internal/store"
)

// shelf is a book with sessions s0 (used now), s1 (a day ago), … and the main
// one, unused for a year.
func shelf(t *testing.T, n int) (*session.Book, string) {
	t.Helper()
	dir := t.TempDir()
	db, err := store.Open(t.Context(), store.Options{StateDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 6, 30, 12, 0, 0, 0, time.UTC)
	cfg := &config.Config{Paths: config.Paths{Home: dir, State: dir}}
	b := &session.Book{Store: db, Config: func() *config.Config { return cfg }, Now: func() time.Time { return now }}
	t.Cleanup(func() { _ = b.Close(); _ = db.Close() })
	add := func(key id.SessionKey, age time.Duration) {
		s, _, err := b.Open(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		words := llm.Message{Role: llm.User, Content: llm.Content{llm.Text(strings.Repeat("x", 1000))}}
		if err := b.Append(t.Context(), s, words, llm.Message{Role: llm.Assistant, Content: llm.Content{llm.Text("y")}}); err != nil {
			t.Fatal(err)
		}
		_, err = b.Update(t.Context(), key, func(s *session.Session) error { s.Updated = now.Add(-age).UnixMilli(); return nil })
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range n {
		add(id.SessionKey(fmt.Sprintf("agent:main:s%d", i)), time.Duration(i)*24*time.Hour)
	}
	add("agent:main:main", 365*24*time.Hour)
	return b, cfg.SessionsDir("main")
}

func left(t *testing.T, b *session.Book) []string {
	t.Helper()
	all, err := b.List(t.Context(), session.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, s := range all {
		out = append(out, s.Key.Rest())
	}
	slices.Sort(out)
	return out
}

func TestMaintain(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		u    session.Upkeep
		busy id.SessionKey
		want string
	}{
		{"only counts", session.Upkeep{Limits: session.Limits{PruneAfter: 36 * time.Hour, MaxEntries: 100}}, "", "[main s0 s1 s2 s3 s4]"},
		{"a dry run", session.Upkeep{DryRun: true, Limits: session.Limits{Enforce: true, PruneAfter: 36 * time.Hour, MaxEntries: 100}}, "", "[main s0 s1 s2 s3 s4]"},
		{"unused for long", session.Upkeep{Limits: session.Limits{Enforce: true, PruneAfter: 36 * time.Hour, MaxEntries: 100}}, "", "[main s0 s1]"},
		{"too many", session.Upkeep{Limits: session.Limits{Enforce: true, PruneAfter: time.Hour * 1000, MaxEntries: 3}}, "", "[main s0 s1 s2]"},
		{"one that runs", session.Upkeep{Limits: session.Limits{Enforce: true, PruneAfter: 36 * time.Hour, MaxEntries: 100}}, "agent:main:s4", "[main s0 s1 s4]"},
		{"one that is kept", session.Upkeep{Keep: []id.SessionKey{"agent:main:s3"}, Limits: session.Limits{Enforce: true, PruneAfter: 36 * time.Hour, MaxEntries: 100}}, "", "[main s0 s1 s3]"},
		{"the disk", session.Upkeep{Limits: session.Limits{Enforce: true, PruneAfter: time.Hour * 1000, MaxEntries: 100, MaxDisk: 8000, HighWater: 6000}}, "", "[main s0 s1 s2]"},
		{"the disk has room", session.Upkeep{Limits: session.Limits{Enforce: true, PruneAfter: time.Hour * 1000, MaxEntries: 100, MaxDisk: 80000, HighWater: 100}}, "", "[main s0 s1 s2 s3 s4]"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b, _ := shelf(t, 5)
			b.Busy = func(k id.SessionKey) bool { return k == tc.busy }
			tc.u.Agent = "main"
			c, err := b.Maintain(t.Context(), tc.u)
			if err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprint(left(t, b))
			if tc.name == "the disk" { // the index beside the transcripts has a size of its own
				if c.Disk == nil || c.Disk.After > c.Disk.High || strings.Contains(got, "s4") || !strings.Contains(got, "s0") {
					t.Errorf("left %s, %+v", got, c.Disk)
				}
			} else if got != tc.want {
				t.Errorf("left %s, want %s; %+v", got, tc.want, c)
			}
			if c.Before != 6 || tc.u.Limits.Enforce && !tc.u.DryRun && *c.Count != len(left(t, b)) {
				t.Errorf("counted %+v", c)
			}
			if strings.Contains(tc.name, "dry") && (c.Pruned != 3 || !c.Mutates || c.Applied) {
				t.Errorf("a dry run says %+v", c)
			}
		})
	}
}

// Archives go when their time is over; what isn't ours never does.
func TestMaintainArchives(t *testing.T) {
	t.Parallel()
	b, dir := shelf(t, 1)
	files := map[string]bool{ // that stay
		"a.jsonl.reset.2026-01-01T00-00-00.000Z":   false,
		"b.jsonl.deleted.2026-01-01T00-00-00.000Z": false,
		"c.jsonl.reset.2026-06-29T00-00-00.000Z":   true,
		"d.jsonl.bak.2026-01-01T00-00-00.000Z":     true,
		"e.jsonl.reset.someday":                    true,
		"notes.txt":                                true,
	}
	for f := range files {
		if err := os.WriteFile(filepath.Join(dir, f), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l := session.LimitsOf(config.Maintenance{Mode: "enforce", ResetArchiveRetention: json.RawMessage(`"14d"`)})
	if _, err := b.Maintain(t.Context(), session.Upkeep{Agent: "main", Limits: l}); err != nil {
		t.Fatal(err)
	}
	for f, stays := range files {
		if _, err := os.Stat(filepath.Join(dir, f)); (err == nil) != stays {
			t.Errorf("%s stays: %v", f, err == nil)
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	day := 24 * time.Hour
	for text, want := range map[string]session.Limits{
		`{}`: {PruneAfter: 30 * day, MaxEntries: 500, Archives: 30 * day},
		`{"mode":"enforce","pruneAfter":"45d","maxEntries":800,"resetArchiveRetention":false}`: {Enforce: true, PruneAfter: 45 * day, MaxEntries: 800},
		`{"pruneDays":7}`:                              {PruneAfter: 7 * day, MaxEntries: 500, Archives: 7 * day},
		`{"pruneAfter":2,"maxDiskBytes":"1kb"}`:        {PruneAfter: 2 * day, MaxEntries: 500, Archives: 2 * day, MaxDisk: 1024, HighWater: 816},
		`{"maxDiskBytes":1000,"highWaterBytes":"5gb"}`: {PruneAfter: 30 * day, MaxEntries: 500, Archives: 30 * day, MaxDisk: 1000, HighWater: 1000},
		`{"pruneAfter":"soon","maxEntries":-1}`:        {PruneAfter: 30 * day, MaxEntries: 500, Archives: 30 * day},
	} {
		var m config.Maintenance
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			t.Fatal(err)
		}
		if got := session.LimitsOf(m); got != want {
			t.Errorf("%s is %+v, want %+v", text, got, want)
		}
	}
}

func TestMaySend(t *testing.T) {
	t.Parallel()
	var c config.Session
	err := json.Unmarshal([]byte(`{"sendPolicy":{"default":"allow","rules":[
		{"action":"deny","match":{"channel":"Discord","chatType":"group"}},
		{"action":"deny","match":{"keyPrefix":"cron:"}},
		{"action":"deny","match":{"rawKeyPrefix":"agent:work:slack:"}}]}}`), &c)
	if err != nil {
		t.Fatal(err)
	}
	closed := config.Session{SendPolicy: config.SendPolicy{Default: "deny", Rules: []config.SendRule{{Action: "allow", Match: config.SendMatch{ChatType: "dm"}}}}}
	for _, tc := range []struct {
		c    config.Session
		key  id.SessionKey
		set  string
		at   msg.Address
		want bool
	}{
		{config.Session{}, "agent:main:main", "", msg.Address{}, true},
		{c, "agent:main:discord:group:1", "", msg.Address{Channel: "discord", Kind: msg.Group}, false},
		{c, "agent:main:discord:channel:1", "", msg.Address{Channel: "discord", Kind: msg.Channel}, true},
		{c, "agent:main:discord:group:1", "allow", msg.Address{Channel: "discord", Kind: msg.Group}, true},
		{c, "agent:main:main", "deny", msg.Address{Channel: "telegram", Kind: msg.Direct}, false},
		{c, "agent:main:cron:x", "", msg.Address{}, false},
		{c, "agent:work:slack:channel:c", "", msg.Address{Channel: "slack", Kind: msg.Channel}, false},
		{c, "agent:main:slack:channel:c", "", msg.Address{Channel: "slack", Kind: msg.Channel}, true},
		{closed, "agent:main:main", "", msg.Address{Channel: "irc", Kind: msg.Direct}, true},
		{closed, "agent:main:irc:group:1", "", msg.Address{Channel: "irc", Kind: msg.Group}, false},
	} {
		if got := session.MaySend(tc.c, session.Session{Key: tc.key, SendPolicy: tc.set}, tc.at); got != tc.want {
			t.Errorf("%s (%s) at %s %s: %v", tc.key, tc.set, tc.at.Channel, tc.at.Kind, got)
		}
	}
}
