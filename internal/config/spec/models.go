package spec

import (
	"github.com/openclaw-go/openclaw/internal/base/settings"
)

// Models is models.
type Models struct {
	Mode             string                    `json:"mode" schema:"enum=merge|replace"`
	Providers        map[string]ModelsProvider `json:"providers"`
	BedrockDiscovery ModelsBedrockDiscovery    `json:"bedrockDiscovery"`
}

// ModelsBedrockDiscovery is models.bedrockDiscovery.
type ModelsBedrockDiscovery struct {
	Enabled              bool              `json:"enabled"`
	Region               string            `json:"region"`
	ProviderFilter       []string          `json:"providerFilter"`
	RefreshInterval      settings.Natural  `json:"refreshInterval"`
	DefaultContextWindow settings.Positive `json:"defaultContextWindow"`
	DefaultMaxTokens     settings.Positive `json:"defaultMaxTokens"`
}

// ModelsProvider is models.providers.<name>.
type ModelsProvider struct {
	BaseURL                     string                     `json:"baseUrl" schema:"required,minLength=1"`
	APIKey                      settings.Secret            `json:"apiKey"`
	Auth                        string                     `json:"auth" schema:"enum=api-key|aws-sdk|oauth|token"`
	API                         string                     `json:"api" schema:"values=openai-completions|openai-responses|openai-codex-responses|anthropic-messages|google-generative-ai|github-copilot|bedrock-converse-stream|ollama"`
	InjectNumCtxForOpenAICompat bool                       `json:"injectNumCtxForOpenAICompat"`
	Headers                     map[string]settings.Secret `json:"headers"`
	AuthHeader                  bool                       `json:"authHeader"`
	Models                      []ModelsModel              `json:"models" schema:"required"`
}

// ModelsModel is models.providers.<name>.models[].
type ModelsModel struct {
	ID            string            `json:"id" schema:"required,minLength=1"`
	Name          string            `json:"name" schema:"required,minLength=1"`
	API           string            `json:"api" schema:"values=openai-completions|openai-responses|openai-codex-responses|anthropic-messages|google-generative-ai|github-copilot|bedrock-converse-stream|ollama"`
	Reasoning     bool              `json:"reasoning"`
	Input         []string          `json:"input" schema:"items.enum=text|image"`
	Cost          ModelsCost        `json:"cost"`
	ContextWindow float64           `json:"contextWindow" schema:"exclusiveMinimum=0"`
	MaxTokens     float64           `json:"maxTokens" schema:"exclusiveMinimum=0"`
	Headers       map[string]string `json:"headers"`
	Compat        ModelsCompat      `json:"compat"`
}

// ModelsCost is models.providers.<name>.models[].cost.
type ModelsCost struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
}

// ModelsCompat is models.providers.<name>.models[].compat.
type ModelsCompat struct {
	SupportsStore                      bool   `json:"supportsStore"`
	SupportsDeveloperRole              bool   `json:"supportsDeveloperRole"`
	SupportsReasoningEffort            bool   `json:"supportsReasoningEffort"`
	SupportsUsageInStreaming           bool   `json:"supportsUsageInStreaming"`
	SupportsTools                      bool   `json:"supportsTools"`
	SupportsStrictMode                 bool   `json:"supportsStrictMode"`
	MaxTokensField                     string `json:"maxTokensField" schema:"enum=max_completion_tokens|max_tokens"`
	ThinkingFormat                     string `json:"thinkingFormat" schema:"enum=openai|zai|qwen"`
	RequiresToolResultName             bool   `json:"requiresToolResultName"`
	RequiresAssistantAfterToolResult   bool   `json:"requiresAssistantAfterToolResult"`
	RequiresThinkingAsText             bool   `json:"requiresThinkingAsText"`
	RequiresMistralToolIDs             bool   `json:"requiresMistralToolIds"`
	RequiresOpenAiAnthropicToolPayload bool   `json:"requiresOpenAiAnthropicToolPayload"`
}
