package anthropic_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
	"github.com/openclaw-go/openclaw/internal/provider/anthropic"
	"github.com/openclaw-go/openclaw/internal/provider/providertest"
)

// keeper keeps the request and answers with a recording.
type keeper struct {
	header http.Header
	body   string
	answer string
}

func (k *keeper) RoundTrip(r *http.Request) (*http.Response, error) {
	raw, err := io.ReadAll(r.Body)
	k.header, k.body = r.Header, string(raw)
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(strings.NewReader(k.answer))}, err
}

// TestOptions: features by name go to Anthropic only, the lifetime of what is
// kept and the tier are the model's parameters, and a subscription has neither.
func TestOptions(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/streams/plain.sse")
	if err != nil {
		t.Fatal(err)
	}
	const home, proxy = "https://api.anthropic.com", "https://proxy.example.com"
	for _, tt := range []struct {
		name, base, key, model, params, section string
		betas                                   string
		in, out                                 []string // of the body
	}{
		{"plain", home, "sk-ant-api-1", "claude-sonnet-4-5", "", "", "fine-grained-tool-streaming-2025-05-14,interleaved-thinking-2025-05-14", []string{`"cache_control":{"type":"ephemeral"}`}, []string{"service_tier"}},
		{"adaptive", home, "sk-ant-api-1", "claude-opus-4-6", "", "", "fine-grained-tool-streaming-2025-05-14", nil, nil},
		{"million", home, "sk-ant-api-1", "claude-opus-4-6", `{"context1m":true,"serviceTier":"auto"}`, "", "fine-grained-tool-streaming-2025-05-14,context-1m-2025-08-07", []string{`"service_tier":"auto"`}, nil},
		{"million of another", home, "sk-ant-api-1", "claude-haiku-4-5", `{"context1m":true}`, "", "fine-grained-tool-streaming-2025-05-14,interleaved-thinking-2025-05-14", nil, nil},
		{"long", home, "sk-ant-api-1", "claude-opus-4-6", `{"cacheRetention":"long"}`, "", "extended-cache-ttl-2025-04-11,fine-grained-tool-streaming-2025-05-14", []string{`"ttl":"1h"`}, nil},
		{"none", home, "sk-ant-api-1", "claude-opus-4-6", `{"cacheRetention":"none"}`, "", "fine-grained-tool-streaming-2025-05-14", nil, []string{"cache_control"}},
		{"login", home, "sk-ant-oat01-x", "claude-opus-4-6", `{"context1m":true,"serviceTier":"auto","cacheRetention":"long"}`, "", "claude-code-20250219,oauth-2025-04-20,fine-grained-tool-streaming-2025-05-14", nil, []string{"service_tier", "1h"}},
		{"own names", home, "sk-ant-api-1", "claude-opus-4-6", `{"anthropicBeta":"a-1, b-2"}`, "", "fine-grained-tool-streaming-2025-05-14,a-1,b-2", nil, nil},
		{"proxy", proxy, "sk-ant-api-1", "claude-opus-4-6", `{"context1m":true,"cacheRetention":"long"}`, "", "", []string{`"ephemeral"`}, []string{"1h"}},
		{"tools as OpenAI's", proxy, "k", "m", "", `{"models":[{"id":"m","compat":{"requiresOpenAiAnthropicToolPayload":true}}]}`, "", []string{`"tools":[{"type":"function","function":{"name":"ls","parameters":{`}, []string{"input_schema"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			k := &keeper{answer: string(raw)}
			p, err := anthropic.New(&http.Client{Transport: k}, provider.Config{ID: "test", BaseURL: tt.base, APIKey: tt.key, Raw: json.RawMessage(tt.section)})
			if err != nil {
				t.Fatal(err)
			}
			o := providertest.Collect(t.Context(), t, p, llm.Request{
				Model: llm.Model{Provider: "test", ID: tt.model, API: anthropic.API, Params: json.RawMessage(tt.params)}, System: "Be brief.",
				Tools: []llm.ToolSpec{{Name: "ls"}}, Messages: []llm.Message{{Role: llm.User, Content: llm.Content{llm.Text("x")}}},
			})
			if o.Err != nil {
				t.Fatal(o.Err)
			}
			if got := k.header.Get("Anthropic-Beta"); got != tt.betas {
				t.Errorf("features %q, want %q", got, tt.betas)
			}
			for _, s := range tt.in {
				if !strings.Contains(k.body, s) {
					t.Errorf("the body lacks %s: %s", s, k.body)
				}
			}
			for _, s := range tt.out {
				if strings.Contains(k.body, s) {
					t.Errorf("the body holds %s: %s", s, k.body)
				}
			}
		})
	}
	p, err := anthropic.New(&http.Client{Transport: &keeper{}}, provider.Config{ID: "test", BaseURL: home})
	if err != nil {
		t.Fatal(err)
	}
	o := providertest.Collect(t.Context(), t, p, llm.Request{Model: llm.Model{Provider: "test", ID: "m", Params: json.RawMessage(`{"context1m":"yes"}`)}})
	if fault.KindOf(o.Err) != fault.Invalid || !strings.Contains(fault.Hint(o.Err), "agents.defaults.models.test/m.params") {
		t.Errorf("params of another form: error %v", o.Err)
	}
}
