package anthropic_test

import (
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
	"github.com/openclaw-go/openclaw/internal/provider/anthropic"
	"github.com/openclaw-go/openclaw/internal/provider/providertest"
)

var update = flag.Bool("update", false, "write the golden files")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestProvider(t *testing.T) {
	t.Parallel()
	providertest.Run(t, providertest.Suite{
		Kind: anthropic.Kind(), Streams: os.DirFS("testdata/streams"), Plain: "plain",
		Noise: "event: ping\ndata: {\"type\":\"ping\"}\n\n",
	})
}

func model() llm.Model {
	return llm.Model{Provider: "test", ID: "claude-1", API: anthropic.API, MaxTokens: 4000, Reasoning: true, Input: []string{"text", "image"}}
}

// sent returns what req looks like on the wire.
func sent(t *testing.T, cfg provider.Config, req llm.Request) (map[string]any, http.Header, string) {
	t.Helper()
	var body []byte
	var header http.Header
	var path string
	cfg.BaseURL = providertest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		header, path = r.Header, r.URL.Path
		_, _ = io.WriteString(w, `{"type":"message","content":[{"type":"text","text":"ok"}],"stop_reason":"end_turn"}`)
	}) + cfg.BaseURL
	cfg.ID = "test"
	c := provider.NewClient()
	t.Cleanup(c.CloseIdleConnections)
	p, err := anthropic.New(c, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if o := providertest.Collect(t.Context(), t, p, req); o.Err != nil {
		t.Fatal(o.Err)
	}
	var out map[string]any
	if err := json.Unmarshal(body, &out); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return out, header, path
}

func history() []llm.Message {
	own := func(c ...llm.Block) llm.Message {
		return llm.Message{Role: llm.Assistant, API: anthropic.API, Provider: "test", Model: "claude-1", Stop: llm.StopTool, Content: c}
	}
	call := func(id, cmd string) llm.Block {
		return llm.Block{Type: llm.CallBlock, Call: &llm.Call{ID: id, Name: "exec", Args: json.RawMessage(`{"command":"` + cmd + `"}`)}}
	}
	return []llm.Message{
		{Role: llm.Assistant, Content: llm.Content{llm.Text("Left over from before.")}},
		{Role: llm.User, Content: llm.Content{llm.Text("look"), {Type: llm.ImageBlock, MIME: "image/png", Data: []byte("png")}}},
		own(llm.Block{Type: llm.ThinkingBlock, Text: "hm", Signature: "sig"}, llm.Block{Type: llm.ThinkingBlock, Signature: "redacted_thinking:c2Vj"},
			llm.Text("Both."), call("toolu_1", "a"), call("functions.exec:0", "b")),
		{Role: llm.ToolRole, CallID: "toolu_1", ToolName: "exec", Content: llm.Content{llm.Text("out a")}},
		{Role: llm.ToolRole, CallID: "functions.exec:0", ToolName: "exec", IsError: true, Content: llm.Content{llm.Text("")}},
		{Role: llm.User, Content: llm.Content{llm.Text("and be quick")}},
		{Role: llm.Assistant, Provider: "other", Model: "x", Content: llm.Content{{Type: llm.ThinkingBlock, Text: "foreign", Signature: "no"}, llm.Text("Fine.")}},
		{Role: llm.Assistant, Provider: "test", Stop: llm.StopError, Error: "x"},
		{Role: llm.User, Content: llm.Content{llm.Text("thanks")}},
	}
}

