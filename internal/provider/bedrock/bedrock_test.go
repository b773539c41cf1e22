package bedrock_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
	"github.com/openclaw-go/openclaw/internal/provider/bedrock"
	"github.com/openclaw-go/openclaw/internal/provider/providertest"
)

var update = flag.Bool("update", false, "write the golden files")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// frames makes event-stream frames of lines: the event's name and its payload;
// a name with ! is an exception's, one with ? an error's.
func frames(lines string) []byte {
	var out bytes.Buffer
	for line := range strings.Lines(lines) {
		name, payload, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		var m eventstream.Message
		set := func(k, v string) { m.Headers.Set(k, eventstream.StringValue(v)) }
		switch {
		case strings.HasPrefix(name, "!"):
			set(":message-type", "exception")
			set(":exception-type", name[1:])
		case strings.HasPrefix(name, "?"):
			set(":message-type", "error")
			set(":error-code", name[1:])
			set(":error-message", payload)
			payload = ""
		default:
			set(":message-type", "event")
			set(":event-type", name)
		}
		m.Payload = []byte(payload)
		if err := eventstream.NewEncoder().Encode(&out, m); err != nil {
			panic(err)
		}
	}
	return out.Bytes()
}

const streamType = "application/vnd.amazon.eventstream"

func TestProvider(t *testing.T) {
	t.Parallel()
	providertest.Run(t, providertest.Suite{
		Kind: bedrock.Kind(), Streams: os.DirFS("testdata/streams"), Plain: "plain",
		Noise: "initial-response {}\n",
		Form:  providertest.Form{Ext: ".frames", Type: streamType, Break: "\n", Wire: frames},
	})
}

const claude = "anthropic.claude-sonnet-4-5-20250929-v1:0"

func model(id string) llm.Model {
	return llm.Model{Provider: "test", ID: id, API: bedrock.API, MaxTokens: 4000, Reasoning: true, Input: []string{"text", "image"}}
}

func open(t *testing.T, cfg provider.Config) *bedrock.Provider {
	t.Helper()
	c := provider.NewClient()
	t.Cleanup(c.CloseIdleConnections)
	cfg.ID, cfg.Getenv = "test", os.Getenv
	p, err := bedrock.New(c, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const answered = `messageStart {}
contentBlockDelta {"contentBlockIndex":0,"delta":{"text":"ok"}}
messageStop {"stopReason":"end_turn"}
metadata {"usage":{"inputTokens":1,"outputTokens":1,"totalTokens":2}}
`

// sent returns what req looks like on the wire.
func sent(t *testing.T, cfg provider.Config, req llm.Request) ([]byte, *http.Request) {
	t.Helper()
	var body []byte
	var got *http.Request
	cfg.BaseURL = providertest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		got = r
		w.Header().Set("Content-Type", streamType)
		_, _ = w.Write(frames(answered))
	})
	if o := providertest.Collect(t.Context(), t, open(t, cfg), req); o.Err != nil {
		t.Fatal(o.Err)
	}
	return body, got
}

func history() []llm.Message {
	own := func(c ...llm.Block) llm.Message {
		return llm.Message{Role: llm.Assistant, API: bedrock.API, Provider: "test", Model: claude, Stop: llm.StopTool, Content: c}
	}
	call := func(id, cmd string) llm.Block {
		return llm.Block{Type: llm.CallBlock, Call: &llm.Call{ID: id, Name: "exec", Args: json.RawMessage(`{"command":"` + cmd + `"}`)}}
	}
	png := llm.Block{Type: llm.ImageBlock, MIME: "image/png", Data: []byte("png")}
	return []llm.Message{
		{Role: llm.Assistant, Content: llm.Content{llm.Text("Left over from before.")}},
		{Role: llm.User, Content: llm.Content{llm.Text("look"), png, {Type: llm.ImageBlock, MIME: "image/heic", Data: []byte("x")}}},
		own(llm.Block{Type: llm.ThinkingBlock, Text: "hm", Signature: "sig"}, llm.Block{Type: llm.ThinkingBlock, Signature: "redacted:c2Vj"},
			llm.Text("Both."), call("tooluse_1", "a"), call("functions.exec:0", "b")),
		{Role: llm.ToolRole, CallID: "tooluse_1", ToolName: "exec", Content: llm.Content{llm.Text("out a"), png}},
		{Role: llm.ToolRole, CallID: "functions.exec:0", ToolName: "exec", IsError: true, Content: llm.Content{llm.Text("")}},
		{Role: llm.User, Content: llm.Content{llm.Text("and be quick")}},
		{Role: llm.Assistant, Provider: "other", Model: "x", Content: llm.Content{{Type: llm.ThinkingBlock, Text: "foreign", Signature: "no"}, llm.Text("Fine.")}},
		{Role: llm.Assistant, Provider: "test", Stop: llm.StopError, Error: "x"},
		{Role: llm.User, Content: llm.Content{llm.Text(" ")}},
	}
}

