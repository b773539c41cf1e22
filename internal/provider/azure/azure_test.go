package azure_test

import (
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
	"github.com/openclaw-go/openclaw/internal/provider/azure"
	"github.com/openclaw-go/openclaw/internal/provider/providertest"
	"github.com/openclaw-go/openclaw/internal/provider/responses"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestProvider(t *testing.T) {
	t.Parallel()
	providertest.Run(t, providertest.Suite{
		Kind: azure.Kind(responses.Kind()), Streams: os.DirFS("../responses/testdata/streams"), Plain: "plain",
		Noise: "data: {\"type\":\"response.in_progress\"}\n\n",
	})
}

func TestAddress(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ base, version, want string }{
		{"https://r.openai.azure.com", "", "https://r.openai.azure.com/openai/v1/responses?api-version=v1"},
		{"https://r.openai.azure.com/openai/v1/", "", "https://r.openai.azure.com/openai/v1/responses?api-version=v1"},
		{"https://r.openai.azure.com/openai?api-version=2025-04-01-preview", "", "https://r.openai.azure.com/openai/responses?api-version=2025-04-01-preview"},
		{"https://r.openai.azure.com", "preview", "https://r.openai.azure.com/openai/v1/responses?api-version=preview"},
		{"https://{AZURE_OPENAI_RESOURCE_NAME}.openai.azure.com", "", ""},
		{"", "", ""},
	} {
		c := &capture{answer: answer(t)}
		p, err := azure.Kind(responses.Kind()).New(&http.Client{Transport: c}, provider.Config{
			ID: "test", BaseURL: tt.base, APIKey: "k1",
			Getenv: func(n string) string {
				return map[string]string{"AZURE_OPENAI_API_VERSION": tt.version, "AZURE_OPENAI_DEPLOYMENT_NAME_MAP": "a=b, gpt-5.2=mine"}[n]
			},
		})
		if tt.want == "" {
			if fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.Hint(err), "AZURE_OPENAI_RESOURCE_NAME") {
				t.Errorf("New with %q: error %v, want one of kind Invalid", tt.base, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		o := providertest.Collect(t.Context(), t, p, llm.Request{Model: llm.Model{Provider: "test", ID: "gpt-5.2", API: azure.API}, Messages: []llm.Message{{Role: llm.User, Content: llm.Content{llm.Text("x")}}}})
		if o.Err != nil || c.url != tt.want || c.header.Get("Api-Key") != "k1" {
			t.Errorf("asked %s with %v, error %v; want %s", c.url, c.header, o.Err, tt.want)
		}
		if c.model != "mine" || o.Message.Model != "gpt-5.2" {
			t.Errorf("asked for %s, answered by %s; want the deployment mine, and gpt-5.2", c.model, o.Message.Model)
		}
	}
}

func answer(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile("../responses/testdata/streams/plain.sse")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// capture is a transport that keeps the request and answers with a body.
type capture struct {
	header     http.Header
	url, model string
	answer     string
}

func (c *capture) RoundTrip(r *http.Request) (*http.Response, error) {
	c.header, c.url = r.Header, r.URL.String()
	var body struct{ Model string }
	err := json.NewDecoder(r.Body).Decode(&body)
	c.model = body.Model
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(strings.NewReader(c.answer))}, err
}
