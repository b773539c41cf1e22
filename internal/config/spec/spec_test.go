package spec_test

import (
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/jsonc"
	"github.com/openclaw-go/openclaw/internal/config/spec"
)

type account struct {
	Host string `json:"host"`
	Mode string `json:"mode" schema:"values=a|b"`
}

func (account) Whole() any { return section{} }

type section struct {
	account

	Mode     string         `json:"mode" schema:"values=a|b,default=b"`
	Accounts map[string]any `json:"accounts"`
}

type plain struct {
	Host string `json:"host"`
}

func TestBuild(t *testing.T) {
	t.Parallel()
	root, err := spec.Build([]spec.Network{{ID: "ours", Account: account{}}, {ID: "other", Account: plain{}}, {ID: "line", Account: plain{}}, {ID: "none"}})
	if err != nil {
		t.Fatal(err)
	}
	channels := root.Find("properties", "channels", "properties")
	for path, want := range map[string]string{
		"ours.properties.mode":     `{"default":"b","type":"string","enum":["a","b"]}`,
		"ours.properties.host":     `{"type":"string"}`,
		"ours.properties.accounts": `{"type":"object","propertyNames":{"type":"string"},"additionalProperties":{}}`, // its own
		"other.properties.accounts.additionalProperties.properties.host": `{"type":"string"}`,
		"other.properties.defaultAccount":                                `{"type":"string"}`,
	} {
		if got := channels.Find(strings.Split(path, ".")...); got == nil || string(got.JSON()) != want {
			t.Errorf("%s = %s, want %s", path, got.JSON(), want)
		}
	}
	if channels.Find("line", "properties", "host") != nil {
		t.Error("the record of a section gave way to a type that may not say all")
	}
	if channels.Get("none") != nil {
		t.Error("a network without a type has a section")
	}
	if root.Find("properties", "plugins", "properties", "entries", "properties", "diffs", "properties", "hooks") == nil {
		t.Error("a known plugin lost what all plugins have")
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	n, err := jsonc.FromJSON([]byte(`{"properties":{"a":{"type":"string"},"b":{"type":"string"},"c":{"items":{"type":"string"},"default":0}},"additionalProperties":false}`))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"type":"string"}
{"items":0,"default":0}
{"properties":{"a":0,"b":0,"c":1},"additionalProperties":false}`
	if got := string(spec.Lines(n)); got != want {
		t.Errorf("Lines = %s, want %s", got, want)
	}
}
