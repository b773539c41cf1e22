package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/provider/compat"
)

// profiles is auth-profiles.json: the keys and logins of an agent.
type profiles struct {
	Version  int                `json:"version"`
	Profiles map[string]profile `json:"profiles"`
	rest     map[string]json.RawMessage
}

type profile struct {
	Type     string `json:"type"`
	Provider string `json:"provider"`
	Key      string `json:"key,omitempty"`
	Token    string `json:"token,omitempty"`
	KeyRef   any    `json:"keyRef,omitempty"`
	Expires  int64  `json:"expires,omitempty"`
	raw      json.RawMessage
}

func (p *profile) UnmarshalJSON(raw []byte) error {
	type plain profile
	p.raw = slices.Clone(raw)
	return json.Unmarshal(raw, (*plain)(p))
}

// MarshalJSON keeps what we don't know of.
func (p profile) MarshalJSON() ([]byte, error) {
	if p.raw != nil {
		return p.raw, nil
	}
	type plain profile
	return json.Marshal(plain(p))
}

func profilesPath(c *config.Config, a id.Agent) string {
	return filepath.Join(c.AgentDir(a), "auth-profiles.json")
}

func readProfiles(path string) (profiles, error) {
	p := profiles{Version: 1, Profiles: map[string]profile{}}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return p, say("can't read %s: %s", path, cause(err))
	}
	if json.Unmarshal(raw, &p) != nil || json.Unmarshal(raw, &p.rest) != nil {
		return p, say("%s is damaged; mend it or move it away and add the keys again", path)
	}
	if p.Profiles == nil {
		p.Profiles = map[string]profile{}
	}
	return p, nil
}

func (t *oauthFacts) add(name string, p profile) {
	if p.Type != "oauth" && p.Type != "token" {
		return
	}
	f := profileFact{ID: name, Provider: p.Provider, Type: p.Type, Status: "ok"}
	if p.Expires > 0 {
		f.Expires = &p.Expires
		switch left := time.Until(time.UnixMilli(p.Expires)); {
		case left <= 0:
			f.Status = "expired"
		case left < warnAfter:
			f.Status = "expiring"
		}
	} else if p.Type == "token" {
		f.Status = "static"
	}
	t.Profiles = append(t.Profiles, f)
}

// source is where a provider's key comes from.
type source struct{ kind, detail string }

// keySource finds a provider's key without using it: a profile, the
// environment, the file; missing otherwise.
func (sh *shell) keySource(_ context.Context, c *config.Config, provider string) source {
	if ps, err := readProfiles(profilesPath(c, c.DefaultAgent())); err == nil {
		for _, name := range sortedKeys(ps.Profiles) {
			if ps.Profiles[name].Provider == provider {
				return source{"profiles", name}
			}
		}
	}
	for _, k := range envKeys(provider) {
		if sh.Getenv(k) != "" {
			return source{"env", "env: " + k}
		}
	}
	p, ok := c.Models.Providers[provider]
	if ok && len(p.APIKey) > 0 {
		var s string
		if json.Unmarshal(p.APIKey, &s) == nil {
			return source{"models.json", mask(s)}
		}
		return source{"models.json", "secret reference"}
	}
	if ok && localAddress(p.BaseURL) {
		return source{"none", "needs none"}
	}
	return source{"missing", "missing"}
}

// mask shows enough of a key to tell two apart.
func mask(s string) string {
	if len(s) < 12 {
		return "***"
	}
	return s[:4] + "..." + s[len(s)-4:]
}

// envKeys are the variables that tell of a provider's key, in order.
func envKeys(provider string) []string {
	if r, ok := compat.Find(provider); ok {
		return append(r.Env, r.Elsewhere...)
	}
	return []string{strings.ToUpper(strings.ReplaceAll(provider, "-", "_")) + "_API_KEY"}
}
