package model_test

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider/compat"
)

// TestCatalogue reads every line: each model of a known service, once, with
// numbers that make sense; each default model is there.
func TestCatalogue(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("models.txt")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	service := ""
	for n, l := range strings.Split(strings.TrimSpace(string(raw)), "\n") {
		if l[0] == '#' {
			continue
		}
		if s, ok := strings.CutPrefix(l, "@"); ok {
			if r, ok := compat.Find(s); !ok || r.ID != s || seen["@"+s] {
				t.Errorf("line %d: the service %s isn't in the table, or twice", n+1, s)
			}
			service, seen["@"+s] = s, true
			continue
		}
		f := strings.Split(l, "\t")
		if len(f) < 4 || seen[service+"/"+f[0]] || strings.TrimSpace(f[0]) != f[0] || len(l) > 300 {
			t.Fatalf("line %d: %q", n+1, l)
		}
		seen[service+"/"+f[0]] = true
		context, err1 := strconv.Atoi(f[2])
		answer, err2 := strconv.Atoi(f[3])
		if err1 != nil || err2 != nil || context < 1000 || answer < 100 {
			t.Errorf("line %d: %d tokens in, %d out, %v %v", n+1, context, answer, err1, err2)
		}
		if len(f) > 5 && f[5] != "" {
			for p := range strings.SplitSeq(f[5], ",") {
				if x, err := strconv.ParseFloat(p, 64); err != nil || x < 0 || x > 1000 {
					t.Errorf("line %d: price %q", n+1, p)
				}
			}
		}
	}
	for _, r := range compat.Table() {
		if r.Model != "" && !r.Keyless && !seen[r.ID+"/"+r.Model] {
			t.Errorf("the default model %s/%s isn't in the catalogue", r.ID, r.Model)
		}
	}
	if len(seen) < 900 || len(raw) > 100_000 {
		t.Errorf("%d lines in %d bytes", len(seen), len(raw))
	}
}

func TestKnownModels(t *testing.T) {
	noKeys(t)
	r, _ := resolver(t, `{"agents":{"defaults":{"models":{"*":{},"z.ai/glm-5":{"alias":"glm","params":{"temperature":1}}}}},
		"models":{"providers":{"openai":{"baseUrl":"https://api.openai.com/v1","models":[{"id":"gpt-5.2","name":"Mine","contextWindow":5000},{"id":"new","name":"New"}]}}}}`, nil)
	for _, tt := range []struct {
		ref, want, api string
		context        int
	}{
		{"anthropic/claude-opus-4-5", "anthropic/claude-opus-4-5", "anthropic-messages", 200_000},
		{"openai/gpt-5.2", "openai/gpt-5.2", "openai-responses", 5000},
		{"openai/gpt-5.1", "openai/gpt-5.1", "openai-responses", 400_000},
		{"openai/gpt-5.1-2027-01-01", "openai/gpt-5.1-2027-01-01", "openai-responses", 400_000}, // newer than the catalogue
		{"anthropic/claude-opus-4-9", "anthropic/claude-opus-4-9", "anthropic-messages", 1_000_000},
		{"litellm/gpt-4.1", "litellm/gpt-4.1", "openai-completions", 1_047_576}, // as its maker's
		{"together/somebody/something", "together/somebody/something", "openai-completions", 200_000},
		{"opencode/claude-haiku-4-5", "opencode/claude-haiku-4-5", "anthropic-messages", 200_000}, // a format of its own
		{"github-copilot/gpt-5.2-codex", "github-copilot/gpt-5.2-codex", "github-copilot", 400_000},
		{"grok/grok-4", "xai/grok-4", "openai-completions", 256_000}, // another name of the service
		{"glm", "zai/glm-5", "openai-completions", 204_800},
		{"mistral-large-latest", "mistral/mistral-large-latest", "openai-completions", 262_144}, // a name alone
	} {
		m, err := r.Lookup(tt.ref)
		if err != nil || m.String() != tt.want || m.API != tt.api || m.ContextWindow != tt.context {
			t.Errorf("Lookup(%q) = %s %s %d, %v; want %s %s %d", tt.ref, m, m.API, m.ContextWindow, err, tt.want, tt.api, tt.context)
		}
	}
	if m, _ := r.Lookup("openai/gpt-5.2"); m.Name != "Mine" || m.MaxTokens != 128_000 || m.Cost.Output != 14 {
		t.Errorf("what the configuration leaves out isn't taken from the catalogue: %+v", m)
	}
	t.Setenv("ZAI_API_KEY", "k")
	for a := range r.Attempts(t.Context(), "main", "glm") {
		if string(a.Model.Params) != `{"temperature":1}` {
			t.Errorf("params = %s", a.Model.Params)
		}
	}
}

// TestList: only what can be asked is offered; All has the rest; mode replace
// leaves the configured ones alone.
func TestList(t *testing.T) {
	noKeys(t)
	has := func(ms []llm.Model, ref string) bool {
		return slices.ContainsFunc(ms, func(m llm.Model) bool { return m.String() == ref })
	}
	r, _ := resolver(t, `{}`, nil)
	if ms := r.List(); len(ms) != 1 || ms[0].String() != "demo/demo" {
		t.Errorf("without a key: %d models", len(ms))
	}
	if all := r.All(); len(all) < 500 || !has(all, "groq/openai/gpt-oss-120b") {
		t.Errorf("All: %d models", len(all))
	}
	t.Setenv("GROQ_API_KEY", "k")
	if ms := r.List(); !has(ms, "groq/openai/gpt-oss-120b") || has(ms, "openai/gpt-5.2") {
		t.Errorf("with GROQ_API_KEY: %d models", len(ms))
	}
	r, _ = resolver(t, `{"models":{"mode":"replace","providers":{"x":{"baseUrl":"http://127.0.0.1:1/v1","models":[{"id":"a","name":"A"}]}}}}`, nil)
	if all := r.All(); len(all) != 2 || !has(all, "x/a") {
		t.Errorf("mode replace: %v", all)
	}
	if _, err := r.Lookup("groq/openai/gpt-oss-120b"); err == nil {
		t.Error("mode replace leaves a known service")
	}
}

// TestAddresses: variables in an address, and a variable instead of one.
func TestAddresses(t *testing.T) {
	noKeys(t)
	t.Setenv("AZURE_OPENAI_API_KEY", "k")
	t.Setenv("AZURE_OPENAI_RESOURCE_NAME", "acme")
	t.Setenv("LITELLM_BASE_URL", "http://10.0.0.1:4000/v1")
	r, _ := resolver(t, `{}`, nil)
	for ref, want := range map[string]string{
		"azure/gpt-5.2": "azure-openai-responses k https://acme.openai.azure.com/openai/v1",
		"litellm/x":     "litellm  http://10.0.0.1:4000/v1",
	} {
		for a := range r.Attempts(t.Context(), "main", ref) {
			if got, err := says(t, a); got != want || err != nil {
				t.Errorf("%s: %q, %v; want %q", ref, got, err, want)
			}
		}
	}
}

// BenchmarkLookup: the catalogue costs nothing until somebody asks.
func BenchmarkLookup(b *testing.B) {
	for b.Loop() {
		r, _ := resolver(b, `{}`, nil)
		if _, err := r.Lookup("openrouter/auto"); err != nil {
			b.Fatal(err)
		}
	}
}
