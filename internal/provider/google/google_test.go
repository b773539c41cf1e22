package google_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
	"github.com/openclaw-go/openclaw/internal/provider/google"
	"github.com/openclaw-go/openclaw/internal/provider/providertest"
)

var update = flag.Bool("update", false, "write the golden files")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestProvider(t *testing.T) {
	t.Parallel()
	providertest.Run(t, providertest.Suite{
		Kind: google.Kind(), Streams: os.DirFS("testdata/streams"), Plain: "plain",
		Noise: "data: {\"usageMetadata\":{\"promptTokenCount\":3}}\n\n",
	})
}

func model(id string) llm.Model {
	return llm.Model{Provider: "test", ID: id, API: google.API, MaxTokens: 4000, Reasoning: true, Input: []string{"text", "image"}}
}

// sent returns what req looks like on the wire.
func sent(t *testing.T, kind provider.Kind, cfg provider.Config, req llm.Request) ([]byte, *http.Request) {
	t.Helper()
	var body []byte
	var got *http.Request
	url := providertest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		got = r
		_, _ = io.WriteString(w, `{"candidates":[{"content":{"parts":[{"text":"ok"}]},"finishReason":"STOP"}]}`)
	})
	cfg.BaseURL = url + cfg.BaseURL
	cfg.ID = "test"
	c := provider.NewClient()
	t.Cleanup(c.CloseIdleConnections)
	p, err := kind.New(c, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if o := providertest.Collect(t.Context(), t, p, req); o.Err != nil {
		t.Fatal(o.Err)
	}
	return body, got
}

func history(id string) []llm.Message {
	own := func(c ...llm.Block) llm.Message {
		return llm.Message{Role: llm.Assistant, API: google.API, Provider: "test", Model: id, Stop: llm.StopTool, Content: c}
	}
	call := func(id, cmd, extra string) llm.Block {
		return llm.Block{Type: llm.CallBlock, Call: &llm.Call{ID: id, Name: "exec", Args: json.RawMessage(`{"command":"` + cmd + `"}`), Extra: json.RawMessage(extra)}}
	}
	png := llm.Block{Type: llm.ImageBlock, MIME: "image/png", Data: []byte("png")}
	return []llm.Message{
		{Role: llm.Assistant, Content: llm.Content{llm.Text("Left over from before.")}},
		{Role: llm.User, Content: llm.Content{llm.Text("look"), png}},
		own(llm.Block{Type: llm.ThinkingBlock, Text: "hm", Signature: "sig"}, llm.Block{Type: llm.ThinkingBlock, Text: "unsigned"},
			llm.Text("Both."), llm.Block{Type: llm.ThinkingBlock, Signature: "after"}, call("1", "a", `{"id":"g1","thoughtSignature":"s1"}`), call("2", "b", "")),
		{Role: llm.ToolRole, CallID: "1", ToolName: "exec", Content: llm.Content{llm.Text("out a"), png}},
		{Role: llm.ToolRole, CallID: "2", ToolName: "exec", IsError: true, Content: llm.Content{llm.Text("failed")}},
		{Role: llm.User, Content: llm.Content{llm.Text("and be quick")}},
		{Role: llm.User, Content: llm.Content{llm.Text("please")}},
		{Role: llm.Assistant, Provider: "other", Model: "x", Content: llm.Content{
			{Type: llm.ThinkingBlock, Text: "foreign", Signature: "no"}, llm.Text("Fine."), call("3", "c", `{"thoughtSignature":"foreign"}`),
		}},
		{Role: llm.Assistant, Provider: "test", Stop: llm.StopError, Error: "x"},
		{Role: llm.User, Content: llm.Content{llm.Text("thanks")}},
	}
}

func TestRequest(t *testing.T) {
	t.Parallel()
	for name, id := range map[string]string{"request-2": "gemini-2.5-pro", "request-3": "gemini-3-pro-preview"} {
		req := llm.Request{
			Model: model(id), System: "Be brief.", Messages: history(id), Thinking: "low",
			Tools: []llm.ToolSpec{{Name: "ls"}, {Name: "exec", Description: "Run it.", Schema: json.RawMessage(
				`{"type":"object","properties":{"command":{"type":"string","minLength":1}},"required":["command"],"additionalProperties":false}`)}},
		}
		raw, r := sent(t, google.Kind(), provider.Config{APIKey: "k1"}, req)
		if r.Header.Get("X-Goog-Api-Key") != "k1" || r.Header.Get("Authorization") != "" || r.URL.String() != "/models/"+id+":streamGenerateContent?alt=sse" {
			t.Errorf("%s: asked for %s with %v", name, r.URL, r.Header)
		}
		var out bytes.Buffer
		if err := json.Indent(&out, raw, "", "  "); err != nil {
			t.Fatalf("%s: %v in %s", name, err, raw)
		}
		golden := filepath.Join("testdata", name+".golden.json")
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
			t.Errorf("%s (-want +got), -update writes it:\n%s", name, d)
		}
	}
}

