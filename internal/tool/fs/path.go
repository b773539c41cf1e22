package fs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/tool"
)

// access is what a call wants to do with a path.
type access int

const (
	reading access = iota
	writing
)

// place is where a path leads. With a root, name is a path inside it that
// can't lead out; without one, name is an absolute path with links resolved.
type place struct {
	root *os.Root
	name string
	abs  string // for rules and for people
	show string // as the caller knows it
}

// refusal is an error whose text the model reads.
type refusal string

func (r refusal) Error() string { return string(r) }

func refuse(format string, args ...any) error { return refusal(fmt.Sprintf(format, args...)) }

// failed turns an error of a tool into what the model reads.
func failed(show string, err error) (tool.Result, error) {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = refuse("%s does not exist. List its directory with ls, or search with find", show)
	case errors.Is(err, fs.ErrPermission):
		err = refuse("%s: permission denied by the system", show)
	}
	if r, ok := errors.AsType[refusal](err); ok {
		return tool.Errorf("%s", string(r)), nil
	}
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		if strings.Contains(pe.Err.Error(), "escapes") {
			return tool.Errorf("%s leads outside the workspace", show), nil
		}
		return tool.Errorf("%s: %v", show, pe.Err), nil
	}
	return tool.Errorf("%s: %v", show, err), nil
}

// at decides where raw leads and whether the call may go there. The caller
// closes the place.
func (t *tools) at(s tool.Scope, raw string, want access) (*place, error) {
	p, err := t.absolute(s, raw)
	if err != nil {
		return nil, err
	}
	target := resolved(p)
	show := raw
	if pseudo(target) {
		return nil, refuse("%s is not a stored file; use exec to look at devices and processes", show)
	}
	if t.confined(s) {
		return t.inside(s, p, target, show, want)
	}
	if want == writing && t.ours(s, target) {
		return nil, refuse("%s belongs to the gateway and isn't changed with file tools. Settings are changed with `openclaw config set`", show)
	}
	return &place{name: target, abs: target, show: show}, nil
}

func (t *tools) inside(s tool.Scope, p, target, show string, want access) (*place, error) {
	rel, ok := within(s.Workspace, p)
	if !ok {
		if rel, ok = within(resolved(s.Workspace), p); !ok {
			return nil, refuse("%s is outside the workspace %s; only files in it may be used here", show, s.Workspace)
		}
	}
	if t.hidden(s, target) || want == writing && t.ours(s, target) {
		return nil, refuse("%s belongs to the gateway and may not be used here", show)
	}
	root, err := os.OpenRoot(s.Workspace)
	if err != nil {
		return nil, refuse("the workspace %s can't be opened: %v", s.Workspace, err)
	}
	return &place{root: root, name: rel, abs: p, show: show}, nil
}

// absolute makes raw an absolute path without reading the disk.
func (t *tools) absolute(s tool.Scope, raw string) (string, error) {
	switch {
	case strings.TrimSpace(raw) == "":
		return "", refuse("a path is required, such as {\"path\": \"notes.md\"}")
	case strings.ContainsRune(raw, 0):
		return "", refuse("the path holds a NUL character")
	case len(raw) > 4096:
		return "", refuse("the path is too long")
	case strings.Contains(raw, "://"):
		return "", refuse("%s is an address; give a plain path, and fetch addresses with web_fetch or exec", text.Preview(raw, 200))
	}
	p := raw
	if rest, ok := strings.CutPrefix(p, "@"); ok && (filepath.IsAbs(rest) || strings.HasPrefix(rest, "~")) {
		p = rest // how people mention files in chats
	}
	if p == "~" || strings.HasPrefix(p, "~/") || strings.HasPrefix(p, `~\`) {
		if t.Home == "" {
			return "", refuse("~ isn't known here; give the whole path")
		}
		p = t.Home + p[1:]
	}
	if !filepath.IsAbs(p) {
		if s.Workspace == "" {
			return "", refuse("%s is relative, and there is no workspace here; give the whole path", raw)
		}
		p = filepath.Join(s.Workspace, p)
	}
	return filepath.Clean(p), nil
}

// confined reports whether s is kept in its workspace.
func (t *tools) confined(s tool.Scope) bool {
	return !s.Owner || t.WorkspaceOnly != nil && t.WorkspaceOnly()
}

// resolved follows the links in p as far as p exists.
func resolved(p string) string {
	if target, err := filepath.EvalSymlinks(p); err == nil {
		return target
	}
	dir, base := filepath.Split(filepath.Clean(p))
	dir = filepath.Clean(dir)
	if dir == p || base == "" {
		return p
	}
	return filepath.Join(resolved(dir), base)
}

// within returns p relative to dir when p is in dir.
func within(dir, p string) (string, bool) {
	if dir == "" {
		return "", false
	}
	rel, err := filepath.Rel(dir, p)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return rel, true
}

func (p *place) close() {
	if p.root != nil {
		p.root.Close()
	}
}

func (p *place) stat() (fs.FileInfo, error) {
	if p.root != nil {
		return p.root.Stat(p.name)
	}
	return os.Stat(p.name)
}

// open opens a regular file for reading. It never waits for a pipe's other end.
func (p *place) open() (*os.File, fs.FileInfo, error) {
	fi, err := p.stat()
	if err != nil {
		return nil, nil, err
	}
	if err := p.regular(fi); err != nil {
		return nil, nil, err
	}
	var f *os.File
	if p.root != nil {
		f, err = p.root.OpenFile(p.name, os.O_RDONLY|nonblock, 0)
	} else {
		f, err = os.OpenFile(p.name, os.O_RDONLY|nonblock, 0)
	}
	if err != nil {
		return nil, nil, err
	}
	// It may have been swapped since.
	if fi, err = f.Stat(); err == nil {
		err = p.regular(fi)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, fi, nil
}

// regular refuses what can't be read like a file. Inside a workspace it also
// refuses hard links, which may be another name of a file outside.
func (p *place) regular(fi fs.FileInfo) error {
	switch {
	case fi.IsDir():
		return refuse("%s is a directory; list it with ls", p.show)
	case !fi.Mode().IsRegular():
		return refuse("%s is %s, not a regular file, and isn't read", p.show, special(fi.Mode()))
	case p.root != nil && links(fi) > 1:
		return refuse("%s has several names (hard links), which isn't allowed here: it may be a file from outside the workspace", p.show)
	}
	return nil
}

func special(m fs.FileMode) string {
	switch {
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return "special"
}
