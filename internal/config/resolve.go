package config

import (
	"path/filepath"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/id"
)

// DefaultAgent is the agent marked default, else the first, else main.
func (c *Config) DefaultAgent() id.Agent {
	for _, a := range c.Agents.List {
		if a.Default {
			return a.ID
		}
	}
	if len(c.Agents.List) > 0 {
		return c.Agents.List[0].ID
	}
	return id.MainAgent
}

// MainKey is the session that the direct chats of a share by default. With
// session.scope global that of the default agent has a name of its own; other
// agents keep theirs, and so do groups and what dmScope sets apart.
func (c *Config) MainKey(a id.Agent) id.SessionKey {
	if c.Session.Scope == "global" && a == c.DefaultAgent() {
		return id.AgentKey(a, "global")
	}
	return id.MainKey(a)
}

// Key is the session that a client means: "main", "agent:work:main" …; a key
// without an agent belongs to a.
func (c *Config) Key(a id.Agent, raw string) id.SessionKey {
	k := id.CanonicalKey(a, raw)
	if k == id.MainKey(k.Agent()) {
		return c.MainKey(k.Agent())
	}
	return k
}

// Agent returns the entry of a, or an empty one with its ID. ok tells whether
// it is configured (main always is, when the list is empty).
func (c *Config) Agent(a id.Agent) (Agent, bool) {
	for _, e := range c.Agents.List {
		if e.ID == a {
			return e, true
		}
	}
	return Agent{ID: a}, len(c.Agents.List) == 0 && a == id.MainAgent
}

// AgentIDs lists the configured agents, the default one first.
func (c *Config) AgentIDs() []id.Agent {
	def := c.DefaultAgent()
	out := []id.Agent{def}
	for _, a := range c.Agents.List {
		if a.ID != def {
			out = append(out, a.ID)
		}
	}
	return out
}

// Workspace is the directory of agent a.
func (c *Config) Workspace(a id.Agent) string {
	e, _ := c.Agent(a)
	switch {
	case e.Workspace != "":
		return c.Paths.Expand(e.Workspace)
	case a == c.DefaultAgent() && c.Agents.Defaults.Workspace != "":
		return c.Paths.Expand(c.Agents.Defaults.Workspace)
	case a == c.DefaultAgent():
		return filepath.Join(c.Paths.State, "workspace")
	}
	return filepath.Join(c.Paths.State, "workspace-"+string(a))
}

// AgentDir is <state>/agents/<a>/agent unless configured.
func (c *Config) AgentDir(a id.Agent) string {
	if e, _ := c.Agent(a); e.AgentDir != "" {
		return c.Paths.Expand(e.AgentDir)
	}
	return filepath.Join(c.Paths.State, "agents", string(a), "agent")
}

// SessionsDir is where a's transcripts are.
func (c *Config) SessionsDir(a id.Agent) string {
	return filepath.Join(c.Paths.State, "agents", string(a), "sessions")
}

// Expand makes p absolute: ~ is the home directory, a relative path starts there.
func (p Paths) Expand(path string) string {
	switch {
	case path == "~":
		return p.Home
	case strings.HasPrefix(path, "~/"):
		return filepath.Join(p.Home, path[2:])
	case filepath.IsAbs(path):
		return filepath.Clean(path)
	}
	return filepath.Join(p.Home, path)
}
