// Package compat is the table of the services that models are asked at: where
// each one is, which variables hold its key, which wire format it speaks and
// how it differs from that format's maker. Adding a service is one row in
// table.go; what a row says, models.providers.<id> may overrule.
//
// It is data: the model resolver finds services in it, and the wire formats
// their quirks.
package compat

import (
	"net/url"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/dialect"
)

// Row is one service.
type Row struct {
	ID      string
	Name    string
	Aliases []string // other names that people use for it
	API     string   // its wire format
	// BaseURL may hold {VARIABLE}s of the environment.
	BaseURL string
	BaseEnv string   // the variable that replaces BaseURL
	Env     []string // variables that hold a key; the first set one counts
	// Elsewhere are variables that tell of a credential which the format itself
	// finds.
	Elsewhere []string
	Hosts     []string // domains of it beside BaseURL's own
	Model     string   // the default model when only a key tells that it is wanted
	Auth      string   // the service whose stored logins also serve this one
	Keyless   bool     // a server of one's own, which may want no key
	Quirks    Quirks
	// Schema is the dialect of JSON Schema that it takes for tools, "" for that
	// of its format's maker.
	Schema dialect.Name
	// Headers go with each request.
	Headers map[string]string
}

// Tri is a switch that may be left alone.
type Tri int8

// The settings of a switch.
const (
	Unset Tri = iota
	Yes
	No
)

// UnmarshalJSON reads true or false.
func (t *Tri) UnmarshalJSON(raw []byte) error {
	switch string(raw) {
	case "true":
		*t = Yes
	case "false":
		*t = No
	case "null":
	default:
		return errNotBool
	}
	return nil
}

type jsonError string

func (e jsonError) Error() string { return string(e) }

const errNotBool = jsonError("neither true nor false")

// On is true unless t says no.
func (t Tri) On() bool { return t != No }

// Quirks is how a service or one of its models differs; the names are those of
// models.providers.<id>.models[].compat.
type Quirks struct {
	Store          Tri    `json:"supportsStore"`
	DeveloperRole  Tri    `json:"supportsDeveloperRole"`
	Effort         Tri    `json:"supportsReasoningEffort"`
	StreamUsage    Tri    `json:"supportsUsageInStreaming"`
	Tools          Tri    `json:"supportsTools"`
	Strict         Tri    `json:"supportsStrictMode"`
	MaxTokens      string `json:"maxTokensField"`
	Thinking       string `json:"thinkingFormat"` // openai, zai, qwen, openrouter, mistral
	ResultName     bool   `json:"requiresToolResultName"`
	AfterResult    bool   `json:"requiresAssistantAfterToolResult"`
	ThinkingAsText bool   `json:"requiresThinkingAsText"`
	MistralIDs     bool   `json:"requiresMistralToolIds"`
	OpenAITools    bool   `json:"requiresOpenAiAnthropicToolPayload"`

	Google bool `json:"-"` // wants thought signatures back
	Bearer bool `json:"-"` // Anthropic's format with the key in Authorization
}

// Find returns the row of a service by its name or one of its other names.
func Find(id string) (Row, bool) {
	id = strings.ToLower(strings.TrimSpace(id))
	for _, r := range Table() {
		if r.ID == id {
			return r, true
		}
		for _, a := range r.Aliases {
			if a == id {
				return r, true
			}
		}
	}
	return Row{}, false
}

// At returns the row of the service at an address. The longest path wins where
// a host has several.
func At(base string) (Row, bool) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" {
		return Row{}, false
	}
	var best Row
	length := -1
	for _, r := range Table() {
		if r.Keyless && r.Env == nil || !r.serves(u) {
			continue
		}
		b, err := url.Parse(r.BaseURL)
		n := 0
		if err == nil && b.Host == u.Host && strings.HasPrefix(u.Path, strings.TrimRight(b.Path, "/")) {
			n = 1 + len(b.Path)
		}
		if n > length {
			best, length = r, n
		}
	}
	return best, length >= 0
}

// serves tells whether the host of u is one of r's.
func (r Row) serves(u *url.URL) bool {
	host := strings.ToLower(u.Hostname())
	if b, err := url.Parse(r.BaseURL); err == nil && b.Host != "" && !isLoopback(b.Hostname()) && b.Hostname() == host {
		return true
	}
	for _, d := range r.Hosts {
		if host == d || strings.HasSuffix(host, "."+d) {
			return true
		}
	}
	return false
}

func isLoopback(host string) bool { return host == "127.0.0.1" || host == "localhost" }

// Of returns the row for a configured service: the one at its address, else
// the one of its name, whose address may have been replaced by a proxy's.
func Of(id, base string) (Row, bool) {
	if r, ok := At(base); ok {
		if own, named := Find(id); named && own.API == r.API {
			if u, err := url.Parse(base); err == nil && own.serves(u) {
				return own, true // several rows may share a host
			}
		}
		return r, true
	}
	return Find(id)
}
