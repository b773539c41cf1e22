package responses_test

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

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
	"github.com/openclaw-go/openclaw/internal/provider/providertest"
	"github.com/openclaw-go/openclaw/internal/provider/responses"
)

var update = flag.Bool("update", false, "write the golden files")

func model(id string) llm.Model {
	return llm.Model{Provider: "test", ID: id, API: responses.API, MaxTokens: 4096, Reasoning: true, Input: []string{"text", "image"}}
}

// capture is a transport that keeps the request and answers with a body.
type capture struct {
	body   []byte
	header http.Header
	url    string
	answer string
}

func (c *capture) RoundTrip(r *http.Request) (*http.Response, error) {
	c.header, c.url = r.Header, r.URL.String()
	var err error
	c.body, err = io.ReadAll(r.Body)
	h := http.Header{"Content-Type": {"text/event-stream"}}
	return &http.Response{StatusCode: 200, Header: h, Body: io.NopCloser(strings.NewReader(c.answer))}, err
}

func stream(t testing.TB, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "streams", name+".sse"))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// ask sends req to a service that answers with a recording.
func ask(t *testing.T, recording string, req llm.Request) (llm.Message, map[string]any, *capture) {
	t.Helper()
	c := &capture{answer: stream(t, recording)}
	p, err := responses.New(&http.Client{Transport: c}, provider.Config{ID: "test", BaseURL: "http://127.0.0.1:21001/v1", APIKey: "fake-key", Headers: map[string]string{"x-team": "a"}})
	if err != nil {
		t.Fatal(err)
	}
	o := providertest.Collect(t.Context(), t, p, req)
	if o.Err != nil {
		t.Fatal(o.Err)
	}
	var out map[string]any
	if err := json.Unmarshal(c.body, &out); err != nil {
		t.Fatalf("%v in %s", err, c.body)
	}
	return o.Message, out, c
}

func user(s string) llm.Message {
	return llm.Message{Role: llm.User, Content: llm.Content{llm.Text(s)}}
}

func TestRequest(t *testing.T) {
	t.Parallel()
	own := llm.Message{Role: llm.Assistant, API: responses.API, Provider: "test", Model: "gpt-5.2", Stop: llm.StopTool, Content: llm.Content{
		{Type: llm.ThinkingBlock, Text: "Hm.", Signature: `{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"Hm."}],"encrypted_content":"gAAAA"}`},
		{Type: llm.TextBlock, Text: "Calling tool.", Signature: `{"v":1,"id":"msg_1","phase":"commentary"}`},
		{Type: llm.CallBlock, Call: &llm.Call{ID: "call_1|fc_1", Name: "exec", Args: json.RawMessage(`{"command":"ls"}`)}},
	}}
	other := llm.Message{Role: llm.Assistant, API: "anthropic-messages", Provider: "anthropic", Model: "claude", Content: llm.Content{
		{Type: llm.ThinkingBlock, Text: "secret", Signature: "sig"}, llm.Text("Hello."),
	}}
	req := llm.Request{
		Model: model("gpt-5.2"), System: "Be \"brief\".", Thinking: "minimal", Session: "agent:main:main",
		Messages: []llm.Message{
			user("hi"), other, user("Please\nhelp"), own,
			{Role: llm.ToolRole, CallID: "call_1|fc_1", ToolName: "exec", Content: llm.Content{llm.Text("out"), {Type: llm.ImageBlock, MIME: "image/png", Data: []byte("png")}}},
			{Role: llm.Assistant, Stop: llm.StopError, Error: "x"},
			{Role: llm.User, Content: llm.Content{llm.Text("and this?"), {Type: llm.ImageBlock, MIME: "image/jpeg", Data: []byte("jpeg")}}},
		},
		Tools: []llm.ToolSpec{
			{Name: "read", Description: "Read a file.", Schema: json.RawMessage(`{"type":"object","required":[],"properties":{"path":{"type":"string"}}}`)},
			{Name: "ls"},
		},
	}
	_, got, c := ask(t, "plain", req)
	if c.url != "http://127.0.0.1:21001/v1/responses" || c.header.Get("Authorization") != "Bearer fake-key" || c.header.Get("X-Team") != "a" {
		t.Errorf("url %s, header %v", c.url, c.header)
	}
	raw, err := json.MarshalIndent(got, "", " ")
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
	prefix, _, _ := strings.Cut(string(c.body), `],"tools":`)
	req.Messages = append(req.Messages, user("more"))
	if _, _, c2 := ask(t, "plain", req); !strings.HasPrefix(string(c2.body), prefix) {
		t.Error("a longer conversation doesn't begin with the bytes of the shorter one")
	}
}

