package control

import (
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/jsonc"
)

// diff returns the paths at which a and b differ, sorted. Lists are compared as
// a whole.
func diff(a, b *jsonc.Node) []string {
	var out []string
	walkDiff("", a, b, &out)
	slices.Sort(out)
	return out
}

func walkDiff(path string, a, b *jsonc.Node, out *[]string) {
	objects := a != nil && b != nil && a.Kind == jsonc.Object && b.Kind == jsonc.Object
	switch {
	case a == nil && b == nil:
	case !objects && (a == nil || b == nil || !jsonc.Equal(a, b)):
		*out = append(*out, path)
	case objects:
		for _, m := range a.Unique() {
			walkDiff(join(path, m.Key), m.Value, b.Get(m.Key), out)
		}
		for _, m := range b.Unique() {
			if a.Get(m.Key) == nil {
				walkDiff(join(path, m.Key), nil, m.Value, out)
			}
		}
	}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// restartKeys are the parts of the file that a running gateway can't take over:
// they are bound when it starts.
func restartKeys() []string {
	return []string{
		"gateway.port", "gateway.bind", "gateway.customBindHost", "gateway.mode", "gateway.auth", "gateway.tls", "gateway.tailscale",
		"gateway.controlUi.enabled", "gateway.controlUi.basePath", "discovery", "canvasHost", "plugins",
	}
}

// NeedsRestart reports whether a change at one of paths takes effect only after
// a restart.
func NeedsRestart(paths []string) bool {
	return slices.ContainsFunc(paths, func(p string) bool {
		return slices.ContainsFunc(restartKeys(), func(k string) bool {
			return p == k || strings.HasPrefix(p, k+".") || strings.HasPrefix(k, p+".")
		})
	})
}
