package spec

import (
	"github.com/openclaw-go/openclaw/internal/base/jsonschema"
	"github.com/openclaw-go/openclaw/internal/base/settings"
)

// AgentsSandbox is agents.defaults.sandbox.
type AgentsSandbox struct {
	Mode                   string        `json:"mode" schema:"enum=off|non-main|all"`
	WorkspaceAccess        string        `json:"workspaceAccess" schema:"enum=none|ro|rw"`
	SessionToolsVisibility string        `json:"sessionToolsVisibility" schema:"enum=spawned|all"`
	Scope                  string        `json:"scope" schema:"enum=session|agent|shared"`
	PerSession             bool          `json:"perSession"`
	WorkspaceRoot          string        `json:"workspaceRoot"`
	Docker                 AgentsDocker  `json:"docker"`
	Browser                AgentsBrowser `json:"browser"`
	Prune                  AgentsPrune   `json:"prune"`
}

// AgentsDocker is agents.defaults.sandbox.docker.
type AgentsDocker struct {
	Image                                    string                                                       `json:"image"`
	ContainerPrefix                          string                                                       `json:"containerPrefix"`
	Workdir                                  string                                                       `json:"workdir"`
	ReadOnlyRoot                             bool                                                         `json:"readOnlyRoot"`
	Tmpfs                                    []string                                                     `json:"tmpfs"`
	Network                                  string                                                       `json:"network"`
	User                                     string                                                       `json:"user"`
	CapDrop                                  []string                                                     `json:"capDrop"`
	Env                                      map[string]string                                            `json:"env"`
	SetupCommand                             any                                                          `json:"setupCommand"`
	PIDsLimit                                settings.Positive                                            `json:"pidsLimit"`
	Memory                                   settings.ID                                                  `json:"memory"`
	MemorySwap                               settings.ID                                                  `json:"memorySwap"`
	CPUs                                     float64                                                      `json:"cpus" schema:"exclusiveMinimum=0"`
	Ulimits                                  map[string]jsonschema.AnyOf3[string, float64, SandboxUlimit] `json:"ulimits"`
	SeccompProfile                           string                                                       `json:"seccompProfile"`
	ApparmorProfile                          string                                                       `json:"apparmorProfile"`
	DNS                                      []string                                                     `json:"dns"`
	ExtraHosts                               []string                                                     `json:"extraHosts"`
	Binds                                    []string                                                     `json:"binds"`
	DangerouslyAllowReservedContainerTargets bool                                                         `json:"dangerouslyAllowReservedContainerTargets"`
	DangerouslyAllowExternalBindSources      bool                                                         `json:"dangerouslyAllowExternalBindSources"`
	DangerouslyAllowContainerNamespaceJoin   bool                                                         `json:"dangerouslyAllowContainerNamespaceJoin"`
}

// AgentsBrowser is agents.defaults.sandbox.browser.
type AgentsBrowser struct {
	Enabled            bool              `json:"enabled"`
	Image              string            `json:"image"`
	ContainerPrefix    string            `json:"containerPrefix"`
	Network            string            `json:"network"`
	CDPPort            settings.Positive `json:"cdpPort"`
	CDPSourceRange     string            `json:"cdpSourceRange"`
	VNCPort            settings.Positive `json:"vncPort"`
	NoVNCPort          settings.Positive `json:"noVncPort"`
	Headless           bool              `json:"headless"`
	EnableNoVNC        bool              `json:"enableNoVnc"`
	AllowHostControl   bool              `json:"allowHostControl"`
	AutoStart          bool              `json:"autoStart"`
	AutoStartTimeoutMs settings.Positive `json:"autoStartTimeoutMs"`
	Binds              []string          `json:"binds"`
}

// AgentsPrune is agents.defaults.sandbox.prune.
type AgentsPrune struct {
	IdleHours  settings.Natural `json:"idleHours"`
	MaxAgeDays settings.Natural `json:"maxAgeDays"`
}

// SandboxUlimit is agents.defaults.sandbox.docker.ulimits.<name> with a soft and a hard limit.
type SandboxUlimit struct {
	Soft settings.Natural `json:"soft"`
	Hard settings.Natural `json:"hard"`
}
