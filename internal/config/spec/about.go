package spec

// Meta is meta.
type Meta struct {
	LastTouchedVersion string `json:"lastTouchedVersion"`
	LastTouchedAt      any    `json:"lastTouchedAt" schema:"is=string|any"`
}

// Wizard is wizard.
type Wizard struct {
	LastRunAt      string `json:"lastRunAt"`
	LastRunVersion string `json:"lastRunVersion"`
	LastRunCommit  string `json:"lastRunCommit"`
	LastRunCommand string `json:"lastRunCommand"`
	LastRunMode    string `json:"lastRunMode" schema:"enum=local|remote"`
}

// Update is update.
type Update struct {
	Channel      string     `json:"channel" schema:"enum=stable|beta|dev"`
	CheckOnStart bool       `json:"checkOnStart"`
	Auto         UpdateAuto `json:"auto"`
}

// UpdateAuto is update.auto.
type UpdateAuto struct {
	Enabled                bool    `json:"enabled"`
	StableDelayHours       float64 `json:"stableDelayHours" schema:"minimum=0,maximum=168"`
	StableJitterHours      float64 `json:"stableJitterHours" schema:"minimum=0,maximum=168"`
	BetaCheckIntervalHours float64 `json:"betaCheckIntervalHours" schema:"exclusiveMinimum=0,maximum=24"`
}

// CLI is cli.
type CLI struct {
	Banner CLIBanner `json:"banner"`
}

// CLIBanner is cli.banner.
type CLIBanner struct {
	TaglineMode string `json:"taglineMode" schema:"enum=random|default|off"`
}

// UI is ui.
type UI struct {
	SeamColor string      `json:"seamColor" schema:"pattern=^#?[0-9a-fA-F]{6}$"`
	Assistant UIAssistant `json:"assistant"`
}

// UIAssistant is ui.assistant.
type UIAssistant struct {
	Name   string `json:"name" schema:"maxLength=50"`
	Avatar string `json:"avatar" schema:"maxLength=200"`
}
