package spec

import (
	"github.com/openclaw-go/openclaw/internal/base/settings"
)

// Session is session.
type Session struct {
	Scope                 string                  `json:"scope" schema:"enum=per-sender|global"`
	DMScope               string                  `json:"dmScope" schema:"enum=main|per-peer|per-channel-peer|per-account-channel-peer"`
	IdentityLinks         map[string][]string     `json:"identityLinks"`
	ResetTriggers         []string                `json:"resetTriggers"`
	IdleMinutes           settings.Positive       `json:"idleMinutes"`
	Reset                 SessionReset            `json:"reset"`
	ResetByType           SessionResetByType      `json:"resetByType"`
	ResetByChannel        map[string]SessionReset `json:"resetByChannel"`
	Store                 string                  `json:"store"`
	TypingIntervalSeconds settings.Positive       `json:"typingIntervalSeconds"`
	TypingMode            string                  `json:"typingMode" schema:"enum=never|instant|thinking|message"`
	ParentForkMaxTokens   settings.Natural        `json:"parentForkMaxTokens"`
	MainKey               string                  `json:"mainKey"`
	SendPolicy            SessionSendPolicy       `json:"sendPolicy"`
	AgentToAgent          SessionAgentToAgent     `json:"agentToAgent"`
	ThreadBindings        SessionThreadBindings   `json:"threadBindings"`
	Maintenance           SessionMaintenance      `json:"maintenance"`
}

// SessionSendPolicy is session.sendPolicy.
type SessionSendPolicy struct {
	Default string        `json:"default" schema:"enum=allow|deny"`
	Rules   []SessionRule `json:"rules"`
}

// SessionReset is session.reset.
type SessionReset struct {
	Mode        string            `json:"mode" schema:"enum=daily|idle"`
	AtHour      int               `json:"atHour" schema:"minimum=0,maximum=23"`
	IdleMinutes settings.Positive `json:"idleMinutes"`
}

// SessionResetByType is session.resetByType.
type SessionResetByType struct {
	Direct SessionReset `json:"direct"`
	DM     SessionReset `json:"dm"`
	Group  SessionReset `json:"group"`
	Thread SessionReset `json:"thread"`
}

// SessionAgentToAgent is session.agentToAgent.
type SessionAgentToAgent struct {
	MaxPingPongTurns int `json:"maxPingPongTurns" schema:"minimum=0,maximum=5"`
}

// SessionThreadBindings is session.threadBindings.
type SessionThreadBindings struct {
	Enabled     bool    `json:"enabled"`
	IdleHours   float64 `json:"idleHours" schema:"minimum=0"`
	MaxAgeHours float64 `json:"maxAgeHours" schema:"minimum=0"`
}

// SessionMaintenance is session.maintenance.
type SessionMaintenance struct {
	Mode                  string            `json:"mode" schema:"values=enforce|warn"`
	PruneAfter            settings.ID       `json:"pruneAfter"`
	PruneDays             settings.Positive `json:"pruneDays"`
	MaxEntries            settings.Positive `json:"maxEntries"`
	RotateBytes           settings.ID       `json:"rotateBytes"`
	ResetArchiveRetention any               `json:"resetArchiveRetention" schema:"is=string|number|false"`
	MaxDiskBytes          settings.ID       `json:"maxDiskBytes"`
	HighWaterBytes        settings.ID       `json:"highWaterBytes"`
}

// SessionRule is session.sendPolicy.rules[].
type SessionRule struct {
	Action string       `json:"action" schema:"required,enum=allow|deny"`
	Match  SessionMatch `json:"match"`
}

// SessionMatch is session.sendPolicy.rules[].match.
type SessionMatch struct {
	Channel      string `json:"channel"`
	ChatType     string `json:"chatType" schema:"enum=direct|group|channel|dm"`
	KeyPrefix    string `json:"keyPrefix"`
	RawKeyPrefix string `json:"rawKeyPrefix"`
}
