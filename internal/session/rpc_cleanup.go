package session

import (
	"context"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/rpc"
)

type cleanupParams struct {
	Agents    []id.Agent `json:"agents,omitempty" schema:"maxItems=1000"`
	DryRun    bool       `json:"dryRun,omitempty"`
	Enforce   bool       `json:"enforce,omitempty"`
	Missing   bool       `json:"fixMissing,omitempty"`
	ActiveKey string     `json:"activeKey,omitempty" schema:"maxLength=512"`
}

type cleanupResult struct {
	Stores []Cleanup `json:"stores"`
}

// rpcCleanup is openclaw sessions cleanup beside a running gateway, which alone
// knows what is used.
func (b *Book) rpcCleanup(ctx context.Context, _ *rpc.Caller, p cleanupParams) (cleanupResult, error) {
	res := cleanupResult{Stores: []Cleanup{}}
	if len(p.Agents) == 0 {
		p.Agents = []id.Agent{b.Config().DefaultAgent()}
	}
	for _, a := range p.Agents {
		if !validAgent(a) {
			return res, rpc.Invalid("not an agent: %q", a)
		}
		c, err := b.Maintain(ctx, p.upkeep(b, a))
		if err != nil {
			return res, err
		}
		res.Stores = append(res.Stores, c)
	}
	return res, nil
}

func (p cleanupParams) upkeep(b *Book, a id.Agent) Upkeep {
	u := Upkeep{Agent: a, Limits: LimitsOf(b.Config().Session.Maintenance), DryRun: p.DryRun, Missing: p.Missing}
	u.Limits.Enforce = u.Limits.Enforce || p.Enforce
	if p.ActiveKey != "" {
		u.Keep = append(u.Keep, b.key(p.ActiveKey))
	}
	return u
}
