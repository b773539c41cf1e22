// Package providertest is the suite that every provider passes: what a stream
// promises to its consumer, recorded answers replayed over HTTP, the classes
// of refusal, and silence in all its forms.
//
// A recording is a body, NAME.sse or NAME.body, with NAME.json beside it that
// says what must come of it ([Want]).
package providertest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"
	"time"

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
}

// Run runs the suite.
func Run(t *testing.T, s Suite) {
	t.Helper()
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
	p, err := s.Kind.New(c, provider.Config{ID: "test", BaseURL: url, APIKey: Key, Limits: l})
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
		_, _ = w.Write([]byte(body)) // the client may have gone
	})
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
	kind = "text/event-stream"
	raw, err = fs.ReadFile(s.Streams, name+".sse")
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

// cut ends the plain recording early at each line: a stream that was cut before
// the model said it was done is an error, never an answer.
func (s Suite) cut(t *testing.T) {
	t.Helper()
	body, kind, want := s.recording(t, s.Plain)
	lines := strings.SplitAfter(body, "\n")
	cutAt := make(chan int, 1)
	url := Serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write([]byte(strings.Join(lines[:<-cutAt], ""))) // the client may have gone
	})
	p := s.open(t, url, provider.Limits{})
	done := 0
	for n := range lines {
		cutAt <- n
		o := Collect(t.Context(), t, p, s.request())
		switch {
		case o.Err != nil && done > 0:
			t.Errorf("cut after line %d: error %v, but line %d was enough", n, o.Err, done)
		case o.Err != nil && fault.KindOf(o.Err) != fault.Unavailable:
			t.Errorf("cut after line %d: error %v, want one of kind Unavailable", n, o.Err)
		case o.Done && o.Message.Text() != want.Text:
			t.Fatalf("cut after line %d: done with %q, want %q", n, o.Message.Text(), want.Text)
		case o.Done:
			done = n
		}
	}
	if done == 0 {
		t.Error("never done")
	}
}

// refusals checks the classes by status; the table's own test has the words.
func (s Suite) refusals(t *testing.T) {
	t.Helper()
	for _, tt := range []struct {
		status int
		body   string
		kind   fault.Kind
	}{
		{400, `{"error":{"message":"bad"}}`, fault.Invalid},
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 > 8"}}`, fault.Invalid},
		{401, `{"error":{"message":"wrong key ` + Key + `"}}`, fault.Unauthenticated},
		{402, `{}`, fault.Forbidden},
		{403, `{}`, fault.Forbidden},
		{404, `not found`, fault.NotFound},
		{408, ``, fault.Timeout},
		{429, `{"error":{"message":"slow down"}}`, fault.RateLimited},
		{500, `<html>oops</html>`, fault.Unavailable},
		{503, ``, fault.Unavailable},
		{529, `{"error":{"type":"overloaded_error"}}`, fault.Unavailable},
		{302, ``, fault.Invalid},
	} {
		url := Serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "7")
			w.Header().Set("Location", "http://127.0.0.1:1/")
			w.WriteHeader(tt.status)
			_, _ = fmt.Fprint(w, tt.body) // the client may have gone
		})
		o := Collect(t.Context(), t, s.open(t, url, provider.Limits{}), s.request())
		if got := fault.KindOf(o.Err); got != tt.kind {
			t.Errorf("status %d %s: kind %d, want %d (%v)", tt.status, tt.body, got, tt.kind, o.Err)
		}
		if strings.Contains(tt.body, "too long") != errors.Is(o.Err, provider.ErrOverflow) {
			t.Errorf("status %d %s: overflow is %v", tt.status, tt.body, errors.Is(o.Err, provider.ErrOverflow))
		}
		if r, ok := errors.AsType[provider.RetryAfter](o.Err); tt.status == 429 && (!ok || r.After != 7*time.Second) {
			t.Errorf("status 429: retry after %v, want 7s", r.After)
		}
	}
}

// silence checks the three limits, with noise that must not count as content.
func (s Suite) silence(t *testing.T) {
	t.Helper()
	body, _, _ := s.recording(t, s.Plain)
	half := body[:len(body)/2]
	half = half[:strings.LastIndex(half, "\n\n")+2]
	const long, short = time.Minute, 60 * time.Millisecond
	for name, tt := range map[string]struct {
		limits  provider.Limits
		headers bool
		start   string
	}{
		"no headers":        {provider.Limits{Connect: short, FirstToken: long, Idle: long}, false, ""},
		"nothing but noise": {provider.Limits{Connect: long, FirstToken: short, Idle: long}, true, ""},
		"stalled":           {provider.Limits{Connect: long, FirstToken: long, Idle: short}, true, half},
	} {
		url := Serve(t, func(w http.ResponseWriter, r *http.Request) {
			if !tt.headers {
				<-r.Context().Done()
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = fmt.Fprint(w, tt.start) // the client may have gone
			tick := time.NewTicker(10 * time.Millisecond)
			defer tick.Stop()
			for r.Context().Err() == nil {
				_, _ = fmt.Fprint(w, ": ping\n\n", s.Noise) // the client may have gone
				_ = http.NewResponseController(w).Flush()
				<-tick.C
			}
		})
		begin := time.Now()
		o := Collect(t.Context(), t, s.open(t, url, tt.limits), s.request())
		if fault.KindOf(o.Err) != fault.Timeout || !strings.Contains(fault.Hint(o.Err), "within 60ms") || provider.ReasonOf(o.Err) != provider.ReasonTimeout {
			t.Errorf("%s: error %v, want the limit of 60ms", name, o.Err)
		}
		if d := time.Since(begin); d > 20*time.Second {
			t.Errorf("%s: took %v", name, d)
		}
	}
}

func (s Suite) unreachable(t *testing.T) {
	t.Helper()
	srv := httptest.NewServer(http.NotFoundHandler())
	url := srv.URL
	srv.Close()
	o := Collect(t.Context(), t, s.open(t, url, provider.Limits{}), s.request())
	if fault.KindOf(o.Err) != fault.Unavailable || !strings.Contains(fault.Hint(o.Err), "is the service running?") {
		t.Errorf("error %v, want one of kind Unavailable that asks whether the service runs", o.Err)
	}
}
