package compat_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
	"github.com/openclaw-go/openclaw/internal/provider/anthropic"
	"github.com/openclaw-go/openclaw/internal/provider/azure"
	"github.com/openclaw-go/openclaw/internal/provider/compat"
	"github.com/openclaw-go/openclaw/internal/provider/openai"
	"github.com/openclaw-go/openclaw/internal/provider/providertest"
	"github.com/openclaw-go/openclaw/internal/provider/responses"
)

var update = flag.Bool("update", false, "write the golden files")

// elsewhere is a transport that takes every request to a server on loopback and
// keeps what was asked of whom.
type elsewhere struct {
	to string

	mu   sync.Mutex
	url  string
	head http.Header
	body map[string]any
}

func (e *elsewhere) RoundTrip(r *http.Request) (*http.Response, error) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	e.url, e.head, e.body = r.URL.String(), r.Header.Clone(), nil
	err = json.Unmarshal(raw, &e.body)
	e.mu.Unlock()
	if err != nil {
		return nil, err
	}
	to, err := http.NewRequestWithContext(r.Context(), r.Method, e.to+r.URL.Path, strings.NewReader(string(raw)))
	if err != nil {
		return nil, err
	}
	to.Header = r.Header
	return http.DefaultTransport.RoundTrip(to)
}

// server answers each format with the recording of a plain text.
func server(t *testing.T) string {
	t.Helper()
	return providertest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		dir := "openai"
		switch {
		case strings.HasSuffix(r.URL.Path, "/messages"):
			dir = "anthropic"
		case strings.HasSuffix(r.URL.Path, "/responses"):
			dir = "responses"
		}
		raw, err := os.ReadFile("../" + dir + "/testdata/streams/plain.sse")
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write(raw) // the client may have gone
	})
}

func kinds() map[string]provider.Kind {
	out := map[string]provider.Kind{}
	for _, k := range []provider.Kind{openai.Kind(), responses.Kind(), anthropic.Kind(), azure.Kind(responses.Kind())} {
		out[k.ID] = k
	}
	return out
}

// TestRows asks every service of the formats that other services share: the
// right address, the key in the right header, the right members in the body.
// The golden file shows it all at a glance.
func TestRows(t *testing.T) {
	t.Parallel()
	to := &elsewhere{to: server(t)}
	client := &http.Client{Transport: to}
	var got strings.Builder
	for _, r := range compat.Table() {
		kind, ok := kinds()[r.API]
		if !ok {
			fmt.Fprintf(&got, "%s: %s, tested there\n", r.ID, r.API)
			continue
		}
		base := regexp.MustCompile(`\{\w+\}`).ReplaceAllString(r.BaseURL, "VALUE")
		p, err := kind.New(client, provider.Config{ID: r.ID, BaseURL: base, APIKey: providertest.Key, Headers: r.Headers})
		if err != nil {
			t.Errorf("%s: %v", r.ID, err)
			continue
		}
		o := providertest.Collect(t.Context(), t, p, llm.Request{
			Model:  llm.Model{Provider: r.ID, ID: "m", API: r.API, Reasoning: true, MaxTokens: 5000, Input: []string{"text"}},
			System: "Be brief.", Thinking: "high",
			Tools: []llm.ToolSpec{{Name: "ls", Schema: json.RawMessage(`{"type":"object","properties":{}}`)}},
			Messages: []llm.Message{
				{Role: llm.User, Content: llm.Content{llm.Text("hi")}},
				{Role: llm.Assistant, Content: llm.Content{{Type: llm.CallBlock, Call: &llm.Call{ID: "call_1", Name: "ls", Args: json.RawMessage("{}")}}}},
				{Role: llm.ToolRole, CallID: "call_1", ToolName: "ls", Content: llm.Content{llm.Text("out")}},
			},
		})
		if o.Err != nil || o.Text != "Hello big world" {
			t.Errorf("%s: answered %q, error %v", r.ID, o.Text, o.Err)
		}
		got.WriteString(line(r, to))
	}
	const golden = "testdata/rows.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got.String()); d != "" {
		t.Errorf("what the services are asked (-want +got), -update writes it:\n%s", d)
	}
}

