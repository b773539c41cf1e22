package openai_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
	"github.com/openclaw-go/openclaw/internal/provider/openai"
	"github.com/openclaw-go/openclaw/internal/provider/providertest"
)

var update = flag.Bool("update", false, "write the golden files")

func model() llm.Model {
	return llm.Model{Provider: "test", ID: "fake-1", API: openai.API, MaxTokens: 4096, Input: []string{"text", "image"}}
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
	answer := c.answer
	if answer == "" {
		answer = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
	}
	h := http.Header{"Content-Type": {"text/event-stream"}}
	return &http.Response{StatusCode: 200, Header: h, Body: io.NopCloser(strings.NewReader(answer))}, err
}

// sent returns what req looks like on the wire.
func sent(t *testing.T, cfg provider.Config, req llm.Request) (map[string]any, *capture) {
	t.Helper()
	c := new(capture)
	if cfg.BaseURL == "" {
		cfg.BaseURL = "http://127.0.0.1:21001/v1"
	}
	cfg.ID = "test"
	p, err := openai.New(&http.Client{Transport: c}, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if o := providertest.Collect(t.Context(), t, p, req); o.Err != nil {
		t.Fatal(o.Err)
	}
	var out map[string]any
	if err := json.Unmarshal(c.body, &out); err != nil {
		t.Fatalf("%v in %s", err, c.body)
	}
	return out, c
}

func user(s string) llm.Message {
	return llm.Message{Role: llm.User, Content: llm.Content{llm.Text(s)}}
}

func called(calls ...llm.Call) llm.Message {
	m := llm.Message{Role: llm.Assistant, API: openai.API, Provider: "test", Model: "fake-1", Stop: llm.StopTool}
	for _, c := range calls {
		m.Content = append(m.Content, llm.Block{Type: llm.CallBlock, Call: &c})
	}
	return m
}

func TestRequest(t *testing.T) {
	t.Parallel()
	answer := called(llm.Call{ID: "callfake22", Name: "exec", Args: json.RawMessage(`{"command":"echo wire-test"}`)})
	answer.Content = append(llm.Content{llm.Text("Calling tool.")}, answer.Content...)
	req := llm.Request{
		Model: model(), System: "Be \"brief\".",
		Messages: []llm.Message{
			{Role: llm.Assistant, Content: llm.Content{llm.Text("Hello from the fake model.")}},
			user("Please\nhelp"), answer,
			{Role: llm.ToolRole, CallID: "callfake22", ToolName: "exec", Content: llm.Content{llm.Text("wire-test"), {Type: llm.ImageBlock, MIME: "image/png", Data: []byte("png")}}},
			{Role: llm.Assistant, Stop: llm.StopError, Error: "x"},
			{Role: llm.User, Content: llm.Content{llm.Text("and this?"), {Type: llm.ImageBlock, MIME: "image/jpeg", Data: []byte("jpeg")}}},
		},
		Tools: []llm.ToolSpec{
			{Name: "read", Description: "Read a file.", Schema: json.RawMessage(`{"type":"object","required":[],"properties":{"path":{"type":"string"}}}`)},
			{Name: "ls"},
		},
	}
	got, c := sent(t, provider.Config{APIKey: "fake-key", Headers: map[string]string{"x-team": "a"}}, req)
	if c.url != "http://127.0.0.1:21001/v1/chat/completions" || c.header.Get("Authorization") != "Bearer fake-key" || c.header.Get("X-Team") != "a" {
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
	prefix, _, _ := strings.Cut(string(c.body), `,"stream":`)
	req.Messages = append(req.Messages, user("more"))
	_, c2 := sent(t, provider.Config{}, req)
	if !strings.HasPrefix(string(c2.body), strings.TrimSuffix(prefix, "]")) {
		t.Error("a longer conversation doesn't begin with the bytes of the shorter one")
	}
}

// TestSignatures: what a service attached to a call goes back to it unchanged,
// and to no other.
func TestSignatures(t *testing.T) {
	t.Parallel()
	stream, err := os.ReadFile("testdata/streams/call-extra.sse")
	if err != nil {
		t.Fatal(err)
	}
	c := &capture{answer: string(stream)}
	p, err := openai.New(&http.Client{Transport: c}, provider.Config{ID: "test", BaseURL: "http://x/v1"})
	if err != nil {
		t.Fatal(err)
	}
	o := providertest.Collect(t.Context(), t, p, llm.Request{Model: model(), Messages: []llm.Message{user("x")}})
	stored, err := json.Marshal(o.Message) // as a transcript keeps it
	if err != nil {
		t.Fatal(err)
	}
	var m llm.Message
	if err := json.Unmarshal(stored, &m); err != nil {
		t.Fatal(err)
	}
	next := llm.Request{Model: model(), Messages: []llm.Message{user("x"), m, {Role: llm.ToolRole, CallID: "c1", Content: llm.Content{llm.Text("r")}}}}
	const signature = `"extra_content":{"google":{"thought_signature":"c2ln"}}`
	if _, c := sent(t, provider.Config{}, next); !strings.Contains(string(c.body), signature) {
		t.Errorf("not sent back: %s", c.body)
	}
	next.Model.Provider = "other"
	if _, c := sent(t, provider.Config{}, next); strings.Contains(string(c.body), "extra_content") {
		t.Errorf("sent to another provider: %s", c.body)
	}
	// Google refuses a call without a signature, but takes a documented stand-in.
	if _, c := sent(t, provider.Config{BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai"}, next); !strings.Contains(string(c.body), "skip_thought_signature_validator") {
		t.Errorf("no stand-in: %s", c.body)
	}
}

func TestQuirks(t *testing.T) {
	t.Parallel()
	req := llm.Request{Model: model(), Messages: []llm.Message{user("x"), called(llm.Call{ID: "call_abc|1", Name: "t"}), {Role: llm.ToolRole, CallID: "call_abc|1", ToolName: "t", Content: llm.Content{llm.Text("r")}}}, Tools: []llm.ToolSpec{{Name: "t"}}}
	reasoning := req
	reasoning.Model.Reasoning, reasoning.Thinking, reasoning.System = true, "high", "s"
	blind := req
	blind.Model.Input = []string{"text"}
	blind.Messages = []llm.Message{{Role: llm.User, Content: llm.Content{{Type: llm.ImageBlock, MIME: "image/png", Data: []byte("x")}}}}
	compat := func(s string) provider.Config {
		return provider.Config{Raw: json.RawMessage(`{"models":[{"id":"fake-1","compat":` + s + `}]}`)}
	}
	for name, tt := range map[string]struct {
		cfg  provider.Config
		req  llm.Request
		has  []string
		hasn []string
	}{
		"default":      {provider.Config{}, req, []string{`"max_completion_tokens":4096`, `"stream_options":{"include_usage":true}`, `"store":false`, `"strict":false`}, []string{"reasoning"}},
		"reasoning":    {provider.Config{}, reasoning, []string{`"reasoning_effort":"high"`, `"role":"system"`}, nil},
		"OpenAI":       {provider.Config{BaseURL: "https://api.openai.com/v1"}, reasoning, []string{`"role":"developer"`}, nil},
		"Mistral":      {provider.Config{BaseURL: "https://api.mistral.ai/v1"}, req, []string{`"max_tokens":4096`}, []string{"store", "stream_options", "call_abc", "strict"}},
		"zai":          {provider.Config{BaseURL: "https://api.z.ai/api/paas/v4"}, reasoning, []string{`"thinking":{"type":"enabled"}`}, []string{"reasoning_effort"}},
		"OpenRouter":   {provider.Config{BaseURL: "https://openrouter.ai/api/v1"}, reasoning, []string{`"reasoning":{"effort":"high"}`}, []string{"store"}},
		"configured":   {compat(`{"maxTokensField":"max_tokens","supportsStore":false,"supportsUsageInStreaming":false,"requiresToolResultName":true}`), req, []string{`"max_tokens"`, `"name":"t"`}, []string{"store", "stream_options"}},
		"no tools":     {compat(`{"supportsTools":false}`), req, nil, []string{`"tools"`}},
		"no eyes":      {provider.Config{}, blind, []string{"can't see images"}, []string{"image_url"}},
		"long call id": {provider.Config{}, req, []string{`"tool_call_id":"call_abc_1_`}, []string{"call_abc|1"}},
	} {
		_, c := sent(t, tt.cfg, tt.req)
		for _, s := range tt.has {
			if !strings.Contains(string(c.body), s) {
				t.Errorf("%s: no %s in %s", name, s, c.body)
			}
		}
		for _, s := range tt.hasn {
			if strings.Contains(string(c.body), s) {
				t.Errorf("%s: %s in %s", name, s, c.body)
			}
		}
	}
	if _, err := openai.New(nil, provider.Config{ID: "x", BaseURL: "nonsense"}); err == nil {
		t.Error("a base URL without a host is taken")
	}
}

// TestThinkingGoesBack within the turn that it belongs to, as DeepSeek and
// Kimi want it, and not after.
func TestThinkingGoesBack(t *testing.T) {
	t.Parallel()
	m := called(llm.Call{ID: "c1", Name: "t"})
	m.Content = append(llm.Content{{Type: llm.ThinkingBlock, Text: "hm", Signature: "reasoning_content"}}, m.Content...)
	ms := []llm.Message{user("x"), m, {Role: llm.ToolRole, CallID: "c1", Content: llm.Content{llm.Text("r")}}}
	if _, c := sent(t, provider.Config{}, llm.Request{Model: model(), Messages: ms}); !strings.Contains(string(c.body), `"reasoning_content":"hm"`) {
		t.Errorf("in its turn: %s", c.body)
	}
	if _, c := sent(t, provider.Config{}, llm.Request{Model: model(), Messages: append(ms, user("y"))}); strings.Contains(string(c.body), "reasoning_content") {
		t.Errorf("after its turn: %s", c.body)
	}
}

// TestLongLine: one line of the stream may be very long; past the limit the
// error is clear.
func TestLongLine(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/long-line.sse")
	if err != nil {
		t.Fatal(err)
	}
	for _, grow := range []int{0, 2 << 20, 12 << 20, 40 << 20} {
		body := strings.Replace(string(raw), "abcdefghij", strings.Repeat("x", grow)+"abcdefghij", 1)
		p, err := openai.New(&http.Client{Transport: &capture{answer: body}}, provider.Config{ID: "test", BaseURL: "http://x/v1"})
		if err != nil {
			t.Fatal(err)
		}
		o := providertest.Collect(t.Context(), t, p, llm.Request{Model: model(), Messages: []llm.Message{user("x")}})
		if grow > 32<<20 {
			if o.Err == nil || !strings.Contains(o.Err.Error(), "limit of 32 MiB") {
				t.Errorf("%d MiB: %v", grow>>20, o.Err)
			}
			continue
		}
		if text := o.Message.Text(); o.Err != nil || !strings.HasSuffix(text, "END") || len(text) < 150_000-300+grow {
			t.Errorf("%d MiB: %d bytes, %v", grow>>20, len(text), o.Err)
		}
	}
}

func FuzzStream(f *testing.F) {
	for _, name := range []string{"empty-choices", "calls-parallel", "call-extra", "content-parts"} {
		raw, err := os.ReadFile("testdata/streams/" + name + ".sse")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(raw))
	}
	f.Fuzz(func(t *testing.T, body string) {
		p, err := openai.New(&http.Client{Transport: &capture{answer: body}}, provider.Config{ID: "test", BaseURL: "http://x/v1"})
		if err != nil {
			t.Fatal(err)
		}
		o := providertest.Collect(t.Context(), t, p, llm.Request{Model: model(), Messages: []llm.Message{user("x")}})
		for _, c := range o.Message.Calls() {
			if !json.Valid(c.Args) {
				t.Fatalf("arguments %q aren't JSON", c.Args)
			}
		}
	})
}

func BenchmarkStream(b *testing.B) {
	body := strings.Repeat("data: {\"id\":\"x\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"tok \"},\"finish_reason\":null}]}\n\n", 200) +
		"data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
	p, err := openai.New(&http.Client{Transport: &capture{answer: body}}, provider.Config{ID: "test", BaseURL: "http://x/v1"})
	if err != nil {
		b.Fatal(err)
	}
	req := llm.Request{Model: model(), Messages: []llm.Message{user("x")}}
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range provider.Cleaned(p).Stream(b.Context(), req) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkRequest(b *testing.B) {
	req := llm.Request{Model: model(), System: strings.Repeat("You are a helpful assistant.\n", 400)}
	for i := range 50 {
		req.Tools = append(req.Tools, llm.ToolSpec{Name: fmt.Sprint("tool", i), Description: "Does something.", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)})
		id := fmt.Sprint("call_", i)
		req.Messages = append(req.Messages, user("A question of usual length, with \"quotes\"."),
			called(llm.Call{ID: id, Name: "exec", Args: json.RawMessage(`{"command":"ls -la"}`)}),
			llm.Message{Role: llm.ToolRole, CallID: id, Content: llm.Content{llm.Text(strings.Repeat("a line of output\n", 20))}},
			llm.Message{Role: llm.Assistant, Content: llm.Content{llm.Text("An answer of usual length.")}})
	}
	p, err := openai.New(&http.Client{Transport: discard{}}, provider.Config{ID: "test", BaseURL: "http://x/v1"})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		for range p.Stream(b.Context(), req) {
		}
	}
}

type discard struct{}

func (discard) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 500, Body: http.NoBody}, nil
}

