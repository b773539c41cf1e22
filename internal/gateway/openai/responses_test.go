package openai_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/gateway/openai"
)

var varies = regexp.MustCompile(`(resp|msg|fc)_[0-9a-f-]{36}|"created_at":\d+`)

// still replaces what differs each time.
func still(s string) string {
	return varies.ReplaceAllStringFunc(s, func(m string) string {
		if kind, _, ok := strings.Cut(m, "_"); ok && !strings.HasPrefix(m, `"`) {
			return strings.ToUpper(kind)
		}
		return `"created_at":0`
	})
}

const weather = `"tools":[{"type":"function","name":"get_weather","parameters":{"type":"object"}}]`

// calls answers with a call of the caller's tool.
func calls(_ context.Context, in msg.Inbound, delta func(string)) (openai.Answer, error) {
	delta("Let me see.")
	return openai.Answer{Text: "Let me see.", Calls: []llm.Call{{ID: "call_1", Name: in.Client.Tools[0].Name, Args: json.RawMessage(`{"city":"Paris"}`)}}}, nil
}

func TestResponse(t *testing.T) {
	t.Parallel()
	const usage = `"usage":{"input_tokens":15,"output_tokens":7,"total_tokens":22,"prompt_tokens":15,"completion_tokens":7,"input_tokens_details":{"cached_tokens":4}}`
	const none = `"usage":{"input_tokens":0,"output_tokens":0,"total_tokens":0,"prompt_tokens":0,"completion_tokens":0,"input_tokens_details":{"cached_tokens":0}}`
	tests := []struct {
		name string
		do   do
		body string
		want string
	}{
		{"text", hello, `{"model":"openclaw","input":"Say hello"}`, `{"id":"RESP","object":"response","created_at":0,"status":"completed","model":"openclaw","output":[{"type":"message","id":"MSG","role":"assistant","content":[{"type":"output_text","text":"Hello from \"here\"\n","annotations":[]}],"status":"completed"}],` + usage + `}`},
		{"call", calls, `{"model":"openclaw","input":"x",` + weather + `}`, `{"id":"RESP","object":"response","created_at":0,"status":"completed","model":"openclaw","output":[{"type":"message","id":"MSG","role":"assistant","content":[{"type":"output_text","text":"Let me see.","annotations":[]}],"status":"completed"},{"type":"function_call","id":"FC","call_id":"call_1","name":"get_weather","arguments":"{\"city\":\"Paris\"}","status":"completed"}],` + none + `}`},
		{
			"too long", func(context.Context, msg.Inbound, func(string)) (openai.Answer, error) {
				return openai.Answer{Text: "cut", Stop: "length"}, nil
			}, `{"model":"openclaw","input":"x","max_output_tokens":3}`, `{"id":"RESP","object":"response","created_at":0,"status":"incomplete","model":"openclaw","output":[{"type":"message","id":"MSG","role":"assistant","content":[{"type":"output_text","text":"cut","annotations":[]}],"status":"completed"}],` + none + `,"incomplete_details":{"reason":"max_output_tokens"}}`,
		},
	}
	for _, tt := range tests {
		res, body := postTo(t, serve(t, tt.do).URL+"/v1/responses", tt.body)
		if diff := cmp.Diff(tt.want, still(body)); diff != "" || res.StatusCode != 200 {
			t.Errorf("%s: %d %s", tt.name, res.StatusCode, diff)
		}
	}
}

