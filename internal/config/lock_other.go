//go:build !unix

package config

import (
	"context"
	"os"
)

// lockDir has no lock to take here; the rename keeps each file whole.
func lockDir(_ context.Context, dir string) (unlock func(), err error) {
	return func() {}, os.MkdirAll(dir, 0o700)
}
