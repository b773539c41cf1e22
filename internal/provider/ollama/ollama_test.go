package ollama_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
	"github.com/openclaw-go/openclaw/internal/provider/ollama"
	"github.com/openclaw-go/openclaw/internal/provider/providertest"
)

var update = flag.Bool("update", false, "write the golden files")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestProvider(t *testing.T) {
	t.Parallel()
	providertest.Run(t, providertest.Suite{
		Kind: ollama.Kind(), Streams: os.DirFS("testdata/streams"), Plain: "plain",
		Noise: `{"message":{"role":"assistant","content":""},"done":false}` + "\n",
		Form:  providertest.Form{Ext: ".ndjson", Type: "application/x-ndjson", Break: "\n"},
	})
}

func model(id string) llm.Model {
	return llm.Model{Provider: "test", ID: id, API: ollama.API, MaxTokens: 4000, ContextWindow: 32_768, Reasoning: true, Input: []string{"text", "image"}}
}

func open(t *testing.T, cfg provider.Config) *ollama.Provider {
	t.Helper()
	c := provider.NewClient()
	t.Cleanup(c.CloseIdleConnections)
	cfg.ID = "test"
	p, err := ollama.New(c, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const answered = `{"message":{"role":"assistant","content":"ok"},"done":true,"done_reason":"stop"}`

func ask(t *testing.T, p provider.Provider, req llm.Request) {
	t.Helper()
	if o := providertest.Collect(t.Context(), t, p, req); o.Err != nil {
		t.Fatal(o.Err)
	}
}

func history() []llm.Message {
	png := llm.Block{Type: llm.ImageBlock, MIME: "image/png", Data: []byte("png")}
	return []llm.Message{
		{Role: llm.User, Content: llm.Content{llm.Text("look"), png}},
		{Role: llm.Assistant, API: ollama.API, Provider: "test", Model: "qwen3", Stop: llm.StopTool, Content: llm.Content{
			{Type: llm.ThinkingBlock, Text: "hm"},
			llm.Text("Both."),
			{Type: llm.CallBlock, Call: &llm.Call{ID: "1", Name: "exec", Args: json.RawMessage(`{"command":"a"}`)}},
			{Type: llm.CallBlock, Call: &llm.Call{ID: "2", Name: "exec", Args: json.RawMessage(`"bad"`)}},
		}},
		{Role: llm.ToolRole, CallID: "1", ToolName: "exec", Content: llm.Content{llm.Text("out a"), png}},
		{Role: llm.ToolRole, CallID: "2", ToolName: "exec", IsError: true, Content: llm.Content{llm.Text("failed")}},
		{Role: llm.Assistant, Provider: "test", Stop: llm.StopError, Error: "x"},
	}
}

func TestRequest(t *testing.T) {
	t.Parallel()
	var body []byte
	var header http.Header
	url := providertest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/chat" {
			body, _ = io.ReadAll(r.Body)
			header = r.Header
		}
		_, _ = io.WriteString(w, answered)
	})
	for _, end := range []string{"", "/", "/v1", "/api/"} {
		body = nil
		ask(t, open(t, provider.Config{BaseURL: url + end, APIKey: "ollama-local"}), llm.Request{
			Model: model("qwen3"), System: "Be brief.", Messages: history(), Thinking: "low",
			Tools: []llm.ToolSpec{{Name: "ls"}, {Name: "exec", Description: "Run it.", Schema: json.RawMessage(`{"type":"object","properties":{"command":{"type":"string","pattern":"x"}}}`)}},
		})
		if header.Get("Authorization") != "" {
			t.Errorf("a key went out that isn't one: %v", header)
		}
		var out bytes.Buffer
		if err := json.Indent(&out, body, "", "  "); err != nil {
			t.Fatalf("base %q: %v in %q", end, err, body)
		}
		golden := filepath.Join("testdata", "request.golden.json")
		if *update {
			if err := os.WriteFile(golden, append(out.Bytes(), '\n'), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(strings.TrimSpace(string(want)), out.String()); d != "" {
			t.Errorf("base %q (-want +got), -update writes it:\n%s", end, d)
		}
	}
}

// TestOptions looks at single members of requests.
func TestOptions(t *testing.T) {
	t.Parallel()
	var body []byte
	url := providertest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		_, _ = io.WriteString(w, answered)
	})
	user := []llm.Message{{Role: llm.User, Content: llm.Content{llm.Text("x")}}}
	tools := []llm.ToolSpec{{Name: "ls"}}
	p := open(t, provider.Config{BaseURL: url, APIKey: "k", Raw: json.RawMessage(`{"models":[{"id":"nowindow","compat":{"supportsTools":false}},{"id":"window","contextWindow":1000}]}`)})
	plain := model("window")
	plain.Reasoning = false
	for name, tt := range map[string]struct {
		req       llm.Request
		has, lack string
	}{
		"window":            {llm.Request{Model: model("window")}, `"num_ctx":32768`, ""},
		"no window":         {llm.Request{Model: model("nowindow")}, `"num_ctx":65536`, `"tools"`},
		"limit":             {llm.Request{Model: model("m"), MaxTokens: 5}, `"num_predict":5`, ""},
		"off":               {llm.Request{Model: model("m"), Thinking: "off"}, `"think":false`, ""},
		"on":                {llm.Request{Model: model("m"), Thinking: "high"}, `"think":true`, ""},
		"level":             {llm.Request{Model: model("gpt-oss:20b"), Thinking: "xhigh"}, `"think":"high"`, ""},
		"doesn't think":     {llm.Request{Model: plain, Thinking: "high"}, `"tools"`, `"think"`},
		"not told to think": {llm.Request{Model: model("gpt-oss:20b")}, `"think":"low"`, ""},
	} {
		tt.req.Messages, tt.req.Tools = user, tools
		ask(t, p, tt.req)
		if !strings.Contains(string(body), tt.has) || tt.lack != "" && strings.Contains(string(body), tt.lack) {
			t.Errorf("%s: %s, want %s and not %q", name, body, tt.has, tt.lack)
		}
	}
}