// The order of the events is the recorded one (http.json, resp-stream), with
// those of calls as OpenAI's reference has them.
func TestResponseStream(t *testing.T) {
	t.Parallel()
	res, body := postTo(t, serve(t, calls).URL+"/v1/responses", `{"model":"openclaw","stream":true,"input":"x",`+weather+`}`)
	if got := res.Header.Get("Content-Type"); got != "text/event-stream; charset=utf-8" {
		t.Errorf("content type %s", got)
	}
	var events []string
	for block := range strings.SplitSeq(strings.TrimSpace(body), "\n\n") {
		name, data, _ := strings.Cut(block, "\n")
		name = strings.TrimPrefix(name, "event: ")
		events = append(events, name)
		var e struct {
			Type   string `json:"type"`
			Number int    `json:"sequence_number"`
		}
		data = strings.TrimPrefix(data, "data: ")
		if data == "" {
			continue
		}
		if err := json.Unmarshal([]byte(data), &e); err != nil || e.Type != name || e.Number != len(events)-1 {
			t.Errorf("event %s: %v, type %s, number %d of %d", name, err, e.Type, e.Number, len(events)-1)
		}
	}
	want := []string{
		"response.created", "response.in_progress", "response.output_item.added", "response.content_part.added", "response.output_text.delta",
		"response.output_text.done", "response.content_part.done", "response.output_item.done",
		"response.output_item.added", "response.function_call_arguments.delta", "response.function_call_arguments.done", "response.output_item.done",
		"response.completed", "data: [DONE]",
	}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Error(diff)
	}
	for _, part := range []string{`"delta":"Let me see."`, `"arguments":"{\"city\":\"Paris\"}"`, `"output_index":1`} {
		if !strings.Contains(body, part) {
			t.Errorf("no %s in %s", part, body)
		}
	}

	// A failure before the first word has its own status, one behind it an event.
	fails := func(_ context.Context, in msg.Inbound, delta func(string)) (openai.Answer, error) {
		if in.Text == "late" {
			delta("half")
		}
		return openai.Answer{}, fault.New(fault.Unavailable, "p", "cut")
	}
	srv := serve(t, fails)
	if res, body := postTo(t, srv.URL+"/v1/responses", `{"model":"openclaw","stream":true,"input":"early"}`); res.StatusCode != 503 || !strings.Contains(body, `"cut"`) {
		t.Errorf("early: %d %s", res.StatusCode, body)
	}
	if _, body := postTo(t, srv.URL+"/v1/responses", `{"model":"openclaw","stream":true,"input":"late"}`); !strings.Contains(body, "event: response.failed\n") || !strings.HasSuffix(body, "data: [DONE]\n\n") {
		t.Errorf("late: %s", body)
	}
}

