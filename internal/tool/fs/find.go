package fs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/tool"
)

const findLimit = 1000

type findArgs struct {
	Pattern string  `json:"pattern" doc:"Glob: * within a name, ** across directories, ?, [abc], {a,b}. Without a slash it is matched against names"`
	Path    string  `json:"path,omitempty" doc:"Directory to search; the workspace when left out"`
	Limit   float64 `json:"limit,omitempty" doc:"Most paths to return, 1000 when left out"`
}

func (t *tools) find(ctx context.Context, call tool.Call, a findArgs) (tool.Result, error) {
	if a.Path == "" {
		a.Path = "."
	}
	glob, err := globOf(a.Pattern)
	if err != nil {
		return failed(a.Path, err)
	}
	p, err := t.at(call.Scope, a.Path, reading)
	if err != nil {
		return failed(a.Path, err)
	}
	defer p.close()
	w, done, err := t.tree(call.Scope, p)
	if err != nil {
		return failed(a.Path, notDir(a.Path, err))
	}
	defer done()

	limit, n := bounded(a.Limit, findLimit, 10*findLimit), 0
	var b strings.Builder
	w.visit = func(name string, d fs.DirEntry) error {
		if ok, _ := doublestar.Match(glob, name); !ok {
			return nil
		}
		if n == limit || b.Len() > pageBytes {
			w.full = true
			return errEnough
		}
		n++
		b.WriteString(text.Valid(name))
		if d.IsDir() {
			b.WriteByte('/')
		}
		b.WriteByte('\n')
		return nil
	}
	if err := w.run(ctx); err != nil {
		return tool.Result{}, err
	}
	switch {
	case n == 0 && !w.full:
		b.WriteString("Nothing matches " + a.Pattern)
	case w.full:
		fmt.Fprintf(&b, "\n[The first %d matches. Narrow the pattern or the path to see others.]", n)
	}
	return tool.Result{
		Content: []llm.Block{llm.Text(strings.TrimSuffix(b.String(), "\n"))},
		Meta:    fmt.Sprintf("find %s in %s", text.Preview(a.Pattern, 60), a.Path),
	}, nil
}

// globOf makes a pattern match whole paths below the searched directory.
func globOf(pattern string) (string, error) {
	g := strings.TrimPrefix(pattern, "./")
	switch {
	case g == "":
		return "", refuse("a pattern is required, such as **/*.go")
	case len(g) > 1000:
		return "", refuse("the pattern is too long")
	case strings.HasPrefix(g, "/"):
		return "", refuse("the pattern is relative to path; put the directory in path")
	case !strings.Contains(g, "/"):
		g = "**/" + g
	}
	if !doublestar.ValidatePattern(g) {
		return "", refuse("%q is not a valid glob: check its brackets and braces", pattern)
	}
	return g, nil
}

func notDir(show string, err error) error {
	if errors.Is(err, errNotDir) {
		return refuse("%s is not a directory", show)
	}
	return err
}