func TestRequest(t *testing.T) {
	t.Parallel()
	for name, id := range map[string]string{"request-claude": claude, "request-other": "qwen.qwen3-32b-v1:0"} {
		req := llm.Request{
			Model: model(id), System: "Be brief.", Messages: history(), Thinking: "low",
			Tools: []llm.ToolSpec{{Name: "ls"}, {Name: "exec", Description: "Run it.", Schema: json.RawMessage(`{"type":"object","properties":{"command":{"type":"string"}},"additionalProperties":false}`)}},
		}
		raw, r := sent(t, provider.Config{APIKey: "key-1"}, req)
		if r.Header.Get("Authorization") != "Bearer key-1" || r.URL.EscapedPath() != "/model/"+strings.ReplaceAll(id, ":", "%3A")+"/converse-stream" {
			t.Errorf("%s: asked for %s with %v", name, r.URL.EscapedPath(), r.Header)
		}
		var out bytes.Buffer
		if err := json.Indent(&out, raw, "", "  "); err != nil {
			t.Fatalf("%s: %v in %s", name, err, raw)
		}
		golden := filepath.Join("testdata", name+".golden.json")
		if *update {
			if err := os.WriteFile(golden, append(out.Bytes(), '\n'), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(strings.TrimSpace(string(want)), out.String()); d != "" {
			t.Errorf("%s (-want +got), -update writes it:\n%s", name, d)
		}
	}
}

// TestOptions looks at single members of requests.
func TestOptions(t *testing.T) {
	t.Parallel()
	user := llm.Message{Role: llm.User, Content: llm.Content{llm.Text("x")}}
	call := llm.Message{Role: llm.Assistant, Content: llm.Content{{Type: llm.CallBlock, Call: &llm.Call{ID: "1", Name: "gone"}}}}
	priced := model("amazon.nova-pro-v1:0")
	priced.Cost.CacheRead = 0.2
	for name, tt := range map[string]struct {
		req       llm.Request
		has, lack string
	}{
		"off":          {llm.Request{Model: model(claude), Thinking: "off"}, `"inferenceConfig":{"maxTokens":4000}`, `"thinking"`},
		"budget":       {llm.Request{Model: model(claude), Thinking: "high"}, `{"thinking":{"type":"enabled","budget_tokens":2976}}`, ""},
		"adaptive":     {llm.Request{Model: model("us.anthropic.claude-opus-4-6-v1"), Thinking: "xhigh"}, `{"thinking":{"type":"adaptive"},"output_config":{"effort":"max"}}`, ""},
		"others don't": {llm.Request{Model: model("deepseek.r1-v1:0"), Thinking: "high"}, `"maxTokens"`, `additionalModelRequestFields`},
		"no points":    {llm.Request{Model: model("meta.llama3"), System: "s"}, `"system":[{"text":"s"}]`, "cachePoint"},
		"priced":       {llm.Request{Model: priced, System: "s"}, `{"text":"s"},{"cachePoint":{"type":"default"}}`, ""},
		"no tools any more": {
			llm.Request{Model: model(claude), Thinking: "high", Messages: []llm.Message{user, call, {Role: llm.ToolRole, CallID: "1"}}},
			`"toolConfig":{"tools":[{"toolSpec":{"name":"gone"`, `"thinking"`, // a turn that began without thinking goes on without
		},
	} {
		if tt.req.Messages == nil {
			tt.req.Messages = []llm.Message{user}
		}
		body, _ := sent(t, provider.Config{APIKey: "k"}, tt.req)
		if !strings.Contains(string(body), tt.has) || tt.lack != "" && strings.Contains(string(body), tt.lack) {
			t.Errorf("%s: %s, want %s and not %q", name, body, tt.has, tt.lack)
		}
	}
}

// TestGoesBack: thoughts that came are sent back unchanged.
func TestGoesBack(t *testing.T) {
	t.Parallel()
	for stream, want := range map[string]string{
		"thinking": `{"reasoningContent":{"reasoningText":{"text":"Two and two.","signature":"c2ln"}}}`,
		"redacted": `{"reasoningContent":{"redactedContent":"c2VjcmV0"}}`,
	} {
		lines, err := os.ReadFile("testdata/streams/" + stream + ".frames")
		if err != nil {
			t.Fatal(err)
		}
		url := providertest.Serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", streamType)
			_, _ = w.Write(frames(string(lines)))
		})
		user := llm.Message{Role: llm.User, Content: llm.Content{llm.Text("x")}}
		o := providertest.Collect(t.Context(), t, open(t, provider.Config{BaseURL: url, APIKey: "k"}), llm.Request{Model: model(claude), Messages: []llm.Message{user}})
		body, _ := sent(t, provider.Config{APIKey: "k"}, llm.Request{Model: model(claude), Messages: []llm.Message{user, o.Message, user}})
		if !strings.Contains(string(body), want) {
			t.Errorf("%s: %s\nlacks %s", stream, body, want)
		}
	}
}

