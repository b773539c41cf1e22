package store_test

import (
	"fmt"
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/session"
	"github.com/openclaw-go/openclaw/internal/store"
)

// BenchmarkOpen starts on a database of 5,000 sessions, as runs of jobs leave
// them.
func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	d, err := store.Open(b.Context(), store.Options{StateDir: dir})
	ok(b, err)
	for i := range 5000 {
		ok(b, d.PutSession(b.Context(), session.Session{Key: id.AgentKey("main", fmt.Sprint("cron:j:run:", i)), ID: "x", Updated: int64(i)}))
	}
	ok(b, d.Close())
	b.ReportAllocs()
	for b.Loop() {
		d, err := store.Open(b.Context(), store.Options{StateDir: dir})
		ok(b, err)
		b.StopTimer()
		ok(b, d.Close())
		b.StartTimer()
	}
}
