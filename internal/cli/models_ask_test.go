package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/internal/agent/model"
	"github.com/openclaw-go/openclaw/internal/cli"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/provider"
	"github.com/openclaw-go/openclaw/internal/provider/openai"
)

// router is OpenRouter with four models: one that can all, one that can't call
// tools, one that isn't free and one that is old.
func router(t *testing.T) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/models") {
			_, _ = fmt.Fprint(w, `{"data":[
				{"id":"meta/llama-70b:free","name":"Llama 70B","context_length":131072,"supported_parameters":["tools","temperature"],"created":1800000000,"architecture":{"modality":"text+image->text"},"pricing":{"prompt":"0","completion":"0"}},
				{"id":"x/small-8b","name":"Small","context_length":8192,"created":1800000000,"pricing":{"prompt":"0","completion":"0"}},
				{"id":"x/paid","context_length":1,"pricing":{"prompt":"0.1","completion":"0"}},
				{"id":"x/old:free","context_length":1,"created":1000000000}]}`)
			return
		}
		var req struct {
			Model    string `json:"model"`
			Messages []struct {
				Role    string          `json:"role"`
				Content json.RawMessage `json:"content"`
			} `json:"messages"`
			Tools []any `json:"tools"`
		}
		if json.NewDecoder(r.Body).Decode(&req) != nil {
			return
		}
		last := req.Messages[len(req.Messages)-1]
		delta := `{"content":"OK"}`
		switch {
		case last.Role == "tool":
			delta = `{"content":"HERON-42"}`
		case len(req.Tools) > 0 && strings.HasPrefix(req.Model, "meta/"):
			delta = `{"tool_calls":[{"index":0,"id":"c1","function":{"name":"ping","arguments":"{\"count\":2}"}}]}`
		case strings.Contains(string(last.Content), "image_url"):
			delta = `{"content":"red"}`
		case strings.Contains(string(last.Content), "PELICAN"):
			delta = `{"content":"Pelican"}`
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":%s}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":1}}\n\ndata: [DONE]\n\n", delta)
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

// typed asks the command line with a configuration that has OpenRouter at url.
func typed(t *testing.T, url string, args ...string) (stdout, stderr, file string, code int) {
	t.Helper()
	home := t.TempDir()
	file = filepath.Join(home, ".openclaw", "openclaw.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	text := `{ agents: { defaults: { model: "openrouter/x/small-8b", models: { "openrouter/x/small-8b": {} } } },
		models: { providers: { openrouter: { baseUrl: "` + url + `", apiKey: "kkkkkkkkkkkk", api: "openai-completions", models: [] } } } }`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	client := provider.NewClient()
	t.Cleanup(client.CloseIdleConnections)
	var out, errs bytes.Buffer
	d := cli.Deps{Resolver: func(c *config.Config) *model.Resolver {
		return model.New([]provider.Kind{openai.Kind()}, client, func() *config.Config { return c }, nil, nil)
	}}
	code = cli.Run(t.Context(), args, d, cli.IO{
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs,
		Getenv: func(k string) string { return map[string]string{"HOME": home, "OPENCLAW_HOME": home}[k] },
	})
	return out.String(), errs.String(), file, code
}

func TestModelsScan(t *testing.T) {
	t.Parallel()
	url := router(t)
	out, errs, _, code := typed(t, url, "models", "scan", "--no-probe", "--json", "--max-age-days", "3000")
	var list []map[string]any
	if err := json.Unmarshal([]byte(out), &list); err != nil || code != 0 || len(list) != 2 {
		t.Fatalf("code %d, %v: %s%s", code, err, out, errs)
	}
	if list[0]["modelRef"] != "openrouter/meta/llama-70b:free" || list[0]["inferredParamB"] != 70.0 || list[0]["supportsToolsMeta"] != true || list[0]["createdAtMs"] != 1.8e12 {
		t.Errorf("first = %v", list[0])
	}
	out, errs, file, code := typed(t, url, "models", "scan", "--yes", "--set-default", "--set-image")
	for _, want := range []string{"tested 3, tool ok 1, image ok 1, tool+image ok 1", "Default model: openrouter/meta/llama-70b:free", "Image model: openrouter/meta/llama-70b:free"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("code %d, output lacks %q: %s%s", code, want, out, errs)
		}
	}
	raw, err := os.ReadFile(file)
	if err != nil || strings.Count(string(raw), "llama-70b:free") < 5 {
		t.Errorf("configuration, %v: %s", err, raw)
	}
	if out, errs, _, code = typed(t, url, "models", "scan", "--min-params", "100", "--json"); code != 1 || !strings.Contains(out+errs, "No tool-capable") {
		t.Errorf("code %d: %s%s", code, out, errs)
	}
	if _, errs, _, code = typed(t, url, "models", "scan"); code != 1 || !strings.Contains(errs, "pass --yes") {
		t.Errorf("without a terminal: code %d: %s", code, errs)
	}
}

func TestModelsProbe(t *testing.T) {
	t.Parallel()
	url := router(t)
	out, errs, _, code := typed(t, url, "models", "probe", "openrouter/meta/llama-70b:free", "--json")
	var r struct {
		Model  string
		Checks []struct {
			Name   string
			OK     bool
			Detail string
		}
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 || r.Model != "openrouter/meta/llama-70b:free" {
		t.Fatalf("code %d, %v: %s%s", code, err, out, errs)
	}
	can := map[string]bool{}
	for _, c := range r.Checks {
		can[c.Name] = c.OK
	}
	for name, want := range map[string]bool{"text": true, "stream": false, "tools": true, "results": true, "images": true, "thinking": false, "usage": true, "context": true} {
		if got, ok := can[name]; !ok || got != want {
			t.Errorf("%s = %v, want %v: %s", name, got, want, out)
		}
	}
	if out, _, _, code = typed(t, url, "models", "probe"); code != 0 || !strings.Contains(out, "openrouter/x/small-8b over openai-completions") || !strings.Contains(out, "no call came") {
		t.Errorf("the default model: code %d: %s", code, out)
	}
	if out, _, _, code = typed(t, "http://127.0.0.1:1", "models", "probe", "--json"); code != 1 || !strings.Contains(out, "is the service running?") {
		t.Errorf("nobody there: code %d: %s", code, out)
	}
}
