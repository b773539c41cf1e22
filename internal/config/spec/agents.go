package spec

import (
	"github.com/openclaw-go/openclaw/internal/base/jsonschema"
	"github.com/openclaw-go/openclaw/internal/base/settings"
)

// Agents is agents.
type Agents struct {
	Defaults AgentDefaults `json:"defaults"`
	List     []Agent       `json:"list"`
}

// AgentDefaults is agents.defaults.
type AgentDefaults struct {
	Model                            jsonschema.AnyOf[string, AgentModel] `json:"model"`
	ImageModel                       jsonschema.AnyOf[string, AgentModel] `json:"imageModel"`
	PDFModel                         jsonschema.AnyOf[string, AgentModel] `json:"pdfModel"`
	PDFMaxBytesMB                    float64                              `json:"pdfMaxBytesMb" schema:"exclusiveMinimum=0"`
	PDFMaxPages                      settings.Positive                    `json:"pdfMaxPages"`
	Models                           map[string]AgentsModelEntry          `json:"models"`
	Workspace                        string                               `json:"workspace"`
	RepoRoot                         string                               `json:"repoRoot"`
	SkipBootstrap                    bool                                 `json:"skipBootstrap"`
	BootstrapMaxChars                settings.Positive                    `json:"bootstrapMaxChars"`
	BootstrapTotalMaxChars           settings.Positive                    `json:"bootstrapTotalMaxChars"`
	BootstrapPromptTruncationWarning string                               `json:"bootstrapPromptTruncationWarning" schema:"enum=off|once|always"`
	UserTimezone                     string                               `json:"userTimezone"`
	TimeFormat                       string                               `json:"timeFormat" schema:"enum=auto|12|24"`
	EnvelopeTimezone                 string                               `json:"envelopeTimezone"`
	EnvelopeTimestamp                string                               `json:"envelopeTimestamp" schema:"enum=on|off"`
	EnvelopeElapsed                  string                               `json:"envelopeElapsed" schema:"enum=on|off"`
	ContextTokens                    settings.Positive                    `json:"contextTokens"`
	CLIBackends                      map[string]AgentsCLIBackend          `json:"cliBackends"`
	MemorySearch                     AgentsMemorySearch                   `json:"memorySearch"`
	ContextPruning                   AgentsContextPruning                 `json:"contextPruning"`
	Compaction                       AgentsCompaction                     `json:"compaction"`
	EmbeddedPi                       AgentsEmbeddedPi                     `json:"embeddedPi"`
	ThinkingDefault                  string                               `json:"thinkingDefault" schema:"enum=off|minimal|low|medium|high|xhigh|adaptive"`
	VerboseDefault                   string                               `json:"verboseDefault" schema:"enum=off|on|full"`
	ElevatedDefault                  string                               `json:"elevatedDefault" schema:"enum=off|on|ask|full"`
	BlockStreamingDefault            string                               `json:"blockStreamingDefault" schema:"enum=off|on"`
	BlockStreamingBreak              string                               `json:"blockStreamingBreak" schema:"enum=text_end|message_end"`
	BlockStreamingChunk              settings.Chunks                      `json:"blockStreamingChunk"`
	BlockStreamingCoalesce           settings.Coalesce                    `json:"blockStreamingCoalesce"`
	HumanDelay                       AgentsHumanDelay                     `json:"humanDelay"`
	TimeoutSeconds                   settings.Positive                    `json:"timeoutSeconds"`
	MediaMaxMB                       float64                              `json:"mediaMaxMb" schema:"exclusiveMinimum=0"`
	ImageMaxDimensionPx              settings.Positive                    `json:"imageMaxDimensionPx"`
	TypingIntervalSeconds            settings.Positive                    `json:"typingIntervalSeconds"`
	TypingMode                       string                               `json:"typingMode" schema:"enum=never|instant|thinking|message"`
	Heartbeat                        Heartbeat                            `json:"heartbeat"`
	MaxConcurrent                    settings.Positive                    `json:"maxConcurrent"`
	Subagents                        AgentsSubagents                      `json:"subagents"`
	Sandbox                          AgentsSandbox                        `json:"sandbox"`
}

// AgentModel is agents.defaults.model where it isn't only the name of one.
type AgentModel struct {
	Primary   string   `json:"primary"`
	Fallbacks []string `json:"fallbacks"`
}

