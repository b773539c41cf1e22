package spec

import (
	"github.com/openclaw-go/openclaw/internal/base/settings"
)

// ToolsMedia is tools.media.
type ToolsMedia struct {
	Models      []ToolsModel      `json:"models"`
	Concurrency settings.Positive `json:"concurrency"`
	Image       ToolsImage        `json:"image"`
	Audio       ToolsImage        `json:"audio"`
	Video       ToolsImage        `json:"video"`
}

// ToolsModel is tools.media.models[].
type ToolsModel struct {
	Provider         string                                `json:"provider"`
	Model            string                                `json:"model"`
	Capabilities     []string                              `json:"capabilities" schema:"items.enum=image|audio|video"`
	Type             string                                `json:"type" schema:"enum=provider|cli"`
	Command          string                                `json:"command"`
	Args             []string                              `json:"args"`
	MaxChars         settings.Positive                     `json:"maxChars"`
	MaxBytes         settings.Positive                     `json:"maxBytes"`
	Prompt           string                                `json:"prompt"`
	TimeoutSeconds   settings.Positive                     `json:"timeoutSeconds"`
	Language         string                                `json:"language"`
	ProviderOptions  map[string]map[string]settings.Scalar `json:"providerOptions"`
	Deepgram         ToolsDeepgram                         `json:"deepgram"`
	BaseURL          string                                `json:"baseUrl"`
	Headers          map[string]string                     `json:"headers"`
	Profile          string                                `json:"profile"`
	PreferredProfile string                                `json:"preferredProfile"`
}

// ToolsImage is tools.media.image.
type ToolsImage struct {
	Enabled         bool                                  `json:"enabled"`
	Scope           SessionSendPolicy                     `json:"scope"`
	MaxBytes        settings.Positive                     `json:"maxBytes"`
	MaxChars        settings.Positive                     `json:"maxChars"`
	Prompt          string                                `json:"prompt"`
	TimeoutSeconds  settings.Positive                     `json:"timeoutSeconds"`
	Language        string                                `json:"language"`
	ProviderOptions map[string]map[string]settings.Scalar `json:"providerOptions"`
	Deepgram        ToolsDeepgram                         `json:"deepgram"`
	BaseURL         string                                `json:"baseUrl"`
	Headers         map[string]string                     `json:"headers"`
	Attachments     ToolsImageAttachments                 `json:"attachments"`
	Models          []ToolsModel                          `json:"models"`
	EchoTranscript  bool                                  `json:"echoTranscript"`
	EchoFormat      string                                `json:"echoFormat"`
}

// ToolsDeepgram is tools.media.image.deepgram.
type ToolsDeepgram struct {
	DetectLanguage bool `json:"detectLanguage"`
	Punctuate      bool `json:"punctuate"`
	SmartFormat    bool `json:"smartFormat"`
}

// ToolsImageAttachments is tools.media.image.attachments.
type ToolsImageAttachments struct {
	Mode           string            `json:"mode" schema:"enum=first|all"`
	MaxAttachments settings.Positive `json:"maxAttachments"`
	Prefer         string            `json:"prefer" schema:"enum=first|last|path|url"`
}
