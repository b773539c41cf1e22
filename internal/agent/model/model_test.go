package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/agent/model"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/provider"
	"github.com/openclaw-go/openclaw/internal/provider/demo"
	"github.com/openclaw-go/openclaw/internal/provider/ollama"
	"github.com/openclaw-go/openclaw/internal/provider/openai"
)

// echo is a provider that says which service and key it was made with.
type echo struct{ cfg provider.Config }

func (e echo) Stream(context.Context, llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		yield(llm.Event{Type: llm.Done, Message: llm.Message{Content: llm.Content{llm.Text(e.cfg.ID + " " + e.cfg.APIKey + " " + e.cfg.BaseURL)}}}, nil)
	}
}

// maker counts how many providers were made.
type maker struct {
	mu   sync.Mutex
	made int
}

func (m *maker) kinds() []provider.Kind {
	kind := func(id string) provider.Kind {
		return provider.Kind{ID: id, New: func(_ *http.Client, cfg provider.Config) (provider.Provider, error) {
			m.mu.Lock()
			m.made++
			m.mu.Unlock()
			return echo{cfg}, nil
		}}
	}
	return []provider.Kind{kind("openai-completions"), kind("openai-responses"), kind("anthropic-messages"), kind("azure-openai-responses"), kind("github-copilot"), demo.Kind()}
}

func parse(t testing.TB, text string) *config.Config {
	t.Helper()
	c := new(config.Config)
	if err := json.Unmarshal([]byte(text), c); err != nil {
		t.Fatal(err)
	}
	c.Paths.State = t.TempDir()
	return c
}

// noKeys empties the environment of keys.
func noKeys(t *testing.T) {
	t.Helper()
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); strings.HasSuffix(name, "_API_KEY") || strings.HasSuffix(name, "_API_KEYS") || strings.HasSuffix(name, "_OAUTH_TOKEN") {
			t.Setenv(name, "")
		}
	}
}

const two = `{"models":{"mode":"replace","providers":{
	"fake":{"baseUrl":"http://127.0.0.1:1/v1","apiKey":"k-fake","api":"openai-completions","models":[
		{"id":"fake-1","name":"Fake One","contextWindow":128000,"maxTokens":4096,"cost":{"input":1,"output":2}},
		{"id":"fake-2","name":"Fake Two","reasoning":true,"input":["text","image"]}]},
	"other":{"baseUrl":"http://127.0.0.1:2/v1","api":"openai-completions","models":[{"id":"o-1","name":"Other"}]}}},
	"agents":{"defaults":{"model":{"primary":"fake/fake-1","fallbacks":["fake/fake-2","other/o-1"]}}}}`

func resolver(t testing.TB, text string, store model.Store) (*model.Resolver, *maker) {
	t.Helper()
	c, m := parse(t, text), new(maker)
	r := model.New(m.kinds(), nil, func() *config.Config { return c }, nil, store)
	r.SetPlaces("ollama", "http://127.0.0.1:1/v1")
	return r, m
}

func tried(t *testing.T, r *model.Resolver, ref string) []string {
	t.Helper()
	var out []string
	for a := range r.Attempts(t.Context(), "main", ref) {
		out = append(out, a.Model.String())
	}
	return out
}

func says(t *testing.T, a model.Attempt) (string, error) {
	t.Helper()
	for e, err := range a.Provider.Stream(t.Context(), llm.Request{Model: a.Model}) {
		if err != nil || e.Type == llm.Done {
			return e.Message.Text(), err
		}
	}
	return "", errors.New("nothing")
}

func TestOrder(t *testing.T) {
	t.Parallel()
	r, m := resolver(t, two, nil)
	for ref, want := range map[string][]string{
		"":            {"fake/fake-1", "fake/fake-2", "other/o-1"},
		"fake/fake-2": {"fake/fake-2", "other/o-1"},
		"o-1":         {"other/o-1", "fake/fake-2"},
		"fake/new":    {"fake/new", "fake/fake-2", "other/o-1"},
	} {
		if d := cmp.Diff(want, tried(t, r, ref)); d != "" {
			t.Errorf("Attempts(%q) (-want +got):\n%s", ref, d)
		}
	}
	if m.made != 2 {
		t.Errorf("%d providers were made for two services", m.made)
	}
	if got := r.Default("main"); got.String() != "fake/fake-1" || got.MaxTokens != 4096 || got.Cost.Output != 2 || got.API != "openai-completions" {
		t.Errorf("Default = %+v", got)
	}
}

// refusal is an error as a provider makes it.
func refusal(status int, body string, h http.Header) error {
	return provider.Refused("test", "fake", status, h, []byte(body))
}