func TestRequest(t *testing.T) {
	t.Parallel()
	req := llm.Request{
		Model: model(), System: "Be brief.", Messages: history(), Thinking: "low",
		Tools: []llm.ToolSpec{{Name: "ls"}, {Name: "exec", Description: "Run it.", Schema: json.RawMessage(`{"type":"object"}`)}},
	}
	got, header, path := sent(t, provider.Config{APIKey: "sk-1"}, req)
	if header.Get("X-Api-Key") != "sk-1" || header.Get("Anthropic-Version") != "2023-06-01" || header.Get("Authorization") != "" || path != "/v1/messages" {
		t.Errorf("path %s, header %v", path, header)
	}
	raw, err := json.MarshalIndent(got, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "request.golden.json")
	if *update {
		if err := os.WriteFile(golden, append(raw, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.TrimSpace(string(want)), string(raw)); d != "" {
		t.Errorf("request (-want +got), -update writes it:\n%s", d)
	}
	if n := strings.Count(string(raw), "cache_control"); n != 4 {
		t.Errorf("%d cache marks, want 4", n)
	}
}

func TestCredentials(t *testing.T) {
	t.Parallel()
	req := llm.Request{Model: model(), Messages: []llm.Message{{Role: llm.User, Content: llm.Content{llm.Text("x")}}}}
	_, h, path := sent(t, provider.Config{APIKey: "sk-ant-oat-1", BaseURL: "/v1/"}, req)
	if h.Get("Authorization") != "Bearer sk-ant-oat-1" || h.Get("X-Api-Key") != "" || path != "/v1/messages" {
		t.Errorf("OAuth: path %s, header %v", path, h)
	}
	_, h, _ = sent(t, provider.Config{APIKey: "k", Raw: json.RawMessage(`{"authHeader":true}`), Headers: map[string]string{"x-extra": "1"}}, req)
	if h.Get("Authorization") != "Bearer k" || h.Get("X-Extra") != "1" {
		t.Errorf("authHeader: header %v", h)
	}
}

func TestThinking(t *testing.T) {
	t.Parallel()
	user := llm.Message{Role: llm.User, Content: llm.Content{llm.Text("x")}}
	m46 := model()
	m46.ID = "claude-opus-4-6"
	for name, tt := range map[string]struct {
		req  llm.Request
		want string
	}{
		"off":      {llm.Request{Model: model(), Thinking: "off"}, `null`},
		"low":      {llm.Request{Model: model(), Thinking: "low"}, `{"budget_tokens":2048,"type":"enabled"}`},
		"bounded":  {llm.Request{Model: model(), Thinking: "high"}, `{"budget_tokens":2976,"type":"enabled"}`},
		"adaptive": {llm.Request{Model: m46, Thinking: "high"}, `{"type":"adaptive"}`},
		"in a turn without thoughts": {llm.Request{Model: model(), Thinking: "low", Messages: []llm.Message{
			user, {Role: llm.Assistant, Content: llm.Content{{Type: llm.CallBlock, Call: &llm.Call{ID: "1", Name: "t"}}}}, {Role: llm.ToolRole, CallID: "1"},
		}}, `null`},
	} {
		if tt.req.Messages == nil {
			tt.req.Messages = []llm.Message{user}
		}
		body, _, _ := sent(t, provider.Config{}, tt.req)
		got, _ := json.Marshal(body["thinking"])
		if string(got) != tt.want {
			t.Errorf("%s: thinking %s, want %s", name, got, tt.want)
		}
	}
}

// TestThoughtsGoBack: what came is sent back unchanged in the next request.
func TestThoughtsGoBack(t *testing.T) {
	t.Parallel()
	stream, err := os.ReadFile("testdata/streams/thinking.sse")
	if err != nil {
		t.Fatal(err)
	}
	url := providertest.Serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write(stream)
	})
	c := provider.NewClient()
	t.Cleanup(c.CloseIdleConnections)
	p, err := anthropic.New(c, provider.Config{ID: "test", BaseURL: url})
	if err != nil {
		t.Fatal(err)
	}
	user := llm.Message{Role: llm.User, Content: llm.Content{llm.Text("x")}}
	o := providertest.Collect(t.Context(), t, p, llm.Request{Model: model(), Messages: []llm.Message{user}})
	body, _, _ := sent(t, provider.Config{}, llm.Request{Model: model(), Messages: []llm.Message{user, o.Message, user}})
	raw, _ := json.Marshal(body["messages"])
	if !strings.Contains(string(raw), `{"signature":"c2ln","thinking":"hm hm","type":"thinking"}`) {
		t.Errorf("messages: %s", raw)
	}
}

func BenchmarkStream(b *testing.B) {
	raw, err := os.ReadFile("testdata/streams/plain.sse")
	if err != nil {
		b.Fatal(err)
	}
	piece := "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"tok \"}}\n\n"
	body := strings.Replace(string(raw), "event: content_block_stop", strings.Repeat(piece, 197)+"event: content_block_stop", 1)
	p, err := anthropic.New(&http.Client{Transport: canned(body)}, provider.Config{ID: "test", BaseURL: "http://x"})
	if err != nil {
		b.Fatal(err)
	}
	req := llm.Request{Model: model(), Messages: []llm.Message{{Role: llm.User, Content: llm.Content{llm.Text("x")}}}}
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range p.Stream(b.Context(), req) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

// canned answers every request with a body.
type canned string

func (c canned) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(strings.NewReader(string(c)))}, nil
}
