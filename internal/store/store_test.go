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

func open(t testing.TB, dir string) *store.DB {
	t.Helper()
	d, err := store.Open(t.Context(), store.Options{StateDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) storetest.Store { return open(t, filepath.Join(t.TempDir(), "state")) })
}
