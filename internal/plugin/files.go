package plugin

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// file is an attachment that lies in the directory for handing over.
type file struct {
	File string `json:"file"` // its name there
	MIME string `json:"mime,omitempty"`
	Name string `json:"name,omitempty"`
	Size int64  `json:"size,omitempty"`

	drop func()
}

// handOver puts an attachment where the program can read it.
func (a *account) handOver(ctx context.Context, p *process, at msg.Attachment) (file, error) {
	const op = "plugin.handOver"
	f := file{MIME: at.MIME, Name: filepath.Base(at.Name)}
	limit := a.about.Limits.Media
	if limit == 0 {
		return f, fault.New(fault.Invalid, op, a.about.Label+" takes no attachments")
	}
	var src io.Reader = bytes.NewReader(at.Data)
	if len(at.Data) == 0 {
		if a.env.Open == nil {
			return f, fault.New(fault.Invalid, op, "the attachment can't be opened")
		}
		r, err := a.env.Open(ctx, at)
		if err != nil {
			return f, err
		}
		defer r.Close()
		src = r
	}
	dst, err := os.CreateTemp(p.files, "out-")
	if err != nil {
		return f, fault.Wrap(fault.Unavailable, op, err)
	}
	f.File, f.drop = filepath.Base(dst.Name()), func() { _ = os.Remove(dst.Name()) }
	n, err := io.Copy(dst, io.LimitReader(src, limit+1))
	err = errors.Join(err, dst.Close())
	switch {
	case err != nil:
		return f, fault.Wrap(fault.Unavailable, op, err)
	case n > limit:
		return f, fault.New(fault.Invalid, op, "the attachment is larger than "+a.about.Label+" takes")
	}
	f.Size = n
	return f, nil
}

// fetch asks the program for the bytes of an attachment.
func (a *account) fetch(ctx context.Context, at msg.Attachment) (io.ReadCloser, error) {
	const op = "plugin.fetch"
	p, err := a.process()
	if err != nil {
		return nil, err
	}
	var f file
	if err := a.call(ctx, "channel.fetch", map[string]any{"ref": at.Ref, "limit": a.about.Limits.Media}, &f); err != nil {
		return nil, err
	}
	// Nothing outside the directory is opened, whatever name or link the program
	// made.
	root, err := os.OpenRoot(p.files)
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, op, err)
	}
	defer root.Close()
	if info, err := root.Lstat(f.File); err != nil || !info.Mode().IsRegular() {
		return nil, fault.New(fault.Unavailable, op, "the plugin handed over no file")
	}
	r, err := root.Open(f.File)
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, op, err)
	}
	_ = root.Remove(f.File)
	return &capped{r: r, left: a.about.Limits.Media}, nil
}

// capped fails when there is more than the limit.
type capped struct {
	r    *os.File
	left int64
}

func (c *capped) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	if c.left -= int64(n); c.left < 0 {
		return 0, fault.New(fault.Invalid, "plugin.fetch", "the attachment is too large")
	}
	return n, err
}

func (c *capped) Close() error { return c.r.Close() }
