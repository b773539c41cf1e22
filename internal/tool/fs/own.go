package fs

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/tool"
)

// pseudo reports whether p is in a file system that the kernel makes up:
// reading there shows this process's own memory and environment.
func pseudo(p string) bool {
	if runtime.GOOS == "windows" {
		return strings.HasPrefix(p, `\\.\`) || strings.HasPrefix(p, `\\?\`)
	}
	for _, dir := range []string{"/proc", "/sys", "/dev"} {
		if p == dir || strings.HasPrefix(p, dir+"/") {
			return true
		}
	}
	return false
}

// ours reports whether p is a file that the gateway keeps for itself: nothing
// in the state directory but workspaces, skills and media is written by tools.
func (t *tools) ours(s tool.Scope, p string) bool {
	if t.protected(p) {
		return true
	}
	rel, ok := t.inState(s, p)
	if !ok {
		return false
	}
	top, _, _ := strings.Cut(rel, "/")
	return top != "workspace" && !strings.HasPrefix(top, "workspace-") && top != "skills" && top != "media" || secret(rel)
}

// hidden reports whether p holds secrets of the gateway.
func (t *tools) hidden(s tool.Scope, p string) bool {
	if t.protected(p) {
		return true
	}
	rel, ok := t.inState(s, p)
	return ok && secret(rel)
}

func (t *tools) protected(p string) bool {
	return slices.ContainsFunc(t.Protect, func(own string) bool { return own != "" && fold(resolved(own)) == fold(p) })
}

// inState returns p relative to the state directory when p is in it and not
// in a workspace below it.
func (t *tools) inState(s tool.Scope, p string) (string, bool) {
	if s.StateDir == "" {
		return "", false
	}
	state, space := fold(resolved(s.StateDir)), fold(resolved(s.Workspace))
	p = fold(p)
	rel, ok := within(state, p)
	if !ok {
		return "", false
	}
	if _, below := within(state, space); below && state != space {
		if _, ok := within(space, p); ok {
			return "", false
		}
	}
	return filepath.ToSlash(rel), true
}

// secret reports whether a path in the state directory holds credentials,
// keys, settings or the database.
func secret(rel string) bool {
	parts := strings.Split(rel, "/")
	base := parts[len(parts)-1]
	switch parts[0] {
	case "credentials", "identity", "devices", "nodes":
		return true
	case "agents":
		if len(parts) > 2 && parts[2] == "agent" {
			return true
		}
	}
	return strings.HasPrefix(base, "openclaw.json") || strings.HasPrefix(base, ".env") ||
		strings.Contains(base, ".sqlite") || strings.HasPrefix(base, "auth-profiles") || strings.HasPrefix(base, "exec-approvals")
}

// fold makes names comparable on systems that ignore case.
func fold(p string) string {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return strings.ToLower(p)
	}
	return p
}