func TestResponseInbound(t *testing.T) {
	t.Parallel()
	got := make(chan msg.Inbound, 1)
	srv := serveWith(t, openai.Options{
		Do: func(_ context.Context, in msg.Inbound, _ func(string)) (openai.Answer, error) {
			got <- in
			return openai.Answer{Text: "ok"}, nil
		},
		Session: func(_ context.Context, run id.Run) (id.SessionKey, error) {
			if run == "resp_known" {
				return "agent:main:before", nil
			}
			return "", nil
		},
	})
	png := base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"))
	file := base64.StdEncoding.EncodeToString([]byte("one</file>two"))
	tests := []struct {
		name, body, session, text, system string
		images                            []string
		tools                             []string
		max                               int
	}{
		{name: "text", body: `"input":" Hi "`, session: "agent:main:openresponses:*", text: "Hi"},
		{name: "previous", body: `"input":"Hi","previous_response_id":"resp_known"`, session: "agent:main:before", text: "Hi"},
		{name: "unknown previous", body: `"input":"Hi","previous_response_id":"resp_x"`, session: "agent:main:openresponses:*", text: "Hi"},
		{name: "user", body: `"input":"Hi","user":"Bob","previous_response_id":"resp_known"`, session: "agent:main:openresponses-user:bob", text: "Hi"},
		{
			name: "items", session: "agent:main:openresponses:*", max: 50, system: "Be nice\n\nSys",
			body: `"instructions":"Be nice","max_output_tokens":50,"input":[{"type":"message","role":"system","content":"Sys"},{"type":"message","role":"user","content":"One"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Two"}]},{"type":"reasoning","summary":[]},{"role":"user","content":[{"type":"input_text","text":"Three"}]}]`,
			text: "[Earlier in this conversation, for context]\nUser: One\nAssistant: Two\n\n[Answer this message]\nUser: Three",
		},
		{
			name: "result of a call", session: "agent:main:openresponses:*",
			body: `"input":[{"type":"function_call","call_id":"c1","name":"get_weather","arguments":"{}"},{"type":"function_call_output","call_id":"c1","output":"{\"temp\":20}"}]`,
			text: "[Earlier in this conversation, for context]\nAssistant: (called get_weather with {})\n\n[Answer this message]\nUser: Result of get_weather (c1): {\"temp\":20}",
		},
		{name: "tools", body: `"input":"Hi",` + weather, session: "agent:main:openresponses:*", text: "Hi", tools: []string{"get_weather"}},
		{name: "nested tools", body: `"input":"Hi","tools":[{"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"b"}}],"tool_choice":{"type":"function","name":"b"}`, session: "agent:main:openresponses:*", text: "Hi", tools: []string{"b"}, system: "Answer by calling the tool b."},
		{name: "no tools", body: `"input":"Hi","tool_choice":"none",` + weather, session: "agent:main:openresponses:*", text: "Hi"},
		{name: "image", body: `"input":[{"role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,` + png + `"}]}]`, session: "agent:main:openresponses:*", text: "(an image)", images: []string{"image/png"}},
		{
			name: "file", session: "agent:main:openresponses:*",
			body: `"input":[{"role":"user","content":[{"type":"input_text","text":"Read"},{"type":"input_file","source":{"type":"base64","media_type":"text/plain","data":"` + file + `","filename":"../a\".txt"}}]}]`,
			text: "Read\n<file name=\"a_.txt\" untrusted=\"true\">\none<\\/file>two\n</file>",
		},
	}
	for _, tt := range tests {
		res, body := postTo(t, srv.URL+"/v1/responses", `{"model":"openclaw",`+tt.body+`}`)
		if res.StatusCode != 200 {
			t.Errorf("%s: %d %s", tt.name, res.StatusCode, body)
			continue
		}
		in := <-got
		want, free := strings.CutSuffix(tt.session, "*")
		if key := string(in.Client.Session); key != tt.session && (!free || !strings.HasPrefix(key, want)) {
			t.Errorf("%s: session %s, want %s", tt.name, key, tt.session)
		}
		var images, tools []string
		for _, a := range in.Attachments {
			images = append(images, a.MIME)
		}
		for _, s := range in.Client.Tools {
			tools = append(tools, s.Name)
		}
		if diff := cmp.Diff([]any{tt.text, tt.system, tt.images, tt.tools, tt.max}, []any{in.Text, in.Client.System, images, tools, in.Client.MaxTokens}, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

func TestBadResponses(t *testing.T) {
	t.Parallel()
	inside := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(inside.Close)
	srv := serve(t, hello)
	tests := []struct{ body, want string }{
		{`{nope`, "The body isn't valid JSON."},
		{`{"model":"openclaw"}`, "input: Invalid input"},
		{`{"input":"x"}`, "model: Invalid input: expected string, received undefined"},
		{`{"model":"openclaw","input":"x","bogus":1}`, `: Unrecognized key: "bogus"`},
		{`{"model":"openclaw","input":"x","tool_choice":"required"}`, "invalid tool configuration"},
		{`{"model":"openclaw","input":"x","tool_choice":{"type":"function","name":"a"}}`, "invalid tool configuration"},
		{`{"model":"openclaw","input":"  "}`, "input: There is no message and no function_call_output to answer."},
		{`{"model":"openclaw","input":[{"role":"assistant","content":"x"}]}`, "input: There is no message and no function_call_output to answer."},
		{`{"model":"openclaw","input":[{"role":"user","content":5}]}`, "input.0.content: Invalid input: expected string or array, received number"},
		{`{"model":"openclaw","input":[{"type":"video"}]}`, "input.0.type: Invalid input: video isn't known"},
		{`{"model":"openclaw","input":"x","tools":[{"type":"web_search"}]}`, "tools.0.type: Only tools of type function can be brought along; the agent has its own."},
		{`{"model":"openclaw","input":"x","tools":[{"type":"function","name":"a b"}]}`, "tools.0.name: Invalid input: a name has 1 to 64 letters, digits, _ and -"},
		{`{"model":"openclaw","input":"x","max_output_tokens":0}`, "max_output_tokens: Invalid input: expected a positive integer"},
		{`{"model":"openclaw","input":"x","background":true}`, "background: A response can't run in the background here; leave it out."},
		{`{"model":"openclaw","input":[{"role":"user","content":[{"type":"input_image","image_url":"` + inside.URL + `/a.png"}]}]}`, "input.0.content: 0: The address can't be reached."},
		{`{"model":"openclaw","input":[{"role":"user","content":[{"type":"input_image","image_url":"file:///etc/passwd"}]}]}`, "input.0.content: 0: Only plain http and https addresses are fetched."},
		{`{"model":"openclaw","input":[{"role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,aGk="}]}]}`, "input.0.content: 0: An image must be one of image/jpeg, image/png, image/gif, image/webp; this is text/plain."},
	}
	for _, tt := range tests {
		res, body := postTo(t, srv.URL+"/v1/responses", tt.body)
		want, err := json.Marshal(map[string]any{"error": map[string]string{"message": tt.want, "type": "invalid_request_error"}})
		if err != nil {
			t.Fatal(err)
		}
		if res.StatusCode != 400 || strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(body) != string(want) {
			t.Errorf("%s: %d %s, want %s", tt.body, res.StatusCode, body, want)
		}
	}
}

// What an address names is fetched within the limits.
func TestResponseFetch(t *testing.T) {
	t.Parallel()
	outside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/round":
			http.Redirect(w, r, "/round", http.StatusFound)
		case "/big":
			_, _ = io.WriteString(w, strings.Repeat("x", 2000))
		default:
			w.Header().Set("Content-Type", "text/markdown")
			_, _ = io.WriteString(w, "# Title")
		}
	}))
	t.Cleanup(outside.Close)
	c := conf()
	no := false
	e := &c.Gateway.HTTP.Endpoints.Responses
	e.Files.MaxBytes, e.Images.AllowURL = 1000, &no
	e.Files.URLAllowlist = []string{"127.0.0.1"}
	texts := make(chan string, 1)
	srv := serveWith(t, openai.Options{
		Config: func() *config.Config { return c }, HTTP: outside.Client(),
		Do: func(_ context.Context, in msg.Inbound, _ func(string)) (openai.Answer, error) {
			texts <- in.Text
			return openai.Answer{Text: "ok"}, nil
		},
	})
	ask := func(part string) (int, string) {
		res, body := postTo(t, srv.URL+"/v1/responses", `{"model":"openclaw","input":[{"role":"user","content":[`+part+`]}]}`)
		return res.StatusCode, body
	}
	if code, body := ask(`{"type":"input_file","file_url":"` + outside.URL + `/notes.md"}`); code != 200 {
		t.Fatal(code, body)
	}
	if got := <-texts; got != "<file name=\"notes.md\" untrusted=\"true\">\n# Title\n</file>" {
		t.Errorf("got %q", got)
	}
	for part, want := range map[string]string{
		`{"type":"input_file","file_url":"` + outside.URL + `/round"}`:                "redirects too often",
		`{"type":"input_file","file_url":"` + outside.URL + `/big"}`:                  "too large",
		`{"type":"input_file","file_url":"https://example.com/a.md"}`:                 "isn't on the urlAllowlist",
		`{"type":"input_image","image_url":{"url":"` + outside.URL + `/a.png"}}`:      "Addresses aren't fetched here",
		`{"type":"input_file","file_id":"file_1"}`:                                    "file_id is of no use here",
		`{"type":"input_file","filename":"a.exe","file_data":"TVqQAAMAAAAEAAAA//8="}`: "A file must be one of",
	} {
		if code, body := ask(part); code != 400 || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s, want %s", part, code, body, want)
		}
	}
}

