package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/jsonc"
)

// Messages that clients of the gateway know.
const (
	msgChanged = "config changed since last load; re-run config.get and retry"
	msgObject  = "config.patch raw must be an object"
)

// File changes the configuration on disk. Each change touches only the lines
// it must, is checked as part of the whole merged result before anything is
// saved, and leaves the previous file behind as a backup. Paths must be set.
type File struct {
	Paths   Paths
	Load    LoadOptions
	Version string           // of this program, stamped into meta
	Args    []string         // the command, for the audit log
	Now     func() time.Time // nil is time.Now

	// BaseHash, unless empty, is the hash that the file must still have.
	BaseHash string
}

// Saved is the outcome of a change.
type Saved struct {
	*Loaded             // the new state of the file
	Changed    bool     // false when the file already said so
	Previous   string   // hash before
	Backup     string   // where the previous file is; empty when there was none
	Suspicious []string // why the write looks odd, as the audit log has it
}

// Set gives the key at path (see [ParseKeyPath]) the value, which is JSON5.
func (f File) Set(ctx context.Context, path string, value []byte) (Saved, error) {
	p, err := ParseKeyPath(path)
	if err != nil {
		return Saved{}, err
	}
	v, err := jsonc.Parse("the value", value)
	if err != nil {
		return Saved{}, &fault.Error{Kind: fault.Invalid, Op: "config.Set", Hint: "the value is no JSON5: " + err.Error()}
	}
	return f.change(ctx, func(l *Loaded) (*jsonc.Document, *jsonc.Node, error) {
		if err := l.elsewhere(p); err != nil {
			return nil, nil, err
		}
		restored, err := unredact(v.Root, p.At(l.Doc.Root), p)
		if err != nil {
			return nil, nil, err
		}
		root, err := p.set(l.Doc.Root, restored)
		if err == nil && p.String() == "models.providers.ollama.apiKey" {
			root = completeOllama(root)
		}
		return l.Doc, root, err
	})
}

// completeOllama adds what a provider needs beside its key, when only that is
// given: the original does so for this provider alone.
func completeOllama(root *jsonc.Node) *jsonc.Node {
	at := []string{"models", "providers", "ollama"}
	for _, add := range []jsonc.Member{
		{Key: "baseUrl", Value: jsonc.Str("http://127.0.0.1:11434")}, {Key: "api", Value: jsonc.Str("ollama")}, {Key: "models", Value: &jsonc.Node{Kind: jsonc.Array}},
	} {
		if root.Find(at...).Get(add.Key) == nil {
			root = root.With(append(at[:len(at):len(at)], add.Key), add.Value)
		}
	}
	return root
}

// Unset takes the key at path out, and the objects this leaves empty.
func (f File) Unset(ctx context.Context, path string) (Saved, error) {
	p, err := ParseKeyPath(path)
	if err != nil {
		return Saved{}, err
	}
	return f.change(ctx, func(l *Loaded) (*jsonc.Document, *jsonc.Node, error) {
		if err := l.elsewhere(p); err != nil {
			return nil, nil, err
		}
		root, found := p.unset(l.Doc.Root)
		if !found {
			return nil, nil, fault.New(fault.NotFound, "config.Unset", "Config path not found: "+path)
		}
		if root == nil {
			root = &jsonc.Node{Kind: jsonc.Object}
		}
		return l.Doc, root, nil
	})
}

// Patch merges a JSON5 object into the file: null takes a key out, lists of
// objects with ids merge by id, other lists are replaced.
func (f File) Patch(ctx context.Context, patch []byte) (Saved, error) {
	if err := small(patch); err != nil {
		return Saved{}, err
	}
	d, err := jsonc.Parse("the patch", patch)
	if err != nil {
		return Saved{}, &fault.Error{Kind: fault.Invalid, Op: "config.Patch", Hint: "SyntaxError: " + err.Error(), Err: err}
	}
	if d.Root.Kind != jsonc.Object {
		return Saved{}, fault.New(fault.Invalid, "config.Patch", msgObject)
	}
	if key := blockedIn(d.Root); key != "" {
		return Saved{}, fault.New(fault.Invalid, "config.Patch", "the key "+key+" isn't allowed")
	}
	return f.change(ctx, func(l *Loaded) (*jsonc.Document, *jsonc.Node, error) {
		if err := l.patchElsewhere(nil, d.Root); err != nil {
			return nil, nil, err
		}
		root, err := unredact(mergePatch(l.Doc.Root, d.Root), l.Doc.Root, nil)
		return l.Doc, root, err
	})
}

// Replace makes raw the file. Marks of redaction in it stand for the values
// that the file has there now.
func (f File) Replace(ctx context.Context, raw []byte) (Saved, error) {
	if err := small(raw); err != nil {
		return Saved{}, err
	}
	d, err := jsonc.Parse(f.Paths.Config, raw)
	if err != nil {
		return Saved{}, &fault.Error{Kind: fault.Invalid, Op: "config.Replace", Hint: "SyntaxError: " + err.Error(), Err: err}
	}
	if key := blockedIn(d.Root); key != "" {
		return Saved{}, fault.New(fault.Invalid, "config.Replace", "the key "+key+" isn't allowed")
	}
	return f.change(ctx, func(l *Loaded) (*jsonc.Document, *jsonc.Node, error) {
		old := l.merged
		if l.Doc != nil {
			old = merge(l.merged, l.Doc.Root)
		}
		root, err := unredact(d.Root, old, nil)
		return d, root, err
	})
}

func small(raw []byte) error {
	if len(raw) > maxFile {
		return fault.New(fault.Invalid, "config.change", "the configuration is larger than 2 MiB; move parts into files and $include them")
	}
	return nil
}

