package config

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"strconv"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/jsonc"
	"github.com/openclaw-go/openclaw/internal/secret"
)

// LoadOptions say how to load. The zero value reads the file and refuses it
// when it is invalid.
type LoadOptions struct {
	Env func(string) string // the process environment; nil is os.Getenv
	Dir string              // where the first .env is looked for; empty is the working directory

	// LastGood falls back to the copy of the last configuration that worked
	// when the file is invalid, and keeps that copy up to date when it is
	// valid. Only the gateway does so; see [Loaded.LastGood] for the rule.
	LastGood bool

	// Strict turns off the best effort for an invalid file: Config stays nil.
	Strict bool
}

// Loaded is what came out of loading.
type Loaded struct {
	Config *Config // nil only if nothing could be made of the file

	Path     string // the file
	Raw      []byte // as it stands on disk
	Hash     string // SHA-256 of Raw in hex, of nothing when there is no file
	Exists   bool
	Problems []Problem // what makes the file invalid
	Warnings []Problem // what works, but not as someone may expect

	// LastGood says that Config is the last one that worked, because the file
	// is invalid. That happens only when no rule of access is at stake: each
	// access key (see accessKeys) must be valid in the file and have the value
	// it has in the copy. Otherwise Load fails. A file that can't be parsed
	// says nothing about access; the copy is then used whole.
	LastGood bool

	Doc      *jsonc.Document // nil when missing or no JSON5
	Resolved *jsonc.Node     // includes and variables resolved
	Filled   *jsonc.Node     // the same with defaults filled in

	paths  Paths
	broken bool
	merged *jsonc.Node       // includes resolved, variables not
	added  map[string]string // environment from .env and the env block
	files  []string          // all files read, the main one first
}

// Valid reports whether the file itself is valid.
func (l *Loaded) Valid() bool { return len(l.Problems) == 0 }

// Files are all files that were read: the main one and what it includes.
func (l *Loaded) Files() []string { return l.files }

// Load reads, resolves and checks the configuration. A missing file is an
// empty configuration. An invalid one gives an error of type [*Invalid] beside
// a Loaded with all problems and, unless Strict, a best-effort Config in which
// the parts with problems are left out: enough for commands that only look.
func Load(ctx context.Context, paths Paths, opts LoadOptions) (*Loaded, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if opts.LastGood {
		paths.sweep(ctx)
	}
	raw, err := readBounded(paths.Config, false)
	exists := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, &fault.Error{Kind: fault.Unavailable, Op: "config.Load", Hint: "the configuration can't be read", Err: err}
	}
	l := evaluate(paths, raw, exists, opts)
	l.Warnings = append(l.Warnings, openToOthers(paths.Config)...)
	if l.Valid() {
		if opts.LastGood && exists {
			if err := l.Remember(); err != nil {
				l.Warnings = append(l.Warnings, Problem{Message: "the last good copy can't be kept: " + err.Error(), File: paths.LastGood()})
			}
		}
		return l, nil
	}
	invalid := &Invalid{Path: paths.Config, Problems: l.Problems}
	if opts.LastGood {
		good, err := l.fallBack(opts)
		if err == nil {
			return good, nil
		}
		invalid.Reason = err.Error()
	}
	if opts.Strict {
		l.Config = nil
	}
	return l, invalid
}

// Validate checks raw as if it were the content of the file at paths.Config,
// with its includes and environment.
func Validate(ctx context.Context, paths Paths, raw []byte, opts LoadOptions) (*Loaded, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l := evaluate(paths, raw, true, opts)
	if !l.Valid() {
		return l, &Invalid{Path: paths.Config, Problems: l.Problems}
	}
	return l, nil
}

// evaluate runs the pipeline over the text of a file.
func evaluate(paths Paths, raw []byte, exists bool, opts LoadOptions) *Loaded {
	l := &Loaded{paths: paths, Path: paths.Config, Raw: raw, Exists: exists, Hash: hash(raw), files: []string{paths.Config}}
	env := l.environment(paths, opts)
	text := raw
	if !exists {
		text = []byte("{}")
	}
	doc, err := jsonc.Parse(paths.Config, text)
	if err != nil {
		l.Problems = []Problem{syntaxProblem(paths.Config, err)}
		return l
	}
	l.Doc = doc
	l.settle(paths, env)
	return l
}

func syntaxProblem(file string, err error) Problem {
	p := Problem{
		Message: "JSON5 parse failed: SyntaxError: " + err.Error(), File: file, hard: true,
		Mend: "check the brackets, quotes and commas before this place",
	}
	var syntax *jsonc.SyntaxError
	if errors.As(err, &syntax) {
		p.Line, p.Column = syntax.Pos.Line, syntax.Pos.Column
	}
	return p
}