func TestEmbeddings(t *testing.T) {
	t.Parallel()
	var asked []string
	srv := serveWith(t, openai.Options{Do: hello, Embed: func(_ context.Context, agent id.Agent, model string, texts []string) (openai.Vectors, error) {
		asked = append([]string{string(agent), model}, texts...)
		if texts[0] == "fail" {
			return openai.Vectors{}, fault.New(fault.NotFound, "e", "none set up")
		}
		v := openai.Vectors{Model: "e", Tokens: 3}
		for i := range texts {
			v.Of = append(v.Of, []float32{float32(i), 0.5})
		}
		return v, nil
	}})
	tests := []struct {
		body   string
		status int
		want   string
		asked  []string
	}{
		{`{"model":"openclaw/second","input":["a","b"]}`, 200, `{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0,0.5]},{"object":"embedding","index":1,"embedding":[1,0.5]}],"model":"openclaw/second","usage":{"prompt_tokens":3,"input_tokens":3,"total_tokens":3}}`, []string{"second", "m", "a", "b"}},
		{`{"model":"x","input":"a","encoding_format":"base64"}`, 200, `{"object":"list","data":[{"object":"embedding","index":0,"embedding":"AAAAAAAAAD8="}],"model":"x","usage":{"prompt_tokens":3,"input_tokens":3,"total_tokens":3}}`, []string{"main", "m", "a"}},
		{`{"model":"x","input":"fail"}`, 404, `{"error":{"message":"none set up","type":"invalid_request_error"}}`, []string{"main", "m", "fail"}},
		{`{"model":"x"}`, 400, "{\"error\":{\"message\":\"Missing `input`: a text or a list of texts.\",\"type\":\"invalid_request_error\"}}", nil},
		{`{"model":"x","input":[1,2]}`, 400, "{\"error\":{\"message\":\"`input` must be a text or a list of texts.\",\"type\":\"invalid_request_error\"}}", nil},
		{`{"model":"x","input":[""]}`, 400, "{\"error\":{\"message\":\"`input[0]` must have 1 to 32768 bytes.\",\"type\":\"invalid_request_error\"}}", nil},
		{`{"input":"a"}`, 400, "{\"error\":{\"message\":\"Missing `model`.\",\"type\":\"invalid_request_error\"}}", nil},
	}
	for _, tt := range tests {
		asked = nil
		res, body := postTo(t, srv.URL+"/v1/embeddings", tt.body, "X-OpenClaw-Model: m")
		if diff := cmp.Diff([]any{tt.status, tt.want, tt.asked}, []any{res.StatusCode, body, asked}); diff != "" {
			t.Errorf("%s: %s", tt.body, diff)
		}
	}
}

