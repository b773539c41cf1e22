package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/jsonc"
)

// decode makes the typed configuration. A section that doesn't fit its type is
// left out and reported.
func decode(root *jsonc.Node) (*Config, error) {
	c := new(Config)
	var errs []error
	for _, m := range root.Unique() {
		one := &jsonc.Node{Kind: jsonc.Object, Members: []jsonc.Member{{Key: m.Key, Value: identities(m.Value)}}}
		next := *c
		if err := json.Unmarshal(one.JSON(), &next); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", m.Key, err))
			continue
		}
		*c = next
	}
	for name, p := range c.Models.Providers {
		p.Raw = json.RawMessage(root.Find("models", "providers", name).JSON())
		c.Models.Providers[name] = p
	}
	return c, errors.Join(errs...)
}

// identities turns numbers in lists of people into strings, digit for digit:
// an id is a name that happens to look like a number.
func identities(n *jsonc.Node) *jsonc.Node {
	return n.Map(func(path []string, v *jsonc.Node) *jsonc.Node {
		if v.Kind != jsonc.Number || len(path) < 2 || !isIndex(path[len(path)-1]) || !idList(path[:len(path)-1]) {
			return v
		}
		c := *v
		c.Kind = jsonc.String
		return &c
	})
}

// idList reports whether path names a list of people: allowFrom and its kin,
// also in the form of one list per channel.
func idList(path []string) bool {
	for i := len(path) - 1; i >= 0 && i >= len(path)-2; i-- {
		k := strings.ToLower(path[i])
		if strings.HasSuffix(k, "allowfrom") {
			return true
		}
		if i == len(path)-1 && (k == "users" || k == "roles" || k == "groupchannels" || k == "approvers" || k == "execapprovers") {
			return true
		}
	}
	return false
}
