package control

import (
	"context"
	"path/filepath"

	"github.com/openclaw-go/openclaw/internal/rpc"
)

type skillsParams struct {
	Agent *string `json:"agentId,omitempty" schema:"minLength=1"`
}

type skillsResult struct {
	Workspace string `json:"workspaceDir"`
	Managed   string `json:"managedSkillsDir"`
	Skills    []any  `json:"skills"`
}

// skillsStatus lists the skills that agents have: none yet, as nothing loads
// them.
func (c *Control) skillsStatus(_ context.Context, _ *rpc.Caller, p skillsParams) (skillsResult, error) {
	cfg := c.Config()
	a := cfg.DefaultAgent()
	if p.Agent != nil {
		named, ok := knownAgent(cfg, *p.Agent)
		if !ok {
			return skillsResult{}, rpc.Invalid("unknown agent id \"%s\"", *p.Agent)
		}
		a = named
	}
	return skillsResult{cfg.Workspace(a), filepath.Join(cfg.Paths.State, "skills"), []any{}}, nil
}
