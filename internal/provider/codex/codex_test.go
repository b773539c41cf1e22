package codex_test

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
	"github.com/openclaw-go/openclaw/internal/provider/codex"
	"github.com/openclaw-go/openclaw/internal/provider/providertest"
	"github.com/openclaw-go/openclaw/internal/provider/responses"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// token is one like those of a login, for an account.
func token(account string) string {
	enc := base64.RawURLEncoding.EncodeToString
	return enc([]byte(`{"alg":"none"}`)) + "." + enc([]byte(`{"https://api.openai.com/auth":{"chatgpt_account_id":"`+account+`"}}`)) + "." + enc([]byte("signature-of-it"))
}

func TestProvider(t *testing.T) {
	t.Parallel()
	providertest.Run(t, providertest.Suite{
		Kind: codex.Kind(responses.Kind()), Credential: token("acc-1"), Streams: os.DirFS("../responses/testdata/streams"), Plain: "plain",
		Noise: "data: {\"type\":\"response.in_progress\"}\n\n",
	})
}

func TestRequest(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../responses/testdata/streams/plain.sse")
	if err != nil {
		t.Fatal(err)
	}
	for base, want := range map[string]string{
		"":                                   "https://chatgpt.com/backend-api/codex/responses",
		"https://chatgpt.com/backend-api/":   "https://chatgpt.com/backend-api/codex/responses",
		"http://127.0.0.1:1/codex":           "http://127.0.0.1:1/codex/responses",
		"http://127.0.0.1:1/codex/responses": "http://127.0.0.1:1/codex/responses",
	} {
		c := &capture{answer: string(raw)}
		p, err := codex.Kind(responses.Kind()).New(&http.Client{Transport: c}, provider.Config{ID: "openai-codex", BaseURL: base, APIKey: token("acc-1")})
		if err != nil {
			t.Fatal(err)
		}
		req := llm.Request{
			Model:    llm.Model{Provider: "openai-codex", ID: "gpt-5.3-codex", API: codex.API, Reasoning: true, MaxTokens: 100},
			Thinking: "high", Session: "s1", System: "Be brief.",
			Messages: []llm.Message{{Role: llm.User, Content: llm.Content{llm.Text("x")}}},
		}
		o := providertest.Collect(t.Context(), t, p, req)
		if o.Err != nil || c.url != want {
			t.Errorf("asked %s, error %v; want %s", c.url, o.Err, want)
		}
		for k, v := range map[string]string{
			"Chatgpt-Account-Id": "acc-1", "Openai-Beta": "responses=experimental", "Originator": "openclaw", "Session_id": "s1", "Authorization": "Bearer " + token("acc-1"),
		} {
			if c.header.Get(k) != v {
				t.Errorf("header %s = %q, want %q", k, c.header.Get(k), v)
			}
		}
		if c.body["max_output_tokens"] != nil || c.body["instructions"] != "Be brief." || c.body["store"] != false || c.body["prompt_cache_key"] != "s1" {
			t.Errorf("body = %v", c.body)
		}
		if o.Message.API != codex.API || o.Message.Provider != "openai-codex" {
			t.Errorf("answered by %s %s", o.Message.API, o.Message.Provider)
		}
	}
}

func TestWrongToken(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"", "sk-abc", "a.b.c", token("")} {
		_, err := codex.Kind(responses.Kind()).New(http.DefaultClient, provider.Config{ID: "openai-codex", APIKey: key})
		if fault.KindOf(err) != fault.Unauthenticated || !strings.Contains(fault.Hint(err), "models auth login") {
			t.Errorf("New with the key %q: error %v, want one of kind Unauthenticated", key, err)
		}
	}
}

// capture is a transport that keeps the request and answers with a body.
type capture struct {
	header http.Header
	url    string
	body   map[string]any
	answer string
}

func (c *capture) RoundTrip(r *http.Request) (*http.Response, error) {
	c.header, c.url = r.Header, r.URL.String()
	err := json.NewDecoder(r.Body).Decode(&c.body)
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(strings.NewReader(c.answer))}, err
}
