package config

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/openclaw-go/openclaw/internal/base/jsonc"
	"github.com/openclaw-go/openclaw/internal/secret"
)

// SecretTexts lists the secrets of this configuration: what stands at sensitive
// keys, and what .env and the env block add under sensitive names. They are for
// keeping out of what others see, so that what only stands in such a place
// isn't among them: the names in a reference, a harmless header, the word that
// a local model server takes for a key.
func (c *Config) SecretTexts() []string {
	var out []string
	if len(c.source) > 0 {
		if root, err := jsonc.FromJSON(c.source); err == nil {
			out = secretTexts(root)
		}
	}
	for name, v := range c.added {
		if SecretName(name) && Secretive(v) {
			out = append(out, v)
		}
	}
	return out
}

func secretTexts(root *jsonc.Node) []string {
	var out []string
	var hidden, ref []string // the last object that is secret as a whole, and the last reference; the walk is depth first
	inside := func(of, path []string) bool {
		return of != nil && len(of) < len(path) && slices.Equal(of, path[:len(of)])
	}
	root.Map(func(path []string, v *jsonc.Node) *jsonc.Node {
		switch {
		case v == nil || len(path) == 0 || inside(ref, path):
		case v.Kind == jsonc.Object:
			if _, _, ok, err := secret.Parse(v.JSON()); ok && err == nil {
				ref = slices.Clone(path)
			} else if !inside(hidden, path) && sensitiveAt(path) {
				hidden = slices.Clone(path)
			}
		case v.Kind == jsonc.String && secretInURL(v.Text):
			out = append(out, secretsInURL(v.Text)...)
		case v.Kind != jsonc.String && v.Kind != jsonc.Number:
		case inside(hidden, path) || sensitiveAt(path):
			if s := secretAt(path, v.Text); s != "" {
				out = append(out, s)
			}
		}
		return v
	})
	return out
}

// secretAt returns the secret in the value of a sensitive key, or "".
func secretAt(path []string, v string) string {
	if path[0] == "gateway" && len(v) >= 6 && !placeholder(v) && v != Redacted {
		return v // nobody has to write a word there
	}
	if len(path) > 1 && path[len(path)-2] == "headers" {
		if !SecretName(path[len(path)-1]) {
			return ""
		}
		if scheme, rest, ok := strings.Cut(v, " "); ok && len(scheme) < 10 {
			v = rest
		}
	}
	if !Secretive(v) {
		return ""
	}
	return v
}

// Secretive reports whether v, found where a secret belongs, can be one: it is
// long enough, and neither a plain word nor the name of a variable.
func Secretive(v string) bool {
	if len(v) < 8 || placeholder(v) || v == Redacted || strings.Contains(v, "_") && strings.ToUpper(v) == v && !strings.ContainsAny(v, " =/+.") {
		return false
	}
	return len(v) >= 20 || strings.ContainsFunc(v, func(r rune) bool {
		return r != '-' && r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

//nolint:gochecknoglobals // compiled on first use
var urlParts = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)://[^/\s:@]*:([^/\s@]+)@|[?&](?:access_?token|token|api_?key|key|secret|password|sig|signature)=([^&\s]+)`)
})

func secretsInURL(v string) []string {
	var out []string
	for _, m := range urlParts().FindAllStringSubmatch(v, -1) {
		if s := m[1] + m[2]; len(s) >= 6 && !placeholder(s) {
			out = append(out, s)
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
