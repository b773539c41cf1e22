package fs

import (
	"context"
	"crypto/rand"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/tool"
)

type writeArgs struct {
	Path     *string `json:"path,omitempty" doc:"File to write; relative to the workspace, absolute, or starting with ~/"`
	Content  string  `json:"content" doc:"The whole new content"`
	FilePath *string `json:"file_path,omitempty" doc:"The same as path"`
}

func (t *tools) write(_ context.Context, call tool.Call, a writeArgs) (tool.Result, error) {
	raw, _ := either(a.Path, a.FilePath)
	if len(a.Content) > wholeBytes {
		return tool.Errorf("the content is %s; files are written up to %s at once", text.Size(int64(len(a.Content))), text.Size(wholeBytes)), nil
	}
	p, err := t.at(call.Scope, raw, writing)
	if err != nil {
		return failed(raw, err)
	}
	defer p.close()
	created, err := p.replace([]byte(a.Content), t.private(call.Scope, p.abs))
	if err != nil {
		return failed(raw, err)
	}
	verb := "Overwrote"
	if created {
		verb = "Created"
	}
	return tool.Result{
		Content: []llm.Block{llm.Text(fmt.Sprintf("%s %s (%s, %d lines)", verb, raw, text.Size(int64(len(a.Content))), lineCount(a.Content)))},
		Meta:    "write " + raw,
	}, nil
}

func lineCount(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}

// private reports whether p is in the state directory, where nothing may be
// readable by others.
func (t *tools) private(s tool.Scope, p string) bool {
	_, ok := within(resolved(s.StateDir), resolved(p))
	return s.StateDir != "" && ok
}

// replace writes b to a new file and renames it into place, so that a reader
// or a crash sees the old or the new content, never a part. It makes missing
// parent directories and keeps the mode of a file that was there.
func (p *place) replace(b []byte, private bool) (created bool, err error) {
	mode, dirMode := fs.FileMode(0o644), fs.FileMode(0o755)
	if private {
		mode, dirMode = 0o600, 0o700
	}
	switch fi, err := p.lstat(); {
	case err != nil:
		created = true
	case fi.Mode()&fs.ModeSymlink != 0 && p.root != nil:
		return false, refuse("%s is a symbolic link; write to the file that it names", p.show)
	case fi.IsDir():
		return false, refuse("%s is a directory", p.show)
	case fi.Mode()&fs.ModeSymlink != 0:
		return false, refuse("%s is a symbolic link that leads nowhere; remove it first", p.show)
	case !fi.Mode().IsRegular():
		return false, refuse("%s is %s, not a regular file, and isn't written", p.show, special(fi.Mode()))
	default:
		if err := p.regular(fi); err != nil {
			return false, err
		}
		mode = fi.Mode().Perm()
	}
	dir := filepath.Dir(p.name)
	if err := p.mkdirAll(dir, dirMode); err != nil {
		return false, err
	}
	tmp := filepath.Join(dir, "."+filepath.Base(p.name)+"."+strings.ToLower(rand.Text()[:8])+".tmp")
	f, err := p.create(tmp, mode)
	if err != nil {
		return false, err
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Chmod(mode) // the mask doesn't count for a file that was there
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = p.rename(tmp, p.name)
	}
	if err != nil {
		_ = p.remove(tmp)
	}
	return created, err
}

func (p *place) lstat() (fs.FileInfo, error) {
	if p.root != nil {
		return p.root.Lstat(p.name)
	}
	return os.Lstat(p.name)
}

func (p *place) mkdirAll(dir string, mode fs.FileMode) error {
	if p.root != nil {
		return p.root.MkdirAll(dir, mode)
	}
	return os.MkdirAll(dir, mode)
}

func (p *place) create(name string, mode fs.FileMode) (*os.File, error) {
	const flag = os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if p.root != nil {
		return p.root.OpenFile(name, flag, mode)
	}
	return os.OpenFile(name, flag, mode)
}

func (p *place) rename(from, to string) error {
	if p.root != nil {
		return p.root.Rename(from, to)
	}
	return os.Rename(from, to)
}

func (p *place) remove(name string) error {
	if p.root != nil {
		return p.root.Remove(name)
	}
	return os.Remove(name)
}
