package store_test

import (
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/openclaw-go/openclaw/internal/store"
	"github.com/openclaw-go/openclaw/internal/store/storetest"
)

func TestMain(m *testing.M) {
	if writeUntilKilled() || holdLock() {
		return
	}
	goleak.VerifyTestMain(m)
}

func open(tb testing.TB, dir string) *store.DB {
	tb.Helper()
	d, err := store.Open(tb.Context(), store.Options{StateDir: dir})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := d.Close(); err != nil {
			tb.Error(err)
		}
	})
	return d
}

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) storetest.Store {
		t.Helper()
		return open(t, filepath.Join(t.TempDir(), "state"))
	})
}
