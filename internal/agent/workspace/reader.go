package workspace

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/text"
)

const (
	// MaxFile is the size above which a file of the prompt counts as missing.
	MaxFile = 2 << 20
	// maxDirs bounds how many workspaces a reader remembers.
	maxDirs = 256
	// settle is how old a file must be before its time stamp is trusted: an
	// edit within the same tick of the clock would go unseen.
	settle = 100 * time.Millisecond
)

// File is one file of the prompt. It has the shape of prompt.File.
type File struct {
	Name    string
	Path    string
	Text    string
	Missing bool
}

// Stamp changes when a file of the prompt may have changed. Compare it, don't
// look into it.
type Stamp uint64

// Reader reads the files of workspaces, and again only those that changed. It
// is safe for concurrent use; the zero value works.
type Reader struct {
	mu   sync.Mutex
	dirs map[string]snapshot
}

type snapshot struct {
	paths []string // of names, made once
	stamp Stamp
	files []File
	sure  bool
}

// Files returns the files of dir in the order of the prompt, and their stamp.
// BOOTSTRAP.md and memory files are listed only when they exist; others are
// listed as missing. The caller must not change the files.
func (r *Reader) Files(ctx context.Context, dir string) ([]File, Stamp, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	now := time.Now()
	r.mu.Lock()
	old, ok := r.dirs[dir]
	r.mu.Unlock()
	paths := old.paths
	if !ok {
		paths = pathsIn(dir)
	}
	stamp, sure := look(paths, now)
	if ok && old.stamp == stamp && old.sure {
		return old.files, stamp, nil
	}
	files, err := read(dir)
	if err != nil {
		return nil, 0, err
	}
	if !sure {
		// Two versions may share a stat; the text tells them apart.
		stamp = mix(stamp, files)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dirs == nil || len(r.dirs) >= maxDirs {
		r.dirs = map[string]snapshot{}
	}
	r.dirs[dir] = snapshot{paths, stamp, files, sure}
	return files, stamp, nil
}

// names are the files of the prompt in order, and whether an absent one is
// left out. Of the memory files the first that exists counts.
func names() []string {
	return append(seeded(), bootstrap, "MEMORY.md", "memory.md")
}

func optional(name string) bool {
	return name == bootstrap || strings.EqualFold(name, "memory.md")
}

func pathsIn(dir string) []string {
	paths := names()
	for i, n := range paths {
		paths[i] = filepath.Join(dir, n)
	}
	return paths
}

// look stats the files; sure is false when one is too young to trust that.
func look(paths []string, now time.Time) (stamp Stamp, sure bool) {
	h := fnv.New64a()
	sure = true
	line := make([]byte, 0, 64)
	for _, p := range paths {
		line = line[:0]
		if fi, err := os.Stat(p); err == nil {
			if now.Sub(fi.ModTime()) < settle {
				sure = false
			}
			line = strconv.AppendInt(line, fi.Size(), 10)
			line = strconv.AppendInt(append(line, ' '), fi.ModTime().UnixNano(), 10)
			line = strconv.AppendUint(append(line, ' '), uint64(fi.Mode()), 10)
			line = strconv.AppendUint(append(line, ' '), inode(fi), 10)
		}
		_, _ = h.Write(append(line, ';')) // a hash never fails
	}
	return Stamp(h.Sum64()), sure
}

func mix(stamp Stamp, files []File) Stamp {
	h := fnv.New64a()
	fmt.Fprint(h, stamp)
	for _, f := range files {
		_, _ = io.WriteString(h, f.Text)
	}
	return Stamp(h.Sum64())
}

// read reads the files through the directory, so that no link leads out of it.
func read(dir string) ([]File, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("workspace %s: %w", dir, err)
	}
	defer root.Close()
	var files []File
	memory := false
	for _, n := range names() {
		f := File{Name: n, Path: filepath.Join(dir, n)}
		s, err := one(root, n)
		switch {
		case err == nil && strings.EqualFold(n, "memory.md"):
			if memory {
				continue // the other spelling, or a file system that has but one
			}
			memory = true
		case err != nil && optional(n):
			continue
		case err != nil:
			f.Missing = true
		}
		f.Text = s
		files = append(files, f)
	}
	return files, nil
}

func one(root *os.Root, name string) (string, error) {
	fi, err := root.Stat(name)
	if err != nil {
		return "", err
	}
	if !fi.Mode().IsRegular() || fi.Size() > MaxFile {
		return "", fs.ErrNotExist
	}
	f, err := root.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, MaxFile))
	if err != nil {
		return "", err
	}
	return text.Valid(strings.TrimPrefix(string(b), "\ufeff")), nil
}
