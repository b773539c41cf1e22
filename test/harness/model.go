package harness

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// Model is a model server that speaks chat completions. The last message of the
// person is its script: "!tool NAME {json}" has it call a tool first; "!hold
// WORD" makes it wait, before the first byte, for Release(WORD); "!mid WORD"
// after the first piece; "!after WORD" in the call that follows the tools;
// "!think WORD" makes it think WORD before it answers;
// "!fail N" answers with that status. Otherwise it answers "echo: " and the
// words of the person.
type Model struct {
	URL string
	// Fail writes the body of a failure that was asked for; it is given the
	// credential that came. Raw, when not nil, answers in place of the script.
	// Both are set before the first call.
	Fail func(credential string) string
	Raw  func(w http.ResponseWriter, r *http.Request, c ModelCall) (done bool)

	mu    sync.Mutex
	holds map[string]chan struct{}
	calls []ModelCall
}

// ModelCall is one request.
type ModelCall struct {
	At       time.Time
	User     string // the person's last words
	Messages []ModelMessage
	Raw      string
}

// ModelMessage is one message of a request.
type ModelMessage struct {
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	CallID    string          `json:"tool_call_id"`
	ToolCalls []struct {
		ID       string `json:"id"`
		Function struct {
			Name, Arguments string
		} `json:"function"`
	} `json:"tool_calls"`
}

// Text is the content as text.
func (m ModelMessage) Text() string {
	var s string
	if json.Unmarshal(m.Content, &s) == nil {
		return s
	}
	var parts []struct{ Text string }
	_ = json.Unmarshal(m.Content, &parts)
	for _, p := range parts {
		s += p.Text
	}
	return s
}

// NewModel starts a model server.
func NewModel(t testing.TB) *Model {
	m := &Model{holds: map[string]chan struct{}{}}
	srv := httptest.NewServer(http.HandlerFunc(m.serve))
	m.URL = srv.URL
	t.Cleanup(func() {
		m.mu.Lock()
		for w, c := range m.holds {
			select {
			case <-c:
			default:
				close(c)
			}
			delete(m.holds, w)
		}
		m.mu.Unlock()
		srv.CloseClientConnections()
		srv.Close()
	})
	return m
}

func (m *Model) hold(word string) chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.holds[word]
	if c == nil {
		c = make(chan struct{})
		m.holds[word] = c
	}
	return c
}

// Release lets what holds at word go on, now and later.
func (m *Model) Release(word string) { close(m.hold(word)) }

// Calls returns the requests whose last user message has word in it.
func (m *Model) Calls(word string) []ModelCall {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []ModelCall
	for _, c := range m.calls {
		if strings.Contains(c.User, word) {
			out = append(out, c)
		}
	}
	return out
}

var (
	toolRE = regexp.MustCompile(`!tool (\S+) (\{[^\n]*\})`)
	wordRE = regexp.MustCompile(`!(hold|mid|after|think) (\S+)`)
	failRE = regexp.MustCompile(`!fail (\d+)`)
	headRE = regexp.MustCompile(`(?s)^.*\[[A-Z][a-z]{2} \d{4}-\d\d-\d\d \d\d:\d\d [^\]]+\] `)
)

func (m *Model) serve(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Messages []ModelMessage `json:"messages"`
	}
	raw, err := readAll(r)
	if err != nil || json.Unmarshal(raw, &in) != nil {
		http.Error(w, `{"error":{"message":"bad request"}}`, http.StatusBadRequest)
		return
	}
	user, answered := "", 0
	for i, x := range in.Messages {
		if x.Role == "user" {
			user, answered = headRE.ReplaceAllString(x.Text(), ""), 0
		}
		if x.Role == "tool" {
			answered++
		}
		_ = i
	}
	m.mu.Lock()
	call := ModelCall{At: time.Now(), User: user, Messages: in.Messages, Raw: string(raw)}
	m.calls = append(m.calls, call)
	n := len(m.calls)
	m.mu.Unlock()
	if m.Raw != nil && m.Raw(w, r, call) {
		return
	}
	if f := failRE.FindStringSubmatch(user); f != nil {
		var code int
		fmt.Sscan(f[1], &code)
		body := `{"error":{"message":"told to fail"}}`
		if m.Fail != nil {
			body = m.Fail(r.Header.Get("Authorization"))
		}
		http.Error(w, body, code)
		return
	}
	words := map[string]string{}
	for _, x := range wordRE.FindAllStringSubmatch(user, -1) {
		words[x[1]] = x[2]
	}
	wait := func(kind string) bool {
		if words[kind] == "" {
			return true
		}
		select {
		case <-m.hold(words[kind]):
			return true
		case <-r.Context().Done():
			return false
		}
	}
	if !wait("hold") || answered > 0 && !wait("after") {
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(delta map[string]any, finish any) {
		b, _ := json.Marshal(map[string]any{
			"id": fmt.Sprint("c", n), "object": "chat.completion.chunk", "model": "fake-1",
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}},
		})
		fmt.Fprintf(w, "data: %s\n\n", b)
		_ = http.NewResponseController(w).Flush()
	}
	if t := toolRE.FindStringSubmatch(user); t != nil && answered == 0 {
		send(map[string]any{"role": "assistant", "tool_calls": []any{map[string]any{
			"index": 0, "id": fmt.Sprintf("call_%d", n), "type": "function",
			"function": map[string]any{"name": t[1], "arguments": t[2]},
		}}}, nil)
		send(map[string]any{}, "tool_calls")
	} else {
		text := "echo: " + strings.TrimSpace(wordRE.ReplaceAllString(toolRE.ReplaceAllString(user, ""), ""))
		if answered > 0 {
			text += " (tool: " + in.Messages[len(in.Messages)-1].Text() + ")"
		}
		if words["think"] != "" {
			send(map[string]any{"role": "assistant", "reasoning_content": words["think"]}, nil)
		}
		head, rest := text[:3], text[3:]
		send(map[string]any{"role": "assistant", "content": head}, nil)
		if !wait("mid") {
			return
		}
		send(map[string]any{"content": rest}, nil)
		send(map[string]any{}, "stop")
	}
	fmt.Fprintf(w, "data: {\"id\":\"u\",\"choices\":[],\"usage\":{\"prompt_tokens\":11,\"completion_tokens\":7,\"total_tokens\":18}}\n\ndata: [DONE]\n\n")
}
