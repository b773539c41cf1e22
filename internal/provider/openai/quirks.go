package openai

import (
	"encoding/json"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
)

// quirks is how a service or one of its models differs; the names are those
// of models.providers.<id>.models[].compat. A nil field isn't configured.
type quirks struct {
	Store          *bool  `json:"supportsStore"`
	DeveloperRole  *bool  `json:"supportsDeveloperRole"`
	Effort         *bool  `json:"supportsReasoningEffort"`
	StreamUsage    *bool  `json:"supportsUsageInStreaming"`
	Tools          *bool  `json:"supportsTools"`
	Strict         *bool  `json:"supportsStrictMode"`
	MaxTokens      string `json:"maxTokensField"`
	Thinking       string `json:"thinkingFormat"` // openai, zai, qwen, openrouter
	ResultName     bool   `json:"requiresToolResultName"`
	AfterResult    bool   `json:"requiresAssistantAfterToolResult"`
	ThinkingAsText bool   `json:"requiresThinkingAsText"`
	MistralIDs     bool   `json:"requiresMistralToolIds"`

	google bool // wants thought signatures back
}

// known is what differs by host, from the services' own documentation.
func known(host string) quirks {
	no, yes := new(bool), new(bool)
	*yes = true
	is := func(domains ...string) bool {
		for _, d := range domains {
			if host == d || strings.HasSuffix(host, "."+d) {
				return true
			}
		}
		return false
	}
	switch {
	case is("api.openai.com"):
		return quirks{DeveloperRole: yes}
	case is("mistral.ai"):
		return quirks{Store: no, Effort: no, StreamUsage: no, Strict: no, MaxTokens: "max_tokens", MistralIDs: true}
	case is("googleapis.com"):
		return quirks{Store: no, Strict: no, google: true}
	case is("z.ai", "bigmodel.cn"):
		return quirks{Store: no, Effort: no, Strict: no, Thinking: "zai", MaxTokens: "max_tokens"}
	case is("dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com"):
		return quirks{Store: no, Effort: no, Strict: no, Thinking: "qwen", MaxTokens: "max_tokens"}
	case is("openrouter.ai"):
		return quirks{Store: no, Thinking: "openrouter"}
	case is("moonshot.ai", "moonshot.cn", "deepseek.com", "chutes.ai", "together.xyz", "together.ai"):
		return quirks{Store: no, Effort: no, Strict: no, MaxTokens: "max_tokens"}
	case is("x.ai"):
		return quirks{Store: no, Effort: no}
	case is("groq.com", "cerebras.ai"):
		return quirks{Store: no, Strict: no}
	}
	return quirks{}
}

// readQuirks joins what is known with what is configured.
func readQuirks(cfg provider.Config) (quirks, map[string]quirks, error) {
	common := known(provider.Host(cfg.BaseURL))
	if len(cfg.Raw) == 0 {
		return common, nil, nil
	}
	var section struct {
		Models []struct {
			ID     string          `json:"id"`
			Compat json.RawMessage `json:"compat"`
		} `json:"models"`
	}
	bad := func(err error) error {
		return &fault.Error{
			Kind: fault.Invalid, Op: "openai.New", Err: err,
			Hint: "models.providers." + cfg.ID + ".models isn't as expected; run: openclaw config validate",
		}
	}
	if err := json.Unmarshal(cfg.Raw, &section); err != nil {
		return common, nil, bad(err)
	}
	models := map[string]quirks{}
	for _, m := range section.Models {
		if len(m.Compat) == 0 {
			continue
		}
		q := common
		if err := json.Unmarshal(m.Compat, &q); err != nil {
			return common, nil, bad(err)
		}
		models[m.ID] = q
	}
	return common, models, nil
}

func (p *Provider) quirksOf(m llm.Model) quirks {
	q, ok := p.quirks[m.ID]
	if !ok {
		q = p.common
	}
	if strings.Contains(m.ID, "gemini-3") { // also through proxies
		q.google = true
	}
	return q
}

// on is *b, or true when nothing is configured.
func on(b *bool) bool { return b == nil || *b }