// TestLearns: a model that refuses tools and thinking answers without them.
func TestLearns(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	url := providertest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		body, _ := io.ReadAll(r.Body)
		for _, what := range []string{"tools", "think"} {
			if strings.Contains(string(body), `"`+what+`"`) {
				w.WriteHeader(http.StatusBadRequest)
				_, _ = io.WriteString(w, `{"error":"\"gemma\" does not support `+map[string]string{"tools": "tools", "think": "thinking"}[what]+`"}`)
				return
			}
		}
		_, _ = io.WriteString(w, answered)
	})
	p := open(t, provider.Config{BaseURL: url})
	req := llm.Request{Model: model("gemma"), Messages: history(), Tools: []llm.ToolSpec{{Name: "ls"}}, Thinking: "low"}
	req.Messages = req.Messages[:1]
	ask(t, p, req)
	if n := asked.Load(); n != 3 {
		t.Errorf("asked %d times, want 3", n)
	}
	ask(t, p, req)
	if n := asked.Load(); n != 4 {
		t.Errorf("asked %d times, want 4: it has learned", n)
	}
}

func TestModels(t *testing.T) {
	t.Parallel()
	url := providertest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case r.URL.Path == "/api/tags":
			_, _ = io.WriteString(w, `{"models":[{"name":"qwen3:latest","model":"qwen3:latest"},{"name":"embed"},{"name":"old"}]}`)
		case strings.Contains(string(body), "qwen3"):
			_, _ = io.WriteString(w, `{"capabilities":["completion","vision","tools","thinking"],"model_info":{"qwen3.context_length":40960,"general.name":"x"}}`)
		case strings.Contains(string(body), "embed"):
			_, _ = io.WriteString(w, `{"capabilities":["embedding"]}`)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	})
	got, err := open(t, provider.Config{BaseURL: url}).Models(t.Context())
	want := []llm.Model{
		{Provider: "test", ID: "qwen3:latest", Name: "qwen3", API: ollama.API, ContextWindow: 40_960, Reasoning: true, Input: []string{"text", "image"}},
		{Provider: "test", ID: "old", Name: "old", API: ollama.API, ContextWindow: 65_536, Input: []string{"text"}},
	}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("Models: %v (-want +got)\n%s", err, d)
	}
}

func TestEmbed(t *testing.T) {
	t.Parallel()
	url := providertest.Serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"embeddings":[[1,2],[3,4]]}`) })
	p := open(t, provider.Config{BaseURL: url})
	got, err := p.Embed(t.Context(), "e", []string{"a", "b"})
	if d := cmp.Diff([][]float32{{1, 2}, {3, 4}}, got); d != "" || err != nil {
		t.Errorf("Embed: %v (-want +got)\n%s", err, d)
	}
	if _, err := p.Embed(t.Context(), "e", []string{"a"}); err == nil {
		t.Error("two vectors for one text: no error")
	}
}

// TestLongLine: a line may be as long as an answer.
func TestLongLine(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long ", 12<<20/5)
	url := providertest.Serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"message":{"content":"`+long+`"},"done":false}`+"\n"+`{"done":true}`)
	})
	o := providertest.Collect(t.Context(), t, open(t, provider.Config{BaseURL: url}), llm.Request{Model: model("m"), Messages: history()[:1]})
	if o.Err != nil || o.Text != long {
		t.Errorf("%d bytes, %v; want %d", len(o.Text), o.Err, len(long))
	}
}

func FuzzStream(f *testing.F) {
	names, _ := filepath.Glob("testdata/streams/*.ndjson")
	for _, n := range names {
		raw, err := os.ReadFile(n)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, err := ollama.New(&http.Client{Transport: answers(raw)}, provider.Config{ID: "test", BaseURL: "http://x"})
		if err != nil {
			t.Fatal(err)
		}
		providertest.Collect(t.Context(), t, p, llm.Request{Model: model("m"), Messages: history()[:1]})
	})
}

// answers gives every request the same body.
type answers []byte

func (a answers) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(a))}, nil
}
