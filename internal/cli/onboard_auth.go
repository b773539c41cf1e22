package cli

import (
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/config"
)

// keyChoice is a provider whose key onboard takes by a flag.
type keyChoice struct{ choice, flag, provider, model string }

// keyChoices are the recorded flags. A model is named where the provider has
// one that most people want; elsewhere the gateway chooses.
func keyChoices() []keyChoice {
	return []keyChoice{
		{"apiKey", "anthropic-api-key", "anthropic", "anthropic/claude-opus-4-6"},
		{"openai-api-key", "openai-api-key", "openai", "openai/gpt-5.2"},
		{"openrouter-api-key", "openrouter-api-key", "openrouter", ""},
		{"gemini-api-key", "gemini-api-key", "google", ""},
		{"mistral-api-key", "mistral-api-key", "mistral", ""},
		{"kilocode-api-key", "kilocode-api-key", "kilocode", ""},
		{"ai-gateway-api-key", "ai-gateway-api-key", "vercel-ai-gateway", ""},
		{"moonshot-api-key", "moonshot-api-key", "moonshot", ""},
		{"kimi-code-api-key", "kimi-code-api-key", "kimi-coding", ""},
		{"zai-api-key", "zai-api-key", "zai", ""},
		{"xiaomi-api-key", "xiaomi-api-key", "xiaomi", ""},
		{"minimax-global-api", "minimax-api-key", "minimax", ""},
		{"synthetic-api-key", "synthetic-api-key", "synthetic", ""},
		{"venice-api-key", "venice-api-key", "venice", ""},
		{"together-api-key", "together-api-key", "together", ""},
		{"huggingface-api-key", "huggingface-api-key", "huggingface", ""},
		{"opencode-zen", "opencode-zen-api-key", "opencode", ""},
		{"opencode-go", "opencode-go-api-key", "opencode-go", ""},
		{"xai-api-key", "xai-api-key", "xai", ""},
		{"litellm-api-key", "litellm-api-key", "litellm", ""},
		{"qianfan-api-key", "qianfan-api-key", "qianfan", ""},
		{"modelstudio-api-key-cn", "modelstudio-api-key-cn", "modelstudio", ""},
		{"modelstudio-api-key", "modelstudio-api-key", "modelstudio", ""},
		{"volcengine-api-key", "volcengine-api-key", "volcengine", ""},
		{"byteplus-api-key", "byteplus-api-key", "byteplus", ""},
	}
}

// choice is --auth-choice, or what the key flags imply.
func (f onboardFlags) choice() (string, error) {
	if f.authChoice != "" {
		return f.authChoice, nil
	}
	var found []string
	for _, k := range keyChoices() {
		if f.key(k) != "" {
			found = append(found, k.choice)
		}
	}
	if f.baseURL != "" || f.modelID != "" || f.customKey != "" {
		found = append(found, "custom-api-key")
	}
	switch len(found) {
	case 0:
		return "skip", nil
	case 1:
		return found[0], nil
	}
	return "", say("several keys are given (%s); say which with --auth-choice <choice>", strings.Join(found, ", "))
}

func (f onboardFlags) key(k keyChoice) string {
	if p := f.keys[k.flag]; p != nil {
		return strings.TrimSpace(*p)
	}
	return ""
}

// applyAuth keeps the key that choice means and returns the model to use.
func (sh *shell) applyAuth(c *config.Config, f onboardFlags, choice string, add func(string, any)) (model string, err error) {
	switch choice {
	case "skip":
		return "", nil
	case "custom-api-key":
		return sh.applyCustom(f, add)
	case "token":
		return "", sh.applyToken(c, f, add)
	}
	for _, k := range keyChoices() {
		if k.choice != choice {
			continue
		}
		name := k.provider + ":default"
		p := profile{Type: "api_key", Provider: k.provider, Key: f.key(k)}
		env := envKeys(k.provider)[len(envKeys(k.provider))-1]
		switch {
		case f.secretInput == "ref":
			if sh.Getenv(env) == "" {
				return "", say("--secret-input-mode ref: the variable %s isn't set", env)
			}
			p.Key, p.KeyRef = "", map[string]string{"source": "env", "provider": "default", "id": env}
		case p.Key == "":
			if p.Key = sh.Getenv(env); p.Key == "" {
				return "", say("--auth-choice %s needs --%s <key>, or %s in the environment", choice, k.flag, env)
			}
		}
		if err := writeProfile(c, c.DefaultAgent(), name, p); err != nil {
			return "", err
		}
		add(authPath(name), map[string]string{"provider": k.provider, "mode": "api_key"})
		return k.model, nil
	}
	return "", say("--auth-choice %s: this version doesn't have it yet. It has custom-api-key, token, skip and the keys of openclaw onboard --help", choice)
}

func (sh *shell) applyToken(c *config.Config, f onboardFlags, add func(string, any)) error {
	if f.tokenProvider == "" || f.token == "" {
		return say("--auth-choice token needs --token-provider <id> and --token <token>")
	}
	p := profile{Type: "token", Provider: f.tokenProvider, Token: f.token}
	if f.expires != "" {
		d, err := duration(f.expires)
		if err != nil {
			return err
		}
		p.Expires = time.Now().Add(d).UnixMilli()
	}
	name := first(f.profileID, f.tokenProvider+":manual")
	add(authPath(name), map[string]string{"provider": f.tokenProvider, "mode": "token"})
	return writeProfile(c, c.DefaultAgent(), name, p)
}

// applyCustom adds a provider with one model, in the recorded shape.
func (sh *shell) applyCustom(f onboardFlags, add func(string, any)) (string, error) {
	u, err := url.Parse(trimSlash(f.baseURL))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || f.modelID == "" {
		return "", say("--auth-choice custom-api-key needs --custom-base-url http(s)://… and --custom-model-id <id>")
	}
	api := map[string]string{"openai": "openai-completions", "anthropic": "anthropic-messages"}[f.compat]
	if api == "" {
		return "", say("--custom-compatibility is openai or anthropic, not %q", f.compat)
	}
	id := first(f.customProvider, customID(u))
	key := any(first(f.customKey, sh.Getenv("CUSTOM_API_KEY")))
	if f.secretInput == "ref" {
		key = map[string]string{"source": "env", "provider": "default", "id": "CUSTOM_API_KEY"}
	}
	p := map[string]any{"baseUrl": u.String(), "api": api, "models": []any{map[string]any{
		"id": f.modelID, "name": f.modelID + " (Custom Provider)", "reasoning": false, "input": []string{"text"},
		"cost":          map[string]int{"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
		"contextWindow": 16000, "maxTokens": 4096,
	}}}
	if key != "" {
		p["apiKey"] = key
	}
	add("models.mode", "merge")
	add(config.KeyPath{"models", "providers", id}.String(), p)
	add(settingPath(id+"/"+f.modelID), map[string]any{})
	return id + "/" + f.modelID, nil
}

// customID makes a name of an address: custom-127-0-0-1-21110.
func customID(u *url.URL) string {
	s := regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(u.Host), "-")
	return "custom-" + strings.Trim(s, "-")
}
