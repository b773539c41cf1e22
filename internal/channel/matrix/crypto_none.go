//go:build !goolm

package matrix

import (
	"context"

	"github.com/openclaw-go/openclaw/internal/base/fault"
)

// hasCrypto tells whether this build can read encrypted rooms.
const hasCrypto = false

func newKeys(context.Context, *bot) (keys, error) {
	return nil, fault.New(fault.Invalid, "matrix", "this build can't read encrypted rooms: build it with make, or with -tags goolm, or set channels.matrix.encryption to false")
}
