// Package config is the configuration file: its core shape, its validation,
// its migrations and its watcher.
//
// Core sections are typed here, because the file is one public contract with
// one schema and one changelog. Sections that belong to an extension stay raw:
// channels.<id>, models.providers.<id> and plugins.entries.<id> are decoded by
// the package that owns them.
//
// Nobody keeps a *Config. A service takes a func returning its own section and
// calls it at the start of each piece of work, so an edit takes effect on the
// next message without a restart.
package config

import (
	"encoding/json"
	"sync/atomic"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/secret"
)

// Config is one immutable version of the file, includes and variables
// resolved, defaults filled in.
type Config struct {
	Agents   Agents                         `json:"agents"`
	Bindings []Binding                      `json:"bindings"`
	Session  Session                        `json:"session"`
	Messages Messages                       `json:"messages"`
	Commands Commands                       `json:"commands"`
	Channels map[id.Channel]json.RawMessage `json:"channels"`
	Models   Models                         `json:"models"`
	Gateway  Gateway                        `json:"gateway"`
	Tools    Tools                          `json:"tools"`
	Logging  Logging                        `json:"logging"`
	Secrets  secret.Settings                `json:"secrets"`

	// Paths are where this configuration lives; they aren't part of the file.
	Paths Paths `json:"-"`

	lookup   func(string) string
	added    map[string]string
	source   []byte // resolved, before defaults
	resolver *secret.Resolver
}

// Paths are the places that the environment and --profile choose.
type Paths struct {
	Home   string // OPENCLAW_HOME, else the user's home
	State  string // OPENCLAW_STATE_DIR, else <home>/.openclaw
	Config string // OPENCLAW_CONFIG_PATH, else <state>/openclaw.json

	Profile string // --profile, --dev or OPENCLAW_PROFILE; empty for none
}

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
	ThinkingDefault        string          `json:"thinkingDefault"`
	UserTimezone           string          `json:"userTimezone"`
	TimeFormat             string          `json:"timeFormat"`
	BootstrapMaxChars      int             `json:"bootstrapMaxChars"`
	BootstrapTotalMaxChars int             `json:"bootstrapTotalMaxChars"`
	SkipBootstrap          bool            `json:"skipBootstrap"`
	RepoRoot               string          `json:"repoRoot"`
	Heartbeat              Heartbeat       `json:"heartbeat"`
	TypingMode             string          `json:"typingMode"`
	TypingIntervalSeconds  int             `json:"typingIntervalSeconds"`
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
	Tools     AgentTools  `json:"tools"`
}

// Identity is how an agent shows itself.
type Identity struct {
	Name   string `json:"name"`
	Emoji  string `json:"emoji"`
	Theme  string `json:"theme"`
	Avatar string `json:"avatar"`
}

// GroupChat is groupChat of messages or of an agent.
type GroupChat struct {
	MentionPatterns []string `json:"mentionPatterns"`
	HistoryLimit    int      `json:"historyLimit"`
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

// Session is session.
type Session struct {
	DMScope        string               `json:"dmScope"` // main, per-peer, per-channel-peer, per-account-channel-peer
	MainKey        string               `json:"mainKey"`
	IdentityLinks  map[string][]string  `json:"identityLinks"`
	Reset          Reset                `json:"reset"`
	ResetByType    map[string]Reset     `json:"resetByType"`
	ResetByChannel map[id.Channel]Reset `json:"resetByChannel"`
	ResetTriggers  []string             `json:"resetTriggers"`
	IdleMinutes    int                  `json:"idleMinutes"`
	SendPolicy     json.RawMessage      `json:"sendPolicy"`
}

// Reset says when a session starts anew.
type Reset struct {
	Mode        string `json:"mode"` // daily, idle or "" (daily)
	AtHour      *int   `json:"atHour"`
	IdleMinutes int    `json:"idleMinutes"`
}

// Messages is messages.
type Messages struct {
	Queue          Queue     `json:"queue"`
	Inbound        Debounce  `json:"inbound"`
	ResponsePrefix string    `json:"responsePrefix"`
	AckReaction    *string   `json:"ackReaction"`
	GroupChat      GroupChat `json:"groupChat"`
}

// Queue is messages.queue.
type Queue struct {
	Mode       string                `json:"mode"` // collect, followup, steer, steer-backlog, interrupt, queue
	DebounceMs *int                  `json:"debounceMs"`
	Cap        int                   `json:"cap"`
	Drop       string                `json:"drop"` // summarize, old, new
	ByChannel  map[id.Channel]string `json:"byChannel"`
}

// Debounce is messages.inbound.
type Debounce struct {
	DebounceMs int                `json:"debounceMs"`
	ByChannel  map[id.Channel]int `json:"byChannel"`
}

// Commands is commands.
type Commands struct {
	Text           *bool               `json:"text"`
	Bash           bool                `json:"bash"`
	Config         bool                `json:"config"`
	Restart        *bool               `json:"restart"`
	OwnerAllowFrom []string            `json:"ownerAllowFrom"`
	AllowFrom      map[string][]string `json:"allowFrom"`
}

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

// ModelCost is US dollars per million tokens.
type ModelCost struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
}

