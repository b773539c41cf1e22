package control

import (
	"context"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/rpc"
)

type modelsResult struct {
	Models []modelRow `json:"models"`
}

type modelRow struct {
	ID            string   `json:"id"`
	Name          string   `json:"name"`
	Provider      string   `json:"provider"`
	ContextWindow int      `json:"contextWindow,omitempty"`
	Reasoning     bool     `json:"reasoning"`
	Input         []string `json:"input"`
}

func (c *Control) modelsList(context.Context, *rpc.Caller, struct{}) (modelsResult, error) {
	r := modelsResult{Models: []modelRow{}}
	for _, m := range c.Models.List() {
		row := modelRow{m.ID, m.Name, m.Provider, m.ContextWindow, m.Reasoning, m.Input}
		if row.Name == "" {
			row.Name = m.ID
		}
		if len(row.Input) == 0 {
			row.Input = []string{"text"}
		}
		r.Models = append(r.Models, row)
	}
	return r, nil
}

type identityResult struct {
	Device    id.Device `json:"deviceId"`
	PublicKey string    `json:"publicKey"`
}

// gatewayIdentity is the gateway's own device key, by which nodes know it.
func (c *Control) gatewayIdentity(context.Context, *rpc.Caller, rpc.Any) (any, error) {
	if c.Identity == nil {
		return nil, rpc.Unavailable("this gateway has no identity")
	}
	device, key, err := c.Identity()
	if err != nil {
		return nil, err
	}
	return identityResult{device, key}, nil
}
