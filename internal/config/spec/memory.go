package spec

import (
	"github.com/openclaw-go/openclaw/internal/base/settings"
)

// Memory is memory.
type Memory struct {
	Backend   string    `json:"backend" schema:"enum=builtin|qmd"`
	Citations string    `json:"citations" schema:"enum=auto|on|off"`
	QMD       MemoryQMD `json:"qmd"`
}

// MemoryQMD is memory.qmd.
type MemoryQMD struct {
	Command              string            `json:"command"`
	Mcporter             MemoryMcporter    `json:"mcporter"`
	SearchMode           string            `json:"searchMode" schema:"enum=query|search|vsearch"`
	IncludeDefaultMemory bool              `json:"includeDefaultMemory"`
	Paths                []MemoryPath      `json:"paths"`
	Sessions             MemorySessions    `json:"sessions"`
	Update               MemoryUpdate      `json:"update"`
	Limits               MemoryLimits      `json:"limits"`
	Scope                SessionSendPolicy `json:"scope"`
}

// MemoryMcporter is memory.qmd.mcporter.
type MemoryMcporter struct {
	Enabled     bool   `json:"enabled"`
	ServerName  string `json:"serverName"`
	StartDaemon bool   `json:"startDaemon"`
}

// MemoryPath is memory.qmd.paths[].
type MemoryPath struct {
	Path    string `json:"path" schema:"required"`
	Name    string `json:"name"`
	Pattern string `json:"pattern"`
}

// MemorySessions is memory.qmd.sessions.
type MemorySessions struct {
	Enabled       bool             `json:"enabled"`
	ExportDir     string           `json:"exportDir"`
	RetentionDays settings.Natural `json:"retentionDays"`
}

// MemoryUpdate is memory.qmd.update.
type MemoryUpdate struct {
	Interval         string           `json:"interval"`
	DebounceMs       settings.Natural `json:"debounceMs"`
	OnBoot           bool             `json:"onBoot"`
	WaitForBootSync  bool             `json:"waitForBootSync"`
	EmbedInterval    string           `json:"embedInterval"`
	CommandTimeoutMs settings.Natural `json:"commandTimeoutMs"`
	UpdateTimeoutMs  settings.Natural `json:"updateTimeoutMs"`
	EmbedTimeoutMs   settings.Natural `json:"embedTimeoutMs"`
}

// MemoryLimits is memory.qmd.limits.
type MemoryLimits struct {
	MaxResults       settings.Positive `json:"maxResults"`
	MaxSnippetChars  settings.Positive `json:"maxSnippetChars"`
	MaxInjectedChars settings.Positive `json:"maxInjectedChars"`
	TimeoutMs        settings.Natural  `json:"timeoutMs"`
}
