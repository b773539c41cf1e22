//go:build official

package official_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// The release that we stand in for, and a node that it runs on.
const (
	release = "2026.3.13"
	node    = "24"
)

// official is an installed OpenClaw.
type official struct {
	dir  string
	home string
}

// install puts OpenClaw and node into a directory that later runs find again.
func install(t *testing.T) official {
	t.Helper()
	dir := os.Getenv("OPENCLAW_OFFICIAL_DIR")
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			cache = os.TempDir()
		}
		dir = filepath.Join(cache, "openclaw-official-"+release)
	}
	c := official{dir: dir, home: t.TempDir()}
	if c.installed() {
		return c
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	pkg, err := json.MarshalIndent(map[string]any{
		"private":      true,
		"dependencies": map[string]string{"openclaw": release, "node": node},
		// Its own source is a git repository, which npm can't always reach.
		"overrides": map[string]string{"libsignal": "npm:libsignal"},
	}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), pkg, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "install", "--no-audit", "--no-fund", "--loglevel=error")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm install: %v\n%s", err, out)
	}
	// The scripts of other packages aren't wanted, but node's unpacks the binary.
	if !c.installed() {
		cmd := exec.CommandContext(ctx, "npm", "rebuild", "node")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("npm rebuild node: %v\n%s", err, out)
		}
	}
	if !c.installed() {
		t.Fatalf("npm installed no node in %s", c.node())
	}
	return c
}

func (c official) node() string { return filepath.Join(c.dir, "node_modules", "node", "bin", "node") }

func (c official) entry() string {
	return filepath.Join(c.dir, "node_modules", "openclaw", "openclaw.mjs")
}

func (c official) installed() bool {
	for _, p := range []string{c.node(), c.entry()} {
		if _, err := os.Stat(p); err != nil {
			return false
		}
	}
	return true
}

// env are the variables of everything that is OpenClaw's.
func (c official) env() []string {
	return []string{
		"PATH=" + filepath.Dir(c.node()) + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + c.home,
		"NO_COLOR=1", "OPENCLAW_HIDE_BANNER=1", "OPENCLAW_NO_RESPAWN=1", "OPENCLAW_DISABLE_BONJOUR=1", "TZ=UTC",
	}
}

// run runs the official command line with these variables.
func (c official) run(t *testing.T, env []string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.node(), append([]string{c.entry()}, args...)...)
	cmd.Env = append(c.env(), env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, errs.String())
	}
	return out.String(), err
}
