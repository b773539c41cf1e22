package secret

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// The sources of a reference.
const (
	Env  = "env"
	File = "file"
	Exec = "exec"
)

// Ref says where a secret is kept. In the configuration it stands in place of
// the secret itself: {source: "env", provider: "default", id: "OPENAI_API_KEY"}.
type Ref struct {
	Source   string `json:"source"`
	Provider string `json:"provider"`
	ID       string `json:"id"`
}

// String names the reference; it holds no secret.
func (r Ref) String() string { return r.Source + ":" + r.Provider + ":" + r.ID }

// Parse reads raw, the value of a secret key. It is either a plain string, with
// ok false, or a reference. The reference isn't checked yet; see [Ref.Check].
func Parse(raw json.RawMessage) (ref Ref, plain String, ok bool, err error) {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return Ref{}, "", false, nil
	case raw[0] == '"':
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return Ref{}, "", false, fmt.Errorf("secret: not a string")
		}
		return Ref{}, String(s), false, nil
	case raw[0] != '{':
		return Ref{}, "", false, fmt.Errorf("secret: neither a string nor a reference {source, provider, id}")
	}
	if !isRef(raw) {
		return Ref{}, "", false, fmt.Errorf("secret: a reference has exactly source, provider and id")
	}
	if err := json.Unmarshal(raw, &ref); err != nil {
		return Ref{}, "", false, fmt.Errorf("secret: source, provider and id of a reference are strings")
	}
	return ref, "", true, nil
}

// isRef reports whether raw has the shape of a reference, whatever it holds.
func isRef(raw json.RawMessage) bool {
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil || len(m) != 3 {
		return false
	}
	return m["source"] != nil && m["provider"] != nil && m["id"] != nil
}

// The forms that parts of a reference must have.
const (
	providerForm = `^[a-z][a-z0-9_-]{0,63}$`
	envForm      = `^[A-Z][A-Z0-9_]{0,127}$`
	execForm     = `^[A-Za-z0-9][A-Za-z0-9._:/-]{0,255}$`
)

// Check reports what is wrong with the form of r: which field, in which words.
func (r Ref) Check() (field, message string) {
	if !regexp.MustCompile(providerForm).MatchString(r.Provider) {
		return "provider", `Secret reference provider must match /` + providerForm + `/ (example: "default").`
	}
	switch r.Source {
	case Env:
		if !regexp.MustCompile(envForm).MatchString(r.ID) {
			return "id", `Env secret reference id must match /` + envForm + `/ (example: "OPENAI_API_KEY").`
		}
	case File:
		if r.ID != "value" && !pointer(r.ID) {
			return "id", `File secret reference id must be an absolute JSON pointer (example: "/providers/openai/apiKey"), or "value" for singleValue mode.`
		}
	case Exec:
		if !regexp.MustCompile(execForm).MatchString(r.ID) || dots(r.ID) {
			return "id", `Exec secret reference id must match /` + execForm + `/ and have no "." or ".." path segments (example: "vault/openai/api-key").`
		}
	default:
		return "source", `Secret reference source must be "env", "file" or "exec".`
	}
	return "", ""
}

// pointer reports whether s is a JSON pointer, with ~ only as ~0 or ~1.
func pointer(s string) bool {
	if !strings.HasPrefix(s, "/") {
		return false
	}
	return !strings.Contains(strings.NewReplacer("~0", "", "~1", "").Replace(s), "~")
}

func dots(id string) bool {
	for _, s := range strings.Split(id, "/") {
		if s == "." || s == ".." {
			return true
		}
	}
	return false
}

// Settings is the section secrets of the configuration.
type Settings struct {
	Providers  map[string]Provider `json:"providers"`
	Defaults   Defaults            `json:"defaults"`
	Resolution Resolution          `json:"resolution"`
}

// Defaults name the provider of references without one.
type Defaults struct {
	Env  string `json:"env"`
	File string `json:"file"`
	Exec string `json:"exec"`
}

// Resolution bounds the work of resolving.
type Resolution struct {
	MaxProviderConcurrency int   `json:"maxProviderConcurrency"`
	MaxRefsPerProvider     int   `json:"maxRefsPerProvider"`
	MaxBatchBytes          int64 `json:"maxBatchBytes"`
}

// Provider is one of secrets.providers.
type Provider struct {
	Source    string   `json:"source"`
	Allowlist []string `json:"allowlist"` // env

	Path     string `json:"path"` // file
	Mode     string `json:"mode"` // json or singleValue
	MaxBytes int64  `json:"maxBytes"`

	TimeoutMs int `json:"timeoutMs"` // file and exec

	Command             string            `json:"command"` // exec
	Args                []string          `json:"args"`
	NoOutputTimeoutMs   int               `json:"noOutputTimeoutMs"`
	MaxOutputBytes      int64             `json:"maxOutputBytes"`
	JSONOnly            *bool             `json:"jsonOnly"`
	Env                 map[string]string `json:"env"`
	PassEnv             []string          `json:"passEnv"`
	TrustedDirs         []string          `json:"trustedDirs"`
	AllowInsecurePath   bool              `json:"allowInsecurePath"`
	AllowSymlinkCommand bool              `json:"allowSymlinkCommand"`
}

// Check reports what is wrong with a provider beyond its types.
func (p Provider) Check() (field, message string) {
	if p.Source != Exec {
		return "", ""
	}
	if !filepath.IsAbs(p.Command) {
		return "command", "secrets.providers.*.command must be an absolute path."
	}
	for _, d := range p.TrustedDirs {
		if !filepath.IsAbs(d) {
			return "trustedDirs", "secrets.providers.*.trustedDirs must hold absolute paths."
		}
	}
	return "", ""
}
