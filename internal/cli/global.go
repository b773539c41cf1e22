package cli

import (
	"runtime"
	"strings"

	"github.com/openclaw-go/openclaw/internal/config"
)

const goos = runtime.GOOS

// global are the flags that stand before the command.
type global struct {
	profile  string
	dev      bool
	logLevel string
	noColor  bool
	version  bool
}

func (g global) paths() config.PathOptions { return config.PathOptions{Profile: g.profile, Dev: g.dev} }

// parseGlobal takes the global flags from the front of args and returns the
// rest. --no-color and --log-level are taken from anywhere, as OpenClaw does.
func parseGlobal(args []string) (g global, rest []string, err error) {
	command := false
	for i := 0; i < len(args); i++ {
		a := args[i]
		name, value, glued := strings.Cut(a, "=")
		next := func() (string, bool) {
			if glued {
				return value, value != ""
			}
			i++
			return at(args, i), i < len(args) && !strings.HasPrefix(args[i], "-")
		}
		switch {
		case a == "--":
			return g, append(rest, args[i:]...), nil
		case a == "--no-color":
			g.noColor = true
		case name == "--log-level" && (glued || i+1 < len(args)):
			g.logLevel, _ = next()
		case command:
			rest = append(rest, a)
		case a == "--dev":
			g.dev = true
		case name == "--profile":
			var ok bool
			if g.profile, ok = next(); !ok {
				return g, nil, usage(2, "--profile requires a value")
			}
		case a == "-V" || a == "--version" || a == "-v":
			g.version = true
		case a == "--update":
			command = true
			rest = append(rest, "update")
		default:
			command = command || !strings.HasPrefix(a, "-")
			rest = append(rest, a)
		}
	}
	if err := g.paths().CheckProfile(); err != nil {
		return g, nil, usage(2, "%s", hint(err))
	}
	return g, rest, nil
}

func at(args []string, i int) string {
	if i < len(args) {
		return args[i]
	}
	return ""
}
