package spec

import (
	"github.com/openclaw-go/openclaw/internal/base/settings"
)

// ACP is acp.
type ACP struct {
	Enabled               bool              `json:"enabled"`
	Dispatch              settings.Switch   `json:"dispatch"`
	Backend               string            `json:"backend"`
	DefaultAgent          string            `json:"defaultAgent"`
	AllowedAgents         []string          `json:"allowedAgents"`
	MaxConcurrentSessions settings.Positive `json:"maxConcurrentSessions"`
	Stream                ACPStream         `json:"stream"`
	Runtime               ACPRuntime        `json:"runtime"`
}

// ACPStream is acp.stream.
type ACPStream struct {
	CoalesceIdleMs          settings.Natural  `json:"coalesceIdleMs"`
	MaxChunkChars           settings.Positive `json:"maxChunkChars"`
	RepeatSuppression       bool              `json:"repeatSuppression"`
	DeliveryMode            string            `json:"deliveryMode" schema:"enum=live|final_only"`
	HiddenBoundarySeparator string            `json:"hiddenBoundarySeparator" schema:"enum=none|space|newline|paragraph"`
	MaxOutputChars          settings.Positive `json:"maxOutputChars"`
	MaxSessionUpdateChars   settings.Positive `json:"maxSessionUpdateChars"`
	TagVisibility           map[string]bool   `json:"tagVisibility"`
}

// ACPRuntime is acp.runtime.
type ACPRuntime struct {
	TTLMinutes     settings.Positive `json:"ttlMinutes"`
	InstallCommand string            `json:"installCommand"`
}

// Approvals is approvals.
type Approvals struct {
	Exec ApprovalsExec `json:"exec"`
}

// ApprovalsExec is approvals.exec.
type ApprovalsExec struct {
	Enabled       bool              `json:"enabled"`
	Mode          string            `json:"mode" schema:"enum=session|targets|both"`
	AgentFilter   []string          `json:"agentFilter"`
	SessionFilter []string          `json:"sessionFilter"`
	Targets       []ApprovalsTarget `json:"targets"`
}

// ApprovalsTarget is approvals.exec.targets[].
type ApprovalsTarget struct {
	Channel   string      `json:"channel" schema:"required,minLength=1"`
	To        string      `json:"to" schema:"required,minLength=1"`
	AccountID string      `json:"accountId"`
	ThreadID  settings.ID `json:"threadId"`
}
