package config_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/jsonc"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/config/spec"
)

// wanted are the places where our schema isn't the recorded one, and why.
func wanted() map[string]string {
	return map[string]string{
		"mcp: only ours": "the section of servers whose tools agents use, which came later",
		"agents.defaults.compaction.notifyUser: only ours": "telling people that a conversation was summed up, which came later",
		"channels.telegram.apiRoot: only ours":             "another Bot API server, which came later",
		"channels.telegram.accounts.*.apiRoot: only ours":  "the same, for one account",
		"channels.discord.apiRoot: only ours":              "another Discord, which tests need",
		"channels.discord.accounts.*.apiRoot: only ours":   "the same, for one account",
		"channels.slack.apiRoot: only ours":                "another Slack, which tests need",
		"channels.slack.accounts.*.apiRoot: only ours":     "the same, for one account",
	}
}

// TestSchemaIsTheRecordedOne compares what is accepted, path by path: keys and
// their order, types, unions, enums, bounds, patterns, defaults, required keys.
func TestSchemaIsTheRecordedOne(t *testing.T) {
	t.Parallel()
	ours, err := jsonc.FromJSON(config.Schema().Schema)
	if err != nil {
		t.Fatal(err)
	}
	c := comparison{}
	c.compare(nil, recordedSchema(t), ours)
	want := wanted()
	for _, d := range c.found {
		if want[d] == "" {
			t.Error(d)
		}
		delete(want, d)
	}
	for d, why := range want {
		t.Errorf("%s (%s): it isn't so", d, why)
	}
	if c.compared < 5500 {
		t.Errorf("%d places were compared", c.compared)
	}
}

// TestRecordedSections lists the networks whose section is data yet, as they
// have no package or one that reads only a part of it. A network leaves the
// list with its file in spec/networks, when the type in its Kind says all.
func TestRecordedSections(t *testing.T) {
	t.Parallel()
	want := []string{
		"bluebubbles", "feishu", "googlechat", "imessage", "line", "mattermost", "msteams",
		"nextcloud-talk", "synology-chat", "whatsapp", "zalo",
	}
	if got := spec.Recorded(); !slices.Equal(got, want) {
		t.Errorf("data are %q, want %q", got, want)
	}
}

type comparison struct {
	found    []string
	compared int
}

func (c *comparison) note(path []string, what string) {
	c.found = append(c.found, strings.Join(path, ".")+": "+what)
}

func (c *comparison) compare(path []string, recorded, ours *jsonc.Node) {
	c.compared++
	below := func(step string) []string { return append(slices.Clip(path), step) }
	c.properties(path, recorded.Get("properties"), ours.Get("properties"))
	for _, key := range []string{"items", "propertyNames", "additionalProperties"} {
		step := map[string]string{"items": "[]", "propertyNames": "(name)", "additionalProperties": "*"}[key]
		a, b := plain(key, recorded.Get(key)), plain(key, ours.Get(key))
		switch {
		case a == nil && b == nil:
		case a == nil || b == nil || a.Kind != b.Kind:
			c.note(below(step), "recorded is "+show(a)+", ours "+show(b))
		case a.Kind == jsonc.Object:
			c.compare(below(step), a, b)
		}
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		a, b := items(recorded.Get(key)), items(ours.Get(key))
		if len(a) != len(b) {
			c.note(path, key+" of "+strconv.Itoa(len(a))+" is one of "+strconv.Itoa(len(b)))
			continue
		}
		for i := range a {
			c.compare(below(key+" "+strconv.Itoa(i)), a[i], b[i])
		}
	}
	for _, key := range []string{
		"type", "const", "enum", "default", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
		"minLength", "maxLength", "minItems", "maxItems", "format", "pattern", "required", "title",
	} {
		if a, b := plain(key, recorded.Get(key)), plain(key, ours.Get(key)); show(a) != show(b) {
			c.note(path, key+" "+show(a)+" is "+show(b))
		}
	}
	for _, m := range append(slices.Clone(recorded.Members), ours.Members...) {
		if !slices.Contains(strings.Fields("properties items propertyNames additionalProperties anyOf oneOf type const enum default minimum maximum "+
			"exclusiveMinimum exclusiveMaximum minLength maxLength minItems maxItems format pattern required title $schema"), m.Key) {
			c.note(path, "what is "+m.Key+"?")
		}
	}
}

func (c *comparison) properties(path []string, recorded, ours *jsonc.Node) {
	var before, now []string
	if recorded != nil {
		for _, m := range recorded.Members {
			if ours == nil || ours.Get(m.Key) == nil {
				c.note(append(slices.Clip(path), m.Key), "only recorded")
				continue
			}
			before = append(before, m.Key)
			c.compare(append(slices.Clip(path), m.Key), m.Value, ours.Get(m.Key))
		}
	}
	if ours == nil {
		return
	}
	for _, m := range ours.Members {
		if recorded == nil || recorded.Get(m.Key) == nil {
			c.note(append(slices.Clip(path), m.Key), "only ours")
			continue
		}
		now = append(now, m.Key)
	}
	if strings.Join(path, ".") != "channels" && !slices.Equal(before, now) { // networks are sorted
		c.note(path, "the order is "+strings.Join(now, " ")+", recorded "+strings.Join(before, " "))
	}
}

// plain returns nil for what says nothing, so that two ways of saying nothing
// are the same.
func plain(key string, n *jsonc.Node) *jsonc.Node {
	switch {
	case n == nil:
		return nil
	case key == "additionalProperties" && (n.Kind == jsonc.Bool && n.Bool || n.Kind == jsonc.Object && len(n.Members) == 0),
		key == "propertyNames" && show(n) == `{"type":"string"}`,
		key == "required" && len(n.Items) == 0:
		return nil
	case key == "required":
		sorted := *n
		sorted.Items = slices.Clone(n.Items)
		slices.SortFunc(sorted.Items, func(a, b *jsonc.Node) int { return strings.Compare(a.Text, b.Text) })
		return &sorted
	}
	return n
}

func items(n *jsonc.Node) []*jsonc.Node {
	if n == nil {
		return nil
	}
	return n.Items
}

func show(n *jsonc.Node) string {
	if n == nil {
		return "nothing"
	}
	return string(n.JSON())
}

// recordedSchema reads the schema that was recorded, which is written like
// ours: a node a line, children by number.
func recordedSchema(t *testing.T) *jsonc.Node {
	t.Helper()
	packed, err := os.ReadFile("testdata/schema/recorded.gz")
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	var nodes []*jsonc.Node
	child := func(n *jsonc.Node) *jsonc.Node {
		if n.Kind != jsonc.Number {
			return n
		}
		i, err := strconv.Atoi(n.Text)
		if err != nil {
			t.Fatal(err)
		}
		return nodes[i]
	}
	for _, line := range bytes.Split(raw, []byte{'\n'}) {
		n, err := jsonc.FromJSON(line)
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range n.Members {
			switch m.Key {
			case "properties":
				for j, p := range m.Value.Members {
					m.Value.Members[j].Value = child(p.Value)
				}
			case "anyOf", "oneOf":
				for j, b := range m.Value.Items {
					m.Value.Items[j] = child(b)
				}
			case "items", "propertyNames", "additionalProperties":
				n.Members[i].Value = child(m.Value)
			}
		}
		nodes = append(nodes, n)
	}
	return nodes[len(nodes)-1]
}
