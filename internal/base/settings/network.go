package settings

// Switch is the switch of a feature, such as acp.dispatch.
type Switch struct {
	Enabled bool `json:"enabled"`
}

// ToolPolicy says which tools may be used.
type ToolPolicy struct {
	Allow     []string `json:"allow"`
	AlsoAllow []string `json:"alsoAllow"`
	Deny      []string `json:"deny"`
}

// Markdown says how a network shows what its messages can't.
type Markdown struct {
	Tables string `json:"tables" schema:"values=off|bullets|code"`
}

// NativeCommands says which commands a network offers in its own menu.
type NativeCommands struct {
	Native       Auto `json:"native"`
	NativeSkills Auto `json:"nativeSkills"`
}

// DMHistory is an entry of dms, the settings of one direct conversation.
type DMHistory struct {
	HistoryLimit Natural `json:"historyLimit"`
}

// Retry says how often and how fast a call is repeated.
type Retry struct {
	Attempts   int     `json:"attempts" schema:"minimum=1,maximum=9007199254740991"`
	MinDelayMs Natural `json:"minDelayMs"`
	MaxDelayMs Natural `json:"maxDelayMs"`
	Jitter     float64 `json:"jitter" schema:"minimum=0,maximum=1"`
}

// ThreadBindings says how threads stay with the session that they were opened for.
type ThreadBindings struct {
	Enabled               bool    `json:"enabled"`
	IdleHours             float64 `json:"idleHours" schema:"minimum=0"`
	MaxAgeHours           float64 `json:"maxAgeHours" schema:"minimum=0"`
	SpawnSubagentSessions bool    `json:"spawnSubagentSessions"`
	SpawnACPSessions      bool    `json:"spawnAcpSessions"`
}

// HeartbeatView says what of a heartbeat is shown.
type HeartbeatView struct {
	ShowOK       bool `json:"showOk"`
	ShowAlerts   bool `json:"showAlerts"`
	UseIndicator bool `json:"useIndicator"`
}