func TestModels(t *testing.T) {
	t.Parallel()
	url := providertest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/foundation-models" {
			_, _ = io.WriteString(w, `{"modelSummaries":[
				{"modelId":"amazon.nova-pro-v1:0","modelName":"Nova Pro","inputModalities":["TEXT","IMAGE"],"outputModalities":["TEXT"],"responseStreamingSupported":true,"inferenceTypesSupported":["ON_DEMAND"],"modelLifecycle":{"status":"ACTIVE"}},
				{"modelId":"anthropic.claude-opus-4-6-v1","modelName":"Opus","inputModalities":["TEXT"],"outputModalities":["TEXT"],"responseStreamingSupported":true,"inferenceTypesSupported":["INFERENCE_PROFILE"],"modelLifecycle":{"status":"ACTIVE"}},
				{"modelId":"old","outputModalities":["TEXT"],"responseStreamingSupported":true,"modelLifecycle":{"status":"LEGACY"}},
				{"modelId":"image","outputModalities":["IMAGE"],"responseStreamingSupported":true}]}`)
			return
		}
		_, _ = io.WriteString(w, `{"inferenceProfileSummaries":[{"inferenceProfileId":"us.anthropic.claude-opus-4-6-v1","inferenceProfileName":"US Opus","status":"ACTIVE","models":[{"modelArn":"arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-opus-4-6-v1"}]}]}`)
	})
	got, err := open(t, provider.Config{BaseURL: url, APIKey: "k"}).Models(t.Context())
	want := []llm.Model{
		{Provider: "test", ID: "amazon.nova-pro-v1:0", Name: "Nova Pro", API: bedrock.API, ContextWindow: 32_000, MaxTokens: 4096, Input: []string{"text", "image"}},
		{Provider: "test", ID: "us.anthropic.claude-opus-4-6-v1", Name: "US Opus", API: bedrock.API, ContextWindow: 200_000, MaxTokens: 4096, Reasoning: true, Input: []string{"text"}},
	}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("Models: %v (-want +got)\n%s", err, d)
	}
}

// TestBrokenFrames: a frame that isn't whole or isn't right is no answer.
func TestBrokenFrames(t *testing.T) {
	t.Parallel()
	whole := frames(answered)
	for name, body := range map[string][]byte{
		"half a frame":  whole[:len(whole)/2],
		"a wrong sum":   append(bytes.Clone(whole[:40]), append([]byte{whole[40] ^ 1}, whole[41:]...)...),
		"a huge length": {0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0, 1, 2, 3, 4},
		"text":          []byte("event: x\ndata: y\n\n"),
	} {
		p := open(t, provider.Config{BaseURL: providertest.Serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", streamType)
			_, _ = w.Write(body)
		}), APIKey: "k"})
		o := providertest.Collect(t.Context(), t, p, llm.Request{Model: model(claude), Messages: history()[1:2]})
		if provider.ReasonOf(o.Err) != provider.ReasonOverloaded {
			t.Errorf("%s: %v", name, o.Err)
		}
	}
}

func FuzzStream(f *testing.F) {
	names, _ := filepath.Glob("testdata/streams/*.frames")
	for _, n := range names {
		raw, err := os.ReadFile(n)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw, true)
	}
	f.Add(frames(answered), false)
	f.Fuzz(func(t *testing.T, raw []byte, lines bool) {
		if lines {
			for l := range strings.Lines(string(raw)) {
				if strings.TrimSpace(l) == "" || len(l) > 4096 {
					return
				}
			}
			raw = frames(string(raw))
		}
		p, err := bedrock.New(&http.Client{Transport: answers(raw)}, provider.Config{ID: "test", BaseURL: "http://x", APIKey: "k"})
		if err != nil {
			t.Fatal(err)
		}
		providertest.Collect(t.Context(), t, p, llm.Request{Model: model("m"), Messages: history()[1:2]})
	})
}

// answers gives every request the same body.
type answers []byte

func (a answers) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {streamType}}, Body: io.NopCloser(bytes.NewReader(a))}, nil
}
