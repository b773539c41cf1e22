package config

// Compaction is agents.defaults.compaction; zero fields have the recorded
// defaults.
type Compaction struct {
	ReserveTokens          int      `json:"reserveTokens"`    // kept free of the window
	KeepRecentTokens       int      `json:"keepRecentTokens"` // of messages that stay as they are
	ReserveTokensFloor     *int     `json:"reserveTokensFloor"`
	MaxHistoryShare        float64  `json:"maxHistoryShare"` // of the window, for what stays
	CustomInstructions     string   `json:"customInstructions"`
	IdentifierPolicy       string   `json:"identifierPolicy"` // strict, off, custom
	IdentifierInstructions string   `json:"identifierInstructions"`
	RecentTurnsPreserve    *int     `json:"recentTurnsPreserve"`
	PostCompactionSections []string `json:"postCompactionSections"` // of AGENTS.md, said again
	Model                  string   `json:"model"`                  // that writes summaries, provider/model
	NotifyUser             bool     `json:"notifyUser"`
	QualityGuard           struct {
		Enabled    *bool `json:"enabled"`
		MaxRetries *int  `json:"maxRetries"`
	} `json:"qualityGuard"`
	MemoryFlush struct {
		Enabled             *bool  `json:"enabled"`
		SoftThresholdTokens *int   `json:"softThresholdTokens"`
		Prompt              string `json:"prompt"`
		SystemPrompt        string `json:"systemPrompt"`
	} `json:"memoryFlush"`
}

// Pruning is agents.defaults.contextPruning; nil fields have the recorded
// defaults.
type Pruning struct {
	Mode                 string   `json:"mode"` // off, cache-ttl
	TTL                  string   `json:"ttl"`
	KeepLastAssistants   *int     `json:"keepLastAssistants"`
	SoftTrimRatio        *float64 `json:"softTrimRatio"`
	HardClearRatio       *float64 `json:"hardClearRatio"`
	MinPrunableToolChars *int     `json:"minPrunableToolChars"`
	Tools                struct {
		Allow []string `json:"allow"`
		Deny  []string `json:"deny"`
	} `json:"tools"`
	SoftTrim struct {
		MaxChars  *int `json:"maxChars"`
		HeadChars *int `json:"headChars"`
		TailChars *int `json:"tailChars"`
	} `json:"softTrim"`
	HardClear struct {
		Enabled     *bool  `json:"enabled"`
		Placeholder string `json:"placeholder"`
	} `json:"hardClear"`
}
