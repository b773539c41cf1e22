package config

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/jsonc"
)

// Limits on what a configuration may pull in.
const (
	maxFile     = 2 << 20 // one file
	maxIncludes = 200     // files in all
	maxNesting  = 10      // includes inside includes
)

// includer replaces $include by what it names.
type includer struct {
	root     string // directory of the main file, links resolved
	shown    string // the same as the user wrote it
	files    int
	problems []Problem
	docs     map[string]*jsonc.Document // by path, links resolved
}

func newIncluder(main string) *includer {
	dir := filepath.Dir(main)
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		real = dir
	}
	return &includer{root: real, shown: dir, docs: map[string]*jsonc.Document{}}
}

func (in *includer) fail(n *jsonc.Node, message, mend string) *jsonc.Node {
	in.problems = append(in.problems, Problem{Message: message, Mend: mend, hard: true}.at(n))
	return nil
}

// resolve returns n with the includes under it replaced. chain is the files
// being read, the innermost last. It returns nil after a failure.
func (in *includer) resolve(n *jsonc.Node, chain []string) *jsonc.Node {
	switch n.Kind {
	case jsonc.Array:
		out := *n
		out.Items = make([]*jsonc.Node, 0, len(n.Items))
		for _, v := range n.Items {
			if v = in.resolve(v, chain); v != nil {
				out.Items = append(out.Items, v)
			}
		}
		return &out
	case jsonc.Object:
		if inc := n.Get("$include"); inc != nil {
			return in.include(n, inc, chain)
		}
		out := *n
		out.Members = in.members(n, chain)
		return &out
	}
	return n
}

func (in *includer) members(n *jsonc.Node, chain []string) []jsonc.Member {
	out := make([]jsonc.Member, 0, len(n.Members))
	for _, m := range n.Unique() {
		if m.Key == "$include" {
			continue
		}
		if m.Value = in.resolve(m.Value, chain); m.Value != nil {
			out = append(out, m)
		}
	}
	return out
}

func (in *includer) include(n, inc *jsonc.Node, chain []string) *jsonc.Node {
	var names []*jsonc.Node
	switch inc.Kind {
	case jsonc.String:
		names = []*jsonc.Node{inc}
	case jsonc.Array:
		names = inc.Items
	default:
		return in.fail(inc, "Invalid $include value: expected string or array of strings, got "+inc.Kind.String(), "name a file, or list several")
	}
	var merged *jsonc.Node
	for _, name := range names {
		if name.Kind != jsonc.String {
			in.fail(name, "Invalid $include array item: expected string, got "+name.Kind.String(), "name a file")
			continue
		}
		v := in.file(name, chain)
		switch {
		case v == nil:
		case merged == nil:
			merged = v
		default:
			merged = merge(merged, v)
		}
	}
	own := &jsonc.Node{Kind: jsonc.Object, Doc: n.Doc, Start: n.Start, End: n.End, Members: in.members(n, chain)}
	switch {
	case merged == nil:
		return own
	case len(own.Members) == 0:
		return merged
	case merged.Kind != jsonc.Object:
		return in.fail(inc, "Sibling keys require included content to be an object", "take the keys beside $include out, or include an object")
	}
	return merge(merged, own)
}

// file reads one included file.
func (in *includer) file(name *jsonc.Node, chain []string) *jsonc.Node {
	path := filepath.FromSlash(name.Text)
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(chain[len(chain)-1]), path)
	}
	path = filepath.Clean(path)
	if !within(path, in.shown) && !within(path, in.root) {
		return in.fail(name, fmt.Sprintf("Include path escapes config directory: %s (root: %s)", name.Text, in.shown), "move the file below "+in.shown)
	}
	if slices.Contains(chain, path) {
		return in.fail(name, "Circular include detected: "+strings.Join(append(slices.Clone(chain), path), " -> "), "take one of them out")
	}
	if len(chain) > maxNesting {
		return in.fail(name, fmt.Sprintf("Maximum include depth (%d) exceeded at: %s", maxNesting, name.Text), "include fewer levels")
	}
	if in.files++; in.files > maxIncludes {
		return in.fail(name, fmt.Sprintf("More than %d files are included", maxIncludes), "join some of them")
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return in.fail(name, fmt.Sprintf("Failed to read include file: %s (resolved: %s)", name.Text, path), "make the file, or take the $include out")
	}
	if !within(real, in.root) {
		return in.fail(name, fmt.Sprintf("Include path resolves outside config directory (symlink): %s (root: %s)", name.Text, in.shown), "move the file itself below "+in.shown)
	}
	if slices.ContainsFunc(chain, func(c string) bool { r, err := filepath.EvalSymlinks(c); return err == nil && r == real }) {
		return in.fail(name, "Circular include detected: "+strings.Join(append(slices.Clone(chain), path), " -> "), "take one of them out")
	}
	d, problem := in.read(name, path, real)
	if problem != "" {
		return in.fail(name, problem, "")
	}
	return in.resolve(d.Root, append(slices.Clone(chain), path))
}

func (in *includer) read(name *jsonc.Node, path, real string) (*jsonc.Document, string) {
	if d := in.docs[real]; d != nil {
		return d, ""
	}
	raw, err := readBounded(real, true)
	if err != nil {
		return nil, fmt.Sprintf("Failed to read include file: %s (resolved: %s): %v", name.Text, path, err)
	}
	d, err := jsonc.Parse(path, raw)
	if err != nil {
		return nil, fmt.Sprintf("Failed to parse include file: %s (resolved: %s): %v", name.Text, path, err)
	}
	in.docs[real] = d
	return d, ""
}

// readBounded reads a regular file of bounded size. An included file must not
// be a hard link: that would bring in a file from elsewhere.
func readBounded(path string, single bool) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // before opening: a FIFO would block
		return nil, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("it is no regular file")}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || single && links(info) > 1 {
		return nil, fmt.Errorf("it is no regular file, or a hard link")
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(raw) > maxFile {
		return nil, fmt.Errorf("it is larger than 2 MiB")
	}
	return raw, err
}

func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// merge lays b over a: objects merge, arrays concatenate, all else replaces.
func merge(a, b *jsonc.Node) *jsonc.Node {
	switch {
	case a.Kind == jsonc.Array && b.Kind == jsonc.Array:
		out := *a
		out.Items = append(slices.Clone(a.Items), b.Items...)
		return &out
	case a.Kind == jsonc.Object && b.Kind == jsonc.Object:
		out := *a
		out.Members = slices.DeleteFunc(slices.Clone(a.Unique()), func(m jsonc.Member) bool { return blockedKey(m.Key) })
		for _, m := range b.Unique() {
			if blockedKey(m.Key) {
				continue
			}
			i := slices.IndexFunc(out.Members, func(o jsonc.Member) bool { return o.Key == m.Key })
			if i < 0 {
				out.Members = append(out.Members, m)
				continue
			}
			out.Members[i] = jsonc.Member{Key: m.Key, Doc: m.Doc, Start: m.Start, End: m.End, Value: merge(out.Members[i].Value, m.Value)}
		}
		return &out
	}
	return b
}

// blockedKey reports the keys that no client may set.
func blockedKey(k string) bool { return k == "__proto__" || k == "constructor" || k == "prototype" }
