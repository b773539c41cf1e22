package spec

import (
	"github.com/openclaw-go/openclaw/internal/base/settings"
)

// ToolsWeb is tools.web.
type ToolsWeb struct {
	Search ToolsSearch `json:"search"`
	Fetch  ToolsFetch  `json:"fetch"`
}

// ToolsSearch is tools.web.search.
type ToolsSearch struct {
	Enabled         bool              `json:"enabled"`
	Provider        string            `json:"provider" schema:"enum=brave|perplexity|grok|gemini|kimi"`
	APIKey          settings.Secret   `json:"apiKey"`
	MaxResults      settings.Positive `json:"maxResults"`
	TimeoutSeconds  settings.Positive `json:"timeoutSeconds"`
	CacheTTLMinutes float64           `json:"cacheTtlMinutes" schema:"minimum=0"`
	Perplexity      ToolsKimi         `json:"perplexity"`
	Grok            ToolsGrok         `json:"grok"`
	Gemini          ToolsGemini       `json:"gemini"`
	Kimi            ToolsKimi         `json:"kimi"`
	Brave           ToolsBrave        `json:"brave"`
}

// ToolsFetch is tools.web.fetch.
type ToolsFetch struct {
	Enabled         bool              `json:"enabled"`
	MaxChars        settings.Positive `json:"maxChars"`
	MaxCharsCap     settings.Positive `json:"maxCharsCap"`
	TimeoutSeconds  settings.Positive `json:"timeoutSeconds"`
	CacheTTLMinutes float64           `json:"cacheTtlMinutes" schema:"minimum=0"`
	MaxRedirects    settings.Natural  `json:"maxRedirects"`
	UserAgent       string            `json:"userAgent"`
	Readability     bool              `json:"readability"`
	Firecrawl       ToolsFirecrawl    `json:"firecrawl"`
}

// ToolsKimi is tools.web.search.kimi.
type ToolsKimi struct {
	APIKey  settings.Secret `json:"apiKey"`
	BaseURL string          `json:"baseUrl"`
	Model   string          `json:"model"`
}

// ToolsGrok is tools.web.search.grok.
type ToolsGrok struct {
	APIKey          settings.Secret `json:"apiKey"`
	Model           string          `json:"model"`
	InlineCitations bool            `json:"inlineCitations"`
}

// ToolsGemini is tools.web.search.gemini.
type ToolsGemini struct {
	APIKey settings.Secret `json:"apiKey"`
	Model  string          `json:"model"`
}

// ToolsBrave is tools.web.search.brave.
type ToolsBrave struct {
	Mode string `json:"mode" schema:"enum=web|llm-context"`
}

// ToolsFirecrawl is tools.web.fetch.firecrawl.
type ToolsFirecrawl struct {
	Enabled         bool              `json:"enabled"`
	APIKey          settings.Secret   `json:"apiKey"`
	BaseURL         string            `json:"baseUrl"`
	OnlyMainContent bool              `json:"onlyMainContent"`
	MaxAgeMs        settings.Natural  `json:"maxAgeMs"`
	TimeoutSeconds  settings.Positive `json:"timeoutSeconds"`
}