// change runs one edit: read, edit, check, save.
func (f File) change(ctx context.Context, edit func(*Loaded) (*jsonc.Document, *jsonc.Node, error)) (Saved, error) {
	const op = "config.change"
	unlock, err := lockDir(ctx, filepath.Dir(f.Paths.Config))
	if err != nil {
		return Saved{}, fault.Wrap(fault.Unavailable, op, err)
	}
	defer unlock()
	raw, err := readBounded(f.Paths.Config, false)
	exists := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Saved{}, &fault.Error{Kind: fault.Unavailable, Op: op, Hint: "the configuration can't be read", Err: err}
	}
	if f.BaseHash != "" && f.BaseHash != hash(raw) {
		return Saved{}, fault.New(fault.Conflict, op, msgChanged)
	}
	before := evaluate(f.Paths, raw, exists, f.Load)
	if before.Doc == nil {
		if before.Doc, err = jsonc.Parse(f.Paths.Config, []byte("{}\n")); err != nil {
			return Saved{}, err
		}
		before.merged = before.Doc.Root
		before.broken = true
	}
	doc, root, err := edit(before)
	if err != nil {
		return Saved{}, err
	}
	if before.broken && doc == before.Doc { // only a replacement may go over a file that can't be parsed
		return Saved{}, &Invalid{Path: f.Paths.Config, Problems: before.Problems}
	}
	if doc == before.Doc && exists && jsonc.Equal(root, doc.Root) {
		return Saved{Loaded: before, Previous: before.Hash}, nil
	}
	if exists && !before.broken && doc != before.Doc && bytes.Equal(doc.Source, raw) {
		return Saved{Loaded: before, Previous: before.Hash}, nil
	}
	text, err := jsonc.Rewrite(doc, f.stamp(root))
	if err != nil {
		return Saved{}, fault.Wrap(fault.Internal, op, err)
	}
	after, err := Validate(ctx, f.Paths, text, f.Load)
	if err != nil {
		return Saved{}, err
	}
	if bad := refused(before, after); len(bad) > 0 {
		return Saved{}, &Invalid{Path: f.Paths.Config, Problems: bad}
	}
	return f.save(before, after)
}

// refused are the new warnings that a write must not bring about.
func refused(before, after *Loaded) []Problem {
	var out []Problem
	for _, w := range after.Warnings {
		if w.refuse && !slices.ContainsFunc(before.Warnings, func(b Problem) bool { return b.Path == w.Path && b.Message == w.Message }) {
			out = append(out, w)
		}
	}
	return out
}

func (f File) now() time.Time {
	if f.Now != nil {
		return f.Now()
	}
	return time.Now()
}

// stamp notes who wrote the file and when.
func (f File) stamp(root *jsonc.Node) *jsonc.Node {
	if root.Kind != jsonc.Object {
		return root
	}
	version := f.Version
	if version == "" {
		version = "2026.3.13"
	}
	root = root.With([]string{"meta", "lastTouchedVersion"}, jsonc.Str(version))
	return root.With([]string{"meta", "lastTouchedAt"}, jsonc.Str(f.now().UTC().Format("2006-01-02T15:04:05.000Z")))
}

// backups is how many older backups are kept beside the newest.
const backups = 4

func (f File) save(before, after *Loaded) (Saved, error) {
	path := f.Paths.Config
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // keep a link a link
	}
	s := Saved{Loaded: after, Changed: true, Previous: before.Hash, Suspicious: suspicious(before, after)}
	if filepath.Dir(path) == f.Paths.State {
		_ = os.Chmod(f.Paths.State, 0o700) //nolint:gosec // a directory; best effort, it may belong to someone else
	}
	if before.Exists {
		s.Backup = path + ".bak"
		if err := rotate(s.Backup, before.Raw); err != nil {
			return Saved{}, err
		}
	}
	err := writeAtomic(path, after.Raw)
	f.audit(before, s, err)
	if err != nil {
		return Saved{}, &fault.Error{Kind: fault.Unavailable, Op: "config.save", Hint: "the configuration can't be written; the old one stays", Err: err}
	}
	after.Exists = true
	return s, nil
}

// rotate moves .bak to .bak.1 and so on, then writes the newest.
func rotate(bak string, raw []byte) error {
	for i := backups - 1; i >= 0; i-- {
		from := bak
		if i > 0 {
			from = fmt.Sprintf("%s.%d", bak, i)
		}
		if err := os.Rename(from, fmt.Sprintf("%s.%d", bak, i+1)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fault.Wrap(fault.Unavailable, "config.rotate", err)
		}
	}
	return writeAtomic(bak, raw)
}

func suspicious(before, after *Loaded) []string {
	out := []string{}
	if !before.Exists {
		return out
	}
	if len(before.Raw) >= 512 && len(after.Raw) < len(before.Raw)/2 {
		out = append(out, fmt.Sprintf("size-drop:%d->%d", len(before.Raw), len(after.Raw)))
	}
	if before.merged.Get("meta") == nil {
		out = append(out, "missing-meta-before-write")
	}
	if before.merged.Find("gateway", "mode") != nil && after.merged.Find("gateway", "mode") == nil {
		out = append(out, "gateway-mode-removed")
	}
	return out
}

// OverwriteNote is the line that commands print on standard error after a
// write.
func (s Saved) OverwriteNote() string {
	if !s.Changed || s.Backup == "" {
		return ""
	}
	note := fmt.Sprintf("Config overwrite: %s (sha256 %s -> %s, backup=%s)", s.Path, s.Previous, s.Hash, s.Backup)
	if len(s.Suspicious) > 0 {
		note += "\nConfig write anomaly: " + s.Path + " (" + strings.Join(s.Suspicious, ", ") + ")"
	}
	return note
}