func TestThinking(t *testing.T) {
	t.Parallel()
	user := []llm.Message{{Role: llm.User, Content: llm.Content{llm.Text("x")}}}
	for _, tt := range []struct{ model, level, want string }{
		{"gemini-2.5-flash", "off", `{"includeThoughts":false,"thinkingBudget":0}`},
		{"gemini-2.5-flash", "minimal", `{"includeThoughts":true,"thinkingBudget":128}`},
		{"gemini-2.5-flash-lite", "minimal", `{"includeThoughts":true,"thinkingBudget":512}`},
		{"gemini-2.5-pro", "off", `{"includeThoughts":false,"thinkingBudget":128}`},
		{"gemini-2.5-pro", "xhigh", `{"includeThoughts":true,"thinkingBudget":32768}`},
		{"gemini-2.5-pro", "adaptive", `{"includeThoughts":true,"thinkingBudget":-1}`},
		{"gemini-3-pro-preview", "medium", `{"includeThoughts":true,"thinkingLevel":"HIGH"}`},
		{"gemini-3-flash-preview", "off", `{"includeThoughts":false,"thinkingLevel":"MINIMAL"}`},
		{"gemini-3-flash-preview", "adaptive", `{"includeThoughts":true}`},
		{"something-else", "high", `{"includeThoughts":true}`},
	} {
		raw, _ := sent(t, google.Kind(), provider.Config{}, llm.Request{Model: model(tt.model), Messages: user, Thinking: tt.level})
		var got struct {
			Config struct {
				Thinking json.RawMessage `json:"thinkingConfig"`
			} `json:"generationConfig"`
		}
		if err := json.Unmarshal(raw, &got); err != nil || string(got.Config.Thinking) != tt.want {
			t.Errorf("%s at %s: %s, want %s", tt.model, tt.level, got.Config.Thinking, tt.want)
		}
	}
}

// TestGoesBack: signatures and identifiers that came are sent back unchanged.
func TestGoesBack(t *testing.T) {
	t.Parallel()
	for stream, want := range map[string][]string{
		"thinking":     {`{"thought":true,"text":"Two and two.","thoughtSignature":"c2ln"}`},
		"text-signed":  {`{"text":"Yes."},{"text":"","thoughtSignature":"c2ln"}`},
		"call":         {`{"functionCall":{"name":"exec","args":{"command": "ls"}},"thoughtSignature":"c2ln"}`},
		"call-with-id": {`{"functionCall":{"id":"abc1","name":"exec","args":{"command": "ls"}}`, `"functionResponse":{"id":"abc1","name":"exec"`},
	} {
		body, err := os.ReadFile("testdata/streams/" + stream + ".sse")
		if err != nil {
			t.Fatal(err)
		}
		url := providertest.Serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = w.Write(body)
		})
		c := provider.NewClient()
		t.Cleanup(c.CloseIdleConnections)
		p, err := google.Kind().New(c, provider.Config{ID: "test", BaseURL: url})
		if err != nil {
			t.Fatal(err)
		}
		m := model("gemini-3-pro-preview")
		messages := []llm.Message{{Role: llm.User, Content: llm.Content{llm.Text("x")}}}
		o := providertest.Collect(t.Context(), t, p, llm.Request{Model: m, Messages: messages})
		messages = append(messages, o.Message)
		for _, c := range o.Message.Calls() {
			messages = append(messages, llm.Message{Role: llm.ToolRole, CallID: c.ID, ToolName: c.Name, Content: llm.Content{llm.Text("ok")}})
		}
		raw, _ := sent(t, google.Kind(), provider.Config{}, llm.Request{Model: m, Messages: messages})
		for _, w := range want {
			if !strings.Contains(string(raw), w) {
				t.Errorf("%s: %s\nlacks %s", stream, raw, w)
			}
		}
	}
}

