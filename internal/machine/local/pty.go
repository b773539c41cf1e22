package local

import "github.com/openclaw-go/openclaw/internal/base/proc"

// The size of the terminal that commands see.
const (
	columns = 120
	rows    = 30
)

// terminalEnv gives programs a terminal type to go by.
func terminalEnv(env []string) []string {
	if proc.Lookup(env, "TERM") == "" {
		env = proc.Set(env, "TERM", "xterm-256color")
	}
	return env
}