// The room that is made for a body holds it, and isn't much more: else a long
// request is copied again and again, or memory is held for nothing.
func TestRoomFitsTheBody(t *testing.T) {
	t.Parallel()
	for name, n := range map[string]int{"short": 1, "long": 5000} {
		req := llm.Request{Model: model(), System: strings.Repeat("You are a helpful assistant.\n", 400)}
		for i := range n {
			id := fmt.Sprint("call_", i)
			req.Messages = append(req.Messages, user("A question of usual length, with \"quotes\"."),
				called(llm.Call{ID: id, Name: "exec", Args: json.RawMessage(`{"command":"ls -la"}`)}),
				llm.Message{Role: llm.ToolRole, CallID: id, Content: llm.Content{llm.Text(strings.Repeat("a line of output\n", 20))}},
				llm.Message{Role: llm.Assistant, Content: llm.Content{llm.Text("An answer of usual length.")}})
		}
		var size lengths
		p, err := openai.New(&http.Client{Transport: &size}, provider.Config{ID: "test", BaseURL: "http://x/v1"})
		if err != nil {
			t.Fatal(err)
		}
		for range p.Stream(t.Context(), req) {
		}
		if room := provider.Room(&req); room < size.n || room > size.n*3/2+4096 {
			t.Errorf("%s: room for %d bytes, the body has %d", name, room, size.n)
		}
	}
}

// lengths notes how long the last body was.
type lengths struct {
	discard
	n int
}

func (l *lengths) RoundTrip(r *http.Request) (*http.Response, error) {
	l.n = int(r.ContentLength)
	return l.discard.RoundTrip(r)
}
