package fs

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/tool"
)

const (
	pageLines = 2000
	pageBytes = 50 << 10
	// countBytes is the size up to which the remaining lines are counted.
	countBytes = 64 << 20
	// wholeBytes bounds files that are taken into memory at once.
	wholeBytes = 10 << 20
	imageBytes = 5 << 20
	sample     = 8 << 10
)

type readArgs struct {
	Path     *string `json:"path,omitempty" doc:"File to read; relative to the workspace, absolute, or starting with ~/"`
	Offset   float64 `json:"offset,omitempty" doc:"First line to return, from 1"`
	Limit    float64 `json:"limit,omitempty" doc:"Most lines to return"`
	FilePath *string `json:"file_path,omitempty" doc:"The same as path"`
}

func (t *tools) read(ctx context.Context, call tool.Call, a readArgs) (tool.Result, error) {
	raw, _ := either(a.Path, a.FilePath)
	p, err := t.at(call.Scope, raw, reading)
	if err != nil {
		return failed(raw, err)
	}
	defer p.close()
	res, err := p.read(ctx, int(a.Offset), int(a.Limit))
	if err != nil {
		return failed(raw, err)
	}
	return res, nil
}

func (p *place) read(ctx context.Context, offset, limit int) (tool.Result, error) {
	f, fi, err := p.open()
	if err != nil {
		return tool.Result{}, err
	}
	defer f.Close()
	head := make([]byte, sample)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return tool.Result{}, err
	}
	head = head[:n]

	enc := sniff(head)
	switch kind := http.DetectContentType(head); {
	case kind == "image/png", kind == "image/jpeg", kind == "image/gif", kind == "image/webp":
		return p.image(f, kind, fi.Size())
	case !enc.wide() && text.Binary(head):
		return tool.Result{
			Content: []llm.Block{llm.Text(fmt.Sprintf("%s is %s. It isn't shown as text; use exec with a program that knows the format.", p.show, text.Describe(head, fi.Size())))},
			Meta:    "read " + p.show,
		}, nil
	}
	var src io.Reader = io.MultiReader(bytes.NewReader(head), f)
	if enc.wide() {
		if fi.Size() > wholeBytes {
			return tool.Result{}, refuse("%s is a UTF-16 file of %s, which is too large; convert it first (exec: iconv -f UTF-16)", p.show, text.Size(fi.Size()))
		}
		b, err := io.ReadAll(io.LimitReader(src, wholeBytes+1))
		if err != nil {
			return tool.Result{}, err
		}
		src = strings.NewReader(enc.decode(b))
	}
	if enc == utf8BOM {
		src = io.MultiReader(bytes.NewReader(head[len(bom):]), f)
	}
	pg := page{first: max(offset, 1), limit: limit, count: fi.Size() <= countBytes}
	if pg.limit <= 0 {
		pg.limit = pageLines
	}
	if err := pg.read(ctx, src, enc == latin1); err != nil {
		return tool.Result{}, err
	}
	return pg.result(p.show)
}

func (p *place) image(f *os.File, kind string, size int64) (tool.Result, error) {
	if size > imageBytes {
		return tool.Result{}, refuse("%s is an image of %s; only images up to %s can be looked at. Make it smaller first", p.show, text.Size(size), text.Size(imageBytes))
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return tool.Result{}, err
	}
	b, err := io.ReadAll(io.LimitReader(f, imageBytes))
	if err != nil {
		return tool.Result{}, err
	}
	return tool.Result{
		Content: []llm.Block{llm.Text(fmt.Sprintf("Image %s (%s, %s)", p.show, kind, text.Size(size))), {Type: llm.ImageBlock, MIME: kind, Data: b}},
		Meta:    "look at " + p.show,
	}, nil
}

// page is one part of a text file.
type page struct {
	first, limit int
	count        bool // count the lines behind the page

	out   strings.Builder
	lines int  // in out
	total int  // seen in the file
	more  bool // the file goes on
	long  int  // bytes of the line that was too long for a page, or 0
}

// read fills the page from src.
func (pg *page) read(ctx context.Context, src io.Reader, single bool) error {
	r := bufio.NewReaderSize(src, 64<<10)
	for {
		if pg.total&1023 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		wanted := pg.total+1 >= pg.first && !pg.more
		if !wanted && pg.more && !pg.count {
			return nil
		}
		line, size, err := nextLine(r, wanted)
		if size > 0 {
			pg.total++
			if wanted {
				pg.take(line, size, single)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// nextLine returns the next line with its end, cut at the size of a page, and
// its whole size. Without keep it only counts.
func nextLine(r *bufio.Reader, keep bool) (line []byte, size int, err error) {
	for {
		part, err := r.ReadSlice('\n')
		size += len(part)
		if keep && len(line) <= pageBytes {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, size, err
		}
	}
}

func (pg *page) take(line []byte, size int, single bool) {
	var s string
	if single {
		s = fromLatin1(line)
	} else {
		s = text.Valid(string(line))
	}
	switch {
	case pg.lines >= pg.limit, pg.lines > 0 && pg.out.Len()+len(s) > pageBytes:
		pg.more = true
	case size > pageBytes:
		pg.out.WriteString(text.Cut(s, pageBytes))
		pg.lines, pg.long = 1, size
	default:
		pg.out.WriteString(s)
		pg.lines++
	}
}

func (pg *page) result(show string) (tool.Result, error) {
	switch {
	case pg.total == 0:
		return tool.Result{Content: []llm.Block{llm.Text("(" + show + " is empty)")}, Meta: "read " + show}, nil
	case pg.lines == 0:
		return tool.Result{}, refuse("%s has only %d lines; offset %d is behind its end", show, pg.total, pg.first)
	}
	last := pg.first + pg.lines - 1
	body := pg.out.String()
	var note string
	switch {
	case pg.long > 0:
		note = fmt.Sprintf("[Line %d is %s long and is cut here. Use exec (cut -c, jq, head -c) to see the rest.", pg.first, text.Size(int64(pg.long)))
		if pg.more {
			note += fmt.Sprintf(" The next line is offset=%d.", last+1)
		}
		note += "]"
	case pg.more && pg.count:
		note = fmt.Sprintf("[Lines %d-%d of %d. Go on with offset=%d.]", pg.first, last, pg.total, last+1)
	case pg.more:
		note = fmt.Sprintf("[Lines %d-%d of a large file. Go on with offset=%d.]", pg.first, last, last+1)
	}
	if note != "" {
		body = strings.TrimRight(body, "\r\n") + "\n\n" + note
	}
	meta := "read " + show
	if pg.first > 1 || pg.more {
		meta = fmt.Sprintf("read lines %d-%d of %s", pg.first, last, show)
	}
	return tool.Result{Content: []llm.Block{llm.Text(body)}, Meta: meta}, nil
}