// AgentsContextPruning is agents.defaults.contextPruning.
type AgentsContextPruning struct {
	Mode                 string           `json:"mode" schema:"enum=off|cache-ttl"`
	TTL                  string           `json:"ttl"`
	KeepLastAssistants   settings.Natural `json:"keepLastAssistants"`
	SoftTrimRatio        float64          `json:"softTrimRatio" schema:"minimum=0,maximum=1"`
	HardClearRatio       float64          `json:"hardClearRatio" schema:"minimum=0,maximum=1"`
	MinPrunableToolChars settings.Natural `json:"minPrunableToolChars"`
	Tools                AgentsTools      `json:"tools"`
	SoftTrim             AgentsSoftTrim   `json:"softTrim"`
	HardClear            AgentsHardClear  `json:"hardClear"`
}

// AgentsCompaction is agents.defaults.compaction.
type AgentsCompaction struct {
	Mode                   string             `json:"mode" schema:"enum=default|safeguard"`
	ReserveTokens          settings.Natural   `json:"reserveTokens"`
	KeepRecentTokens       settings.Positive  `json:"keepRecentTokens"`
	ReserveTokensFloor     settings.Natural   `json:"reserveTokensFloor"`
	MaxHistoryShare        float64            `json:"maxHistoryShare" schema:"minimum=0.1,maximum=0.9"`
	CustomInstructions     string             `json:"customInstructions"`
	IdentifierPolicy       string             `json:"identifierPolicy" schema:"enum=strict|off|custom"`
	IdentifierInstructions string             `json:"identifierInstructions"`
	RecentTurnsPreserve    int                `json:"recentTurnsPreserve" schema:"minimum=0,maximum=12"`
	QualityGuard           AgentsQualityGuard `json:"qualityGuard"`
	PostIndexSync          string             `json:"postIndexSync" schema:"values=off|async|await"`
	PostCompactionSections []string           `json:"postCompactionSections"`
	Model                  string             `json:"model"`
	NotifyUser             bool               `json:"notifyUser"` // the seeds have it
	MemoryFlush            AgentsMemoryFlush  `json:"memoryFlush"`
}

// AgentsEmbeddedPi is agents.defaults.embeddedPi.
type AgentsEmbeddedPi struct {
	ProjectSettingsPolicy string `json:"projectSettingsPolicy" schema:"enum=trusted|sanitize|ignore"`
}

// AgentsHumanDelay is agents.defaults.humanDelay.
type AgentsHumanDelay struct {
	Mode  string           `json:"mode" schema:"enum=off|natural|custom"`
	MinMs settings.Natural `json:"minMs"`
	MaxMs settings.Natural `json:"maxMs"`
}

// Heartbeat is agents.defaults.heartbeat.
type Heartbeat struct {
	Every                     string            `json:"every"`
	ActiveHours               AgentsActiveHours `json:"activeHours"`
	Model                     string            `json:"model"`
	Session                   string            `json:"session"`
	IncludeReasoning          bool              `json:"includeReasoning"`
	Target                    string            `json:"target"`
	DirectPolicy              string            `json:"directPolicy" schema:"enum=allow|block"`
	To                        string            `json:"to"`
	AccountID                 string            `json:"accountId"`
	Prompt                    string            `json:"prompt"`
	AckMaxChars               settings.Natural  `json:"ackMaxChars"`
	SuppressToolErrorWarnings bool              `json:"suppressToolErrorWarnings"`
	LightContext              bool              `json:"lightContext"`
}

// AgentsSubagents is agents.defaults.subagents.
type AgentsSubagents struct {
	MaxConcurrent       settings.Positive                    `json:"maxConcurrent"`
	MaxSpawnDepth       int                                  `json:"maxSpawnDepth" schema:"minimum=1,maximum=5"`
	MaxChildrenPerAgent int                                  `json:"maxChildrenPerAgent" schema:"minimum=1,maximum=20"`
	ArchiveAfterMinutes settings.Positive                    `json:"archiveAfterMinutes"`
	Model               jsonschema.AnyOf[string, AgentModel] `json:"model"`
	Thinking            string                               `json:"thinking"`
	RunTimeoutSeconds   settings.Natural                     `json:"runTimeoutSeconds"`
	AnnounceTimeoutMs   settings.Positive                    `json:"announceTimeoutMs"`
}

// AgentsModelEntry is agents.defaults.models.<name>.
type AgentsModelEntry struct {
	Alias     string         `json:"alias"`
	Params    map[string]any `json:"params"`
	Streaming bool           `json:"streaming"`
}

