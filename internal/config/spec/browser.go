package spec

import (
	"github.com/openclaw-go/openclaw/internal/base/jsonschema"
	"github.com/openclaw-go/openclaw/internal/base/settings"
)

// Browser is browser.
type Browser struct {
	Enabled                     bool                           `json:"enabled"`
	EvaluateEnabled             bool                           `json:"evaluateEnabled"`
	CDPURL                      string                         `json:"cdpUrl"`
	RemoteCDPTimeoutMs          settings.Natural               `json:"remoteCdpTimeoutMs"`
	RemoteCDPHandshakeTimeoutMs settings.Natural               `json:"remoteCdpHandshakeTimeoutMs"`
	Color                       string                         `json:"color"`
	ExecutablePath              string                         `json:"executablePath"`
	Headless                    bool                           `json:"headless"`
	NoSandbox                   bool                           `json:"noSandbox"`
	AttachOnly                  bool                           `json:"attachOnly"`
	CDPPortRangeStart           int                            `json:"cdpPortRangeStart" schema:"minimum=1,maximum=65535"`
	DefaultProfile              string                         `json:"defaultProfile"`
	SnapshotDefaults            BrowserSnapshotDefaults        `json:"snapshotDefaults"`
	SSRFPolicy                  BrowserSSRFPolicy              `json:"ssrfPolicy"`
	Profiles                    map[ProfileName]BrowserProfile `json:"profiles"`
	ExtraArgs                   []string                       `json:"extraArgs"`
	RelayBindHost               jsonschema.AnyOf[IPv4, IPv6]   `json:"relayBindHost"`
}

// BrowserSnapshotDefaults is browser.snapshotDefaults.
type BrowserSnapshotDefaults struct {
	Mode string `json:"mode" schema:"const=efficient"`
}

// BrowserSSRFPolicy is browser.ssrfPolicy.
type BrowserSSRFPolicy struct {
	AllowPrivateNetwork            bool     `json:"allowPrivateNetwork"`
	DangerouslyAllowPrivateNetwork bool     `json:"dangerouslyAllowPrivateNetwork"`
	AllowedHostnames               []string `json:"allowedHostnames"`
	HostnameAllowlist              []string `json:"hostnameAllowlist"`
}

// BrowserProfile is browser.profiles.<name>.
type BrowserProfile struct {
	CDPPort    int    `json:"cdpPort" schema:"minimum=1,maximum=65535"`
	CDPURL     string `json:"cdpUrl"`
	Driver     string `json:"driver" schema:"enum=openclaw|clawd|extension|existing-session"`
	AttachOnly bool   `json:"attachOnly"`
	Color      string `json:"color" schema:"required,pattern=^#?[0-9a-fA-F]{6}$"`
}

// CanvasHost is canvasHost.
type CanvasHost struct {
	Enabled    bool              `json:"enabled"`
	Root       string            `json:"root"`
	Port       settings.Positive `json:"port"`
	LiveReload bool              `json:"liveReload"`
}

// Discovery is discovery.
type Discovery struct {
	WideArea DiscoveryWideArea `json:"wideArea"`
	MDNS     DiscoveryMDNS     `json:"mdns"`
}

// DiscoveryWideArea is discovery.wideArea.
type DiscoveryWideArea struct {
	Enabled bool   `json:"enabled"`
	Domain  string `json:"domain"`
}

// DiscoveryMDNS is discovery.mdns.
type DiscoveryMDNS struct {
	Mode string `json:"mode" schema:"values=off|minimal|full"`
}

// Web is web.
type Web struct {
	Enabled          bool              `json:"enabled"`
	HeartbeatSeconds settings.Positive `json:"heartbeatSeconds"`
	Reconnect        WebReconnect      `json:"reconnect"`
}

// WebReconnect is web.reconnect.
type WebReconnect struct {
	InitialMs   float64          `json:"initialMs" schema:"exclusiveMinimum=0"`
	MaxMs       float64          `json:"maxMs" schema:"exclusiveMinimum=0"`
	Factor      float64          `json:"factor" schema:"exclusiveMinimum=0"`
	Jitter      float64          `json:"jitter" schema:"minimum=0,maximum=1"`
	MaxAttempts settings.Natural `json:"maxAttempts"`
}

// NodeHost is nodeHost.
type NodeHost struct {
	BrowserProxy NodeHostBrowserProxy `json:"browserProxy"`
}

// NodeHostBrowserProxy is nodeHost.browserProxy.
type NodeHostBrowserProxy struct {
	Enabled       bool     `json:"enabled"`
	AllowProfiles []string `json:"allowProfiles"`
}

// Talk is talk.
type Talk struct {
	Provider          string                  `json:"provider"`
	Providers         map[string]TalkProvider `json:"providers"`
	VoiceID           string                  `json:"voiceId"`
	VoiceAliases      map[string]string       `json:"voiceAliases"`
	ModelID           string                  `json:"modelId"`
	OutputFormat      string                  `json:"outputFormat"`
	APIKey            settings.Secret         `json:"apiKey"`
	InterruptOnSpeech bool                    `json:"interruptOnSpeech"`
	SilenceTimeoutMs  settings.Positive       `json:"silenceTimeoutMs"`
}

// TalkProvider is talk.providers.<name>.
type TalkProvider struct {
	VoiceID      string            `json:"voiceId"`
	VoiceAliases map[string]string `json:"voiceAliases"`
	ModelID      string            `json:"modelId"`
	OutputFormat string            `json:"outputFormat"`
	APIKey       settings.Secret   `json:"apiKey"`

	Rest map[string]any `json:"-" schema:"rest"`
}