// TestFailover: which failures of the first model let it rest, and which are
// the request's own.
func TestFailover(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		err  error
		want string // the first to be tried by the next run
	}{
		"429":         {refusal(429, `{}`, nil), "fake/fake-2"},
		"402":         {refusal(402, `{}`, nil), "other/o-1"}, // the key rests, so its other model too
		"503":         {refusal(503, ``, nil), "fake/fake-2"},
		"401":         {refusal(401, `{}`, nil), "other/o-1"},
		"404":         {refusal(404, `{}`, nil), "fake/fake-2"},
		"overflow":    {refusal(400, `{"error":{"code":"context_length_exceeded"}}`, nil), "fake/fake-1"},
		"tool id":     {refusal(400, `{"error":{"message":"tool_call_id x not found"}}`, nil), "fake/fake-1"},
		"image":       {refusal(400, `{"error":{"message":"could not process image"}}`, nil), "fake/fake-1"},
		"stopped":     {fault.Wrap(fault.Canceled, "x", context.Canceled), "fake/fake-1"},
		"our own bug": {errors.New("boom"), "fake/fake-1"},
		"success":     {nil, "fake/fake-1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _ := resolver(t, two, nil)
			for a := range r.Attempts(t.Context(), "main", "") {
				r.Report(t.Context(), a, tt.err)
				break
			}
			if got := tried(t, r, ""); got[0] != tt.want {
				t.Errorf("next run tries %v first, want %s", got, tt.want)
			}
		})
	}
}

func TestAllRest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, _ := resolver(t, two, nil)
		i := 0
		for a := range r.Attempts(t.Context(), "main", "") {
			i++
			h := http.Header{"Retry-After": {fmt.Sprint(100 - 10*i)}}
			r.Report(t.Context(), a, refusal(429, "{}", h))
		}
		if got := tried(t, r, ""); !slices.Equal(got, []string{"other/o-1"}) {
			t.Errorf("when all rest %v are tried, want the one that rests shortest", got)
		}
		<-time.After(75 * time.Second) // Retry-After of the third is over
		if got := tried(t, r, ""); !slices.Equal(got, []string{"other/o-1", "fake/fake-2"}) {
			t.Errorf("after 75 s %v are tried, want the rested one and, when it fails too, the one that rests shortest", got)
		}
		<-time.After(20 * time.Second)
		if got := tried(t, r, ""); len(got) != 3 {
			t.Errorf("after 95 s %v are tried, want all", got)
		}
	})
}

// A model that rests for something that passes is tried again when the others
// fail; one whose key was refused isn't.
func TestLastResort(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		first error
		want  []string
	}{
		{"overloaded", refusal(529, `{}`, nil), []string{"fake/fake-2", "other/o-1", "fake/fake-1"}},
		{"key refused", refusal(401, `{}`, nil), []string{"other/o-1"}},
	} {
		r, _ := resolver(t, two, nil)
		for a := range r.Attempts(t.Context(), "main", "") {
			r.Report(t.Context(), a, tc.first)
			break
		}
		if got := tried(t, r, ""); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %v are tried, want %v", tc.name, got, tc.want)
		}
	}
}

func TestRestGrows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, _ := resolver(t, strings.Replace(two, `["fake/fake-2","other/o-1"]`, `["other/o-1"]`, 1), nil)
		var got []time.Duration
		for range 5 {
			for a := range r.Attempts(t.Context(), "main", "") {
				r.Report(t.Context(), a, refusal(429, "{}", nil))
				break
			}
			begin := time.Now()
			for tried(t, r, "")[0] != "fake/fake-1" {
				<-time.After(time.Second)
			}
			got = append(got, time.Since(begin).Round(time.Second))
		}
		want := []time.Duration{time.Minute, 5 * time.Minute, 25 * time.Minute, time.Hour, time.Hour}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("rests (-want +got):\n%s", d)
		}
	})
}

type store struct {
	mu sync.Mutex
	by map[string]model.Cooldown
}

func (s *store) Cooldowns(context.Context) ([]model.Cooldown, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []model.Cooldown
	for _, c := range s.by {
		out = append(out, c)
	}
	return out, nil
}

func (s *store) PutCooldown(_ context.Context, c model.Cooldown) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.Until.IsZero() {
		delete(s.by, c.Key)
		return nil
	}
	s.by[c.Key] = c
	return nil
}

