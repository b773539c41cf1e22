package media

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/uuid"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// scheme begins the Ref of a file that waits to be sent.
const scheme = "media:"

// Stage copies a file or an address that an agent names, so that it is still
// there when it is delivered. Files come from below roots or from the store
// itself; links out of them aren't followed. The error says in words why
// something can't be sent.
func (s *Store) Stage(ctx context.Context, roots []string, ref string, limit int64) (msg.Attachment, error) {
	var (
		r    io.ReadCloser
		name string
		err  error
	)
	if strings.Contains(ref, "://") {
		r, name, err = s.get(ctx, ref)
	} else {
		r, name, err = s.local(roots, ref)
	}
	if err != nil {
		return msg.Attachment{}, err
	}
	defer r.Close()
	f, err := s.write(filepath.Join(s.Dir, outbound), uuid.NewString(), name, limit, r)
	if err != nil {
		return msg.Attachment{}, err
	}
	return msg.Attachment{MIME: f.MIME, Name: f.Name, Size: f.Size, Ref: scheme + filepath.Base(f.Path)}, nil
}

// local opens a file below one of roots; a path that isn't absolute is below
// the first.
func (s *Store) local(roots []string, ref string) (io.ReadCloser, string, error) {
	if !filepath.IsAbs(ref) && len(roots) > 0 {
		ref = filepath.Join(roots[0], ref)
	}
	for _, root := range append(roots[:len(roots):len(roots)], s.Dir) {
		rel, err := filepath.Rel(root, ref)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		dir, err := os.OpenRoot(root)
		if err != nil {
			continue
		}
		defer dir.Close()
		f, err := dir.Open(filepath.ToSlash(rel))
		if err != nil {
			return nil, "", fault.New(fault.NotFound, "media.Stage", "there is no such file")
		}
		if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
			f.Close()
			return nil, "", fault.New(fault.Invalid, "media.Stage", "it is not a file")
		}
		return f, filepath.Base(ref), nil
	}
	return nil, "", fault.New(fault.Forbidden, "media.Stage", "only files of the workspace and received files are sent")
}

// Open reads what Stage made.
func (s *Store) Open(_ context.Context, a msg.Attachment) (io.ReadCloser, error) {
	name, ok := strings.CutPrefix(a.Ref, scheme)
	if !ok || name == "" || !fs.ValidPath(name) || strings.ContainsAny(name, `/\`) {
		return nil, fault.New(fault.Forbidden, "media.Open", "that file was not made ready to be sent")
	}
	f, err := os.Open(filepath.Join(s.Dir, outbound, name))
	if err != nil {
		return nil, fault.New(fault.NotFound, "media.Open", "the file to send is gone")
	}
	return f, nil
}