// line sums up one request.
func line(r compat.Row, to *elsewhere) string {
	to.mu.Lock()
	defer to.mu.Unlock()
	var what []string
	for k, v := range to.head {
		for _, x := range v {
			if strings.Contains(x, providertest.Key) {
				what = append(what, strings.Replace(k+": "+x, providertest.Key, "KEY", 1))
			}
		}
	}
	slices.Sort(what)
	for _, k := range []string{
		"max_tokens", "max_completion_tokens", "max_output_tokens", "store", "stream_options", "reasoning_effort", "reasoning", "thinking",
		"enable_thinking", "prompt_mode",
	} {
		if v, ok := to.body[k]; ok {
			raw, err := json.Marshal(v)
			if err != nil {
				return err.Error()
			}
			what = append(what, k+"="+string(raw))
		}
	}
	if ms, ok := to.body["messages"].([]any); ok && len(ms) > 0 {
		first, _ := ms[0].(map[string]any)
		what = append(what, fmt.Sprintf("first=%v", first["role"]))
		for _, m := range ms {
			if m, ok := m.(map[string]any); ok && m["tool_call_id"] != nil {
				what = append(what, fmt.Sprintf("id=%v", m["tool_call_id"]))
			}
		}
	}
	tools, _ := json.Marshal(to.body["tools"]) //nolint:errchkjson // it was JSON before
	return fmt.Sprintf("%s: %s\n  %s\n  tools %s\n", r.ID, to.url, strings.Join(what, " "), tools)
}

func TestNames(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, r := range compat.Table() {
		for _, n := range append([]string{r.ID}, r.Aliases...) {
			if seen[n] != "" || n != strings.ToLower(n) {
				t.Errorf("the name %q is that of %s and %s", n, seen[n], r.ID)
			}
			seen[n] = r.ID
			if f, ok := compat.Find(strings.ToUpper(n)); !ok || f.ID != r.ID {
				t.Errorf("Find(%q) = %s, %v; want %s", n, f.ID, ok, r.ID)
			}
		}
		u, err := url.Parse(strings.NewReplacer("{", "", "}", "").Replace(r.BaseURL))
		if err != nil || u.Host == "" && r.ID != "google-vertex" && r.ID != "amazon-bedrock" || u.Scheme != "https" && u.Scheme != "" && !r.Keyless || r.Name == "" {
			t.Errorf("%s: base URL %q, name %q", r.ID, r.BaseURL, r.Name)
		}
		if r.Auth != "" {
			if _, ok := compat.Find(r.Auth); !ok {
				t.Errorf("%s: its logins are those of %s, which isn't there", r.ID, r.Auth)
			}
		}
	}
	if r, ok := compat.Find("nobody"); ok {
		t.Errorf("Find(nobody) = %v", r)
	}
}

func TestAt(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ id, base, want string }{
		{"mine", "https://api.deepseek.com", "deepseek"},
		{"mine", "https://api.moonshot.cn/v1", "moonshot"},
		{"mine", "https://open.bigmodel.cn/api/paas/v4", "zai"},
		{"mine", "https://ark.cn-beijing.volces.com/api/coding/v3", "volcengine-plan"},
		{"mine", "https://ark.cn-beijing.volces.com/api/v3", "volcengine"},
		{"minimax-portal", "https://api.minimax.io/anthropic", "minimax-portal"},
		{"mine", "https://coding.dashscope.aliyuncs.com/v1", "modelstudio"},
		{"mine", "http://127.0.0.1:8000/v1", ""},
		{"vllm", "http://10.0.0.7:8000/v1", "vllm"},
		{"mistral", "https://proxy.example.com/v1", "mistral"},
		{"mine", "https://evil-deepseek.com/v1", ""},
		{"mine", "", ""},
	} {
		if r, _ := compat.Of(tt.id, tt.base); r.ID != tt.want {
			t.Errorf("Of(%q, %q) = %q, want %q", tt.id, tt.base, r.ID, tt.want)
		}
	}
}

func TestQuirks(t *testing.T) {
	t.Parallel()
	q := compat.Quirks{Store: compat.No, MaxTokens: "max_tokens"}
	if err := json.Unmarshal([]byte(`{"supportsStore":true,"supportsTools":false,"maxTokensField":"max_completion_tokens","supportsStrictMode":null}`), &q); err != nil {
		t.Fatal(err)
	}
	want := compat.Quirks{Store: compat.Yes, Tools: compat.No, MaxTokens: "max_completion_tokens"}
	if q != want || q.Tools.On() || !q.Strict.On() {
		t.Errorf("quirks = %+v, want %+v", q, want)
	}
	if json.Unmarshal([]byte(`{"supportsStore":"yes"}`), &q) == nil {
		t.Error("a word passes for a switch")
	}
}
