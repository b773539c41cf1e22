// Package spec says what may stand in the configuration file: a Go type for
// each section, from which the schema that package config embeds and shows is
// made. Start at [File].
//
// Nothing is decoded into these types, and the program doesn't link them: the
// lean types of package config hold what is read. A test of that package keeps
// the two in step. After a change here, go generate ./internal/config.
//
// Sections of extensions aren't here. A network describes its own in the type
// that its Kind names; the folder networks and the file plugins.json hold, as
// they were recorded, the sections of what this program doesn't have, so that a
// file which sets them stays valid.
package spec

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/jsonc"
	"github.com/openclaw-go/openclaw/internal/base/jsonschema"
)

//go:embed networks/*.json plugins.json
var recorded embed.FS

// Network is a network with the type of its account's section. Where the
// network's own section isn't like that of an account, the type says so with a
// method Whole() any.
type Network struct {
	ID      string
	Account any
}

// Build returns the schema of the whole file. A network whose section is also
// recorded doesn't describe all of it yet: the record stands.
func Build(networks []Network) (*jsonc.Node, error) {
	root, err := jsonc.FromJSON(jsonschema.OfSettings[File]().Exact())
	if err != nil {
		return nil, err
	}
	root = root.With([]string{"title"}, jsonc.Str("OpenClawConfig"))
	root = root.With([]string{"$schema"}, jsonc.Str("http://json-schema.org/draft-07/schema#"))
	sections, err := channels(networks)
	if err != nil {
		return nil, err
	}
	for _, s := range sections {
		root = root.With([]string{"properties", "channels", "properties", s.Key}, s.Value)
	}
	return plugins(root)
}

// Recorded lists the networks whose sections are data, sorted.
func Recorded() []string {
	files, err := fs.Glob(recorded, "networks/*.json")
	if err != nil {
		return nil // can't be: the pattern is well formed
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(path.Base(f), ".json")
	}
	return files
}

func channels(networks []Network) ([]jsonc.Member, error) {
	var out []jsonc.Member
	for _, id := range Recorded() {
		n, err := fragment("networks/" + id + ".json")
		if err != nil {
			return nil, err
		}
		out = append(out, jsonc.Member{Key: id, Value: n})
	}
	for _, n := range networks {
		if slices.Contains(Recorded(), n.ID) || n.Account == nil {
			continue
		}
		s, err := section(n.Account)
		if err != nil {
			return nil, fmt.Errorf("channels.%s: %w", n.ID, err)
		}
		out = append(out, jsonc.Member{Key: n.ID, Value: s})
	}
	slices.SortFunc(out, func(a, b jsonc.Member) int { return strings.Compare(a.Key, b.Key) })
	return out, nil
}

// section is that of a network: what an account may set, and the accounts.
func section(account any) (*jsonc.Node, error) {
	raw := jsonschema.OfSettingsValue(account).Exact()
	whole, err := jsonc.FromJSON(raw)
	if err != nil {
		return nil, err
	}
	accounts, err := jsonc.FromJSON(fmt.Appendf(nil, `{"type":"object","propertyNames":{"type":"string"},"additionalProperties":%s}`, raw))
	if err != nil {
		return nil, err
	}
	if w, ok := account.(interface{ Whole() any }); ok {
		if whole, err = jsonc.FromJSON(jsonschema.OfSettingsValue(w.Whole()).Exact()); err != nil {
			return nil, err
		}
	}
	text := &jsonc.Node{Kind: jsonc.Object, Members: []jsonc.Member{{Key: "type", Value: jsonc.Str("string")}}}
	for _, p := range []jsonc.Member{{Key: "accounts", Value: accounts}, {Key: "defaultAccount", Value: text}} {
		if whole.Find("properties", p.Key) == nil { // otherwise the type says it
			whole = whole.With([]string{"properties", p.Key}, p.Value)
		}
	}
	return whole, nil
}

// plugins adds the known plugins to plugins.entries: the common entry, with the
// plugin's own config.
func plugins(root *jsonc.Node) (*jsonc.Node, error) {
	configs, err := fragment("plugins.json")
	if err != nil {
		return nil, err
	}
	where := []string{"properties", "plugins", "properties", "entries"}
	entry := root.Find(append(where, "additionalProperties")...)
	for _, m := range configs.Members {
		own := entry.With([]string{"properties", "config"}, m.Value)
		root = root.With(append(where, "properties", m.Key), own)
	}
	return root, nil
}

func fragment(name string) (*jsonc.Node, error) {
	raw, err := recorded.ReadFile(name)
	if err != nil {
		return nil, err
	}
	n, err := jsonc.FromJSON(json.RawMessage(raw))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return n, nil
}