func TestRestSurvivesRestart(t *testing.T) {
	t.Parallel()
	s := &store{by: map[string]model.Cooldown{}}
	r, _ := resolver(t, two, s)
	for a := range r.Attempts(t.Context(), "main", "") {
		r.Report(t.Context(), a, refusal(429, "{}", nil))
		break
	}
	for key := range s.by {
		if strings.Contains(key, "k-fake") {
			t.Errorf("the store holds the key: %s", key)
		}
	}
	r, _ = resolver(t, two, s)
	if got := tried(t, r, ""); got[0] != "fake/fake-2" {
		t.Errorf("after a restart %v are tried", got)
	}
	for a := range r.Attempts(t.Context(), "main", "fake/fake-1") {
		_ = a
	}
	r2, _ := resolver(t, strings.Replace(two, `,"fallbacks":["fake/fake-2","other/o-1"]`, "", 1), s)
	for a := range r2.Attempts(t.Context(), "main", "") { // the only one, so tried
		r2.Report(t.Context(), a, nil)
	}
	if len(s.by) != 0 {
		t.Errorf("after a success %v are kept", s.by)
	}
}

func TestDefaultWithNothingConfigured(t *testing.T) {
	noKeys(t)
	r, _ := resolver(t, `{}`, nil)
	if got := r.Default("main").String(); got != "demo/demo" {
		t.Errorf("Default = %s, want the demo model", got)
	}
	if got := tried(t, r, ""); !slices.Equal(got, []string{"demo/demo"}) {
		t.Errorf("Attempts = %v", got)
	}
	t.Setenv("OPENAI_API_KEY", "sk-o")
	if got := r.Default("main").String(); got != "openai/gpt-5.2" {
		t.Errorf("with OPENAI_API_KEY: %s", got)
	}
	t.Setenv("ANTHROPIC_API_KEY", "sk-a")
	for a := range r.Attempts(t.Context(), "main", "") {
		got, err := says(t, a)
		if a.Model.String() != "anthropic/claude-opus-4-6" || got != "anthropic sk-a https://api.anthropic.com" || err != nil {
			t.Errorf("with ANTHROPIC_API_KEY: %s by %q, %v", a.Model, got, err)
		}
	}
}

func TestMissingKey(t *testing.T) {
	noKeys(t)
	r, _ := resolver(t, `{"agents":{"defaults":{"model":"openai/gpt-5.2"}}}`, nil)
	n := 0
	for a := range r.Attempts(t.Context(), "main", "") {
		n++
		_, err := says(t, a)
		if fault.KindOf(err) != fault.Unauthenticated || !strings.Contains(fault.Hint(err), "OPENAI_API_KEY") || a.Model.String() != "openai/gpt-5.2" {
			t.Errorf("%s: %v", a.Model, err)
		}
		r.Report(t.Context(), a, err)
	}
	if n != 1 {
		t.Errorf("%d attempts, want one that explains", n)
	}
}

func TestLocal(t *testing.T) {
	noKeys(t)
	asked := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		_, _ = fmt.Fprint(w, `{"data":[{"id":"nomic-embed-text"},{"id":"llama3.2"}]}`)
	}))
	defer srv.Close()
	c := parse(t, `{}`)
	r := model.New([]provider.Kind{openai.Kind(), demo.Kind()}, provider.NewClient(), func() *config.Config { return c }, nil, nil)
	r.SetPlaces("ollama", srv.URL+"/v1")
	for range 3 {
		if got := tried(t, r, ""); !slices.Equal(got, []string{"ollama/llama3.2"}) {
			t.Fatalf("Attempts = %v", got)
		}
	}
	if got := r.Default("main").String(); got != "ollama/llama3.2" || asked != 1 {
		t.Errorf("Default = %s, asked %d times", got, asked)
	}
}

// TestLocalOllama: Ollama is spoken to in its own format, which tells the window.
func TestLocalOllama(t *testing.T) {
	noKeys(t)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/tags" {
			_, _ = fmt.Fprint(w, `{"models":[{"name":"llama3.2"}]}`)
			return
		}
		_, _ = fmt.Fprint(w, `{"capabilities":["completion","tools"],"model_info":{"llama.context_length":131072}}`)
	}))
	defer srv.Close()
	c := parse(t, `{}`)
	r := model.New([]provider.Kind{openai.Kind(), ollama.Kind(), demo.Kind()}, provider.NewClient(), func() *config.Config { return c }, nil, nil)
	r.SetPlaces("ollama", srv.URL+"/v1")
	r.Probe(t.Context())
	if m := r.Default("main"); m.String() != "ollama/llama3.2" || m.API != ollama.API || m.ContextWindow != 131_072 {
		t.Errorf("Default = %+v", m)
	}
}

