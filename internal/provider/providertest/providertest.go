// Package providertest is the suite that every provider passes: what a stream
// promises to its consumer, recorded answers replayed over HTTP, the classes
// of refusal, and silence in all its forms.
//
// A recording is a body, NAME.sse or NAME.body, with NAME.json beside it that
// says what must come of it ([Want]). A format that isn't made of events has
// other streams than .sse; see [Form].
package providertest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
)

// Want is what a recording must lead to.
type Want struct {
	Status   int               `json:"status"` // of the HTTP answer, 200 when 0
	Header   map[string]string `json:"header"`
	Text     string            `json:"text"`
	Thinking string            `json:"thinking"`
	Calls    []Call            `json:"calls"`
	Stop     llm.StopReason    `json:"stop"`
	Usage    [4]int64          `json:"usage"` // input, output, cache read, total
	Error    string            `json:"error"` // name of a reason; then nothing above is compared
	Messages []llm.Message     `json:"messages"`
}

// Call is a tool call in a Want. An ID of "*" is any.
type Call struct {
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Args  json.RawMessage `json:"args"`
	Extra json.RawMessage `json:"extra"`
}

// Key is the secret that the suite's providers use; it must not get out.
const Key = "test-key-4711-secret"

// Suite is what to test.
type Suite struct {
	Kind    provider.Kind
	Streams fs.FS  // recordings; nil for a provider without a network
	Plain   string // the recording of a plain text of several pieces
	// Noise is what a server sends to keep a connection open: it is no content.
	Noise string
	// Credential is used in place of Key where only a certain form will do.
	Credential string
	// Form is how a stream is written; the zero value is an event stream.
	Form Form
}

// Form is a way of writing a stream.
type Form struct {
	Ext  string // the ending of recordings: ".sse"
	Type string // Content-Type: text/event-stream
	// Comment is sent with Noise; it is empty where a format has none.
	Comment string
	// Wire makes what goes over the wire of the recording's text, or of whole
	// lines of it; nil leaves the text as it is.
	Wire func(lines string) []byte
	// Break ends a piece of the stream: an empty line.
	Break string
}

func (f Form) orEvents() Form {
	if f.Ext == "" {
		f = Form{Ext: ".sse", Type: "text/event-stream", Comment: ": ping\n\n", Break: "\n\n"}
	}
	if f.Wire == nil {
		f.Wire = func(lines string) []byte { return []byte(lines) }
	}
	return f
}

func (s Suite) credential() string {
	if s.Credential != "" {
		return s.Credential
	}
	return Key
}

// Run runs the suite.
func Run(t *testing.T, s Suite) {
	t.Helper()
	s.Form = s.Form.orEvents()
	if s.Streams == nil {
		p, err := s.Kind.New(provider.NewClient(), provider.Config{ID: "test"})
		if err != nil {
			t.Fatalf("New = %v", err)
		}
		promises(t, p)
		return
	}
	names, err := fs.Glob(s.Streams, "*.json")
	if err != nil || len(names) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(name, ".json"), func(t *testing.T) {
			t.Parallel()
			s.replay(t, strings.TrimSuffix(name, ".json"))
		})
	}
	t.Run("promises", func(t *testing.T) {
		t.Parallel()
		promises(t, s.open(t, s.serve(t, s.Plain, nil), provider.Limits{}))
	})
	t.Run("cut anywhere", func(t *testing.T) { t.Parallel(); s.cut(t) })
	t.Run("refusals", func(t *testing.T) { t.Parallel(); s.refusals(t) })
	t.Run("silence", func(t *testing.T) { t.Parallel(); s.silence(t) })
	t.Run("nobody there", func(t *testing.T) { t.Parallel(); s.unreachable(t) })
}

// Model is the model that the suite asks.
func (s Suite) Model() llm.Model {
	return llm.Model{Provider: "test", ID: "model-1", API: s.Kind.ID, MaxTokens: 1000, ContextWindow: 100_000, Input: []string{"text", "image"}}
}

func (s Suite) request() llm.Request {
	return llm.Request{Model: s.Model(), System: "Be brief.", Messages: []llm.Message{{Role: llm.User, Content: llm.Content{llm.Text("hello")}}}}
}

func (s Suite) open(t *testing.T, url string, l provider.Limits) provider.Provider {
	t.Helper()
	c := provider.NewClient()
	t.Cleanup(c.CloseIdleConnections)
	p, err := s.Kind.New(c, provider.Config{ID: "test", BaseURL: url, APIKey: s.credential(), Limits: l})
	if err != nil {
		t.Fatalf("New = %v", err)
	}
	return p
}

// serve answers every request with a recording, after change.
func (s Suite) serve(t *testing.T, name string, change func(string) string) string {
	t.Helper()
	body, kind, want := s.recording(t, name)
	if change != nil {
		body = change(body)
	}
	return Serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		for k, v := range want.Header {
			w.Header().Set(k, v)
		}
		if want.Status != 0 {
			w.WriteHeader(want.Status)
		}
		_, _ = w.Write(s.wire(kind, body)) // the client may have gone
	})
}

// wire is body as it is sent.
func (s Suite) wire(kind, body string) []byte {
	if kind == s.Form.Type {
		return s.Form.Wire(body)
	}
	return []byte(body)
}

// Serve starts a server that reads each request before h answers it.
func Serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// A server notices that its client has gone only once the body is read.
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		h(w, r)
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return srv.URL
}

