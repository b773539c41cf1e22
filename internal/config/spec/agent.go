package spec

import (
	"github.com/openclaw-go/openclaw/internal/base/jsonschema"
	"github.com/openclaw-go/openclaw/internal/base/settings"
)

// Agent is agents.list[].
type Agent struct {
	ID           string                                             `json:"id" schema:"required"`
	Default      bool                                               `json:"default"`
	Name         string                                             `json:"name"`
	Workspace    string                                             `json:"workspace"`
	AgentDir     string                                             `json:"agentDir"`
	Model        jsonschema.AnyOf[string, AgentModel]               `json:"model"`
	Skills       []string                                           `json:"skills"`
	MemorySearch AgentsMemorySearch                                 `json:"memorySearch"`
	HumanDelay   AgentsHumanDelay                                   `json:"humanDelay"`
	Heartbeat    Heartbeat                                          `json:"heartbeat"`
	Identity     AgentIdentity                                      `json:"identity"`
	GroupChat    MessagesGroupChat                                  `json:"groupChat"`
	Subagents    AgentSubagents                                     `json:"subagents"`
	Sandbox      AgentsSandbox                                      `json:"sandbox"`
	Params       map[string]any                                     `json:"params"`
	Tools        AgentTools                                         `json:"tools"`
	Runtime      jsonschema.AnyOf[EmbeddedRuntime, ACPAgentRuntime] `json:"runtime"`
}

// AgentIdentity is agents.list[].identity.
type AgentIdentity struct {
	Name   string `json:"name"`
	Theme  string `json:"theme"`
	Emoji  string `json:"emoji"`
	Avatar string `json:"avatar"`
}

// AgentSubagents is agents.list[].subagents.
type AgentSubagents struct {
	AllowAgents []string                             `json:"allowAgents"`
	Model       jsonschema.AnyOf[string, AgentModel] `json:"model"`
	Thinking    string                               `json:"thinking"`
}

// AgentTools is agents.list[].tools.
type AgentTools struct {
	Profile       string                     `json:"profile" schema:"enum=minimal|coding|messaging|full"`
	Allow         []string                   `json:"allow"`
	AlsoAllow     []string                   `json:"alsoAllow"`
	Deny          []string                   `json:"deny"`
	ByProvider    map[string]ToolsByProvider `json:"byProvider"`
	Elevated      ToolsElevated              `json:"elevated"`
	Exec          AgentsExec                 `json:"exec"`
	FS            ToolsFS                    `json:"fs"`
	LoopDetection ToolsLoopDetection         `json:"loopDetection"`
	Sandbox       ToolsSandbox               `json:"sandbox"`
}

// EmbeddedRuntime is agents.list[].runtime of an agent that runs in this program.
type EmbeddedRuntime struct {
	Type string `json:"type" schema:"required,const=embedded"`
}

// ACPAgentRuntime is agents.list[].runtime of an agent that another program runs.
type ACPAgentRuntime struct {
	Type string    `json:"type" schema:"required,const=acp"`
	ACP  AgentsACP `json:"acp"`
}

// AgentsExec is agents.list[].tools.exec.
type AgentsExec struct {
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
	ApprovalRunningNoticeMs  settings.Natural               `json:"approvalRunningNoticeMs"`
}

// AgentsACP is agents.list[].runtime.acp.
type AgentsACP struct {
	Agent   string `json:"agent"`
	Backend string `json:"backend"`
	Mode    string `json:"mode" schema:"values=persistent|oneshot"`
	CWD     string `json:"cwd"`
}
