package control

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/rpc"
	"github.com/openclaw-go/openclaw/internal/tool"
)

type catalogParams struct {
	Agent   *string `json:"agentId,omitempty" schema:"minLength=1"`
	Plugins *bool   `json:"includePlugins,omitempty"`
}

type catalogResult struct {
	Agent    id.Agent       `json:"agentId"`
	Profiles []labelled     `json:"profiles"`
	Groups   []catalogGroup `json:"groups"`
}

type labelled struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

type catalogGroup struct {
	ID     string        `json:"id"`
	Label  string        `json:"label"`
	Source string        `json:"source"`
	Tools  []catalogTool `json:"tools"`
}

type catalogTool struct {
	ID          string   `json:"id"`
	Label       string   `json:"label"`
	Description string   `json:"description"`
	Source      string   `json:"source"`
	Profiles    []string `json:"defaultProfiles"`
}

func profiles() []labelled {
	return []labelled{{"minimal", "Minimal"}, {"coding", "Coding"}, {"messaging", "Messaging"}, {"full", "Full"}}
}

// groups are the sections of the catalogue, in order.
func groups() []labelled {
	return []labelled{
		{"fs", "Files"},
		{"runtime", "Runtime"},
		{"web", "Web"},
		{"memory", "Memory"},
		{"sessions", "Sessions"},
		{"ui", "UI"},
		{"messaging", "Messaging"},
		{"automation", "Automation"},
		{"nodes", "Nodes"},
		{"agents", "Agents"},
		{"media", "Media"},
		{"other", "Other"},
	}
}

// catalog is what the binary has, sorted into groups: the same for all agents,
// so made once.
type catalog struct {
	once   sync.Once
	groups []catalogGroup
}

func (c *Control) toolsCatalog(_ context.Context, _ *rpc.Caller, p catalogParams) (catalogResult, error) {
	cfg := c.Config()
	a := cfg.DefaultAgent()
	if p.Agent != nil {
		named, ok := knownAgent(cfg, *p.Agent)
		if !ok {
			return catalogResult{}, rpc.Invalid("unknown agent id \"%s\"", *p.Agent)
		}
		a = named
	}
	return catalogResult{Agent: a, Profiles: profiles(), Groups: c.toolGroups()}, nil
}

func (c *Control) toolGroups() []catalogGroup {
	c.catalog.once.Do(func() {
		c.catalog.groups = []catalogGroup{}
		if c.Tools == nil {
			return
		}
		by := map[string][]catalogTool{}
		for _, t := range c.Tools() {
			s := t.Spec()
			by[groupOf(t)] = append(by[groupOf(t)], catalogTool{s.Name, s.Name, summary(s.Description), "core", c.profilesOf(s.Name)})
		}
		for _, g := range groups() {
			if ts := by[g.ID]; len(ts) > 0 {
				c.catalog.groups = append(c.catalog.groups, catalogGroup{g.ID, g.Label, "core", ts})
			}
		}
	})
	return c.catalog.groups
}

func (c *Control) profilesOf(name string) []string {
	out := []string{}
	if c.Profiles == nil {
		return out
	}
	have := c.Profiles(name)
	for _, p := range profiles() {
		if p.ID != "full" && slices.Contains(have, p.ID) { // full has everything
			out = append(out, p.ID)
		}
	}
	return out
}

func groupOf(t tool.Tool) string {
	g, ok := t.(tool.Grouped)
	if !ok {
		return "other"
	}
	name := strings.TrimPrefix(g.Group(), "group:")
	if !slices.ContainsFunc(groups(), func(l labelled) bool { return l.ID == name }) {
		return "other"
	}
	return name
}

// summary is the first sentence of a description, 120 bytes at most.
func summary(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	if i := strings.Index(s, ". "); i > 0 {
		s = s[:i]
	}
	return text.Ellipsis(strings.TrimSuffix(s, "."), 120)
}
