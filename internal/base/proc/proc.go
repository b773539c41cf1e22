// Package proc has what running other programs safely takes on every system:
// a group of processes that can be signalled as one, an environment without
// our secrets, the shell to use, and a bounded buffer for output.
//
// It starts nothing itself; machine/local does, and so does everything else
// that runs a helper program.
package proc

import (
	"crypto/rand"
	"encoding/hex"
)

// MarkVar is the environment variable by which processes that left their
// group are found again. Its value is a [NewMark].
const MarkVar = "OPENCLAW_EXEC_MARK"

// NewMark returns a value for [MarkVar] that no other process has.
func NewMark() string {
	var b [12]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}
