package control

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/session"
)

// discard forgets the sessions of a deleted agent and moves its directories to
// the trash. What can't be moved stays: the agent is gone all the same.
func (c *Control) discard(ctx context.Context, cfg *config.Config, a id.Agent) {
	if cfg == nil {
		return
	}
	all, err := c.Sessions.List(ctx, session.Filter{Agent: a})
	if err != nil {
		c.Log.WarnContext(ctx, "sessions of a deleted agent stay", "agent", a, "err", err)
	}
	for _, s := range all {
		if _, _, err := c.Sessions.Delete(ctx, s.Key, true); err != nil {
			c.Log.WarnContext(ctx, "a session of a deleted agent stays", "session", s.Key, "err", err)
		}
	}
	trash := filepath.Join(cfg.Paths.State, "trash", fmt.Sprintf("%s-%d", a, millis(c.Now())))
	for name, dir := range map[string]string{"workspace": cfg.Workspace(a), "agent": cfg.AgentDir(a), "sessions": cfg.SessionsDir(a)} {
		if !own(cfg, a, dir) {
			c.Log.WarnContext(ctx, "a directory of a deleted agent is used by others and stays", "agent", a, "dir", dir)
			continue
		}
		if _, err := os.Lstat(dir); err != nil {
			continue
		}
		if err := os.MkdirAll(trash, 0o700); err == nil {
			err = os.Rename(dir, filepath.Join(trash, name))
			if err == nil {
				continue
			}
			c.Log.WarnContext(ctx, "a directory of a deleted agent can't be moved to the trash", "agent", a, "dir", dir, "err", err)
		}
	}
}

// own reports whether dir belongs to a alone: moving it away takes nothing from
// another agent, from the gateway or from the person.
func own(cfg *config.Config, a id.Agent, dir string) bool {
	others := []string{cfg.Paths.Home, cfg.Paths.State, cfg.Paths.Config, os.TempDir()}
	for _, b := range cfg.AgentIDs() {
		if b != a {
			others = append(others, cfg.Workspace(b), cfg.AgentDir(b), cfg.SessionsDir(b))
		}
	}
	dir = real(dir)
	return !slices.ContainsFunc(others, func(o string) bool {
		rel, err := filepath.Rel(dir, real(o))
		return err != nil || filepath.IsLocal(rel) // o is dir or below it
	})
}

// real resolves links in path as far as it exists.
func real(path string) string {
	if r, err := filepath.EvalSymlinks(path); err == nil {
		return r
	}
	if dir := filepath.Dir(path); dir != path {
		return filepath.Join(real(dir), filepath.Base(path))
	}
	return path
}
