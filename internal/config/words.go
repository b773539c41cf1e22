package config

import "github.com/openclaw-go/openclaw/internal/base/jsonc"

// SecretTexts lists the secrets of this configuration: what stands at sensitive
// keys, and what .env and the env block add under sensitive names. They are for
// keeping out of what others see.
func (c *Config) SecretTexts() []string {
	var out []string
	if len(c.source) > 0 {
		if root, err := jsonc.FromJSON(c.source); err == nil {
			_, out = redact(root)
		}
	}
	for name, v := range c.added {
		if SecretName(name) {
			out = append(out, v)
		}
	}
	return out
}

// SecretsFound lists what references have led to so far.
func (c *Config) SecretsFound() []string {
	if c.resolver == nil {
		return nil
	}
	var out []string
	for _, v := range c.resolver.Found() {
		out = append(out, v.Reveal())
	}
	return out
}

// SecretName tells whether a key or variable of that name holds a secret.
func SecretName(name string) bool {
	return sensitiveName().MatchString(name) && !harmlessName().MatchString(name)
}