// Gateway is gateway.
type Gateway struct {
	Mode                string       `json:"mode"` // local or remote
	Port                int          `json:"port"`
	Bind                string       `json:"bind"` // auto, loopback, lan, custom, tailnet
	CustomBindHost      string       `json:"customBindHost"`
	Auth                GatewayAuth  `json:"auth"`
	TrustedProxies      []string     `json:"trustedProxies"`
	AllowRealIPFallback bool         `json:"allowRealIpFallback"`
	ControlUI           ControlUI    `json:"controlUi"`
	HTTP                GatewayHTTP  `json:"http"`
	Tools               GatewayTools `json:"tools"`
	Reload              Reload       `json:"reload"`
	Remote              Remote       `json:"remote"`
}

// GatewayAuth is gateway.auth.
type GatewayAuth struct {
	Mode      string          `json:"mode"` // token, password, none, trusted-proxy
	Token     json.RawMessage `json:"token"`
	Password  json.RawMessage `json:"password"`
	RateLimit *RateLimit      `json:"rateLimit"`
	Proxy     TrustedProxy    `json:"trustedProxy"`
}

// TrustedProxy is gateway.auth.trustedProxy: the proxy that signs people in.
type TrustedProxy struct {
	UserHeader      string   `json:"userHeader"`
	RequiredHeaders []string `json:"requiredHeaders"`
	AllowUsers      []string `json:"allowUsers"`
}

// RateLimit is gateway.auth.rateLimit.
type RateLimit struct {
	MaxAttempts    int   `json:"maxAttempts"`
	WindowMs       int   `json:"windowMs"`
	LockoutMs      int   `json:"lockoutMs"`
	ExemptLoopback *bool `json:"exemptLoopback"`
}

// ControlUI is gateway.controlUi.
type ControlUI struct {
	Enabled                                  *bool    `json:"enabled"`
	BasePath                                 string   `json:"basePath"`
	AllowedOrigins                           []string `json:"allowedOrigins"`
	AllowInsecureAuth                        bool     `json:"allowInsecureAuth"`
	DangerouslyAllowHostHeaderOriginFallback bool     `json:"dangerouslyAllowHostHeaderOriginFallback"`
	DangerouslyDisableDeviceAuth             bool     `json:"dangerouslyDisableDeviceAuth"`
}

// GatewayHTTP is gateway.http.
type GatewayHTTP struct {
	Endpoints struct {
		ChatCompletions Endpoint `json:"chatCompletions"`
		Responses       Endpoint `json:"responses"`
	} `json:"endpoints"`
}

// Endpoint is one of gateway.http.endpoints.
type Endpoint struct {
	Enabled      *bool `json:"enabled"` // nil is on: the endpoint wants the gateway's secret like all others
	MaxBodyBytes int64 `json:"maxBodyBytes"`
}

// GatewayTools is gateway.tools: what POST /tools/invoke may call.
type GatewayTools struct {
	Allow []string `json:"allow"`
	Deny  []string `json:"deny"`
}

// Reload is gateway.reload.
type Reload struct {
	Mode       string `json:"mode"` // off, restart, hot, hybrid
	DebounceMs int    `json:"debounceMs"`
}

// Remote is gateway.remote.
type Remote struct {
	URL      string          `json:"url"`
	Token    json.RawMessage `json:"token"`
	Password json.RawMessage `json:"password"`
}

// Tools is tools.
type Tools struct {
	Profile   string   `json:"profile"`
	Allow     []string `json:"allow"`
	AlsoAllow []string `json:"alsoAllow"`
	Deny      []string `json:"deny"`
	Exec      Exec     `json:"exec"`
	FS        FS       `json:"fs"`
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

// Logging is logging.
type Logging struct {
	Level        string `json:"level"`
	File         string `json:"file"`
	ConsoleLevel string `json:"consoleLevel"`
	ConsoleStyle string `json:"consoleStyle"`
}

// ChannelSection is the part of channels.<id> and of its accounts that the
// path of a message reads, whatever the channel; the rest is the channel's.
type ChannelSection struct {
	Enabled        *bool            `json:"enabled"`
	DMPolicy       string           `json:"dmPolicy"`    // pairing, allowlist, open, disabled
	GroupPolicy    string           `json:"groupPolicy"` // allowlist, open, disabled
	AllowFrom      []string         `json:"allowFrom"`   // numbers keep their digits
	GroupAllowFrom []string         `json:"groupAllowFrom"`
	Groups         map[string]Group `json:"groups"`
	ResponsePrefix *string          `json:"responsePrefix"`
	TextChunkLimit int              `json:"textChunkLimit"`
	// DangerouslyAllowNameMatching lets allow lists name people by what others
	// could call themselves too: a nick, a user name.
	DangerouslyAllowNameMatching bool `json:"dangerouslyAllowNameMatching"`
}

// Group is one of channels.<id>.groups; "*" is the default of the others.
type Group struct {
	Enabled        *bool    `json:"enabled"`
	RequireMention *bool    `json:"requireMention"`
	AllowFrom      []string `json:"allowFrom"`
	GroupPolicy    string   `json:"groupPolicy"`
	// Topics are the threads of a group with settings of their own.
	Topics map[string]Group `json:"topics"`
}

// Account is one login of a channel, section and account values merged.
type Account struct {
	ID      id.Account
	Enabled bool
	Common  ChannelSection
	Raw     json.RawMessage
}

// Store holds the current version of the configuration.
type Store struct{ cur atomic.Pointer[Config] }

// NewStore returns a store whose current version is c.
func NewStore(c *Config) *Store {
	s := new(Store)
	s.cur.Store(c)
	return s
}

// Current returns the current version. The caller must not change it.
func (s *Store) Current() *Config { return s.cur.Load() }

// Replace makes c current.
func (s *Store) Replace(c *Config) { s.cur.Store(c) }