// AgentsCLIBackend is agents.defaults.cliBackends.<name>.
type AgentsCLIBackend struct {
	Command           string            `json:"command" schema:"required"`
	Args              []string          `json:"args"`
	Output            string            `json:"output" schema:"enum=json|text|jsonl"`
	ResumeOutput      string            `json:"resumeOutput" schema:"enum=json|text|jsonl"`
	Input             string            `json:"input" schema:"enum=arg|stdin"`
	MaxPromptArgChars settings.Positive `json:"maxPromptArgChars"`
	Env               map[string]string `json:"env"`
	ClearEnv          []string          `json:"clearEnv"`
	ModelArg          string            `json:"modelArg"`
	ModelAliases      map[string]string `json:"modelAliases"`
	SessionArg        string            `json:"sessionArg"`
	SessionArgs       []string          `json:"sessionArgs"`
	ResumeArgs        []string          `json:"resumeArgs"`
	SessionMode       string            `json:"sessionMode" schema:"enum=always|existing|none"`
	SessionIDFields   []string          `json:"sessionIdFields"`
	SystemPromptArg   string            `json:"systemPromptArg"`
	SystemPromptMode  string            `json:"systemPromptMode" schema:"enum=append|replace"`
	SystemPromptWhen  string            `json:"systemPromptWhen" schema:"enum=first|always|never"`
	ImageArg          string            `json:"imageArg"`
	ImageMode         string            `json:"imageMode" schema:"enum=repeat|list"`
	Serialize         bool              `json:"serialize"`
	Reliability       AgentsReliability `json:"reliability"`
}

// AgentsTools is agents.defaults.contextPruning.tools.
type AgentsTools struct {
	Allow []string `json:"allow"`
	Deny  []string `json:"deny"`
}

// AgentsSoftTrim is agents.defaults.contextPruning.softTrim.
type AgentsSoftTrim struct {
	MaxChars  settings.Natural `json:"maxChars"`
	HeadChars settings.Natural `json:"headChars"`
	TailChars settings.Natural `json:"tailChars"`
}

// AgentsHardClear is agents.defaults.contextPruning.hardClear.
type AgentsHardClear struct {
	Enabled     bool   `json:"enabled"`
	Placeholder string `json:"placeholder"`
}

// AgentsQualityGuard is agents.defaults.compaction.qualityGuard.
type AgentsQualityGuard struct {
	Enabled    bool             `json:"enabled"`
	MaxRetries settings.Natural `json:"maxRetries"`
}

// AgentsMemoryFlush is agents.defaults.compaction.memoryFlush.
type AgentsMemoryFlush struct {
	Enabled                   bool             `json:"enabled"`
	SoftThresholdTokens       settings.Natural `json:"softThresholdTokens"`
	ForceFlushTranscriptBytes any              `json:"forceFlushTranscriptBytes" schema:"is=integer(minimum=0,maximum=9007199254740991)|string"`
	Prompt                    string           `json:"prompt"`
	SystemPrompt              string           `json:"systemPrompt"`
}

// AgentsActiveHours is agents.defaults.heartbeat.activeHours.
type AgentsActiveHours struct {
	Start    string `json:"start"`
	End      string `json:"end"`
	Timezone string `json:"timezone"`
}

// AgentsReliability is agents.defaults.cliBackends.<name>.reliability.
type AgentsReliability struct {
	Watchdog AgentsWatchdog `json:"watchdog"`
}

// AgentsWatchdog is agents.defaults.cliBackends.<name>.reliability.watchdog.
type AgentsWatchdog struct {
	Fresh  AgentsFresh `json:"fresh"`
	Resume AgentsFresh `json:"resume"`
}

// AgentsFresh is agents.defaults.cliBackends.<name>.reliability.watchdog.fresh.
type AgentsFresh struct {
	NoOutputTimeoutMs    int     `json:"noOutputTimeoutMs" schema:"minimum=1000,maximum=9007199254740991"`
	NoOutputTimeoutRatio float64 `json:"noOutputTimeoutRatio" schema:"minimum=0.05,maximum=0.95"`
	MinMs                int     `json:"minMs" schema:"minimum=1000,maximum=9007199254740991"`
	MaxMs                int     `json:"maxMs" schema:"minimum=1000,maximum=9007199254740991"`
}