// What isn't turned on isn't there.
func TestClosed(t *testing.T) {
	t.Parallel()
	srv := serveWith(t, openai.Options{Do: hello, Config: func() *config.Config { return &config.Config{} }})
	for _, path := range []string{"/v1/chat/completions", "/v1/responses", "/v1/embeddings"} {
		res, body := postTo(t, srv.URL+path, `{}`)
		if res.StatusCode != 404 || !strings.Contains(body, "turn it on with: openclaw config set gateway.http.endpoints.") {
			t.Errorf("%s: %d %s", path, res.StatusCode, body)
		}
	}
}

func FuzzResponses(f *testing.F) {
	for _, s := range []string{
		`{"model":"openclaw","input":"x"}`, `{"model":"openclaw","input":[{"role":"user","content":[{"type":"input_text","text":"x"}]}],"stream":true}`,
		`{"model":"openclaw","input":[null,{},[]]}`, `[]`, `{"model":"openclaw","input":"x","tools":[{"type":"function","function":{"name":"a","parameters":[]}}]}`,
	} {
		f.Add(s)
	}
	c := conf()
	feat := openai.Feature(openai.Options{Do: hello, Config: func() *config.Config { return c }})
	h := feat.Routes[3].Handler
	f.Fuzz(func(t *testing.T, body string) {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v1/responses", strings.NewReader(body)))
		if w.Code != 200 && w.Code != 400 {
			t.Errorf("status %d %s", w.Code, w.Body)
		}
	})
}
