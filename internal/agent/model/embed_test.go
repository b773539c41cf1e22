package model_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/agent/model"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/provider"
	"github.com/openclaw-go/openclaw/internal/provider/google"
	"github.com/openclaw-go/openclaw/internal/provider/ollama"
	"github.com/openclaw-go/openclaw/internal/provider/openai"
)

// transport answers for every host with one vector, and keeps what was asked.
type transport struct{ host, key, model string }

func (tr *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var in struct {
		Model string `json:"model"`
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, err
	}
	tr.host, tr.key, tr.model = r.URL.Host+r.URL.Path, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")+r.Header.Get("X-Goog-Api-Key"), in.Model
	body := `{"data":[{"index":0,"embedding":[1]}],"embeddings":[{"values":[1]}]}`
	if strings.HasSuffix(r.URL.Path, "/api/embed") {
		body = `{"embeddings":[[1]]}`
	}
	return &http.Response{StatusCode: 200, Status: "200 OK", Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

func TestEmbedder(t *testing.T) {
	noKeys(t)
	kinds := []provider.Kind{openai.Kind(), google.Kind(), ollama.Kind()}
	tests := []struct {
		name, conf, ref string
		env             map[string]string
		want            transport // nothing asked: want.model is part of the error
	}{
		{name: "configured", conf: `{"provider":"openai","model":"fake-embed","remote":{"baseUrl":"http://h/v1","apiKey":"k"}}`, env: map[string]string{"OPENAI_API_KEY": "env"}, want: transport{"h/v1/embeddings", "k", "fake-embed"}},
		{name: "a key goes to its own service only", conf: `{"provider":"openai","remote":{"baseUrl":"http://h/v1"}}`, env: map[string]string{"OPENAI_API_KEY": "env"}, want: transport{"h/v1/embeddings", "", "text-embedding-3-small"}},
		{name: "the service's key", conf: `{"provider":"openai"}`, env: map[string]string{"OPENAI_API_KEY": "env"}, want: transport{"api.openai.com/v1/embeddings", "env", "text-embedding-3-small"}},
		{name: "the first with a key", conf: `{}`, env: map[string]string{"VOYAGE_API_KEY": "v", "MISTRAL_API_KEY": "m"}, want: transport{"api.voyageai.com/v1/embeddings", "v", "voyage-4-large"}},
		{name: "mistral", conf: `{"provider":"mistral"}`, env: map[string]string{"MISTRAL_API_KEY": "m"}, want: transport{"api.mistral.ai/v1/embeddings", "m", "mistral-embed"}},
		{name: "gemini", conf: `{"provider":"gemini"}`, env: map[string]string{"GEMINI_API_KEY": "g"}, want: transport{"generativelanguage.googleapis.com/v1beta/models/gemini-embedding-001:batchEmbedContents", "g", ""}},
		{name: "ollama", conf: `{"provider":"ollama"}`, want: transport{"127.0.0.1:11434/api/embed", "", "nomic-embed-text"}},
		{name: "another model", conf: `{"provider":"openai"}`, ref: "text-embedding-3-large", env: map[string]string{"OPENAI_API_KEY": "env"}, want: transport{"api.openai.com/v1/embeddings", "env", "text-embedding-3-large"}},
		{name: "another service", conf: `{"provider":"openai","remote":{"baseUrl":"http://h/v1","apiKey":"k"}}`, ref: "mistral/x", env: map[string]string{"MISTRAL_API_KEY": "m"}, want: transport{"api.mistral.ai/v1/embeddings", "m", "x"}},
		{name: "no key", conf: `{"provider":"voyage"}`, want: transport{model: "set VOYAGE_API_KEY"}},
		{name: "nothing", conf: `{}`, want: transport{model: "no service for embeddings is set up"}},
		{name: "no such service", conf: `{"provider":"openai"}`, ref: "acme/x", want: transport{model: "makes no embeddings here"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for k, v := range tt.env {
				t.Setenv(k, v)
			}
			tr := &transport{}
			c := parse(t, `{"agents":{"defaults":{"memorySearch":`+tt.conf+`}}}`)
			r := model.New(kinds, &http.Client{Transport: tr}, func() *config.Config { return c }, nil, nil)
			e, err := r.Embedder(t.Context(), "main", tt.ref)
			if err != nil {
				if tt.want.host != "" || !strings.Contains(fault.Hint(err), tt.want.model) {
					t.Error(fault.Hint(err))
				}
				return
			}
			vectors, tokens, err := e.Embed(t.Context(), []string{"four tokens, about"})
			if err != nil || len(vectors) != 1 || tokens != 5 {
				t.Fatal(vectors, tokens, err)
			}
			if tr.model != "" {
				tr.model = e.Model
			}
			if *tr != tt.want {
				t.Error(cmp.Diff(tt.want, *tr, cmp.AllowUnexported(transport{})))
			}
		})
	}
}

// An agent's own section replaces the general one.
func TestEmbedderOfAgent(t *testing.T) {
	noKeys(t)
	c := parse(t, `{"agents":{"defaults":{"memorySearch":{"provider":"openai","model":"a","remote":{"baseUrl":"http://h/v1","apiKey":"k"}}},"list":[{"id":"two","memorySearch":{"provider":"ollama","model":"b"}}]}}`)
	r := model.New([]provider.Kind{openai.Kind(), ollama.Kind()}, &http.Client{Transport: &transport{}}, func() *config.Config { return c }, nil, nil)
	for agent, want := range map[string]string{"main": "openai a", "two": "ollama b"} {
		e, err := r.Embedder(t.Context(), id.Agent(agent), "")
		if err != nil || e.Provider+" "+e.Model != want {
			t.Errorf("%s: %s %s, %v", agent, e.Provider, e.Model, err)
		}
	}
}
