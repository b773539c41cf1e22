package config

import (
	"encoding/json"
	"fmt"

	"github.com/openclaw-go/openclaw/internal/base/id"
)

// Agents is agents.
type Agents struct {
	Defaults AgentDefaults `json:"defaults"`
	List     []Agent       `json:"list"`
}

// AgentDefaults is agents.defaults; zero fields have the recorded default.
type AgentDefaults struct {
	Workspace              string          `json:"workspace"`
	Model                  ModelChoice     `json:"model"`
	ImageModel             ModelChoice     `json:"imageModel"`
	Models                 json.RawMessage `json:"models"` // allow list and aliases
	ContextTokens          int             `json:"contextTokens"`
	TimeoutSeconds         int             `json:"timeoutSeconds"`
	MaxConcurrent          int             `json:"maxConcurrent"`
	Subagents              Subagents       `json:"subagents"`
	ThinkingDefault        string          `json:"thinkingDefault"`
	UserTimezone           string          `json:"userTimezone"`
	TimeFormat             string          `json:"timeFormat"`
	BootstrapMaxChars      int             `json:"bootstrapMaxChars"`
	BootstrapTotalMaxChars int             `json:"bootstrapTotalMaxChars"`
	SkipBootstrap          bool            `json:"skipBootstrap"`
	RepoRoot               string          `json:"repoRoot"`
	Heartbeat              Heartbeat       `json:"heartbeat"`
	MemorySearch           MemorySearch    `json:"memorySearch"`
	Compaction             Compaction      `json:"compaction"`
	ContextPruning         Pruning         `json:"contextPruning"`
	ImageMaxDimensionPx    int             `json:"imageMaxDimensionPx"` // longest side of a picture for a model
	Pacing
}

// MemorySearch is memorySearch, as far as it names who turns texts into vectors.
type MemorySearch struct {
	Enabled  *bool  `json:"enabled"`
	Provider string `json:"provider"` // openai, gemini, voyage, mistral, ollama; "" takes the first that has a key
	Model    string `json:"model"`
	Fallback string `json:"fallback"` // another provider, "none"
	Remote   struct {
		BaseURL string                     `json:"baseUrl"`
		APIKey  json.RawMessage            `json:"apiKey"` // or a reference to it
		Headers map[string]json.RawMessage `json:"headers"`
	} `json:"remote"`
}

// Subagents is agents.defaults.subagents, as far as lanes are concerned.
type Subagents struct {
	MaxConcurrent int `json:"maxConcurrent"`
}

// Heartbeat is agents.defaults.heartbeat.
type Heartbeat struct {
	Every        string `json:"every"` // duration, default unit minutes; "0m" is off
	Target       string `json:"target"`
	To           string `json:"to"`
	Prompt       string `json:"prompt"`
	Model        string `json:"model"`
	AckMaxChars  int    `json:"ackMaxChars"`
	LightContext bool   `json:"lightContext"`
}

// ModelChoice is a model reference with fallbacks; the file may hold a string.
type ModelChoice struct {
	Primary   string   `json:"primary"` // provider/model
	Fallbacks []string `json:"fallbacks"`
}

// UnmarshalJSON accepts "provider/model" or an object.
func (m *ModelChoice) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		return json.Unmarshal(raw, &m.Primary)
	}
	type plain ModelChoice
	return json.Unmarshal(raw, (*plain)(m))
}

// Agent is one entry of agents.list.
type Agent struct {
	ID        id.Agent    `json:"id"`
	Default   bool        `json:"default"`
	Name      string      `json:"name"`
	Workspace string      `json:"workspace"`
	AgentDir  string      `json:"agentDir"`
	Model     ModelChoice `json:"model"`
	Identity  Identity    `json:"identity"`
	GroupChat GroupChat   `json:"groupChat"`
	Heartbeat *Heartbeat  `json:"heartbeat"`
	// HumanDelay overrides the general one; nil leaves it.
	HumanDelay *HumanDelay `json:"humanDelay"`
	Tools      AgentTools  `json:"tools"`
	// MemorySearch overrides the general one whole; nil leaves it.
	MemorySearch *MemorySearch `json:"memorySearch"`
}

// Identity is how an agent shows itself.
type Identity struct {
	Name   string `json:"name"`
	Emoji  string `json:"emoji"`
	Theme  string `json:"theme"`
	Avatar string `json:"avatar"`
}

// AgentTools is agents.list[].tools.
type AgentTools struct {
	Profile string   `json:"profile"`
	Allow   []string `json:"allow"`
	Deny    []string `json:"deny"`
}

// Binding is one of bindings: messages that match go to its agent.
type Binding struct {
	Type  string   `json:"type"` // "" and "route" route; "acp" isn't ours to route
	Agent id.Agent `json:"agentId"`
	Match Match    `json:"match"`
}

// Match is what a binding matches; an empty field matches anything.
type Match struct {
	Channel id.Channel `json:"channel"`
	Account id.Account `json:"accountId"` // "" is the default account, "*" any
	Peer    *MatchPeer `json:"peer"`
	Guild   string     `json:"guildId"`
	Team    string     `json:"teamId"`
	Roles   []string   `json:"roles"`
}

// MatchPeer is a peer of a binding.
type MatchPeer struct {
	Kind string  `json:"kind"`
	ID   id.Peer `json:"id"`
}

// Broadcast is broadcast: places where several agents answer every message.
type Broadcast struct {
	Strategy string                // parallel (or empty), sequential
	Peers    map[string][]id.Agent // by the id of the person or room
}

// UnmarshalJSON reads the peers, which stand beside the strategy.
func (b *Broadcast) UnmarshalJSON(raw []byte) error {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(raw, &keys); err != nil {
		return err
	}
	*b = Broadcast{Peers: map[string][]id.Agent{}}
	for k, v := range keys {
		if k == "strategy" {
			if err := json.Unmarshal(v, &b.Strategy); err != nil {
				return err
			}
			continue
		}
		var agents []id.Agent
		if err := json.Unmarshal(v, &agents); err != nil {
			return fmt.Errorf("broadcast.%s: %w", k, err)
		}
		b.Peers[k] = agents
	}
	return nil
}
