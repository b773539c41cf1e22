package control

import (
	"context"
	"fmt"
	"os"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/feature"
)

// checks are what doctor asks about agents.
func (c *Control) checks() []feature.Check {
	return []feature.Check{{Name: "agents", Run: c.checkAgents}}
}

func (c *Control) checkAgents(context.Context) []feature.Finding {
	cfg := c.Config()
	var out []feature.Finding
	warn := func(text, mend string) {
		out = append(out, feature.Finding{Severity: "warning", Text: text, Mend: mend})
	}
	at := map[string]id.Agent{}
	for _, a := range cfg.AgentIDs() {
		dir := real(cfg.Workspace(a))
		if other, taken := at[dir]; taken {
			warn(fmt.Sprintf("the agents %s and %s share the workspace %s", other, a, dir),
				fmt.Sprintf("give %s one of its own: agents.list[].workspace", a))
		}
		at[dir] = a
		if info, err := os.Stat(dir); err == nil && !info.IsDir() {
			warn(fmt.Sprintf("the workspace of %s, %s, is no directory", a, dir), "move that file away, or set agents.list[].workspace")
		}
		e, _ := cfg.Agent(a)
		choice := e.Model
		if choice.Primary == "" {
			choice = cfg.Agents.Defaults.Model
		}
		for _, ref := range append([]string{choice.Primary}, choice.Fallbacks...) {
			if ref == "" {
				continue
			}
			if _, err := c.Models.Lookup(ref); err != nil {
				warn(fmt.Sprintf("the agent %s names the model %s, which no provider has", a, ref), "see openclaw models list, then: openclaw models set <model>")
			}
		}
	}
	return out
}
