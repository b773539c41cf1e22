package app_test

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/openclaw-go/openclaw/internal/app"
	"github.com/openclaw-go/openclaw/internal/config/spec"
)

var update = flag.Bool("update", false, "rewrite golden files")

// schemaFile is what package config embeds.
const schemaFile = "../config/data/schema.jsonl"

// TestConfigSchemaIsGenerated holds the embedded schema to the types that it is
// made of: those of package spec, and that of each network's account.
func TestConfigSchemaIsGenerated(t *testing.T) {
	t.Parallel()
	var networks []spec.Network
	for _, k := range app.Channels() {
		networks = append(networks, spec.Network{ID: string(k.ID), Account: k.Config})
	}
	root, err := spec.Build(networks)
	if err != nil {
		t.Fatal(err)
	}
	want := spec.Lines(root)
	if *update {
		if err := os.WriteFile(schemaFile, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, want) {
		t.Errorf("%s isn't what the types say; run: go generate ./internal/config", schemaFile)
	}
}
