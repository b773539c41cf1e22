package control

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"

	"github.com/openclaw-go/openclaw/internal/rpc"
)

type logsParams struct {
	Cursor   *int64 `json:"cursor,omitempty" schema:"minimum=0"`
	Limit    *int   `json:"limit,omitempty" schema:"minimum=1,maximum=5000"`
	MaxBytes *int64 `json:"maxBytes,omitempty" schema:"minimum=1,maximum=1000000"`
}

type logsResult struct {
	File      string   `json:"file"`
	Cursor    int64    `json:"cursor"`
	Size      int64    `json:"size"`
	Lines     []string `json:"lines"`
	Truncated bool     `json:"truncated"`
	Reset     bool     `json:"reset"`
}

const (
	logLines = 500     // when the client doesn't say
	logBytes = 250_000 // same
)

// logsTail returns the end of the log, or what came after the cursor of an
// earlier answer. Reset says that the cursor was of no use: the file is
// another one, shorter, or too much was written since.
func (c *Control) logsTail(_ context.Context, _ *rpc.Caller, p logsParams) (logsResult, error) {
	r := logsResult{Lines: []string{}}
	if c.LogFile == nil {
		return r, nil
	}
	r.File = c.LogFile()
	f, err := os.Open(r.File)
	if errors.Is(err, fs.ErrNotExist) || r.File == "" {
		return r, nil
	}
	if err != nil {
		return r, rpc.Unavailable("log read failed: %s can't be opened", r.File)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return r, rpc.Unavailable("log read failed: %s is no regular file", r.File)
	}
	limit, most := logLines, int64(logBytes)
	if p.Limit != nil {
		limit = *p.Limit
	}
	if p.MaxBytes != nil {
		most = *p.MaxBytes
	}
	r.Size = info.Size()
	start := max(0, r.Size-most)
	switch {
	case p.Cursor == nil:
		r.Truncated = start > 0
	case *p.Cursor > r.Size || *p.Cursor < start || c.cursors.stale(*p.Cursor, info):
		r.Reset, r.Truncated = true, start > 0
	default:
		start = *p.Cursor
	}
	if err := r.read(f, start, limit); err != nil {
		return r, rpc.Unavailable("log read failed: %s", r.File)
	}
	c.cursors.issued(r.Cursor, info)
	return r, nil
}

// read fills in the whole lines from start on. The last line may still be in
// the making; it is left for the next call.
func (r *logsResult) read(f *os.File, start int64, limit int) error {
	from := max(0, start-1) // the byte before tells whether a line starts here
	raw := make([]byte, r.Size-from)
	n, err := f.ReadAt(raw, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	raw = raw[:n]
	r.Cursor = from + int64(n)
	end := bytes.LastIndexByte(raw, '\n') + 1
	if start > 0 && end > 0 {
		raw = raw[bytes.IndexByte(raw, '\n')+1 : end]
	} else {
		raw = raw[:end]
	}
	if end > 0 {
		r.Cursor = from + int64(end)
	} else if start == 0 || !r.Truncated {
		r.Cursor = start
	}
	text := strings.TrimSuffix(strings.ToValidUTF8(string(raw), "\uFFFD"), "\n")
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	if len(lines) > limit {
		lines = lines[len(lines)-limit:]
		r.Truncated = true
	}
	r.Lines = make([]string, len(lines))
	rare := hints()
	for i, l := range lines {
		r.Lines[i] = redacted(l, rare)
	}
	return nil
}

// cursors remembers to which file the latest cursors belong. A number alone
// doesn't tell a rotated file from the one before.
type cursors struct {
	mu   sync.Mutex
	ring [64]struct {
		at   int64
		file fs.FileInfo
	}
	next int
}

func (c *cursors) issued(at int64, file fs.FileInfo) {
	c.mu.Lock()
	defer c.mu.Unlock()
	last := (c.next + len(c.ring) - 1) % len(c.ring)
	if e := c.ring[last]; e.file != nil && e.at == at && os.SameFile(e.file, file) {
		return
	}
	c.ring[c.next].at, c.ring[c.next].file = at, file
	c.next = (c.next + 1) % len(c.ring)
}

// stale reports whether at is known, and only of files other than file.
func (c *cursors) stale(at int64, file fs.FileInfo) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	other := false
	for _, e := range c.ring {
		if e.file == nil || e.at != at {
			continue
		}
		if os.SameFile(e.file, file) {
			return false
		}
		other = true
	}
	return other
}
