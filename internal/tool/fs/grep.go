package fs

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/tool"
)

const (
	grepLimit   = 100
	grepLine    = 500      // runes of a line that are shown
	grepContext = 20       // most lines of context
	grepFile    = 64 << 20 // larger files are skipped
	grepBytes   = 2 << 30  // in all
)

type grepArgs struct {
	Pattern    string  `json:"pattern" doc:"Regular expression (RE2), or plain text with literal"`
	Path       string  `json:"path,omitempty" doc:"File or directory to search; the workspace when left out"`
	Glob       string  `json:"glob,omitempty" doc:"Only files that match, such as *.ts or src/**/*.go"`
	IgnoreCase bool    `json:"ignoreCase,omitempty" doc:"Take upper and lower case as equal"`
	Literal    bool    `json:"literal,omitempty" doc:"The pattern is plain text"`
	Context    float64 `json:"context,omitempty" doc:"Lines to show before and after each match"`
	Limit      float64 `json:"limit,omitempty" doc:"Most matches to return, 100 when left out"`
}

func (t *tools) grep(ctx context.Context, call tool.Call, a grepArgs) (tool.Result, error) {
	if a.Path == "" {
		a.Path = "."
	}
	g := &grep{limit: bounded(a.Limit, grepLimit, 20*grepLimit), around: bounded(a.Context, 0, grepContext)}
	var err error
	if g.re, err = compile(a); err != nil {
		return failed(a.Path, err)
	}
	if a.Glob != "" {
		if g.glob, err = globOf(a.Glob); err != nil {
			return failed(a.Path, err)
		}
	}
	p, err := t.at(call.Scope, a.Path, reading)
	if err != nil {
		return failed(a.Path, err)
	}
	defer p.close()

	w, done, err := t.tree(call.Scope, p)
	switch {
	case errors.Is(err, errNotDir):
		f, _, err := p.open()
		if err != nil {
			return failed(a.Path, err)
		}
		defer f.Close()
		if err := g.file(ctx, f, filepath.Base(p.abs)); err != nil && !errors.Is(err, errEnough) {
			return failed(a.Path, err)
		}
	case err != nil:
		return failed(a.Path, err)
	default:
		defer done()
		w.visit = func(name string, d fs.DirEntry) error { return g.entry(ctx, w, p, name, d) }
		if err := w.run(ctx); err != nil {
			return tool.Result{}, err
		}
		g.more = g.more || w.full
	}
	return tool.Result{
		Content: []llm.Block{llm.Text(g.result(a.Pattern))},
		Meta:    fmt.Sprintf("search %q in %s", text.Preview(a.Pattern, 60), a.Path),
	}, nil
}

func compile(a grepArgs) (*regexp.Regexp, error) {
	switch {
	case a.Pattern == "":
		return nil, refuse("a pattern is required")
	case len(a.Pattern) > 10_000:
		return nil, refuse("the pattern is too long")
	}
	expr := a.Pattern
	if a.Literal {
		expr = regexp.QuoteMeta(expr)
	}
	if a.IgnoreCase {
		expr = "(?i)" + expr
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, refuse("%v. The syntax is RE2, without lookaround and back-references; set literal to search plain text", err)
	}
	return re, nil
}

// grep is one search under way.
type grep struct {
	re     *regexp.Regexp
	glob   string
	limit  int
	around int

	out     strings.Builder
	matches int
	read    int64
	skipped int  // files too large
	more    bool // there may be further matches
}

// entry searches one file of a walk.
func (g *grep) entry(ctx context.Context, w *walk, p *place, name string, d fs.DirEntry) error {
	if !d.Type().IsRegular() {
		return nil
	}
	if g.glob != "" {
		if ok, _ := doublestar.Match(g.glob, name); !ok {
			return nil
		}
	}
	fi, err := d.Info()
	switch {
	case err != nil, p.root != nil && links(fi) > 1:
		return nil
	case fi.Size() > grepFile:
		g.skipped++
		return nil
	}
	if g.read += fi.Size(); g.read > grepBytes {
		g.more = true
		return errEnough
	}
	f, err := w.fsys.Open(name)
	if err != nil {
		return nil // unreadable files are passed over
	}
	defer f.Close()
	return g.file(ctx, f, name)
}

// file searches one open file.
func (g *grep) file(ctx context.Context, f io.Reader, name string) error {
	head := make([]byte, sample)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil // as good as unreadable
	}
	head = head[:n]
	enc := sniff(head)
	if !enc.wide() && text.Binary(head) {
		return nil
	}
	src := io.MultiReader(bytes.NewReader(head), f)
	if enc.wide() {
		b, err := io.ReadAll(io.LimitReader(src, wholeBytes))
		if err != nil {
			return nil
		}
		src = strings.NewReader(enc.decode(b))
	}
	return g.lines(ctx, bufio.NewReaderSize(src, 64<<10), name, enc == latin1)
}

func (g *grep) lines(ctx context.Context, r *bufio.Reader, name string, single bool) error {
	var before []string // the lines above, at most around
	after, last := 0, 0 // lines still to show; the last one shown
	for n := 1; ; n++ {
		if n&1023 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		line, size, err := nextLine(r, true)
		if size == 0 && err != nil {
			return nil
		}
		line = bytes.TrimRight(line, "\r\n")
		if single {
			line = []byte(fromLatin1(line))
		}
		switch {
		case g.re.Match(line):
			if g.matches == g.limit || g.out.Len() > pageBytes {
				g.more = true
				return errEnough
			}
			g.matches++
			if g.around > 0 && last > 0 && n-len(before) > last+1 {
				g.out.WriteString("--\n")
			}
			for i, b := range before {
				fmt.Fprintf(&g.out, "%s-%d- %s\n", name, n-len(before)+i, b)
			}
			fmt.Fprintf(&g.out, "%s:%d: %s\n", name, n, shown(line))
			before, after, last = nil, g.around, n
		case after > 0:
			fmt.Fprintf(&g.out, "%s-%d- %s\n", name, n, shown(line))
			after, last = after-1, n
		case g.around > 0:
			if len(before) == g.around {
				before = before[1:]
			}
			before = append(before, shown(line))
		}
		if err != nil {
			return nil
		}
	}
}

func shown(line []byte) string {
	s := text.CutRunes(string(line), grepLine)
	if len(s) < len(line) {
		s += "…"
	}
	return s
}

func (g *grep) result(pattern string) string {
	if g.matches == 0 {
		g.out.WriteString("No matches for " + text.Preview(pattern, 200))
	}
	if g.more {
		fmt.Fprintf(&g.out, "\n[The first %d matches. Narrow the pattern, path or glob, or use a greater limit.]", g.matches)
	}
	if g.skipped > 0 {
		fmt.Fprintf(&g.out, "\n[%d files of more than %s were not searched.]", g.skipped, text.Size(grepFile))
	}
	return strings.TrimSuffix(g.out.String(), "\n")
}
