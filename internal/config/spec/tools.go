package spec

import (
	"github.com/openclaw-go/openclaw/internal/base/settings"
)

// Tools is tools.
type Tools struct {
	Profile       string                     `json:"profile" schema:"enum=minimal|coding|messaging|full"`
	Allow         []string                   `json:"allow"`
	AlsoAllow     []string                   `json:"alsoAllow"`
	Deny          []string                   `json:"deny"`
	ByProvider    map[string]ToolsByProvider `json:"byProvider"`
	Web           ToolsWeb                   `json:"web"`
	Media         ToolsMedia                 `json:"media"`
	Links         ToolsLinks                 `json:"links"`
	Sessions      ToolsSessions              `json:"sessions"`
	LoopDetection ToolsLoopDetection         `json:"loopDetection"`
	Message       ToolsMessage               `json:"message"`
	AgentToAgent  ToolsAgentToAgent          `json:"agentToAgent"`
	Elevated      ToolsElevated              `json:"elevated"`
	Exec          ToolsExec                  `json:"exec"`
	FS            ToolsFS                    `json:"fs"`
	Subagents     ToolsSandbox               `json:"subagents"`
	Sandbox       ToolsSandbox               `json:"sandbox"`
	SessionsSpawn ToolsSessionsSpawn         `json:"sessions_spawn"`
}

// ToolsElevated is tools.elevated.
type ToolsElevated struct {
	Enabled   bool                     `json:"enabled"`
	AllowFrom map[string][]settings.ID `json:"allowFrom"`
}

// ToolsFS is tools.fs.
type ToolsFS struct {
	WorkspaceOnly bool `json:"workspaceOnly"`
}

// ToolsLoopDetection is tools.loopDetection.
type ToolsLoopDetection struct {
	Enabled                       bool              `json:"enabled"`
	HistorySize                   settings.Positive `json:"historySize"`
	WarningThreshold              settings.Positive `json:"warningThreshold"`
	CriticalThreshold             settings.Positive `json:"criticalThreshold"`
	GlobalCircuitBreakerThreshold settings.Positive `json:"globalCircuitBreakerThreshold"`
	Detectors                     ToolsDetectors    `json:"detectors"`
}

// ToolsSandbox is tools.sandbox.
type ToolsSandbox struct {
	Tools settings.ToolPolicy `json:"tools"`
}

// ToolsLinks is tools.links.
type ToolsLinks struct {
	Enabled        bool              `json:"enabled"`
	Scope          SessionSendPolicy `json:"scope"`
	MaxLinks       settings.Positive `json:"maxLinks"`
	TimeoutSeconds settings.Positive `json:"timeoutSeconds"`
	Models         []ToolsLinksModel `json:"models"`
}

// ToolsSessions is tools.sessions.
type ToolsSessions struct {
	Visibility string `json:"visibility" schema:"values=self|tree|agent|all"`
}

// ToolsMessage is tools.message.
type ToolsMessage struct {
	AllowCrossContextSend bool              `json:"allowCrossContextSend"`
	CrossContext          ToolsCrossContext `json:"crossContext"`
	Broadcast             settings.Switch   `json:"broadcast"`
}

// ToolsAgentToAgent is tools.agentToAgent.
type ToolsAgentToAgent struct {
	Enabled bool     `json:"enabled"`
	Allow   []string `json:"allow"`
}

// ToolsExec is tools.exec.
type ToolsExec struct {
	Host                     string                         `json:"host" schema:"values=sandbox|gateway|node"`
	Security                 string                         `json:"security" schema:"values=deny|allowlist|full"`
	Ask                      string                         `json:"ask" schema:"values=off|on-miss|always"`
	Node                     string                         `json:"node"`
	PathPrepend              []string                       `json:"pathPrepend"`
	SafeBins                 []string                       `json:"safeBins"`
	SafeBinTrustedDirs       []string                       `json:"safeBinTrustedDirs"`
	SafeBinProfiles          map[string]ToolsSafeBinProfile `json:"safeBinProfiles"`
	BackgroundMs             settings.Positive              `json:"backgroundMs"`
	TimeoutSec               settings.Positive              `json:"timeoutSec"`
	CleanupMs                settings.Positive              `json:"cleanupMs"`
	NotifyOnExit             bool                           `json:"notifyOnExit"`
	NotifyOnExitEmptySuccess bool                           `json:"notifyOnExitEmptySuccess"`
	ApplyPatch               ToolsApplyPatch                `json:"applyPatch"`
}

// ToolsSessionsSpawn is tools.sessions_spawn.
type ToolsSessionsSpawn struct {
	Attachments ToolsAttachments `json:"attachments"`
}

// ToolsByProvider is tools.byProvider.<name>.
type ToolsByProvider struct {
	Allow     []string `json:"allow"`
	AlsoAllow []string `json:"alsoAllow"`
	Deny      []string `json:"deny"`
	Profile   string   `json:"profile" schema:"enum=minimal|coding|messaging|full"`
}

// ToolsApplyPatch is tools.exec.applyPatch.
type ToolsApplyPatch struct {
	Enabled       bool     `json:"enabled"`
	WorkspaceOnly bool     `json:"workspaceOnly"`
	AllowModels   []string `json:"allowModels"`
}

// ToolsDetectors is tools.loopDetection.detectors.
type ToolsDetectors struct {
	GenericRepeat       bool `json:"genericRepeat"`
	KnownPollNoProgress bool `json:"knownPollNoProgress"`
	PingPong            bool `json:"pingPong"`
}

// ToolsLinksModel is tools.links.models[].
type ToolsLinksModel struct {
	Type           string            `json:"type" schema:"const=cli"`
	Command        string            `json:"command" schema:"required,minLength=1"`
	Args           []string          `json:"args"`
	TimeoutSeconds settings.Positive `json:"timeoutSeconds"`
}

// ToolsCrossContext is tools.message.crossContext.
type ToolsCrossContext struct {
	AllowWithinProvider  bool        `json:"allowWithinProvider"`
	AllowAcrossProviders bool        `json:"allowAcrossProviders"`
	Marker               ToolsMarker `json:"marker"`
}

// ToolsAttachments is tools.sessions_spawn.attachments.
type ToolsAttachments struct {
	Enabled             bool    `json:"enabled"`
	MaxTotalBytes       float64 `json:"maxTotalBytes"`
	MaxFiles            float64 `json:"maxFiles"`
	MaxFileBytes        float64 `json:"maxFileBytes"`
	RetainOnSessionKeep bool    `json:"retainOnSessionKeep"`
}

// ToolsSafeBinProfile is tools.exec.safeBinProfiles.<name>.
type ToolsSafeBinProfile struct {
	MinPositional     settings.Natural `json:"minPositional"`
	MaxPositional     settings.Natural `json:"maxPositional"`
	AllowedValueFlags []string         `json:"allowedValueFlags"`
	DeniedFlags       []string         `json:"deniedFlags"`
}

// ToolsMarker is tools.message.crossContext.marker.
type ToolsMarker struct {
	Enabled bool   `json:"enabled"`
	Prefix  string `json:"prefix"`
	Suffix  string `json:"suffix"`
}
