package openai_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"

	"github.com/openclaw-go/openclaw/internal/agent"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/gateway/openai"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type do = func(context.Context, msg.Inbound, func(string)) (openai.Answer, error)

func serve(t testing.TB, d do) *httptest.Server {
	t.Helper()
	return serveWith(t, openai.Options{Do: d})
}

// conf has two agents and all endpoints on.
func conf() *config.Config {
	c := &config.Config{}
	c.Agents.List = []config.Agent{{ID: "main"}, {ID: "second"}}
	c.Gateway.HTTP.Endpoints.ChatCompletions.Enabled = true
	c.Gateway.HTTP.Endpoints.Responses.Enabled = true
	return c
}

func serveWith(t testing.TB, o openai.Options) *httptest.Server {
	t.Helper()
	if o.Config == nil {
		c := conf()
		o.Config = func() *config.Config { return c }
	}
	f := openai.Feature(o)
	mux := http.NewServeMux()
	for _, r := range f.Routes {
		mux.Handle(r.Pattern, r.Handler)
	}
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return srv
}

func post(t testing.TB, url, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	return postTo(t, url+"/v1/chat/completions", body, headers...)
}

func postTo(t testing.TB, url, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range headers {
		k, v, _ := strings.Cut(h, ": ")
		req.Header.Set(k, v)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(raw)
}

// hello answers word by word.
func hello(_ context.Context, _ msg.Inbound, delta func(string)) (openai.Answer, error) {
	for _, w := range []string{"Hello", " from", " \"here\"\n"} {
		delta(w)
	}
	return openai.Answer{Text: "Hello from \"here\"\n", Usage: llm.Usage{Input: 11, CacheRead: 4, Output: 7}}, nil
}

var vary = regexp.MustCompile(`chatcmpl_[0-9a-f-]{36}|"created":\d+`)

func steady(s string) string {
	return vary.ReplaceAllStringFunc(s, func(m string) string {
		if strings.HasPrefix(m, "chatcmpl_") {
			return "ID"
		}
		return `"created":0`
	})
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	_, body := post(t, serve(t, hello).URL, `{"model":"openclaw:second","messages":[{"role":"user","content":"Say hello"}]}`)
	want := `{"id":"ID","object":"chat.completion","created":0,"model":"openclaw:second","choices":[{"index":0,"message":{"role":"assistant","content":"Hello from \"here\"\n"},"finish_reason":"stop"}],"usage":{"prompt_tokens":15,"completion_tokens":7,"total_tokens":22,"input_tokens":15,"output_tokens":7}}`
	if diff := cmp.Diff(want, steady(body)); diff != "" {
		t.Error(diff)
	}
}

func TestStream(t *testing.T) {
	t.Parallel()
	res, body := post(t, serve(t, hello).URL, `{"model":"openclaw","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"Say hello"}]}`)
	const head = `data: {"id":"ID","object":"chat.completion.chunk","created":0,"model":"openclaw","choices":[`
	want := strings.Join([]string{
		head + `{"index":0,"delta":{"role":"assistant"}}]}`,
		head + `{"index":0,"delta":{"content":"Hello"},"finish_reason":null}]}`,
		head + `{"index":0,"delta":{"content":" from"},"finish_reason":null}]}`,
		head + `{"index":0,"delta":{"content":" \"here\"\n"},"finish_reason":null}]}`,
		head + `{"index":0,"delta":{},"finish_reason":"stop"}]}`,
		head + `],"usage":{"prompt_tokens":15,"completion_tokens":7,"total_tokens":22,"input_tokens":15,"output_tokens":7}}`,
		"data: [DONE]", "",
	}, "\n\n")
	if diff := cmp.Diff(want, steady(body)); diff != "" {
		t.Error(diff)
	}
	if got := res.Header.Get("Content-Type"); got != "text/event-stream; charset=utf-8" {
		t.Errorf("content type %s", got)
	}
}

func TestSilentAnswer(t *testing.T) {
	t.Parallel()
	srv := serve(t, func(context.Context, msg.Inbound, func(string)) (openai.Answer, error) {
		return openai.Answer{Stop: "length"}, nil
	})
	_, body := post(t, srv.URL, `{"messages":[{"role":"user","content":"x"}]}`)
	if !strings.Contains(body, `"content":"No response from OpenClaw."},"finish_reason":"length"`) {
		t.Error(body)
	}
	_, body = post(t, srv.URL, `{"stream":true,"messages":[{"role":"user","content":"x"}]}`)
	if !strings.Contains(body, `"delta":{"content":"No response from OpenClaw."}`) {
		t.Error(body)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		err    error
		status int
		want   string
	}{
		{fault.New(fault.Unauthenticated, "p", "401 fake bad key"), 502, `{"error":{"message":"401 fake bad key","type":"api_error","code":"upstream_auth"}}`},
		{fault.New(fault.RateLimited, "p", "slow down"), 429, `{"error":{"message":"slow down","type":"rate_limit_error"}}`},
		{fault.New(fault.Unavailable, "p", "down"), 503, `{"error":{"message":"down","type":"api_error"}}`},
		{fault.New(fault.Timeout, "p", "late"), 504, `{"error":{"message":"late","type":"api_error"}}`},
		{fault.New(fault.Invalid, "p", "no such agent"), 400, `{"error":{"message":"no such agent","type":"invalid_request_error"}}`},
		{&agent.Aborted{Origin: "timeout"}, 504, `{"error":{"message":"The run took longer than agents.defaults.timeoutSeconds allows.","type":"api_error","code":"timeout"}}`},
		{fault.New(fault.Canceled, "p", ""), 503, `{"error":{"message":"The run was stopped.","type":"api_error","code":"aborted"}}`},
		{errors.New("/secret/path"), 500, `{"error":{"message":"internal error","type":"api_error"}}`},
	}
	for _, tt := range tests {
		srv := serve(t, func(context.Context, msg.Inbound, func(string)) (openai.Answer, error) {
			return openai.Answer{}, tt.err
		})
		for _, stream := range []string{"false", "true"} {
			res, body := post(t, srv.URL, `{"stream":`+stream+`,"messages":[{"role":"user","content":"x"}]}`)
			if res.StatusCode != tt.status || body != tt.want {
				t.Errorf("%v, stream %s: %d %s, want %d %s", tt.err, stream, res.StatusCode, body, tt.status, tt.want)
			}
		}
	}
	srv := serve(t, func(_ context.Context, _ msg.Inbound, delta func(string)) (openai.Answer, error) {
		delta("half")
		return openai.Answer{}, fault.New(fault.Unavailable, "p", "cut")
	})
	_, body := post(t, srv.URL, `{"stream":true,"messages":[{"role":"user","content":"x"}]}`)
	if !strings.HasSuffix(body, "data: {\"error\":{\"message\":\"cut\",\"type\":\"api_error\"}}\n\ndata: [DONE]\n\n") {
		t.Errorf("in mid-stream: %s", body)
	}
}

func TestBadRequests(t *testing.T) {
	t.Parallel()
	srv := serve(t, hello)
	const missing = "Missing user message in `messages`."
	const image = "Invalid image_url content in `messages`."
	tests := []struct{ name, body, header, want string }{
		{"bad json", `{nope`, "", "The body isn't valid JSON."},
		{"empty", ``, "", missing},
		{"no messages", `{"model":"openclaw"}`, "", missing},
		{"only system", `{"messages":[{"role":"system","content":"x"}]}`, "", missing},
		{"other case", `{"Messages":[{"role":"user","content":"x"}]}`, "", missing},
		{"twice", `{"messages":[],"messages":[{"role":"user","content":"x"}]}`, "", "Invalid body: at root: duplicate property 'messages'"},
		{"trailing", `{"messages":[]} {}`, "", "The body isn't valid JSON."},
		{"image of a URL", `{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://example.invalid/a.png"}}]}]}`, "", image},
		{"image that is none", `{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:text/html;base64,aGk="}}]}]}`, "", image},
		{"agent with a path", `{"messages":[{"role":"user","content":"x"}]}`, "x-openclaw-agent-id: ../../x", "Invalid agent id. An agent id has letters, digits, - and _."},
		{"session with a path", `{"messages":[{"role":"user","content":"x"}]}`, "x-openclaw-session-key: agent:main:../x", "Invalid x-openclaw-session-key."},
	}
	for _, tt := range tests {
		h := tt.header
		if h == "" {
			h = "X: y"
		}
		res, body := post(t, srv.URL, tt.body, h)
		want, err := json.Marshal(map[string]any{"error": map[string]string{"message": tt.want, "type": "invalid_request_error"}})
		if err != nil {
			t.Fatal(err)
		}
		if res.StatusCode != 400 || body != string(want) {
			t.Errorf("%s: %d %s, want %s", tt.name, res.StatusCode, body, want)
		}
	}
}

func TestInbound(t *testing.T) {
	t.Parallel()
	got := make(chan msg.Inbound, 1)
	srv := serve(t, func(_ context.Context, in msg.Inbound, _ func(string)) (openai.Answer, error) {
		got <- in
		return openai.Answer{Text: "ok"}, nil
	})
	tests := []struct {
		name, body string
		headers    []string
		session    string // a trailing * is any
		text       string
		system     string
		images     []msg.Attachment
	}{
		{"plain", `{"model":"openclaw","messages":[{"role":"user","content":"Hi"}]}`, nil, "agent:main:openai:*", "Hi", "", nil},
		{"agent by model", `{"model":"openclaw/second","messages":[{"role":"user","content":"Hi"}]}`, nil, "agent:second:openai:*", "Hi", "", nil},
		{"agent by alias", `{"model":"agent:second","messages":[{"role":"user","content":"Hi"}]}`, nil, "agent:second:openai:*", "Hi", "", nil},
		{"another model's name", `{"model":"gpt-4o","messages":[{"role":"user","content":"Hi"}]}`, nil, "agent:main:openai:*", "Hi", "", nil},
		{"agent by header", `{"model":"openclaw","messages":[{"role":"user","content":"Hi"}]}`, []string{"x-openclaw-agent-id: Second"}, "agent:second:openai:*", "Hi", "", nil},
		{"user", `{"messages":[{"role":"user","content":"Hi"}],"user":"Alice/x"}`, nil, "agent:main:openai-user:alice_x", "Hi", "", nil},
		{"session", `{"messages":[{"role":"user","content":"Hi"}],"user":"alice"}`, []string{"x-openclaw-session-key: agent:main:httpsession"}, "agent:main:httpsession", "Hi", "", nil},
		{
			"conversation", `{"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"one"},{"role":"assistant","content":"two"},{"role":"developer","content":[{"type":"text","text":"Be kind."}]},{"role":"user","content":"three"},{"role":"assistant","content":"draft"}]}`, nil,
			"agent:main:openai:*", "[Earlier in this conversation, for context]\nUser: one\nAssistant: two\n\n[Answer this message]\nUser: three", "Be brief.\n\nBe kind.", nil,
		},
		{
			"image", `{"messages":[{"role":"user","content":[{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"data:image/png;base64,aGk="}}]}]}`, nil,
			"agent:main:openai:*", "look", "",
			[]msg.Attachment{{MIME: "image/png", Size: 2, Data: []byte("hi")}},
		},
	}
	for _, tt := range tests {
		res, body := post(t, srv.URL, tt.body, tt.headers...)
		if res.StatusCode != 200 {
			t.Errorf("%s: %d %s", tt.name, res.StatusCode, body)
			continue
		}
		in := <-got
		want, any := strings.CutSuffix(tt.session, "*")
		key := string(in.Client.Session)
		if key != tt.session && !(any && strings.HasPrefix(key, want)) {
			t.Errorf("%s: session %s, want %s", tt.name, key, tt.session)
		}
		if in.Text != tt.text || in.Client.System != tt.system {
			t.Errorf("%s: text %q system %q", tt.name, in.Text, in.Client.System)
		}
		if diff := cmp.Diff(tt.images, in.Attachments, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
		if !in.Client.Owner || !in.Client.Lost || in.Client.Run == "" || id.SessionKey(key).Agent() == "" {
			t.Errorf("%s: client %+v", tt.name, in.Client)
		}
	}
}

func TestHangUpEndsTheRun(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	srv := serve(t, func(ctx context.Context, _ msg.Inbound, delta func(string)) (openai.Answer, error) {
		delta("first")
		<-ctx.Done()
		close(ended)
		return openai.Answer{}, ctx.Err()
	})
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, srv.URL+"/v1/chat/completions", strings.NewReader(`{"stream":true,"messages":[{"role":"user","content":"x"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(res.Body).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	cancel()
	_ = res.Body.Close()
	select {
	case <-ended:
	case <-time.After(5 * time.Second):
		t.Error("the run goes on")
	}
}

func TestModels(t *testing.T) {
	t.Parallel()
	srv := serve(t, hello)
	tests := []struct {
		path   string
		status int
		want   string
	}{
		{"/v1/models", 200, `{"object":"list","data":[{"id":"openclaw","object":"model","created":1773360000,"owned_by":"openclaw"},{"id":"openclaw/main",`},
		{"/v1/models/openclaw", 200, `{"id":"openclaw","object":"model","created":1773360000,"owned_by":"openclaw"}`},
		{"/v1/models/openclaw/second", 200, `{"id":"openclaw/second",`},
		{"/v1/models/openclaw:second", 200, `{"id":"openclaw:second",`},
		{"/v1/models/openclaw/third", 404, `{"error":{"message":"The model 'openclaw/third' does not exist.`},
		{"/v1/models/gpt-4o", 404, `{"error":{"message":"The model 'gpt-4o' does not exist.`},
	}
	for _, tt := range tests {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL+tt.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		raw, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if res.StatusCode != tt.status || !strings.HasPrefix(string(raw), tt.want) {
			t.Errorf("%s: %d %s, want %d %s", tt.path, res.StatusCode, raw, tt.status, tt.want)
		}
	}
}

func FuzzCompletions(f *testing.F) {
	for _, s := range []string{
		`{"messages":[{"role":"user","content":"x"}]}`, `{"messages":[{"role":"user","content":[{"type":"text","text":"x"},{"type":"image_url","image_url":"data:image/png;base64,aGk="}]}],"stream":true}`,
		`{"messages":[null,{},[]]}`, `[]`, `{"messages":"x"}`,
	} {
		f.Add(s)
	}
	c := conf()
	feat := openai.Feature(openai.Options{Do: hello, Config: func() *config.Config { return c }})
	h := feat.Routes[2].Handler
	f.Fuzz(func(t *testing.T, body string) {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(body)))
		if w.Code != 200 && w.Code != 400 {
			t.Errorf("status %d %s", w.Code, w.Body)
		}
	})
}

// BenchmarkStream is one answer of 200 pieces over loopback.
func BenchmarkStream(b *testing.B) {
	srv := serve(b, func(_ context.Context, _ msg.Inbound, delta func(string)) (openai.Answer, error) {
		for range 200 {
			delta("word ")
		}
		return openai.Answer{Text: "x"}, nil
	})
	b.ReportAllocs()
	for b.Loop() {
		if res, body := post(b, srv.URL, `{"stream":true,"messages":[{"role":"user","content":"x"}]}`); res.StatusCode != 200 || strings.Count(body, "word") != 200 {
			b.Fatal(body)
		}
	}
}
