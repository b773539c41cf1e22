package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/store"
)

// scopes of a reset, each with all that the ones before it remove.
func scopes() []string { return []string{"config", "config+creds+sessions", "full"} }

// victims are the files and directories that a reset of scope removes.
func victims(c *config.Config, scope string) []string {
	state := c.Paths.State
	out := []string{c.Paths.Config}
	if scope == "config" {
		return out
	}
	out = append(out, filepath.Join(state, "credentials"), filepath.Join(state, "agents"),
		filepath.Join(state, "devices"), filepath.Join(state, "identity"), filepath.Join(state, "cron"))
	for _, ext := range []string{"", "-wal", "-shm"} {
		out = append(out, filepath.Join(state, store.FileName+ext))
	}
	if scope == "full" {
		for _, a := range c.AgentIDs() {
			out = append(out, c.Workspace(a))
		}
	}
	return out
}

// wipe moves what a reset removes to the trash of the state directory.
func (sh *shell) wipe(paths config.Paths, scope string) error {
	if pid, held, err := store.Holder(paths.State); err == nil && held {
		return say("a gateway runs on this state (pid %d); stop it first: openclaw gateway stop", pid)
	}
	c := &config.Config{Paths: paths}
	if sh.loaded != nil {
		c = sh.loaded.Config
	}
	for _, v := range victims(c, scope) {
		if err := sh.trash(v); err != nil {
			return err
		}
	}
	sh.loaded = nil
	return nil
}

// trash moves path below <state>/trash; nothing is deleted for good. A
// directory that holds more than OpenClaw's own is left alone.
func (sh *shell) trash(path string) error {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	paths := sh.paths()
	if within(path, paths.Home) || within(path, paths.State) || filepath.Dir(path) == path {
		return say("%s holds more than OpenClaw's own files; remove by hand what you don't want", path)
	}
	bin := filepath.Join(paths.State, "trash", time.Now().UTC().Format("2006-01-02T15-04-05.000Z"))
	if err := os.MkdirAll(bin, 0o700); err != nil {
		return say("can't make %s: %s", bin, cause(err))
	}
	name := strings.Trim(strings.ReplaceAll(filepath.ToSlash(path), "/", "_"), "_")
	if rel, err := filepath.Rel(paths.State, path); err == nil && !strings.HasPrefix(rel, "..") {
		name = strings.ReplaceAll(filepath.ToSlash(rel), "/", "_")
	}
	to := filepath.Join(bin, name)
	if err := os.Rename(path, to); err != nil {
		return &fault.Error{
			Kind: fault.Unavailable, Op: "cli.trash", Err: err,
			Hint: "can't move " + path + " to the trash (" + renameCause(err) + "); remove it by hand",
		}
	}
	sh.note("%s -> %s", sh.short(path), sh.short(to))
	return nil
}

func renameCause(err error) string {
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}

// within reports whether path is dir or below it.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

func validScope(s string) error {
	if !slices.Contains(scopes(), s) {
		return say("the scope is one of %s, not %q", strings.Join(scopes(), ", "), s)
	}
	return nil
}
