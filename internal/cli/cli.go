// Package cli is the command line.
package cli

import "context"

// Main runs the command line and returns the exit code.
func Main(context.Context, []string) int { return 0 }
