package spec

import (
	"github.com/openclaw-go/openclaw/internal/base/jsonschema"
)

// File is the whole file, apart from the sections that extensions own.
type File struct {
	Schema      string                                       `json:"$schema"`
	Meta        Meta                                         `json:"meta"`
	Env         Env                                          `json:"env"`
	Wizard      Wizard                                       `json:"wizard"`
	Diagnostics Diagnostics                                  `json:"diagnostics"`
	Logging     Logging                                      `json:"logging"`
	CLI         CLI                                          `json:"cli"`
	Update      Update                                       `json:"update"`
	Browser     Browser                                      `json:"browser"`
	UI          UI                                           `json:"ui"`
	Secrets     Secrets                                      `json:"secrets"`
	Auth        Auth                                         `json:"auth"`
	ACP         ACP                                          `json:"acp"`
	Models      Models                                       `json:"models"`
	NodeHost    NodeHost                                     `json:"nodeHost"`
	Agents      Agents                                       `json:"agents"`
	Tools       Tools                                        `json:"tools"`
	Bindings    []jsonschema.AnyOf[RouteBinding, ACPBinding] `json:"bindings"`
	Broadcast   Broadcast                                    `json:"broadcast"`
	Audio       Audio                                        `json:"audio"`
	Media       Media                                        `json:"media"`
	Messages    Messages                                     `json:"messages"`
	Commands    Commands                                     `json:"commands" schema:"default={\"native\":\"auto\",\"nativeSkills\":\"auto\",\"restart\":true,\"ownerDisplay\":\"raw\"}"`
	Approvals   Approvals                                    `json:"approvals"`
	Session     Session                                      `json:"session"`
	Cron        Cron                                         `json:"cron"`
	Hooks       Hooks                                        `json:"hooks"`
	Web         Web                                          `json:"web"`
	Channels    Channels                                     `json:"channels"`
	Discovery   Discovery                                    `json:"discovery"`
	CanvasHost  CanvasHost                                   `json:"canvasHost"`
	Talk        Talk                                         `json:"talk"`
	Gateway     Gateway                                      `json:"gateway"`
	Memory      Memory                                       `json:"memory"`
	Skills      Skills                                       `json:"skills"`
	MCP         MCP                                          `json:"mcp"`
	Plugins     Plugins                                      `json:"plugins"`
}
