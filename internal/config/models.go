package config

import (
	"encoding/json"
)

// Models is models.
type Models struct {
	Mode      string              `json:"mode"` // merge or replace
	Providers map[string]Provider `json:"providers"`
}

// Provider is one of models.providers. Raw is the section as it stands, with
// secrets still as references.
type Provider struct {
	BaseURL string                     `json:"baseUrl"`
	APIKey  json.RawMessage            `json:"apiKey"` // a string or a SecretRef
	API     string                     `json:"api"`
	Auth    string                     `json:"auth"`
	Headers map[string]json.RawMessage `json:"headers"`
	Models  []Model                    `json:"models"`
	Raw     json.RawMessage            `json:"-"`
}

// Model is one of models.providers.<id>.models.
type Model struct {
	ID            string            `json:"id"`
	Name          string            `json:"name"`
	API           string            `json:"api"`
	Reasoning     bool              `json:"reasoning"`
	Input         []string          `json:"input"`
	Cost          ModelCost         `json:"cost"`
	ContextWindow int               `json:"contextWindow"`
	MaxTokens     int               `json:"maxTokens"`
	Headers       map[string]string `json:"headers"`
}

// UnmarshalJSON takes what the schema calls numbers: fractions of tokens are
// dropped.
func (m *Model) UnmarshalJSON(raw []byte) error {
	type plain Model
	with := struct {
		*plain
		ContextWindow float64 `json:"contextWindow"`
		MaxTokens     float64 `json:"maxTokens"`
	}{plain: (*plain)(m), ContextWindow: float64(m.ContextWindow), MaxTokens: float64(m.MaxTokens)}
	if err := json.Unmarshal(raw, &with); err != nil {
		return err
	}
	m.ContextWindow, m.MaxTokens = whole(with.ContextWindow), whole(with.MaxTokens)
	return nil
}

// whole is f without its fraction, within what is exact everywhere.
func whole(f float64) int {
	const most = 1<<53 - 1
	return int(max(-most, min(f, most)))
}

// ModelCost is US dollars per million tokens.
type ModelCost struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
}

// Tools is tools.
type Tools struct {
	Profile   string   `json:"profile"`
	Allow     []string `json:"allow"`
	AlsoAllow []string `json:"alsoAllow"`
	Deny      []string `json:"deny"`
	Exec      Exec     `json:"exec"`
	FS        FS       `json:"fs"`
	Message   Message  `json:"message"`
}

// Message is tools.message: where else an agent may write than where it talks.
type Message struct {
	AllowCrossContextSend bool `json:"allowCrossContextSend"`
	CrossContext          struct {
		AllowWithinProvider  *bool `json:"allowWithinProvider"` // true when left out
		AllowAcrossProviders bool  `json:"allowAcrossProviders"`
		Marker               struct {
			Enabled *bool   `json:"enabled"`
			Prefix  *string `json:"prefix"` // "[from {channel}] " when left out
			Suffix  string  `json:"suffix"`
		} `json:"marker"`
	} `json:"crossContext"`
	Broadcast struct {
		Enabled *bool `json:"enabled"`
	} `json:"broadcast"`
}

// Exec is tools.exec.
type Exec struct {
	Host         string   `json:"host"`
	Security     string   `json:"security"`
	Ask          string   `json:"ask"`
	BackgroundMs int      `json:"backgroundMs"`
	TimeoutSec   int      `json:"timeoutSec"`
	CleanupMs    int      `json:"cleanupMs"`
	NotifyOnExit *bool    `json:"notifyOnExit"`
	PathPrepend  []string `json:"pathPrepend"`
}

// FS is tools.fs.
type FS struct {
	WorkspaceOnly bool `json:"workspaceOnly"`
}