func TestProfiles(t *testing.T) {
	noKeys(t)
	c := parse(t, `{"agents":{"defaults":{"model":"openai/gpt-5.2"}}}`)
	dir := c.AgentDir("main")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	doc := `{"version":1,"profiles":{"openai:b":{"type":"api_key","provider":"openai","key":"second"},"openai:a":{"type":"api_key","provider":"openai","key":"first"},
		"openai:old":{"type":"oauth","provider":"openai","access":"gone","expires":1}}}`
	if err := os.WriteFile(filepath.Join(dir, "auth-profiles.json"), []byte(doc), 0o600); err != nil {
		t.Fatal(err)
	}
	r := model.New(new(maker).kinds(), nil, func() *config.Config { return c }, nil, nil)
	var keys []string
	for a := range r.Attempts(t.Context(), "main", "") {
		s, _ := says(t, a)
		keys = append(keys, strings.Fields(s)[1])
		if len(keys) == 1 {
			r.Report(t.Context(), a, refusal(401, "{}", nil))
		}
	}
	if !slices.Equal(keys, []string{"first", "second"}) {
		t.Errorf("keys tried: %v", keys)
	}
	if got := len(tried(t, r, "")); got != 1 {
		t.Errorf("after a 401 of the first key, %d are tried", got)
	}
}

func TestAllowAndAlias(t *testing.T) {
	t.Parallel()
	r, _ := resolver(t, strings.Replace(two, `"defaults":{`, `"defaults":{"models":{"fake/fake-2":{"alias":"Second"},"fake/extra":{}},`, 1), nil)
	if m, err := r.Lookup("second"); err != nil || m.String() != "fake/fake-2" || !m.Reasoning {
		t.Errorf("Lookup(second) = %v, %v", m, err)
	}
	var listed []string
	for _, m := range r.List() {
		listed = append(listed, m.String())
	}
	if want := []string{"fake/fake-1", "fake/fake-2", "other/o-1", "fake/extra"}; !slices.Equal(listed, want) {
		t.Errorf("List = %v, want %v", listed, want)
	}
	for a := range r.Attempts(t.Context(), "main", "fake/forbidden") {
		if _, err := says(t, a); fault.KindOf(err) != fault.Forbidden {
			t.Errorf("a model that isn't allowed: %v", err)
		}
	}
	if _, err := r.Lookup("no/such"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("Lookup(no/such) = %v", err)
	}
}

// An entry * allows all models, so that an alias alone forbids nothing.
func TestAllowAny(t *testing.T) {
	t.Parallel()
	r, _ := resolver(t, strings.Replace(two, `"defaults":{`, `"defaults":{"models":{"*":{},"fake/fake-2":{"alias":"Second"}},`, 1), nil)
	if m, err := r.Lookup("second"); err != nil || m.String() != "fake/fake-2" {
		t.Errorf("Lookup(second) = %v, %v", m, err)
	}
	if m, err := r.Lookup("other/o-1"); err != nil || !r.Allowed(m) || len(r.List()) != 4 {
		t.Errorf("other/o-1: %v, %v; list %v", m, err, r.List())
	}
}

func TestReload(t *testing.T) {
	t.Parallel()
	c := parse(t, two)
	var mu sync.Mutex
	cur := c
	m := new(maker)
	r := model.New(m.kinds(), nil, func() *config.Config { mu.Lock(); defer mu.Unlock(); return cur }, nil, nil)
	first := func() string {
		for a := range r.Attempts(t.Context(), "main", "") {
			s, _ := says(t, a)
			return s
		}
		return ""
	}
	for range 5 {
		if got := first(); got != "fake k-fake http://127.0.0.1:1/v1" {
			t.Fatalf("provider is %q", got)
		}
	}
	if m.made != 1 {
		t.Errorf("%d providers made in one generation, want 1", m.made)
	}
	mu.Lock()
	cur = parse(t, strings.Replace(two, "k-fake", "k-new", 1))
	mu.Unlock()
	if got := first(); got != "fake k-new http://127.0.0.1:1/v1" {
		t.Errorf("after an edit the provider is %q", got)
	}
}

func BenchmarkAttempts(b *testing.B) {
	for name, text := range map[string]string{"configured": two, "nothing configured": "{}"} {
		b.Run(name, func(b *testing.B) {
			c := new(config.Config)
			if err := json.Unmarshal([]byte(text), c); err != nil {
				b.Fatal(err)
			}
			c.Paths.State = b.TempDir()
			r := model.New(new(maker).kinds(), nil, func() *config.Config { return c }, nil, nil)
			b.ReportAllocs()
			for b.Loop() {
				for range r.Attempts(b.Context(), "main", "") {
					break
				}
			}
		})
	}
}
