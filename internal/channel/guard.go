package channel

import (
	"fmt"
	"runtime/debug"

	"github.com/openclaw-go/openclaw/internal/base/fault"
)

// Guard runs f; a panic in it is an error of kind Unavailable. Every goroutine
// of a channel needs it: what goes wrong over something that a network sent
// stays within the account.
func Guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.Wrap(fault.Unavailable, "channel", fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}
	}()
	return f()
}
