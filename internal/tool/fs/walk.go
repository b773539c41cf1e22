package fs

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"

	"github.com/openclaw-go/openclaw/internal/tool"
)

const (
	// walkEntries bounds how many names one search looks at.
	walkEntries = 300_000
	// dirEntries bounds how many names of one directory are looked at.
	dirEntries = 50_000
	ignoreFile = ".gitignore"
	ignoreSize = 256 << 10
)

// errEnough ends a walk that has found what it needs.
var errEnough = errors.New("enough")

// walk visits everything below a directory in a fixed order, without following
// links and without what .gitignore files name.
type walk struct {
	fsys  fs.FS
	abs   string // of fsys
	skip  func(abs string) bool
	visit func(name string, d fs.DirEntry) error

	seen int
	full bool // a bound was hit
}

// tree opens the directory at p for a walk.
func (t *tools) tree(s tool.Scope, p *place) (*walk, func(), error) {
	fi, err := p.stat()
	if err != nil {
		return nil, nil, err
	}
	if !fi.IsDir() {
		return nil, nil, errNotDir
	}
	confined := t.confined(s)
	w := &walk{abs: p.abs, skip: func(abs string) bool {
		return pseudo(abs) || confined && t.hidden(s, abs)
	}}
	if p.root == nil {
		w.fsys = os.DirFS(p.name)
		return w, func() {}, nil
	}
	sub, err := p.root.OpenRoot(p.name)
	if err != nil {
		return nil, nil, err
	}
	w.fsys = sub.FS()
	return w, func() { sub.Close() }, nil
}

var errNotDir = errors.New("not a directory")

func (w *walk) run(ctx context.Context) error {
	err := w.dir(ctx, ".", nil)
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

func (w *walk) dir(ctx context.Context, name string, above []*rules) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	entries, more := w.list(name)
	w.full = w.full || more
	for _, d := range entries {
		if d.Name() == ignoreFile && d.Type().IsRegular() {
			if b, err := w.small(path.Join(name, ignoreFile)); err == nil {
				dir := name
				if dir == "." {
					dir = ""
				}
				above = append(above[:len(above):len(above)], parseRules(dir, b))
			}
			break
		}
	}
	for _, d := range entries {
		child := path.Join(name, d.Name())
		if w.seen++; w.seen > walkEntries {
			w.full = true
			return errEnough
		}
		if d.IsDir() && d.Name() == ".git" || ignored(above, child, d.IsDir()) || w.skip(filepath.Join(w.abs, filepath.FromSlash(child))) {
			continue
		}
		if err := w.visit(child, d); err != nil {
			return err
		}
		if d.IsDir() {
			if err := w.dir(ctx, child, above); err != nil {
				return err
			}
		}
	}
	return nil
}

// list returns the sorted entries of a directory; one that can't be read has
// none.
func (w *walk) list(name string) (entries []fs.DirEntry, more bool) {
	f, err := w.fsys.Open(name)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	d, ok := f.(fs.ReadDirFile)
	if !ok {
		return nil, false
	}
	entries, _ = d.ReadDir(dirEntries)
	sort.Slice(entries, func(i, j int) bool { return entries[i].Name() < entries[j].Name() })
	return entries, len(entries) == dirEntries
}

func (w *walk) small(name string) ([]byte, error) {
	f, err := w.fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, ignoreSize))
}
