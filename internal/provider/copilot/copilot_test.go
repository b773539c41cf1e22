package copilot_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
	"github.com/openclaw-go/openclaw/internal/provider/anthropic"
	"github.com/openclaw-go/openclaw/internal/provider/copilot"
	"github.com/openclaw-go/openclaw/internal/provider/openai"
	"github.com/openclaw-go/openclaw/internal/provider/providertest"
	"github.com/openclaw-go/openclaw/internal/provider/responses"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func kind() provider.Kind { return copilot.Kind(openai.Kind(), responses.Kind(), anthropic.Kind()) }

func TestProvider(t *testing.T) {
	t.Parallel()
	providertest.Run(t, providertest.Suite{
		Kind:       provider.Kind{ID: openai.API, New: kind().New}, // a message carries the format of its model's maker
		Credential: "tid=1;exp=9999999999;secret-of-copilot",
		Streams:    os.DirFS("../openai/testdata/streams"), Plain: "plain", Noise: ": ping\n\n",
	})
}

// github is GitHub and Copilot behind one transport.
type github struct {
	exchanges atomic.Int32
	refuse    atomic.Int32 // so many of Copilot's tokens
	life      time.Duration

	mu   sync.Mutex
	seen []*http.Request
	body []map[string]any
}

func (g *github) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := func(status int, kind, body string) (*http.Response, error) {
		return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(strings.NewReader(body))}, nil
	}
	if strings.HasSuffix(r.URL.Path, "/copilot_internal/v2/token") {
		if r.Header.Get("Authorization") != "Bearer gho_login" {
			return answer(http.StatusUnauthorized, "application/json", `{"message":"Bad credentials"}`)
		}
		n := g.exchanges.Add(1)
		return answer(http.StatusOK, "application/json", fmt.Sprintf(`{"token":"tid=%d;exp=1;proxy-ep=proxy.business.githubcopilot.com;x","expires_at":%d}`, n, time.Now().Add(g.life).Unix()))
	}
	if r.Method == http.MethodGet {
		return answer(http.StatusOK, "application/json", `{"data":[{"id":"gpt-4o","name":"GPT-4o","capabilities":{"type":"chat","limits":{"max_context_window_tokens":64000},"supports":{"vision":true}}},{"id":"emb","capabilities":{"type":"embeddings"}}]}`)
	}
	if g.refuse.Add(-1) >= 0 {
		return answer(http.StatusUnauthorized, "text/plain", "token expired")
	}
	var body map[string]any
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		return nil, err
	}
	g.mu.Lock()
	g.seen, g.body = append(g.seen, r), append(g.body, body)
	g.mu.Unlock()
	dir := map[string]string{"/chat/completions": "openai", "/responses": "responses", "/v1/messages": "anthropic"}[r.URL.Path]
	raw, err := os.ReadFile("../" + dir + "/testdata/streams/plain.sse")
	if err != nil {
		return answer(http.StatusNotFound, "text/plain", "")
	}
	return answer(http.StatusOK, "text/event-stream", string(raw))
}

