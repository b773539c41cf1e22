package model

import (
	"os"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/llm"
)

// known is a service that needs no configuration but a key.
type known struct {
	id      string
	env     []string // variables that hold a key, the first set one counts
	baseURL string
	api     string
	model   string // chosen when only the key tells that the service is wanted
	models  []llm.Model
}

const demoID = "demo"

func demoModel() llm.Model {
	return filled(llm.Model{Provider: demoID, ID: demoID, Name: "Demo (built in)", API: demoID, ContextWindow: 128_000, MaxTokens: 4096})
}

// catalogue lists the known services in the order in which their keys choose
// the default model. Numbers are the services' published ones; what is newer
// is named in models.providers or by its full reference.
func catalogue() []known {
	const oai, ant = "openai-completions", "anthropic-messages"
	eyes := []string{"text", "image"}
	m := func(id, name string, window, out int, think bool, in []string, cost ...float64) llm.Model {
		x := llm.Model{ID: id, Name: name, ContextWindow: window, MaxTokens: out, Reasoning: think, Input: in}
		if len(cost) == 4 {
			x.Cost = llm.Cost{Input: cost[0], Output: cost[1], CacheRead: cost[2], CacheWrite: cost[3]}
		}
		return x
	}
	return []known{
		{id: "anthropic", env: []string{"ANTHROPIC_OAUTH_TOKEN", "ANTHROPIC_API_KEY"}, baseURL: "https://api.anthropic.com", api: ant, model: "claude-opus-4-6", models: []llm.Model{
			m("claude-opus-4-6", "Claude Opus 4.6", 200_000, 128_000, true, eyes, 5, 25, 0.5, 6.25),
			m("claude-sonnet-4-6", "Claude Sonnet 4.6", 200_000, 64_000, true, eyes, 3, 15, 0.3, 3.75),
			m("claude-opus-4-5", "Claude Opus 4.5", 200_000, 64_000, true, eyes, 5, 25, 0.5, 6.25),
			m("claude-sonnet-4-5", "Claude Sonnet 4.5", 200_000, 64_000, true, eyes, 3, 15, 0.3, 3.75),
			m("claude-haiku-4-5", "Claude Haiku 4.5", 200_000, 64_000, true, eyes, 1, 5, 0.1, 1.25),
		}},
		{id: "openai", env: []string{"OPENAI_API_KEY"}, baseURL: "https://api.openai.com/v1", api: oai, model: "gpt-5.2", models: []llm.Model{
			m("gpt-5.2", "GPT-5.2", 400_000, 128_000, true, eyes, 1.75, 14, 0.175, 0),
			m("gpt-5.1", "GPT-5.1", 400_000, 128_000, true, eyes, 1.25, 10, 0.125, 0),
			m("gpt-5-mini", "GPT-5 mini", 400_000, 128_000, true, eyes, 0.25, 2, 0.025, 0),
			m("gpt-4.1", "GPT-4.1", 1_047_576, 32_768, false, eyes, 2, 8, 0.5, 0),
			m("gpt-4.1-mini", "GPT-4.1 mini", 1_047_576, 32_768, false, eyes, 0.4, 1.6, 0.1, 0),
		}},
		{id: "openrouter", env: []string{"OPENROUTER_API_KEY"}, baseURL: "https://openrouter.ai/api/v1", api: oai, model: "auto", models: []llm.Model{
			m("auto", "OpenRouter chooses", 200_000, 8192, false, eyes),
		}},
		{id: "google", env: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, baseURL: "https://generativelanguage.googleapis.com/v1beta", api: "google-generative-ai", model: "gemini-3-flash-preview", models: []llm.Model{
			m("gemini-3-pro-preview", "Gemini 3 Pro", 1_048_576, 65_536, true, eyes, 2, 12, 0.2, 0),
			m("gemini-3-flash-preview", "Gemini 3 Flash", 1_048_576, 65_536, true, eyes, 0.5, 3, 0.05, 0),
		}},
		{id: "google-vertex", env: []string{"GOOGLE_CLOUD_API_KEY"}, api: "google-vertex", models: []llm.Model{
			m("gemini-3-pro-preview", "Gemini 3 Pro (Vertex)", 1_048_576, 65_536, true, eyes, 2, 12, 0.2, 0),
			m("gemini-3-flash-preview", "Gemini 3 Flash (Vertex)", 1_048_576, 65_536, true, eyes, 0.5, 3, 0.05, 0),
		}},
		{id: "xai", env: []string{"XAI_API_KEY"}, baseURL: "https://api.x.ai/v1", api: oai, model: "grok-4", models: []llm.Model{
			m("grok-4", "Grok 4", 256_000, 64_000, true, eyes, 3, 15, 0.75, 0),
		}},
		{id: "groq", env: []string{"GROQ_API_KEY"}, baseURL: "https://api.groq.com/openai/v1", api: oai, model: "openai/gpt-oss-120b", models: []llm.Model{
			m("openai/gpt-oss-120b", "GPT-OSS 120B", 131_072, 65_536, true, nil),
		}},
		{id: "mistral", env: []string{"MISTRAL_API_KEY"}, baseURL: "https://api.mistral.ai/v1", api: oai, model: "mistral-large-latest", models: []llm.Model{
			m("mistral-large-latest", "Mistral Large", 262_144, 16_384, false, eyes, 0.5, 1.5, 0, 0),
		}},
		{id: "cerebras", env: []string{"CEREBRAS_API_KEY"}, baseURL: "https://api.cerebras.ai/v1", api: oai, model: "gpt-oss-120b", models: []llm.Model{
			m("gpt-oss-120b", "GPT-OSS 120B", 131_072, 32_768, true, nil),
		}},
		{id: "zai", env: []string{"ZAI_API_KEY", "Z_AI_API_KEY"}, baseURL: "https://api.z.ai/api/paas/v4", api: oai, model: "glm-4.7", models: []llm.Model{
			m("glm-4.7", "GLM-4.7", 204_800, 131_072, true, nil, 0.6, 2.2, 0.11, 0),
		}},
		{id: "moonshot", env: []string{"MOONSHOT_API_KEY"}, baseURL: "https://api.moonshot.ai/v1", api: oai, model: "kimi-k2.5", models: []llm.Model{
			m("kimi-k2.5", "Kimi K2.5", 262_144, 32_768, false, eyes, 0.6, 3, 0.1, 0),
		}},
		{id: "minimax", env: []string{"MINIMAX_API_KEY"}, baseURL: "https://api.minimax.io/anthropic", api: ant, model: "MiniMax-M2.1", models: []llm.Model{
			m("MiniMax-M2.1", "MiniMax M2.1", 200_000, 8192, true, nil, 0.3, 1.2, 0.03, 0.375),
		}},
		{id: "together", env: []string{"TOGETHER_API_KEY"}, baseURL: "https://api.together.xyz/v1", api: oai},
		{id: "nvidia", env: []string{"NVIDIA_API_KEY"}, baseURL: "https://integrate.api.nvidia.com/v1", api: oai},
		{id: "venice", env: []string{"VENICE_API_KEY"}, baseURL: "https://api.venice.ai/api/v1", api: oai},
		{id: "vercel-ai-gateway", env: []string{"AI_GATEWAY_API_KEY"}, baseURL: "https://ai-gateway.vercel.sh", api: ant},
	}
}

// getenv reads a variable as this configuration sees it: .env files and the
// env section come with the configuration, the rest is the process's.
func (g *generation) getenv(name string) string {
	if v := g.cfg.Getenv(name); v != "" {
		return v
	}
	return os.Getenv(name)
}

// environment returns the first key of k that is set.
func (g *generation) environment(k *known) (name, value string) {
	for _, name := range k.env {
		if v := strings.TrimSpace(g.getenv(name)); v != "" {
			return name, v
		}
	}
	return "", ""
}
