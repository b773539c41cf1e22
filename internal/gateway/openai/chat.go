package openai

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/gateway"
)

const noAnswer = "No response from OpenClaw."

type completion struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Created int64    `json:"created"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   usage    `json:"usage"`
}

type choice struct {
	Index        int     `json:"index"`
	Message      message `json:"message"`
	FinishReason string  `json:"finish_reason"`
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// usage counts in the words of both APIs.
type usage struct {
	PromptTokens     int64 `json:"prompt_tokens"`
	CompletionTokens int64 `json:"completion_tokens"`
	TotalTokens      int64 `json:"total_tokens"`
	InputTokens      int64 `json:"input_tokens"`
	OutputTokens     int64 `json:"output_tokens"`
}

func usageOf(u llm.Usage) usage {
	in := u.Input + u.CacheRead + u.CacheWrite
	return usage{in, u.Output, in + u.Output, in, u.Output}
}

func finish(stop string) string {
	if stop == string(llm.StopLength) {
		return "length"
	}
	return "stop"
}

// completions answers POST /v1/chat/completions.
func (a *api) completions(w http.ResponseWriter, r *http.Request) {
	if !gateway.PostOnly(w, r) {
		return
	}
	conf := a.o.Config()
	if !conf.Gateway.HTTP.Endpoints.ChatCompletions.Enabled {
		turnedOff(w, "chatCompletions")
		return
	}
	limit := conf.Gateway.HTTP.Endpoints.ChatCompletions.MaxBodyBytes
	if limit <= 0 {
		limit = defaultBody
	}
	body, ok := gateway.ReadBody(w, r, limit)
	if !ok {
		return
	}
	in, err := a.parse(body)
	var session id.SessionKey
	if err == nil {
		session, err = sessionOf(r, in, "openai", conf)
	}
	if err != nil {
		gateway.WriteError(w, http.StatusBadRequest, "invalid_request_error", err.Error())
		return
	}
	if in.model == "" {
		in.model = owner
	}
	run := "chatcmpl_" + uuid.NewString()
	m := msg.Inbound{
		ID: id.Message(run), From: msg.Sender{ID: "openai", Name: in.user}, At: msg.Address{Channel: "webchat", Kind: msg.Direct},
		Text: in.text, Attachments: in.images, Mentioned: true, Received: a.o.Now(),
		Client: &msg.Client{Run: id.Run(run), Session: session, Owner: true, System: in.system, Plain: true, Lost: true},
	}
	if in.stream {
		a.stream(w, r, in, m)
		return
	}
	answer, err := a.o.Do(r.Context(), m, func(string) {})
	if err != nil {
		a.fail(w, r, err)
		return
	}
	if answer.Text == "" {
		answer.Text = noAnswer
	}
	gateway.WriteJSON(w, http.StatusOK, completion{
		ID: run, Object: "chat.completion", Created: a.o.Now().Unix(), Model: in.model,
		Choices: []choice{{0, message{"assistant", answer.Text}, finish(answer.Stop)}}, Usage: usageOf(answer.Usage),
	})
}

// fail answers with the status that fits, unless nobody is there any more.
func (a *api) fail(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil && fault.KindOf(err) == fault.Canceled {
		return
	}
	status, body := failure(err)
	gateway.WriteJSON(w, status, apiError{body})
}

// stream answers with one event for each piece of text.
func (a *api) stream(w http.ResponseWriter, r *http.Request, in input, m msg.Inbound) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	s := newStream(w, string(m.Client.Run), in.model, a.o.Now().Unix(), cancel)
	stop := s.keepAlive(ctx)
	answer, err := a.o.Do(ctx, m, s.delta)
	stop()
	if err != nil && !s.begun {
		a.fail(w, r, err)
		return
	}
	if err != nil {
		_, body := failure(err)
		s.event(apiError{body})
		s.done()
		return
	}
	if !s.spoke {
		if answer.Text == "" {
			answer.Text = noAnswer
		}
		s.delta(answer.Text)
	}
	s.finish(finish(answer.Stop))
	if in.usage {
		s.usage(usageOf(answer.Usage))
	}
	s.done()
}

// Times of a stream.
const (
	quiet      = 15 * time.Second // until a comment shows that we are alive
	unreadTime = 30 * time.Second // how long a client may leave a chunk unread
)
