package cli

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/secret"
	"github.com/openclaw-go/openclaw/internal/store"
)

// paths are where state and configuration are.
func (sh *shell) paths() config.Paths { return config.FindPaths(sh.Getenv, sh.global.paths()) }

// load reads the configuration once. A missing file is an empty one; an
// invalid one is an error, beside what could be made of it.
func (sh *shell) load(ctx context.Context) (*config.Loaded, error) {
	if sh.loaded != nil {
		return sh.loaded, nil
	}
	l, err := config.Load(ctx, sh.paths(), config.LoadOptions{Env: sh.Getenv})
	if err == nil {
		sh.loaded = l
	}
	return l, err
}

// loadAnyway is load for those who show what they can of an invalid file: what
// could be read of it is taken. The error says what is wrong and is for the end.
func (sh *shell) loadAnyway(ctx context.Context) error {
	if sh.loaded != nil {
		return nil
	}
	l, err := config.Load(ctx, sh.paths(), config.LoadOptions{Env: sh.Getenv})
	if l != nil && l.Config != nil {
		sh.loaded = l
	}
	return err
}

// config is load for those who want the configuration and nothing else.
func (sh *shell) config(ctx context.Context) (*config.Config, error) {
	l, err := sh.load(ctx)
	if err != nil {
		return nil, err
	}
	return l.Config, nil
}

// running is config for those who ask a gateway: while the file is invalid, it
// goes on with the last good one, and so do they. They say so.
func (sh *shell) running(ctx context.Context) (*config.Config, error) {
	l, err := sh.load(ctx)
	if err == nil {
		return l.Config, nil
	}
	if !sh.remembered(err) {
		return nil, err
	}
	sh.note("%s", text(err))
	sh.note("A running gateway goes on with the last good configuration; so does this command.")
	return sh.loaded.Config, nil
}

// remembered takes the last good configuration for a file that err calls
// invalid.
func (sh *shell) remembered(err error) bool {
	if _, invalid := errors.AsType[*config.Invalid](err); !invalid {
		return false
	}
	l := config.Remembered(sh.paths(), config.LoadOptions{Env: sh.Getenv})
	if l != nil {
		sh.loaded = l
	}
	return l != nil
}

// resolve is the value of a secret of the file.
func (sh *shell) resolve(ctx context.Context, c *config.Config, raw json.RawMessage) (secret.String, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		if strings.HasPrefix(s, "${") && strings.HasSuffix(s, "}") {
			return "", say("the variable %s of the configuration isn't set", s)
		}
		return secret.String(s), nil
	}
	if sh.Resolve != nil {
		return sh.Resolve(ctx, c, raw)
	}
	return secret.NewResolver(secret.Settings{}, sh.Getenv, c.Paths.Expand).Value(ctx, raw)
}

// change is one edit of the file: a path of the command line's syntax, without
// indices, and the value to set, or gone.
type change struct {
	path  string
	value any
	gone  bool
}

// file is the file, for edits.
func (sh *shell) file() config.File {
	return config.File{Paths: sh.paths(), Load: config.LoadOptions{Env: sh.Getenv}, Args: blankSecrets(append([]string{"openclaw"}, sh.argv...))}
}

// edit changes the file in one write and returns what it says then.
func (sh *shell) edit(ctx context.Context, changes ...change) (*config.Loaded, error) {
	patch := map[string]any{}
	for _, c := range changes {
		at := patch
		steps, err := config.ParseKeyPath(c.path)
		if err != nil {
			return nil, err
		}
		for _, k := range steps[:len(steps)-1] {
			next, ok := at[k].(map[string]any)
			if !ok {
				next = map[string]any{}
				at[k] = next
			}
			at = next
		}
		at[steps[len(steps)-1]] = c.value
		if c.gone {
			at[steps[len(steps)-1]] = nil
		}
	}
	raw, err := json.Marshal(patch)
	if err != nil {
		return nil, fault.Wrap(fault.Internal, "cli.edit", err)
	}
	return sh.saved(sh.file().Patch(ctx, raw))
}

// saved says what a write of the file did.
func (sh *shell) saved(s config.Saved, err error) (*config.Loaded, error) {
	if inv, ok := isInvalid(err); ok && sh.loaded != nil {
		// The file is well; the change isn't.
		out := make([]string, 0, len(inv.Problems))
		for _, p := range inv.Problems {
			out = append(out, strings.TrimPrefix(p.String(), p.At()+": "))
		}
		return nil, say("Config validation failed: %s\nNothing was changed.", strings.Join(out, "\n  "))
	}
	if err != nil {
		return nil, err
	}
	if n := s.OverwriteNote(); n != "" {
		sh.note("%s", n)
	}
	sh.loaded = s.Loaded
	return s.Loaded, nil
}

// blankSecrets takes the values of secret flags out of a command line that
// goes into a log.
func blankSecrets(args []string) []string {
	out := make([]string, len(args))
	hide := false
	for i, a := range args {
		out[i] = a
		name, _, glued := strings.Cut(a, "=")
		flag := strings.HasPrefix(a, "--") && secretName(name)
		switch {
		case hide:
			out[i] = "***"
		case flag && glued:
			out[i] = name + "=***"
		case i > 2 && args[1] == "config" && args[2] == "set" && i == 4 && secretName(args[3]):
			out[i] = "***"
		}
		hide = flag && !glued
	}
	return out
}

func secretName(s string) bool {
	s = strings.ToLower(s)
	for _, w := range []string{"token", "password", "secret", "key", "code"} {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// owned opens the database of a gateway that runs on this state, beside it. It
// is nil when none runs: then the files say everything, and what is changed in
// them is taken in at the next start.
func (sh *shell) owned(ctx context.Context) (*store.DB, error) {
	state := sh.paths().State
	if _, held, err := store.Holder(state); err != nil || !held || !exists(filepath.Join(state, store.FileName)) {
		return nil, nil //nolint:nilerr // a lock that can't be looked at isn't held by a gateway of ours
	}
	return store.Open(ctx, store.Options{StateDir: state, Guest: true})
}

// hasKind tells the kind of err, for branches that read better so.
func hasKind(err error, k fault.Kind) bool { return err != nil && fault.KindOf(err) == k }

// isInvalid reports whether err is an invalid configuration.
func isInvalid(err error) (*config.Invalid, bool) { return errors.AsType[*config.Invalid](err) }

func (sh *shell) logger() *slog.Logger { return slog.New(slog.DiscardHandler) }
