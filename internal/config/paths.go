package config

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
)

// PathOptions are the global flags that choose where the state lives.
type PathOptions struct {
	Profile string // --profile
	Dev     bool   // --dev: the profile "dev", port 19001
	// UserHome is the user's home directory; empty asks the system.
	UserHome string
}

// DevPort is the gateway port of --dev when nothing else chooses one.
const DevPort = 19001

// devProfile is the profile of --dev.
const devProfile = "dev"

// names of the file, the older ones still honoured.
func fileNames() []string {
	return []string{"openclaw.json", "clawdbot.json", "moldbot.json", "moltbot.json"}
}

func dirNames() []string { return []string{".openclaw", ".clawdbot", ".moldbot", ".moltbot"} }

// CheckProfile refuses a profile name that can't be part of a directory name.
// The command line exits 2 on it.
func (o PathOptions) CheckProfile() error {
	const op = "config.CheckProfile"
	if o.Profile != "" && o.Dev {
		return fault.New(fault.Invalid, op, "Cannot combine --dev with --profile")
	}
	if o.Profile != "" && !regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`).MatchString(o.Profile) {
		return fault.New(fault.Invalid, op, `Invalid --profile (use letters, numbers, "_", "-" only)`)
	}
	return nil
}

func (o PathOptions) profile(env func(string) string) string {
	p := o.Profile
	switch {
	case o.Dev:
		p = devProfile
	case p == "":
		p = strings.TrimSpace(env("OPENCLAW_PROFILE"))
	}
	if strings.EqualFold(p, "default") || (PathOptions{Profile: p}).CheckProfile() != nil {
		return ""
	}
	return p
}

// FindPaths says where this process keeps its state and its configuration,
// from the environment and the global flags. It looks at the disk only to see
// which of several candidates exists, and makes nothing.
func FindPaths(env func(string) string, opts PathOptions) Paths {
	user := opts.UserHome
	if user == "" {
		if user = env("HOME"); user == "" {
			user, _ = os.UserHomeDir()
		}
	}
	p := Paths{Home: user, Profile: opts.profile(env)}
	if h := strings.TrimSpace(env("OPENCLAW_HOME")); h != "" {
		p.Home = absolute(h, user)
	}
	flagged := p.Profile != "" && (opts.Profile != "" || opts.Dev)
	p.State = firstSet(env, "OPENCLAW_STATE_DIR", "CLAWDBOT_STATE_DIR")
	switch {
	case p.State != "":
		p.State = absolute(p.State, p.Home)
	case flagged || p.Profile != "":
		p.State = filepath.Join(p.Home, ".openclaw-"+p.Profile)
	default:
		p.State = filepath.Join(p.Home, dirNames()[0])
		for _, d := range dirNames() {
			if exists(filepath.Join(p.Home, d)) {
				p.State = filepath.Join(p.Home, d)
				break
			}
		}
	}
	p.Config = firstSet(env, "OPENCLAW_CONFIG_PATH", "CLAWDBOT_CONFIG_PATH")
	if p.Config != "" {
		p.Config = absolute(p.Config, p.Home)
		return p
	}
	p.Config = p.search(flagged)
	return p
}

// search finds the file in the state directory, else in the user's default
// ones, as the original does. A profile never reads another's file.
func (p Paths) search(profiled bool) string {
	dirs := []string{p.State}
	if !profiled && p.Profile == "" {
		for _, d := range dirNames() {
			dirs = append(dirs, filepath.Join(p.Home, d))
		}
	}
	for _, d := range dirs {
		for _, n := range fileNames() {
			if f := filepath.Join(d, n); exists(f) {
				return f
			}
		}
	}
	return filepath.Join(p.State, fileNames()[0])
}

func firstSet(env func(string) string, names ...string) string {
	for _, n := range names {
		if v := strings.TrimSpace(env(n)); v != "" {
			return v
		}
	}
	return ""
}

func absolute(path, home string) string {
	p := Paths{Home: home}
	if strings.HasPrefix(path, "~") {
		return p.Expand(path)
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return p.Expand(path)
	}
	return abs
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// LastGood is where the copy of the last configuration that worked is kept.
func (p Paths) LastGood() string { return filepath.Join(p.State, "openclaw.last-good.json") }

// Audit is the log of writes.
func (p Paths) Audit() string { return filepath.Join(p.State, "logs", "config-audit.jsonl") }
