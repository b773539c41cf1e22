package fs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/tool"
)

const lsLimit = 500

type lsArgs struct {
	Path  string  `json:"path,omitempty" doc:"Directory to list; the workspace when left out"`
	Limit float64 `json:"limit,omitempty" doc:"Most entries to return, 500 when left out"`
}

func (t *tools) ls(_ context.Context, call tool.Call, a lsArgs) (tool.Result, error) {
	if a.Path == "" {
		a.Path = "."
	}
	p, err := t.at(call.Scope, a.Path, reading)
	if err != nil {
		return failed(a.Path, err)
	}
	defer p.close()
	fi, err := p.stat()
	if err != nil {
		return failed(a.Path, err)
	}
	if !fi.IsDir() {
		return failed(a.Path, refuse("%s is a file (%s), not a directory; read it with read", a.Path, text.Size(fi.Size())))
	}
	entries, err := p.readDir()
	if err != nil {
		return failed(a.Path, err)
	}
	limit := bounded(a.Limit, lsLimit, dirEntries)
	return tool.Result{Content: []llm.Block{llm.Text(listing(entries, limit))}, Meta: "list " + a.Path}, nil
}

func listing(entries []fs.DirEntry, limit int) string {
	if len(entries) == 0 {
		return "(empty directory)"
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int {
		return strings.Compare(strings.ToLower(a.Name()), strings.ToLower(b.Name()))
	})
	var b strings.Builder
	for i, d := range entries {
		if i == limit || b.Len() > pageBytes {
			fmt.Fprintf(&b, "\n[%d of %d entries. Use a greater limit, or find with a pattern.]\n", i, len(entries))
			break
		}
		b.WriteString(text.Valid(d.Name()))
		switch {
		case d.IsDir():
			b.WriteByte('/')
		case d.Type()&fs.ModeSymlink != 0:
			b.WriteByte('@')
		}
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (p *place) readDir() ([]fs.DirEntry, error) {
	var f *os.File
	var err error
	if p.root != nil {
		f, err = p.root.Open(p.name)
	} else {
		f, err = os.Open(p.name)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(dirEntries)
	if len(entries) > 0 || errors.Is(err, io.EOF) {
		return entries, nil
	}
	return nil, err
}

// bounded is a count argument: def when absent, never above most.
func bounded(v float64, def, most int) int {
	if v < 1 {
		return def
	}
	return int(min(v, float64(most)))
}