func (l *Loaded) environment(paths Paths, opts LoadOptions) *environment {
	env := &environment{process: opts.Env}
	if env.process == nil {
		env.process = os.Getenv
	}
	dir := opts.Dir
	if dir == "" {
		dir, _ = os.Getwd()
	}
	dirs := []string{dir, paths.State}
	if dir == paths.State {
		dirs = dirs[1:]
	}
	for _, d := range dirs {
		if d == "" {
			continue
		}
		vars, err := readDotenv(d)
		if err != nil {
			l.Warnings = append(l.Warnings, Problem{Message: fault.Hint(err), File: d})
		}
		env.layers = append(env.layers, vars)
	}
	return env
}

// settle resolves, checks and decodes l.Doc.
func (l *Loaded) settle(paths Paths, env *environment) {
	in := newIncluder(l.Path)
	l.merged = in.resolve(l.Doc.Root, []string{l.Path})
	if l.merged == nil {
		l.merged = &jsonc.Node{Kind: jsonc.Object, Doc: l.Doc}
	}
	for _, d := range in.docs {
		l.files = append(l.files, d.Name)
	}
	l.Problems = in.problems
	env.layers = append(env.layers, envBlock(l.merged))
	l.added = env.added()
	var warnings []Problem
	l.Resolved, warnings = substitute(l.merged, env.Get)
	l.Warnings = append(l.Warnings, warnings...)

	broken := len(l.Problems) > 0 // what isn't there can't be judged
	legacy := legacyProblems(l.Resolved)
	l.Problems = append(l.Problems, legacy...)
	shape := without(checkSchema(l.Resolved), legacy)
	l.Problems = append(l.Problems, shape...)
	if !broken && l.Resolved.Kind == jsonc.Object {
		errs, warns := crossCheck(l.Resolved, paths)
		l.Problems = append(l.Problems, fresh(errs, l.Problems)...)
		l.Warnings = append(l.Warnings, warns...)
	}
	l.decode(paths, env)
}

// decode fills in defaults and makes the typed configuration, leaving out what
// has a problem.
func (l *Loaded) decode(paths Paths, env *environment) {
	root := l.Resolved
	switch {
	case len(l.Problems) >= maxProblems: // there may be more than are known
		root = &jsonc.Node{Kind: jsonc.Object}
	case len(l.Problems) > 0:
		root = prune(root, l.Problems)
	}
	l.Filled = fillDefaults(root)
	if paths.Profile == devProfile && root.Find("gateway", "port") == nil {
		l.Filled = l.Filled.With([]string{"gateway", "port"}, &jsonc.Node{Kind: jsonc.Number, Text: strconv.Itoa(DevPort)})
	}
	c, err := decode(l.Filled)
	if err != nil && l.Valid() { // the schema and the types disagree
		l.Problems = append(l.Problems, Problem{Message: err.Error(), hard: true}.at(l.Resolved))
	}
	if c == nil {
		return
	}
	c.Paths = paths
	c.lookup = env.Get
	c.added = l.added
	c.source = l.Resolved.JSON()
	c.resolver = secret.NewResolver(c.Secrets, env.Get, paths.Expand)
	l.Config = c
}

// without drops problems at or below the path of a legacy one: the schema
// knows nothing of legacy keys.
func without(ps, legacy []Problem) []Problem {
	if len(legacy) == 0 {
		return ps
	}
	var out []Problem
	for _, p := range ps {
		if !covered(p.Key, legacy) {
			out = append(out, p)
		}
	}
	return out
}

func covered(key string, by []Problem) bool {
	for _, o := range by {
		if key == o.Path || len(key) > len(o.Path) && key[:len(o.Path)] == o.Path && key[len(o.Path)] == '.' || len(o.Path) > len(key) && o.Path[:len(key)] == key && o.Path[len(key)] == '.' && key != "" {
			return true
		}
	}
	return false
}

// fresh drops problems of keys that already have one.
func fresh(ps, have []Problem) []Problem {
	seen := map[string]bool{}
	for _, p := range have {
		seen[p.Key] = true
	}
	var out []Problem
	for _, p := range ps {
		if !seen[p.Key] {
			out = append(out, p)
		}
	}
	return out
}

// prune takes the values with problems out.
func prune(root *jsonc.Node, ps []Problem) *jsonc.Node {
	bad := map[string]bool{}
	for _, p := range ps {
		bad[p.Key] = true
	}
	if root.Kind != jsonc.Object {
		return &jsonc.Node{Kind: jsonc.Object}
	}
	out := root.Map(func(path []string, n *jsonc.Node) *jsonc.Node {
		if len(path) > 0 && bad[dotted(path...)] {
			return nil
		}
		return n
	})
	if out == nil {
		return &jsonc.Node{Kind: jsonc.Object}
	}
	return out
}

func hash(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}