func TestAddress(t *testing.T) {
	t.Parallel()
	user := []llm.Message{{Role: llm.User, Content: llm.Content{llm.Text("x")}}}
	for base, want := range map[string]string{
		"":                "/models/gemini-1:streamGenerateContent",
		"/v1beta/":        "/v1beta/models/gemini-1:streamGenerateContent",
		"/v1beta/openai/": "/v1beta/models/gemini-1:streamGenerateContent",
	} {
		_, r := sent(t, google.Kind(), provider.Config{BaseURL: base}, llm.Request{Model: model("gemini-1"), Messages: user})
		if r.URL.Path != want {
			t.Errorf("base %q: path %s, want %s", base, r.URL.Path, want)
		}
	}
	_, r := sent(t, google.Kind(), provider.Config{APIKey: "ya29.token"}, llm.Request{Model: model("m"), Messages: user})
	if r.Header.Get("Authorization") != "Bearer ya29.token" || r.Header.Get("X-Goog-Api-Key") != "" {
		t.Errorf("a token: header %v", r.Header)
	}
	if _, err := google.Kind().New(http.DefaultClient, provider.Config{ID: "g"}); err == nil {
		t.Error("New without an address: no error")
	}
}

func TestModels(t *testing.T) {
	t.Parallel()
	url := providertest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("pageToken") == "" {
			_, _ = io.WriteString(w, `{"models":[{"name":"models/gemini-1","displayName":"Gemini 1","inputTokenLimit":1000,"outputTokenLimit":100,"thinking":true,"supportedGenerationMethods":["generateContent"]},
				{"name":"models/embedding-1","supportedGenerationMethods":["embedContent"]}],"nextPageToken":"n"}`)
			return
		}
		_, _ = io.WriteString(w, `{"models":[{"name":"models/gemini-2","supportedGenerationMethods":["generateContent"]}]}`)
	})
	c := provider.NewClient()
	t.Cleanup(c.CloseIdleConnections)
	p, err := google.Kind().New(c, provider.Config{ID: "g", BaseURL: url, APIKey: "k"})
	if err != nil {
		t.Fatal(err)
	}
	l, ok := p.(provider.Lister)
	if !ok {
		t.Fatal("no Lister")
	}
	got, err := l.Models(t.Context())
	want := []llm.Model{
		{Provider: "g", ID: "gemini-1", Name: "Gemini 1", API: google.API, ContextWindow: 1000, MaxTokens: 100, Reasoning: true, Input: []string{"text", "image"}},
		{Provider: "g", ID: "gemini-2", API: google.API, Input: []string{"text", "image"}},
	}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("Models: %v (-want +got)\n%s", err, d)
	}
}

func TestEmbed(t *testing.T) {
	t.Parallel()
	url := providertest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/models/e1:batchEmbedContents" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = io.WriteString(w, `{"embeddings":[{"values":[0.5,1]},{"values":[2,3]}]}`)
	})
	c := provider.NewClient()
	t.Cleanup(c.CloseIdleConnections)
	p, err := google.Kind().New(c, provider.Config{ID: "g", BaseURL: url, APIKey: "k"})
	if err != nil {
		t.Fatal(err)
	}
	e, ok := p.(provider.Embedder)
	if !ok {
		t.Fatal("no Embedder")
	}
	got, err := e.Embed(t.Context(), "e1", []string{"a", "b"})
	if d := cmp.Diff([][]float32{{0.5, 1}, {2, 3}}, got); d != "" || err != nil {
		t.Errorf("Embed: %v (-want +got)\n%s", err, d)
	}
	if _, err := e.Embed(t.Context(), "e1", []string{"a"}); err == nil {
		t.Error("two vectors for one text: no error")
	}
}

func FuzzStream(f *testing.F) {
	names, _ := filepath.Glob("testdata/streams/*.sse")
	for _, n := range names {
		raw, err := os.ReadFile(n)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		c := &http.Client{Transport: answers(raw)}
		p, err := google.Kind().New(c, provider.Config{ID: "test", BaseURL: "http://x"})
		if err != nil {
			t.Fatal(err)
		}
		providertest.Collect(t.Context(), t, p, llm.Request{Model: model("m"), Messages: []llm.Message{{Role: llm.User, Content: llm.Content{llm.Text("x")}}}})
	})
}

// answers gives every request the same body.
type answers []byte

func (a answers) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(bytes.NewReader(a))}, nil
}
