package spec

import (
	"github.com/openclaw-go/openclaw/internal/base/settings"
)

// Hooks is hooks.
type Hooks struct {
	Enabled                   bool              `json:"enabled"`
	Path                      string            `json:"path"`
	Token                     string            `json:"token"`
	DefaultSessionKey         string            `json:"defaultSessionKey"`
	AllowRequestSessionKey    bool              `json:"allowRequestSessionKey"`
	AllowedSessionKeyPrefixes []string          `json:"allowedSessionKeyPrefixes"`
	AllowedAgentIDs           []string          `json:"allowedAgentIds"`
	MaxBodyBytes              settings.Positive `json:"maxBodyBytes"`
	Presets                   []string          `json:"presets"`
	TransformsDir             string            `json:"transformsDir"`
	Mappings                  []HooksMapping    `json:"mappings"`
	Gmail                     HooksGmail        `json:"gmail"`
	Internal                  HooksInternal     `json:"internal"`
}

// HooksMapping is hooks.mappings[].
type HooksMapping struct {
	ID                         string            `json:"id"`
	Match                      HooksMatch        `json:"match"`
	Action                     string            `json:"action" schema:"enum=wake|agent"`
	WakeMode                   string            `json:"wakeMode" schema:"enum=now|next-heartbeat"`
	Name                       string            `json:"name"`
	AgentID                    string            `json:"agentId"`
	SessionKey                 string            `json:"sessionKey"`
	MessageTemplate            string            `json:"messageTemplate"`
	TextTemplate               string            `json:"textTemplate"`
	Deliver                    bool              `json:"deliver"`
	AllowUnsafeExternalContent bool              `json:"allowUnsafeExternalContent"`
	Channel                    string            `json:"channel" schema:"enum=last|whatsapp|telegram|discord|irc|slack|signal|imessage|msteams"`
	To                         string            `json:"to"`
	Model                      string            `json:"model"`
	Thinking                   string            `json:"thinking"`
	TimeoutSeconds             settings.Positive `json:"timeoutSeconds"`
	Transform                  HooksTransform    `json:"transform"`
}

// HooksGmail is hooks.gmail.
type HooksGmail struct {
	Account                    string            `json:"account"`
	Label                      string            `json:"label"`
	Topic                      string            `json:"topic"`
	Subscription               string            `json:"subscription"`
	PushToken                  string            `json:"pushToken"`
	HookURL                    string            `json:"hookUrl"`
	IncludeBody                bool              `json:"includeBody"`
	MaxBytes                   settings.Positive `json:"maxBytes"`
	RenewEveryMinutes          settings.Positive `json:"renewEveryMinutes"`
	AllowUnsafeExternalContent bool              `json:"allowUnsafeExternalContent"`
	Serve                      HooksServe        `json:"serve"`
	Tailscale                  HooksTailscale    `json:"tailscale"`
	Model                      string            `json:"model"`
	Thinking                   string            `json:"thinking" schema:"enum=off|minimal|low|medium|high"`
}

// HooksInternal is hooks.internal.
type HooksInternal struct {
	Enabled  bool                    `json:"enabled"`
	Handlers []HooksHandler          `json:"handlers"`
	Entries  map[string]HooksEntry   `json:"entries"`
	Load     HooksLoad               `json:"load"`
	Installs map[string]HooksInstall `json:"installs"`
}

// HooksMatch is hooks.mappings[].match.
type HooksMatch struct {
	Path   string `json:"path"`
	Source string `json:"source"`
}

// HooksTransform is hooks.mappings[].transform.
type HooksTransform struct {
	Module string `json:"module" schema:"required"`
	Export string `json:"export"`
}

// HooksServe is hooks.gmail.serve.
type HooksServe struct {
	Bind string            `json:"bind"`
	Port settings.Positive `json:"port"`
	Path string            `json:"path"`
}

// HooksTailscale is hooks.gmail.tailscale.
type HooksTailscale struct {
	Mode   string `json:"mode" schema:"enum=off|serve|funnel"`
	Path   string `json:"path"`
	Target string `json:"target"`
}

// HooksHandler is hooks.internal.handlers[].
type HooksHandler struct {
	Event  string `json:"event" schema:"required"`
	Module string `json:"module" schema:"required"`
	Export string `json:"export"`
}

// HooksLoad is hooks.internal.load.
type HooksLoad struct {
	ExtraDirs []string `json:"extraDirs"`
}

// HooksEntry is hooks.internal.entries.<name>.
type HooksEntry struct {
	Enabled bool              `json:"enabled"`
	Env     map[string]string `json:"env"`

	Rest map[string]any `json:"-" schema:"rest"`
}

// HooksInstall is hooks.internal.installs.<name>.
type HooksInstall struct {
	Source          string   `json:"source" schema:"required,enum=npm|archive|path"`
	Spec            string   `json:"spec"`
	SourcePath      string   `json:"sourcePath"`
	InstallPath     string   `json:"installPath"`
	Version         string   `json:"version"`
	ResolvedName    string   `json:"resolvedName"`
	ResolvedVersion string   `json:"resolvedVersion"`
	ResolvedSpec    string   `json:"resolvedSpec"`
	Integrity       string   `json:"integrity"`
	Shasum          string   `json:"shasum"`
	ResolvedAt      string   `json:"resolvedAt"`
	InstalledAt     string   `json:"installedAt"`
	Hooks           []string `json:"hooks"`
}
