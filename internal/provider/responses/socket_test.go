package responses_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
	"github.com/openclaw-go/openclaw/internal/provider/providertest"
	"github.com/openclaw-go/openclaw/internal/provider/responses"
)

// overSocket returns a service that answers over a WebSocket with a recording.
func overSocket(t *testing.T, name string, asked chan<- map[string]any) string {
	t.Helper()
	body := stream(t, name)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return // it has been answered
		}
		defer func() { _ = c.CloseNow() }() // over either way
		_, raw, err := c.Read(r.Context())
		var got map[string]any
		if err != nil || json.Unmarshal(raw, &got) != nil {
			return
		}
		got["beta"] = r.Header.Get("Openai-Beta")
		got["key"] = r.Header.Get("Authorization")
		asked <- got
		for block := range strings.SplitSeq(body, "\n\n") {
			if _, data, ok := strings.Cut(block, "data: "); ok {
				if c.Write(r.Context(), websocket.MessageText, []byte(data)) != nil {
					return
				}
			}
		}
		if name != "cut" {
			_, _, _ = c.Read(r.Context()) // until the client goes
		}
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

func socketRequest(transport string) llm.Request {
	m := model("gpt-5.2")
	m.Params = json.RawMessage(`{"transport":"` + transport + `"}`)
	return llm.Request{Model: m, Messages: []llm.Message{user("hi")}}
}

func openAt(t *testing.T, url string) provider.Provider {
	t.Helper()
	c := provider.NewClient()
	t.Cleanup(c.CloseIdleConnections)
	p, err := responses.New(c, provider.Config{ID: "test", BaseURL: url, APIKey: providertest.Key})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestSocket(t *testing.T) {
	t.Parallel()
	asked := make(chan map[string]any, 1) // one request
	p := openAt(t, overSocket(t, "reasoning", asked))
	o := providertest.Collect(t.Context(), t, p, socketRequest("websocket"))
	if o.Err != nil || o.Text != "Yes" || o.Thinking != "First.\n\nSecond." || o.Message.Usage.CacheRead != 900 {
		t.Fatalf("outcome = %+v", o)
	}
	got := <-asked
	if got["type"] != "response.create" || got["model"] != "gpt-5.2" || got["beta"] != "responses_websockets=2026-02-06" || got["key"] != "Bearer "+providertest.Key {
		t.Errorf("asked %v", got)
	}
	asked = make(chan map[string]any, 1)
	o = providertest.Collect(t.Context(), t, openAt(t, overSocket(t, "cut", asked)), socketRequest("websocket"))
	if o.Err == nil {
		t.Error("a socket that ends early gave an answer")
	}
}

// TestSocketFallback: "auto" asks over plain HTTP when there is no socket, but
// not when the key was refused; "websocket" says what is wrong.
func TestSocketFallback(t *testing.T) {
	t.Parallel()
	plain, err := os.ReadFile("testdata/streams/plain.sse")
	if err != nil {
		t.Fatal(err)
	}
	url := providertest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			http.Error(w, "no sockets here", http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write(bytes.Clone(plain)) // the client may have gone
	})
	if o := providertest.Collect(t.Context(), t, openAt(t, url), socketRequest("auto")); o.Err != nil || o.Text != "Hello big world" {
		t.Errorf("auto: %+v", o)
	}
	if o := providertest.Collect(t.Context(), t, openAt(t, url), socketRequest("websocket")); fault.KindOf(o.Err) != fault.NotFound {
		t.Errorf("websocket: error %v, want one of kind NotFound", o.Err)
	}
	refusing := providertest.Serve(t, func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error":{"message":"bad key"}}`, http.StatusUnauthorized)
	})
	if o := providertest.Collect(t.Context(), t, openAt(t, refusing), socketRequest("auto")); fault.KindOf(o.Err) != fault.Unauthenticated {
		t.Errorf("bad key: error %v, want one of kind Unauthenticated", o.Err)
	}
}
