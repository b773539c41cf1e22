package control

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/openclaw-go/openclaw/internal/base/id"
)

var (
	errNotRegular = errors.New("not a regular file")
	errTooLarge   = errors.New("file too large")
)

// openRegular opens a file of the workspace. A link that leads out of it is
// refused by root; a pipe or device never blocks.
func openRegular(root *os.Root, name string) (*os.File, error) {
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNotRegular
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	now, err := f.Stat()
	if err != nil || !os.SameFile(info, now) {
		f.Close()
		return nil, errNotRegular
	}
	return f, nil
}

// readAll reads a workspace file whole and closes it.
func readAll(f *os.File) ([]byte, error) {
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(raw) > maxFile {
		err = errTooLarge
	}
	return raw, err
}

// replace writes name whole: readers see the old or the new content. A link
// inside the workspace is followed; one that leads out is refused. A new file
// gets perm, an old one keeps its own.
func replace(root *os.Root, name string, content []byte, perm fs.FileMode) (fs.FileInfo, error) {
	switch info, err := root.Stat(name); {
	case errors.Is(err, fs.ErrNotExist):
		if _, lerr := root.Lstat(name); lerr == nil {
			return nil, errNotRegular // a dangling link
		}
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errNotRegular
	default:
		perm = info.Mode().Perm()
		if name, err = followed(root, name); err != nil {
			return nil, err
		}
	}
	tmp := name + ".tmp-" + string(id.NewRun())
	if err := writeNew(root, tmp, content, perm); err != nil {
		return nil, err
	}
	if err := root.Rename(tmp, name); err != nil {
		_ = root.Remove(tmp)
		return nil, err
	}
	return root.Stat(name)
}

func writeNew(root *os.Root, name string, content []byte, perm fs.FileMode) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, bytes.NewReader(content))
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		_ = root.Remove(name)
	}
	return err
}

// followed is the name in root of the file that name leads to.
func followed(root *os.Root, name string) (string, error) {
	if info, err := root.Lstat(name); err != nil || info.Mode().IsRegular() {
		return name, err
	}
	dir, err := filepath.EvalSymlinks(root.Name())
	if err != nil {
		return "", err
	}
	to, err := filepath.EvalSymlinks(filepath.Join(dir, name))
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(dir, to)
	if err != nil || !filepath.IsLocal(rel) {
		return "", errNotRegular
	}
	return rel, nil
}