func open(t *testing.T, g *github, cfg provider.Config) provider.Provider {
	t.Helper()
	cfg.ID = "github-copilot"
	p, err := kind().New(&http.Client{Transport: g}, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func request(model string, ms ...llm.Message) llm.Request {
	if len(ms) == 0 {
		ms = []llm.Message{{Role: llm.User, Content: llm.Content{llm.Text("x")}}}
	}
	return llm.Request{Model: llm.Model{Provider: "github-copilot", ID: model, API: copilot.API, Input: []string{"text", "image"}}, Messages: ms}
}

func TestFormats(t *testing.T) {
	t.Parallel()
	g := &github{life: time.Hour}
	p := open(t, g, provider.Config{APIKey: "gho_login"})
	picture := llm.Message{Role: llm.ToolRole, CallID: "c", Content: llm.Content{{Type: llm.ImageBlock, MIME: "image/png", Data: []byte("x")}}}
	call := llm.Message{Role: llm.Assistant, Content: llm.Content{{Type: llm.CallBlock, Call: &llm.Call{ID: "c", Name: "look", Args: json.RawMessage("{}")}}}}
	for i, tt := range []struct {
		req                          llm.Request
		url, api, initiator, picture string
	}{
		{request("gpt-4o"), "https://api.business.githubcopilot.com/chat/completions", openai.API, "user", ""},
		{request("gpt-5.2-codex", call, picture), "https://api.business.githubcopilot.com/responses", responses.API, "agent", "true"},
		{request("claude-sonnet-4.5"), "https://api.business.githubcopilot.com/v1/messages", anthropic.API, "user", ""},
	} {
		o := providertest.Collect(t.Context(), t, p, tt.req)
		if o.Err != nil || o.Text == "" || o.Message.API != tt.api || o.Message.Provider != "github-copilot" {
			t.Fatalf("%s: %+v", tt.req.Model.ID, o)
		}
		r := g.seen[i]
		if r.URL.String() != tt.url || r.Header.Get("X-Initiator") != tt.initiator || r.Header.Get("Copilot-Vision-Request") != tt.picture {
			t.Errorf("%s: asked %s with %v", tt.req.Model.ID, r.URL, r.Header)
		}
		if !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer tid=1;") || r.Header.Get("X-Api-Key") != "" || r.Header.Get("Copilot-Integration-Id") != "vscode-chat" || r.Header.Get("Editor-Version") == "" {
			t.Errorf("%s: header %v", tt.req.Model.ID, r.Header)
		}
	}
	if n := g.exchanges.Load(); n != 1 {
		t.Errorf("%d exchanges of the login, want 1", n)
	}
	models, err := p.(provider.Lister).Models(t.Context())
	if err != nil || len(models) != 1 || models[0].ContextWindow != 64000 || !provider.Accepts(models[0]) {
		t.Errorf("models = %+v, %v", models, err)
	}
}

// TestTokens: one exchange serves all that wait, a short-lived token is
// exchanged for the next request, a refused one once.
func TestTokens(t *testing.T) {
	t.Parallel()
	g := &github{life: time.Hour}
	p := open(t, g, provider.Config{APIKey: "gho_login"})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for _, err := range p.Stream(t.Context(), request("gpt-4o")) {
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if n := g.exchanges.Load(); n != 1 {
		t.Errorf("%d exchanges for eight requests at once, want 1", n)
	}
	g.refuse.Store(1)
	if o := providertest.Collect(t.Context(), t, p, request("gpt-4o")); o.Err != nil || g.exchanges.Load() != 2 {
		t.Errorf("a refused token: error %v, %d exchanges", o.Err, g.exchanges.Load())
	}
	g.refuse.Store(10)
	if o := providertest.Collect(t.Context(), t, p, request("gpt-4o")); fault.KindOf(o.Err) != fault.Unauthenticated || g.exchanges.Load() != 3 {
		t.Errorf("tokens refused for ever: error %v, %d exchanges", o.Err, g.exchanges.Load())
	}
	short := &github{life: time.Minute}
	p = open(t, short, provider.Config{APIKey: "gho_login"})
	for range 2 {
		providertest.Collect(t.Context(), t, p, request("gpt-4o"))
	}
	if n := short.exchanges.Load(); n != 2 {
		t.Errorf("%d exchanges with tokens of a minute, want 2", n)
	}
	if o := providertest.Collect(t.Context(), t, open(t, g, provider.Config{APIKey: "gho_old"}), request("gpt-4o")); fault.KindOf(o.Err) != fault.Unauthenticated {
		t.Errorf("an old login: error %v", o.Err)
	}
	if _, err := kind().New(http.DefaultClient, provider.Config{ID: "github-copilot"}); !strings.Contains(fault.Hint(err), "login-github-copilot") {
		t.Errorf("no login: error %v", err)
	}
}
