package openai

import (
	"context"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/gateway"
)

// response is the object of POST /v1/responses (OpenAI API reference,
// "Responses"; recorded: wire/http.json, resp-*).
type response struct {
	ID         string      `json:"id"`
	Object     string      `json:"object"`
	CreatedAt  int64       `json:"created_at"`
	Status     string      `json:"status"` // in_progress, completed, incomplete, failed
	Model      string      `json:"model"`
	Output     []item      `json:"output"`
	Usage      tokens      `json:"usage"`
	Incomplete *incomplete `json:"incomplete_details,omitempty"`
	Error      *errorBody  `json:"error,omitempty"`
	Previous   string      `json:"previous_response_id,omitempty"`
}

type incomplete struct {
	Reason string `json:"reason"`
}

// item is one of the output: a message or a call of the caller's own tool.
type item struct {
	Type      string  `json:"type"` // message, function_call
	ID        string  `json:"id"`
	Role      string  `json:"role,omitempty"`
	Content   *[]part `json:"content,omitempty"`
	CallID    string  `json:"call_id,omitempty"`
	Name      string  `json:"name,omitempty"`
	Arguments *string `json:"arguments,omitempty"`
	Status    string  `json:"status"`
}

type part struct {
	Type        string `json:"type"` // output_text
	Text        string `json:"text"`
	Annotations []any  `json:"annotations"`
}

func outputText(s string) part { return part{"output_text", s, []any{}} }

// tokens counts in the words of both APIs.
type tokens struct {
	Input      int64 `json:"input_tokens"`
	Output     int64 `json:"output_tokens"`
	Total      int64 `json:"total_tokens"`
	Prompt     int64 `json:"prompt_tokens"`
	Completion int64 `json:"completion_tokens"`
	Details    struct {
		Cached int64 `json:"cached_tokens"`
	} `json:"input_tokens_details"`
}

func tokensOf(u llm.Usage) tokens {
	n := usageOf(u)
	t := tokens{Input: n.PromptTokens, Output: n.CompletionTokens, Total: n.TotalTokens, Prompt: n.PromptTokens, Completion: n.CompletionTokens}
	t.Details.Cached = u.CacheRead
	return t
}

// responses answers POST /v1/responses.
func (a *api) responses(w http.ResponseWriter, r *http.Request) {
	if !gateway.PostOnly(w, r) {
		return
	}
	conf := a.o.Config()
	limits := conf.Gateway.HTTP.Endpoints.Responses
	if !limits.Enabled {
		turnedOff(w, "responses")
		return
	}
	limit := limits.MaxBodyBytes
	if limit <= 0 {
		limit = 20_000_000
	}
	body, ok := gateway.ReadBody(w, r, limit)
	if !ok {
		return
	}
	in, err := a.parseResponse(r.Context(), body, limits)
	var session id.SessionKey
	if err == nil {
		session, err = a.responseSession(r, in, conf)
	}
	if err != nil {
		gateway.WriteError(w, http.StatusBadRequest, "invalid_request_error", err.Error())
		return
	}
	run := "resp_" + uuid.NewString()
	m := msg.Inbound{
		ID: id.Message(run), From: msg.Sender{ID: "openresponses", Name: in.user}, At: msg.Address{Channel: "webchat", Kind: msg.Direct},
		Text: in.text, Attachments: in.images, Mentioned: true, Received: a.o.Now(),
		Client: &msg.Client{
			Run: id.Run(run), Session: session, Owner: true, System: in.system, Plain: true, Lost: true,
			Tools: in.tools, MaxTokens: in.maxTokens,
		},
	}
	base := response{ID: run, Object: "response", CreatedAt: a.o.Now().Unix(), Status: "in_progress", Model: in.model, Output: []item{}, Previous: in.previous}
	if in.stream {
		a.streamResponse(w, r, base, m)
		return
	}
	answer, err := a.o.Do(r.Context(), m, func(string) {})
	if err != nil {
		a.fail(w, r, err)
		return
	}
	gateway.WriteJSON(w, http.StatusOK, base.ended(answer))
}

// ended is r with what the run came to.
func (r response) ended(answer Answer) response {
	r.Status, r.Usage, r.Output = "completed", tokensOf(answer.Usage), []item{}
	if answer.Stop == string(llm.StopLength) {
		r.Status, r.Incomplete = "incomplete", &incomplete{"max_output_tokens"}
	}
	text := answer.Text
	if text == "" && len(answer.Calls) == 0 {
		text = noAnswer
	}
	if text != "" {
		r.Output = append(r.Output, said(text))
	}
	for _, c := range answer.Calls {
		r.Output = append(r.Output, called(c))
	}
	return r
}

func said(text string) item {
	return item{Type: "message", ID: "msg_" + uuid.NewString(), Role: "assistant", Content: &[]part{outputText(text)}, Status: "completed"}
}

func called(c llm.Call) item {
	args := string(c.Args)
	if args == "" {
		args = "{}"
	}
	return item{Type: "function_call", ID: "fc_" + uuid.NewString(), CallID: c.ID, Name: c.Name, Arguments: &args, Status: "completed"}
}

// responseSession names the session of a request: the one that it names, that
// of the response which it goes on from, its user's, or a new one.
func (a *api) responseSession(r *http.Request, in request, c *config.Config) (id.SessionKey, error) {
	named := strings.TrimSpace(r.Header.Get("X-OpenClaw-Session-Key")) != "" || in.user != ""
	if in.previous != "" && !named && a.o.Session != nil {
		key, err := a.o.Session(r.Context(), id.Run(in.previous))
		if err != nil || key != "" {
			return key, err
		}
	}
	return sessionOf(r, in.input, "openresponses", c)
}

// streamResponse answers with events as they come.
func (a *api) streamResponse(w http.ResponseWriter, r *http.Request, base response, m msg.Inbound) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	s := newResponseStream(w, base, cancel)
	stop := s.keepAlive(ctx)
	answer, err := a.o.Do(ctx, m, s.delta)
	stop()
	switch {
	case err != nil && !s.begun:
		a.fail(w, r, err)
	case err != nil:
		_, body := failure(err)
		s.failed(body)
	default:
		s.end(answer)
	}
}