// TestThoughtsGoBack: the reasoning of one answer is in the next request, with
// its encrypted content and without an identifier, after a way through the
// transcript's JSON; it goes to no other model.
func TestThoughtsGoBack(t *testing.T) {
	t.Parallel()
	req := llm.Request{Model: model("gpt-5.2"), Messages: []llm.Message{user("hi")}}
	answer, _, _ := ask(t, "reasoning", req)
	raw, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	var kept llm.Message
	if err := json.Unmarshal(raw, &kept); err != nil {
		t.Fatal(err)
	}
	req.Messages = append(req.Messages, kept, user("more"))
	_, got, _ := ask(t, "plain", req)
	want := map[string]any{
		"type": "reasoning", "encrypted_content": "gAAAA-secret",
		"summary": []any{map[string]any{"type": "summary_text", "text": "First."}, map[string]any{"type": "summary_text", "text": "Second."}},
	}
	input, _ := got["input"].([]any)
	if len(input) != 4 || !cmp.Equal(input[1], any(want)) {
		t.Errorf("input = %v, want the second item %v", input, want)
	}
	if got["store"] != false || !cmp.Equal(got["include"], any([]any{"reasoning.encrypted_content"})) || got["previous_response_id"] != nil {
		t.Errorf("store %v, include %v", got["store"], got["include"])
	}
	req.Model = model("gpt-5.1")
	_, got, _ = ask(t, "plain", req)
	if input, _ := got["input"].([]any); len(input) != 3 {
		t.Errorf("another model gets %v, want no reasoning", input)
	}
}

func TestEffort(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ model, level, want string }{
		{"gpt-5", "", ""},
		{"gpt-5.2", "off", "none"},
		{"gpt-5.2-codex", "off", ""},
		{"gpt-5", "minimal", "minimal"},
		{"gpt-5.2", "minimal", "low"},
		{"gpt-5.1", "xhigh", "high"},
		{"openai/gpt-5.4", "xhigh", "xhigh"},
		{"gpt-5.1-codex-max", "xhigh", "xhigh"},
		{"gpt-5.1-codex-mini", "low", "medium"},
		{"o3", "adaptive", "medium"},
	} {
		_, got, _ := ask(t, "plain", llm.Request{Model: model(tt.model), Thinking: tt.level, Messages: []llm.Message{user("x")}})
		r, _ := got["reasoning"].(map[string]any)
		if e, _ := r["effort"].(string); e != tt.want {
			t.Errorf("%s at %q: effort %q, want %q", tt.model, tt.level, e, tt.want)
		}
	}
}

// TestParams: what the configuration says for one model.
func TestParams(t *testing.T) {
	t.Parallel()
	m := model("gpt-4.1")
	m.Reasoning = false
	m.Params = json.RawMessage(`{"serviceTier":"priority","textVerbosity":"low","temperature":0.5,"transport":"sse"}`)
	_, got, _ := ask(t, "plain", llm.Request{Model: m, Thinking: "high", MaxTokens: 1, Messages: []llm.Message{user("x")}})
	if got["service_tier"] != "priority" || got["temperature"] != 0.5 || got["reasoning"] != nil || got["max_output_tokens"] != 16.0 {
		t.Errorf("body = %v", got)
	}
}

func FuzzStream(f *testing.F) {
	for _, name := range []string{"reasoning", "calls-parallel", "call-no-index-no-id", "refusal"} {
		f.Add(stream(f, name))
	}
	f.Fuzz(func(t *testing.T, body string) {
		p, err := responses.New(&http.Client{Transport: &capture{answer: body}}, provider.Config{ID: "test", BaseURL: "http://x/v1"})
		if err != nil {
			t.Fatal(err)
		}
		o := providertest.Collect(t.Context(), t, p, llm.Request{Model: model("m"), Messages: []llm.Message{user("x")}})
		for _, c := range o.Message.Calls() {
			if !json.Valid(c.Args) {
				t.Fatalf("arguments %q aren't JSON", c.Args)
			}
		}
	})
}
