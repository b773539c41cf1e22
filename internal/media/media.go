// Package media keeps files: what people sent, once they were let in, and what
// the agent sends, until it is delivered. Names are ours, types are what the
// bytes say, sizes and counts are bounded, and old files go by themselves.
//
// It reads no configuration and knows no channel; [Store] is where to start.
package media

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/openclaw-go/openclaw/internal/base/fault"
)

// The directories below a store's.
const (
	inbound  = "inbound"
	outbound = "outbound"
)

// Store keeps files below Dir, which is <state>/media.
type Store struct {
	Dir string
	Log *slog.Logger
	// Client fetches addresses; nil is [NewClient]'s.
	Client *http.Client
	Keep   time.Duration // how long files stay; 0 is two weeks
	Most   int           // files in one directory; 0 is 5000
}

// File is a kept file.
type File struct {
	Path string // absolute
	Name string // as its sender called it, without a path
	MIME string
	Size int64
}

// Take keeps what r gives, at most limit bytes, of a file that its sender calls
// name. Two calls with the same key keep one file: the second finds the first,
// reading nothing.
func (s *Store) Take(ctx context.Context, key, name string, limit int64, open func(context.Context) (io.ReadCloser, error)) (File, error) {
	id := uuid.NewSHA1(uuid.NameSpaceOID, []byte(key)).String()
	dir := filepath.Join(s.Dir, inbound)
	if old, err := filepath.Glob(filepath.Join(dir, id+".*")); err == nil && len(old) > 0 {
		return described(old[0], name)
	}
	r, err := open(ctx)
	if err != nil {
		return File{}, err
	}
	defer r.Close()
	return s.write(dir, id, name, limit, r)
}

// write stores r under id with the ending that its bytes ask for.
func (s *Store) write(dir, id, name string, limit int64, r io.Reader) (f File, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return f, fault.Wrap(fault.Unavailable, "media.Store", err)
	}
	head := make([]byte, sniffed)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return f, err
	}
	head = head[:n]
	if n == 0 {
		return f, fault.New(fault.Invalid, "media.Store", "the file is empty")
	}
	mime, ext := Sniff(head, name)
	tmp, err := os.CreateTemp(dir, ".part-*") // made with 0600
	if err != nil {
		return f, fault.Wrap(fault.Unavailable, "media.Store", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(tmp.Name()))
		}
	}()
	size, err := io.Copy(tmp, io.LimitReader(io.MultiReader(bytes.NewReader(head), r), limit+1))
	if cerr := tmp.Close(); err == nil && cerr != nil {
		err = fault.Wrap(fault.Unavailable, "media.Store", cerr)
	}
	if err != nil {
		return f, err
	}
	if size > limit {
		return f, tooLarge(limit)
	}
	f = File{Path: filepath.Join(dir, id+ext), Name: safeName(name, ext), MIME: mime, Size: size}
	if err := os.Rename(tmp.Name(), f.Path); err != nil {
		return f, fault.Wrap(fault.Unavailable, "media.Store", err)
	}
	return f, nil
}

func described(path, name string) (File, error) {
	fh, err := os.Open(path)
	if err != nil {
		return File{}, fault.Wrap(fault.Unavailable, "media.Store", err)
	}
	defer fh.Close()
	head := make([]byte, sniffed)
	n, err := io.ReadFull(fh, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return File{}, fault.Wrap(fault.Unavailable, "media.Store", err)
	}
	st, err := fh.Stat()
	if err != nil {
		return File{}, fault.Wrap(fault.Unavailable, "media.Store", err)
	}
	mime, ext := Sniff(head[:n], name)
	return File{Path: path, Name: safeName(name, ext), MIME: mime, Size: st.Size()}, nil
}

func tooLarge(limit int64) error {
	return fault.New(fault.Invalid, "media.Store", "it is larger than "+size(limit))
}

// Run removes old files now and then until ctx ends.
func (s *Store) Run(ctx context.Context) {
	const every = time.Hour
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		s.Expire(ctx, time.Now())
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// Expire removes files that are too old, and the oldest of too many.
func (s *Store) Expire(ctx context.Context, now time.Time) {
	keep, most := s.Keep, s.Most
	if keep == 0 {
		keep = 14 * 24 * time.Hour
	}
	if most == 0 {
		most = 5000
	}
	for _, d := range []string{inbound, outbound} {
		dir := filepath.Join(s.Dir, d)
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // nothing was kept yet
		}
		var infos []fs.FileInfo
		for _, e := range entries {
			if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
				infos = append(infos, info)
			}
		}
		slices.SortFunc(infos, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
		for i, info := range infos {
			if len(infos)-i <= most && now.Sub(info.ModTime()) < keep {
				break
			}
			if err := os.Remove(filepath.Join(dir, info.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				s.Log.WarnContext(ctx, "an old media file can't be removed", "err", err)
			}
		}
	}
}

// safeName is a name for people: no path, nothing that a terminal or a file
// system takes amiss.
func safeName(name, ext string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || strings.ContainsRune(`/\:*?"<>|`, r) || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return '_'
		}
		return r
	}, filepath.Base(strings.ReplaceAll(strings.ToValidUTF8(name, "_"), `\`, "/")))
	const most = 100
	if rs := []rune(name); len(rs) > most {
		name = string(rs[len(rs)-most:])
	}
	if name = strings.Trim(name, " ."); name == "" || name == "_" {
		return "file" + ext
	}
	return name
}
