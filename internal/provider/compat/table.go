package compat

import "github.com/openclaw-go/openclaw/internal/base/dialect"

// The wire formats.
const (
	chat      = "openai-completions"
	responses = "openai-responses"
	messages  = "anthropic-messages"
	gemini    = "google-generative-ai"
)

// Table lists the services. The order is that in which their keys choose the
// default model. Addresses, variables and quirks are the services' published
// ones and those of OpenClaw's documentation.
func Table() []Row {
	// What most services that aren't OpenAI don't take.
	plain := Quirks{Store: No, DeveloperRole: No, Strict: No, MaxTokens: "max_tokens"}
	// The same, with nothing to say about how much to think.
	simple := Quirks{Store: No, DeveloperRole: No, Strict: No, MaxTokens: "max_tokens", Effort: No}
	// The same, with a switch for thinking in a member of its own.
	switched := Quirks{Store: No, DeveloperRole: No, Strict: No, MaxTokens: "max_tokens", Effort: No, Thinking: "zai"}
	qwen := Quirks{Store: No, DeveloperRole: No, Strict: No, MaxTokens: "max_tokens", Effort: No, Thinking: "qwen"}
	return []Row{
		{ID: "anthropic", Name: "Anthropic", API: messages, BaseURL: "https://api.anthropic.com", Env: []string{"ANTHROPIC_OAUTH_TOKEN", "ANTHROPIC_API_KEY"}, Model: "claude-opus-4-6"},
		{ID: "openai", Name: "OpenAI", API: responses, BaseURL: "https://api.openai.com/v1", Env: []string{"OPENAI_API_KEY"}, Model: "gpt-5.2", Quirks: Quirks{DeveloperRole: Yes}},
		{ID: "openai-codex", Name: "OpenAI Codex (ChatGPT login)", API: "openai-codex-responses", BaseURL: "https://chatgpt.com/backend-api", Model: "gpt-5.4"},
		{ID: "openrouter", Name: "OpenRouter", API: chat, BaseURL: "https://openrouter.ai/api/v1", Env: []string{"OPENROUTER_API_KEY"}, Model: "auto", Hosts: []string{"openrouter.ai"}, Quirks: Quirks{Store: No, DeveloperRole: No, Thinking: "openrouter"}, Headers: map[string]string{"HTTP-Referer": "https://openclaw.ai", "X-Title": "OpenClaw"}},
		{ID: "google", Name: "Google Gemini", API: gemini, BaseURL: "https://generativelanguage.googleapis.com/v1beta", Env: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, Model: "gemini-3-flash-preview", Hosts: []string{"googleapis.com"}, Quirks: Quirks{Store: No, DeveloperRole: No, Strict: No, Google: true}, Schema: dialect.Gemini},
		{ID: "google-vertex", Name: "Google Vertex AI", Aliases: []string{"vertex"}, API: "google-vertex", Env: []string{"GOOGLE_CLOUD_API_KEY"}, Elsewhere: []string{"GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT", "GOOGLE_CLOUD_PROJECT_ID"}, Hosts: []string{"aiplatform.googleapis.com"}, Schema: dialect.Gemini},
		{ID: "amazon-bedrock", Name: "Amazon Bedrock", Aliases: []string{"bedrock", "aws-bedrock"}, API: "bedrock-converse-stream", Hosts: []string{"amazonaws.com"}, Env: []string{"AWS_BEARER_TOKEN_BEDROCK"}, Elsewhere: []string{"AWS_ACCESS_KEY_ID", "AWS_PROFILE"}, Schema: dialect.Bedrock},
		{ID: "azure-openai-responses", Name: "Azure OpenAI", Aliases: []string{"azure", "azure-openai"}, API: "azure-openai-responses", BaseURL: "https://{AZURE_OPENAI_RESOURCE_NAME}.openai.azure.com/openai/v1", BaseEnv: "AZURE_OPENAI_BASE_URL", Env: []string{"AZURE_OPENAI_API_KEY"}, Hosts: []string{"openai.azure.com", "cognitiveservices.azure.com"}, Quirks: Quirks{DeveloperRole: Yes}},
		{ID: "github-copilot", Name: "GitHub Copilot", Aliases: []string{"copilot"}, API: "github-copilot", BaseURL: "https://api.individual.githubcopilot.com", Env: []string{"COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"}, Hosts: []string{"githubcopilot.com"}, Quirks: Quirks{Store: No, DeveloperRole: No, Effort: No}},
		{ID: "xai", Name: "xAI", Aliases: []string{"grok", "x-ai"}, API: chat, BaseURL: "https://api.x.ai/v1", Env: []string{"XAI_API_KEY"}, Model: "grok-4", Hosts: []string{"x.ai"}, Quirks: Quirks{Store: No, DeveloperRole: No, Effort: No}, Schema: dialect.XAI},
		{ID: "groq", Name: "Groq", API: chat, BaseURL: "https://api.groq.com/openai/v1", Env: []string{"GROQ_API_KEY"}, Model: "openai/gpt-oss-120b", Hosts: []string{"groq.com"}, Quirks: Quirks{Store: No, DeveloperRole: No, Strict: No}},
		{ID: "mistral", Name: "Mistral", API: chat, BaseURL: "https://api.mistral.ai/v1", Env: []string{"MISTRAL_API_KEY"}, Model: "mistral-large-latest", Hosts: []string{"mistral.ai"}, Quirks: Quirks{Store: No, DeveloperRole: No, Effort: No, StreamUsage: No, Strict: No, MaxTokens: "max_tokens", MistralIDs: true, Thinking: "mistral"}, Schema: dialect.Mistral},
		{ID: "cerebras", Name: "Cerebras", API: chat, BaseURL: "https://api.cerebras.ai/v1", Env: []string{"CEREBRAS_API_KEY"}, Model: "gpt-oss-120b", Hosts: []string{"cerebras.ai"}, Quirks: Quirks{Store: No, DeveloperRole: No, Strict: No}},
		{ID: "zai", Name: "Z.AI (GLM)", Aliases: []string{"z.ai", "z-ai", "glm", "zhipu", "bigmodel"}, API: chat, BaseURL: "https://api.z.ai/api/paas/v4", Env: []string{"ZAI_API_KEY", "Z_AI_API_KEY"}, Model: "glm-5", Hosts: []string{"z.ai", "bigmodel.cn"}, Quirks: switched},
		{ID: "moonshot", Name: "Moonshot (Kimi)", Aliases: []string{"kimi", "moonshotai"}, API: chat, BaseURL: "https://api.moonshot.ai/v1", Env: []string{"MOONSHOT_API_KEY"}, Model: "kimi-k2.5", Hosts: []string{"moonshot.ai", "moonshot.cn"}, Quirks: switched},
		{ID: "kimi-coding", Name: "Kimi Coding", Aliases: []string{"kimi-code"}, API: messages, BaseURL: "https://api.kimi.com/coding", Env: []string{"KIMI_API_KEY", "KIMICODE_API_KEY"}, Model: "k2p5", Hosts: []string{"kimi.com"}, Quirks: Quirks{OpenAITools: true}, Headers: map[string]string{"User-Agent": "claude-code/0.1.0"}},
		{ID: "minimax", Name: "MiniMax", API: messages, BaseURL: "https://api.minimax.io/anthropic", Env: []string{"MINIMAX_API_KEY"}, Model: "MiniMax-M2.5", Hosts: []string{"minimax.io"}, Quirks: Quirks{Bearer: true}},
		{ID: "minimax-cn", Name: "MiniMax (China)", API: messages, BaseURL: "https://api.minimaxi.com/anthropic", Env: []string{"MINIMAX_CN_API_KEY"}, Model: "MiniMax-M2.5", Hosts: []string{"minimaxi.com"}, Quirks: Quirks{Bearer: true}},
		{ID: "minimax-portal", Name: "MiniMax (login)", API: messages, BaseURL: "https://api.minimax.io/anthropic", Env: []string{"MINIMAX_OAUTH_TOKEN", "MINIMAX_API_KEY"}, Model: "MiniMax-M2.5", Quirks: Quirks{Bearer: true}},
		{ID: "deepseek", Name: "DeepSeek", API: chat, BaseURL: "https://api.deepseek.com/v1", Env: []string{"DEEPSEEK_API_KEY"}, Model: "deepseek-chat", Hosts: []string{"deepseek.com"}, Quirks: simple},
		{ID: "qwen-portal", Name: "Qwen (login)", Aliases: []string{"qwen"}, API: chat, BaseURL: "https://portal.qwen.ai/v1", Env: []string{"QWEN_OAUTH_TOKEN", "QWEN_PORTAL_API_KEY"}, Model: "coder-model", Hosts: []string{"portal.qwen.ai"}, Quirks: qwen},
		{ID: "modelstudio", Name: "Alibaba Model Studio (Qwen)", Aliases: []string{"qwencloud"}, API: chat, BaseURL: "https://coding-intl.dashscope.aliyuncs.com/v1", Env: []string{"MODELSTUDIO_API_KEY"}, Model: "qwen3.5-plus", Hosts: []string{"coding.dashscope.aliyuncs.com"}, Quirks: qwen},
		{ID: "dashscope", Name: "Alibaba DashScope (Qwen)", Aliases: []string{"bailian", "alibaba"}, API: chat, BaseURL: "https://dashscope.aliyuncs.com/compatible-mode/v1", Env: []string{"DASHSCOPE_API_KEY"}, Model: "qwen-plus", Hosts: []string{"dashscope-intl.aliyuncs.com", "dashscope-us.aliyuncs.com"}, Quirks: qwen},
		{ID: "qianfan", Name: "Baidu Qianfan", Aliases: []string{"baidu"}, API: chat, BaseURL: "https://qianfan.baidubce.com/v2", Env: []string{"QIANFAN_API_KEY"}, Model: "deepseek-v3.2", Hosts: []string{"baidubce.com"}, Quirks: simple},
		{ID: "volcengine", Name: "Volcengine Ark (Doubao)", Aliases: []string{"bytedance", "doubao", "ark"}, API: chat, BaseURL: "https://ark.cn-beijing.volces.com/api/v3", Env: []string{"VOLCANO_ENGINE_API_KEY"}, Model: "doubao-seed-1-8-251228", Hosts: []string{"volces.com"}, Quirks: switched},
		{ID: "volcengine-plan", Name: "Volcengine Ark (coding plan)", API: chat, BaseURL: "https://ark.cn-beijing.volces.com/api/coding/v3", Env: []string{"VOLCANO_ENGINE_API_KEY"}, Auth: "volcengine", Quirks: switched},
		{ID: "byteplus", Name: "BytePlus Ark", API: chat, BaseURL: "https://ark.ap-southeast.bytepluses.com/api/v3", Env: []string{"BYTEPLUS_API_KEY"}, Model: "seed-1-8-251228", Hosts: []string{"bytepluses.com"}, Quirks: switched},
		{ID: "byteplus-plan", Name: "BytePlus Ark (coding plan)", API: chat, BaseURL: "https://ark.ap-southeast.bytepluses.com/api/coding/v3", Env: []string{"BYTEPLUS_API_KEY"}, Auth: "byteplus", Quirks: switched},
		{ID: "xiaomi", Name: "Xiaomi MiMo", Aliases: []string{"mimo"}, API: messages, BaseURL: "https://api.xiaomimimo.com/anthropic", Env: []string{"XIAOMI_API_KEY"}, Model: "mimo-v2-flash", Hosts: []string{"xiaomimimo.com"}},
		{ID: "siliconflow", Name: "SiliconFlow", API: chat, BaseURL: "https://api.siliconflow.cn/v1", Env: []string{"SILICONFLOW_API_KEY"}, Model: "deepseek-ai/DeepSeek-V3.2", Hosts: []string{"siliconflow.cn", "siliconflow.com"}, Quirks: qwen},
		{ID: "stepfun", Name: "StepFun", API: chat, BaseURL: "https://api.stepfun.com/v1", Env: []string{"STEPFUN_API_KEY", "STEP_API_KEY"}, Model: "step-3", Hosts: []string{"stepfun.com", "stepfun.ai"}, Quirks: simple},
		{ID: "hunyuan", Name: "Tencent Hunyuan", Aliases: []string{"tencent"}, API: chat, BaseURL: "https://api.hunyuan.cloud.tencent.com/v1", Env: []string{"HUNYUAN_API_KEY"}, Model: "hunyuan-turbos-latest", Hosts: []string{"hunyuan.cloud.tencent.com"}, Quirks: simple},
		{ID: "modelscope", Name: "ModelScope", API: chat, BaseURL: "https://api-inference.modelscope.cn/v1", Env: []string{"MODELSCOPE_API_KEY"}, Hosts: []string{"modelscope.cn"}, Quirks: qwen},
		{ID: "nvidia", Name: "NVIDIA NIM", API: chat, BaseURL: "https://integrate.api.nvidia.com/v1", Env: []string{"NVIDIA_API_KEY"}, Model: "nvidia/llama-3.1-nemotron-70b-instruct", Hosts: []string{"api.nvidia.com"}, Quirks: simple},
		{ID: "huggingface", Name: "Hugging Face", Aliases: []string{"hf"}, API: chat, BaseURL: "https://router.huggingface.co/v1", Env: []string{"HUGGINGFACE_HUB_TOKEN", "HF_TOKEN"}, Model: "deepseek-ai/DeepSeek-R1", Hosts: []string{"huggingface.co"}, Quirks: plain},
		{ID: "venice", Name: "Venice", API: chat, BaseURL: "https://api.venice.ai/api/v1", Env: []string{"VENICE_API_KEY"}, Model: "kimi-k2-5", Hosts: []string{"venice.ai"}, Quirks: Quirks{Store: No, DeveloperRole: No, Strict: No, StreamUsage: No}},
		{ID: "perplexity", Name: "Perplexity", API: chat, BaseURL: "https://api.perplexity.ai", Env: []string{"PERPLEXITY_API_KEY"}, Model: "sonar-pro", Hosts: []string{"perplexity.ai"}, Quirks: Quirks{Store: No, DeveloperRole: No, Strict: No, MaxTokens: "max_tokens", Effort: No, Tools: No}},
		{ID: "together", Name: "Together AI", API: chat, BaseURL: "https://api.together.xyz/v1", Env: []string{"TOGETHER_API_KEY"}, Model: "moonshotai/Kimi-K2.5", Hosts: []string{"together.xyz", "together.ai"}, Quirks: simple},
		{ID: "fireworks", Name: "Fireworks", API: chat, BaseURL: "https://api.fireworks.ai/inference/v1", Env: []string{"FIREWORKS_API_KEY"}, Hosts: []string{"fireworks.ai"}, Quirks: plain},
		{ID: "deepinfra", Name: "DeepInfra", API: chat, BaseURL: "https://api.deepinfra.com/v1/openai", Env: []string{"DEEPINFRA_API_KEY"}, Hosts: []string{"deepinfra.com"}, Quirks: plain},
		{ID: "novita", Name: "Novita", API: chat, BaseURL: "https://api.novita.ai/v3/openai", Env: []string{"NOVITA_API_KEY"}, Hosts: []string{"novita.ai"}, Quirks: simple},
		{ID: "nebius", Name: "Nebius", API: chat, BaseURL: "https://api.studio.nebius.com/v1", Env: []string{"NEBIUS_API_KEY"}, Hosts: []string{"nebius.com"}, Quirks: simple},
		{ID: "sambanova", Name: "SambaNova", API: chat, BaseURL: "https://api.sambanova.ai/v1", Env: []string{"SAMBANOVA_API_KEY"}, Hosts: []string{"sambanova.ai"}, Quirks: simple},
		{ID: "hyperbolic", Name: "Hyperbolic", API: chat, BaseURL: "https://api.hyperbolic.xyz/v1", Env: []string{"HYPERBOLIC_API_KEY"}, Hosts: []string{"hyperbolic.xyz"}, Quirks: simple},
		{ID: "cohere", Name: "Cohere", API: chat, BaseURL: "https://api.cohere.ai/compatibility/v1", Env: []string{"COHERE_API_KEY", "CO_API_KEY"}, Hosts: []string{"cohere.ai", "cohere.com"}, Quirks: simple},
		{ID: "chutes", Name: "Chutes", API: chat, BaseURL: "https://llm.chutes.ai/v1", Env: []string{"CHUTES_OAUTH_TOKEN", "CHUTES_API_KEY"}, Hosts: []string{"chutes.ai"}, Quirks: simple},
		{ID: "synthetic", Name: "Synthetic", API: messages, BaseURL: "https://api.synthetic.new/anthropic", Env: []string{"SYNTHETIC_API_KEY"}, Model: "hf:MiniMaxAI/MiniMax-M2.5", Hosts: []string{"synthetic.new"}},
		{ID: "kilocode", Name: "Kilo Gateway", Aliases: []string{"kilo"}, API: chat, BaseURL: "https://api.kilo.ai/api/gateway", Env: []string{"KILOCODE_API_KEY"}, Model: "kilo/auto", Hosts: []string{"kilo.ai"}, Quirks: Quirks{Store: No, DeveloperRole: No, Thinking: "openrouter"}, Headers: map[string]string{"X-KILOCODE-FEATURE": "openclaw"}},
		{ID: "opencode", Name: "OpenCode Zen", Aliases: []string{"opencode-zen"}, API: chat, BaseURL: "https://opencode.ai/zen/v1", Env: []string{"OPENCODE_API_KEY", "OPENCODE_ZEN_API_KEY"}, Model: "claude-opus-4-6", Hosts: []string{"opencode.ai"}, Quirks: Quirks{Store: No, DeveloperRole: No}},
		{ID: "opencode-go", Name: "OpenCode Go", Aliases: []string{"opencode-go-auth"}, API: chat, BaseURL: "https://opencode.ai/zen/go/v1", Env: []string{"OPENCODE_API_KEY", "OPENCODE_ZEN_API_KEY"}, Model: "kimi-k2.5", Quirks: Quirks{Store: No, DeveloperRole: No}},
		{ID: "vercel-ai-gateway", Name: "Vercel AI Gateway", Aliases: []string{"vercel"}, API: messages, BaseURL: "https://ai-gateway.vercel.sh", Env: []string{"AI_GATEWAY_API_KEY"}, Model: "anthropic/claude-opus-4.6", Hosts: []string{"ai-gateway.vercel.sh"}},
		{ID: "cloudflare-ai-gateway", Name: "Cloudflare AI Gateway", Aliases: []string{"cloudflare"}, API: messages, BaseURL: "https://gateway.ai.cloudflare.com/v1/{CLOUDFLARE_ACCOUNT_ID}/{CLOUDFLARE_GATEWAY_ID}/anthropic", Env: []string{"CLOUDFLARE_AI_GATEWAY_API_KEY"}, Model: "claude-sonnet-4-5", Hosts: []string{"gateway.ai.cloudflare.com"}},
		{ID: "litellm", Name: "LiteLLM", API: chat, BaseURL: "http://localhost:4000", BaseEnv: "LITELLM_BASE_URL", Env: []string{"LITELLM_API_KEY"}, Model: "claude-opus-4-6", Keyless: true, Quirks: Quirks{Store: No, DeveloperRole: No}},
		{ID: "ollama", Name: "Ollama", API: "ollama", BaseURL: "http://127.0.0.1:11434", BaseEnv: "OLLAMA_BASE_URL", Env: []string{"OLLAMA_API_KEY"}, Keyless: true, Hosts: []string{"ollama.com"}, Quirks: simple, Schema: dialect.Grammar},
		{ID: "lmstudio", Name: "LM Studio", Aliases: []string{"lm-studio"}, API: chat, BaseURL: "http://127.0.0.1:1234/v1", BaseEnv: "LMSTUDIO_BASE_URL", Keyless: true, Quirks: plain},
		{ID: "vllm", Name: "vLLM", API: chat, BaseURL: "http://127.0.0.1:8000/v1", BaseEnv: "VLLM_BASE_URL", Env: []string{"VLLM_API_KEY"}, Keyless: true, Quirks: plain},
		{ID: "sglang", Name: "SGLang", API: chat, BaseURL: "http://127.0.0.1:30000/v1", BaseEnv: "SGLANG_BASE_URL", Env: []string{"SGLANG_API_KEY"}, Keyless: true, Quirks: plain},
		{ID: "llamacpp", Name: "llama.cpp", Aliases: []string{"llama.cpp", "llama-cpp"}, API: chat, BaseURL: "http://127.0.0.1:8080/v1", BaseEnv: "LLAMACPP_BASE_URL", Keyless: true, Quirks: plain, Schema: dialect.Grammar},
		{ID: "copilot-proxy", Name: "Copilot Proxy", API: chat, BaseURL: "http://localhost:3000/v1", Keyless: true, Quirks: Quirks{Store: No, DeveloperRole: No, Effort: No}},
	}
}
