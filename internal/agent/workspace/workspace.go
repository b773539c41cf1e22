// Package workspace keeps an agent's directory: it writes the first files of a
// new one, follows how far getting acquainted has come, and reads the files
// that go into the system prompt.
//
// [Ensure] runs at the start of a turn and costs a few stats when there is
// nothing to do; [Reader] reads the files again only when they changed.
package workspace

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
)

//go:embed templates
var templates embed.FS

// seeded are the files of every workspace.
func seeded() []string {
	return []string{"AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md"}
}

const (
	bootstrap = "BOOTSTRAP.md"
	stateDir  = ".openclaw"
	stateFile = "workspace-state.json"
)

// Options say what Ensure makes.
type Options struct {
	Dir string
	// Skip is agents.defaults.skipBootstrap: only the directory is made.
	Skip bool
	// Private makes everything readable by its owner only, as below the state
	// directory.
	Private bool
	// Git is the git program to put a new workspace under version control with;
	// "" leaves it out.
	Git string
}

// State is .openclaw/workspace-state.json.
type State struct {
	Version     int    `json:"version"`
	SeededAt    string `json:"bootstrapSeededAt,omitempty"`
	CompletedAt string `json:"onboardingCompletedAt,omitempty"`
}

// Template returns the text that a file of a new workspace has.
func Template(name string) string {
	b, err := templates.ReadFile("templates/" + name)
	if err != nil {
		return ""
	}
	return string(b)
}

// Ensure makes the workspace and what is missing in it, and follows the life
// of BOOTSTRAP.md: written into a brand-new workspace only, deleted by the
// agent when done, never written again. No existing file is changed.
func Ensure(ctx context.Context, o Options) (State, error) {
	const op = "workspace.Ensure"
	if !filepath.IsAbs(o.Dir) {
		return State{}, fault.New(fault.Invalid, op, "the workspace must be an absolute path; set agents.defaults.workspace")
	}
	if filepath.Dir(filepath.Clean(o.Dir)) == filepath.Clean(o.Dir) {
		return State{}, fault.New(fault.Invalid, op, "the workspace can't be the root of the file system; set agents.defaults.workspace to a directory")
	}
	w := work{Options: o, file: 0o644, dir: 0o755}
	if o.Private {
		w.file, w.dir = 0o600, 0o700
	}
	if err := os.MkdirAll(o.Dir, w.dir); err != nil {
		return State{}, &fault.Error{Kind: fault.Invalid, Op: op, Hint: "the workspace can't be made; check agents.defaults.workspace", Err: err}
	}
	if o.Skip {
		return State{}, nil
	}
	s, err := w.ensure(ctx)
	return s, fault.Wrap(fault.Unavailable, op, err)
}

type work struct {
	Options
	file, dir fs.FileMode
}

func (w work) ensure(ctx context.Context) (State, error) {
	fresh := !w.has(append(seeded(), "memory", "MEMORY.md", ".git")...)
	for _, name := range seeded() {
		if err := w.seed(name); err != nil {
			return State{}, err
		}
	}
	if fresh {
		if err := os.MkdirAll(w.path("memory"), w.dir); err != nil {
			return State{}, err
		}
	}
	old, err := w.load()
	if err != nil {
		return State{}, err
	}
	s := old
	now := time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	switch here := w.has(bootstrap); {
	case here && s.SeededAt == "":
		s.SeededAt = now
	case !here && s.SeededAt != "" && s.CompletedAt == "":
		s.CompletedAt = now
	case !here && s.SeededAt == "" && s.CompletedAt == "":
		if !fresh && (w.edited("IDENTITY.md") || w.edited("USER.md") || w.has("memory", "MEMORY.md", ".git")) {
			s.CompletedAt = now
			break
		}
		if err := w.seed(bootstrap); err != nil {
			return State{}, err
		}
		s.SeededAt = now
	}
	if s != old {
		if err := w.save(s); err != nil {
			return State{}, err
		}
	}
	if fresh && w.Git != "" {
		w.git(ctx)
	}
	return s, nil
}

func (w work) path(name string) string { return filepath.Join(w.Dir, name) }

func (w work) has(names ...string) bool {
	for _, n := range names {
		if _, err := os.Lstat(w.path(n)); err == nil {
			return true
		}
	}
	return false
}

// edited reports whether a seeded file is no longer as it was written.
func (w work) edited(name string) bool {
	fi, err := os.Stat(w.path(name))
	if err != nil || !fi.Mode().IsRegular() {
		return false
	}
	if fi.Size() != int64(len(Template(name))) {
		return true
	}
	b, err := os.ReadFile(w.path(name))
	return err == nil && string(b) != Template(name)
}

// seed writes a template unless something of that name is there.
func (w work) seed(name string) error {
	if _, err := os.Lstat(w.path(name)); err == nil {
		return nil
	}
	f, err := os.OpenFile(w.path(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, w.file)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(Template(name))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// load reads the state file; a damaged one counts as absent.
func (w work) load() (State, error) {
	b, err := os.ReadFile(filepath.Join(w.Dir, stateDir, stateFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return State{}, err
	}
	s := State{Version: 1}
	if json.Unmarshal(b, &s) != nil || s.Version != 1 {
		s = State{Version: 1, SeededAt: s.SeededAt, CompletedAt: s.CompletedAt}
	}
	return s, nil
}

// save replaces the state file as a whole.
func (w work) save(s State) error {
	dir := filepath.Join(w.Dir, stateDir)
	if err := os.MkdirAll(dir, w.dir); err != nil {
		return err
	}
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, stateFile+".tmp-*")
	if err != nil {
		return err
	}
	_, err = f.Write(append(b, '\n'))
	if err == nil {
		err = f.Chmod(w.file)
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, stateFile))
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fmt.Errorf("workspace state: %w", err)
	}
	return nil
}

// git puts a brand-new workspace under version control, if that works.
func (w work) git(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, w.Git, "init", "-q") //nolint:gosec // the program that the host found
	cmd.Dir = w.Dir
	cmd.WaitDelay = time.Second
	_ = cmd.Run()
}