func (s Suite) recording(t *testing.T, name string) (body, kind string, want Want) {
	t.Helper()
	raw, err := fs.ReadFile(s.Streams, name+".json")
	if err == nil {
		err = json.Unmarshal(raw, &want)
	}
	if err != nil {
		t.Fatalf("%s.json: %v", name, err)
	}
	kind = s.Form.Type
	raw, err = fs.ReadFile(s.Streams, name+s.Form.Ext)
	if errors.Is(err, fs.ErrNotExist) {
		kind = "application/json"
		raw, err = fs.ReadFile(s.Streams, name+".body")
	}
	if err != nil {
		t.Fatalf("recording %s: %v", path.Base(name), err)
	}
	return string(raw), kind, want
}

// Outcome is what a stream led to.
type Outcome struct {
	Text, Thinking string // joined from the deltas
	Message        llm.Message
	Done           bool
	Err            error
}

// Collect reads a stream to its end and checks that it ends as it must.
func Collect(ctx context.Context, t *testing.T, p provider.Provider, req llm.Request) Outcome {
	t.Helper()
	var o Outcome
	for e, err := range p.Stream(ctx, req) {
		if o.Done || o.Err != nil {
			t.Fatalf("the stream goes on after its end: %+v, %v", e, err)
		}
		if err != nil {
			o.Err = err
			continue
		}
		switch e.Type {
		case llm.TextDelta:
			o.Text += e.Delta
		case llm.ThinkingDelta:
			o.Thinking += e.Delta
		case llm.Done:
			o.Done, o.Message = true, e.Message
		}
	}
	if o.Done == (o.Err != nil) {
		t.Fatalf("the stream ended with done = %v and error = %v; want exactly one", o.Done, o.Err)
	}
	if o.Err != nil && strings.Contains(o.Err.Error()+fault.Hint(o.Err), Key) {
		t.Errorf("the error shows the key: %v", o.Err)
	}
	return o
}

func (s Suite) replay(t *testing.T, name string) {
	t.Helper()
	_, _, want := s.recording(t, name)
	req := s.request()
	if want.Messages != nil {
		req.Messages = want.Messages
	}
	o := Collect(t.Context(), t, s.open(t, s.serve(t, name, nil), provider.Limits{}), req)
	if want.Error != "" {
		if got := provider.ReasonOf(o.Err); string(got) != want.Error {
			t.Fatalf("reason = %q, want %q (%v)", got, want.Error, o.Err)
		}
		if h := fault.Hint(o.Err); !strings.HasPrefix(h, "test: ") || len(h) > 200 || strings.ContainsAny(h, "<{") {
			t.Errorf("hint = %q, want a short sentence that names the provider", h)
		}
		return
	}
	if o.Err != nil {
		t.Fatalf("error: %v", o.Err)
	}
	m := o.Message
	if want.Stop == "" {
		want.Stop = llm.StopEnd
	}
	thinking := ""
	for _, b := range m.Content {
		if b.Type == llm.ThinkingBlock {
			thinking += b.Text
		}
	}
	if d := cmp.Diff([]string{want.Text, want.Text, want.Thinking, want.Thinking, string(want.Stop)}, []string{m.Text(), o.Text, thinking, o.Thinking, string(m.Stop)}); d != "" {
		t.Errorf("text, streamed text, thinking, streamed thinking, stop (-want +got):\n%s", d)
	}
	if u := m.Usage; u == nil || [4]int64{u.Input, u.Output, u.CacheRead, u.Total} != want.Usage {
		t.Errorf("usage = %+v, want input, output, cache read, total %v", u, want.Usage)
	}
	if m.Role != llm.Assistant || m.Provider != "test" || m.Model != "model-1" || m.API != s.Kind.ID {
		t.Errorf("message is by %s %s/%s %s", m.Role, m.Provider, m.Model, m.API)
	}
	calls(t, m.Calls(), want.Calls)
}

func calls(t *testing.T, got []llm.Call, want []Call) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d calls %+v, want %d", len(got), got, len(want))
	}
	seen := map[string]bool{}
	for i, w := range want {
		g := got[i]
		if g.ID == "" || seen[g.ID] {
			t.Errorf("call %d has the identifier %q, want one of its own", i, g.ID)
		}
		seen[g.ID] = true
		if w.ID != "*" && g.ID != w.ID || g.Name != w.Name || !same(g.Args, w.Args) || !same(g.Extra, w.Extra) {
			t.Errorf("call %d = %s %s %s extra %s, want %s %s %s extra %s", i, g.ID, g.Name, g.Args, g.Extra, w.ID, w.Name, w.Args, w.Extra)
		}
	}
}

func same(a, b json.RawMessage) bool {
	var x, y any
	if len(a) > 0 && json.Unmarshal(a, &x) != nil || len(b) > 0 && json.Unmarshal(b, &y) != nil {
		return false
	}
	return cmp.Equal(x, y)
}

// promises checks what a consumer relies on.
func promises(t *testing.T, p provider.Provider) {
	t.Helper()
	req := Suite{}.request()
	o := Collect(t.Context(), t, p, req)
	if o.Err != nil || o.Text == "" || o.Message.Text() != o.Text {
		t.Errorf("streamed %q, message %q, error %v; want the same text", o.Text, o.Message.Text(), o.Err)
	}
	pieces := 0
	for range p.Stream(t.Context(), req) {
		pieces++
		break // must not go on or panic
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if o := Collect(ctx, t, p, req); fault.KindOf(o.Err) != fault.Canceled {
		t.Errorf("with a cancelled context: error = %v, want one of kind Canceled", o.Err)
	}
	if pieces != 1 {
		t.Errorf("no event before the break")
	}
}
