// Package openai serves the API that OpenAI's clients speak, over our agents:
// GET /v1/models, GET /v1/models/{id}, POST /v1/chat/completions, POST
// /v1/responses and POST /v1/embeddings.
//
// A model is an agent: "openclaw" is the default one, "openclaw/<agent>"
// another. A request runs as a message of the gateway's owner does, in a
// session of its own unless it names one. Start at [Feature]; chat.go has the
// life of a completion, input.go what a request says.
package openai

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/jsonschema"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/feature"
	"github.com/openclaw-go/openclaw/internal/gateway"
)

// Answer is how a run ended well.
type Answer struct {
	Text  string
	Usage llm.Usage
	Stop  string // length when the model ran out of room, else anything
	Run   id.Run
	Calls []llm.Call // of the caller's own tools, which the run ended with
}

// Options is what the endpoints need.
type Options struct {
	// Do runs one message to its end. delta gets each piece of text as the model
	// writes it. Do ends early when ctx does: the client hung up.
	Do func(ctx context.Context, in msg.Inbound, delta func(text string)) (Answer, error)
	// Session tells in which session a run of ours was, "" when that isn't known
	// (any more). May be nil.
	Session func(ctx context.Context, run id.Run) (id.SessionKey, error)
	// Embed turns texts into vectors with what agent's memory uses, or with the
	// model of that name. May be nil.
	Embed  func(ctx context.Context, agent id.Agent, model string, texts []string) (Vectors, error)
	Config func() *config.Config
	HTTP   *http.Client     // fetches what a request names by its address; nil reaches public hosts only
	Now    func() time.Time // nil is time.Now
}

type api struct {
	o      Options
	schema *jsonschema.Schema
}

// Feature returns the routes.
func Feature(o Options) feature.Feature {
	if o.Now == nil {
		o.Now = time.Now
	}
	a := &api{o: o, schema: schema()}
	return feature.Feature{Name: "openai", Routes: []feature.Route{
		{Pattern: "/v1/models", Handler: http.HandlerFunc(a.models)},
		{Pattern: "/v1/models/{id...}", Handler: http.HandlerFunc(a.model)},
		{Pattern: "/v1/chat/completions", Handler: http.HandlerFunc(a.completions)},
		{Pattern: "/v1/responses", Handler: http.HandlerFunc(a.responses)},
		{Pattern: "/v1/embeddings", Handler: http.HandlerFunc(a.embeddings)},
	}}
}

// anyEnabled tells whether one of the endpoints that run agents is on; the
// others go with them.
func anyEnabled(c *config.Config) bool {
	e := c.Gateway.HTTP.Endpoints
	return e.ChatCompletions.Enabled || e.Responses.Enabled
}

// turnedOff answers for an endpoint that the configuration doesn't enable.
func turnedOff(w http.ResponseWriter, name string) {
	gateway.WriteError(w, http.StatusNotFound, "not_found", "This endpoint is turned off; turn it on with: openclaw config set gateway.http.endpoints."+name+".enabled true")
}

const owner = "openclaw"

type model struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}

type modelList struct {
	Object string  `json:"object"`
	Data   []model `json:"data"`
}

// released stands in for a creation date, which agents don't have.
const released = 1773360000

func (a *api) models(w http.ResponseWriter, r *http.Request) {
	if !a.open(w, r) {
		return
	}
	list := modelList{Object: "list", Data: []model{{owner, "model", released, owner}}}
	for _, agent := range a.o.Config().AgentIDs() {
		list.Data = append(list.Data, model{owner + "/" + string(agent), "model", released, owner})
	}
	gateway.WriteJSON(w, http.StatusOK, list)
}

func (a *api) model(w http.ResponseWriter, r *http.Request) {
	if !a.open(w, r) {
		return
	}
	name := r.PathValue("id")
	agent, ours := agentOf(name)
	known := ours && agent == ""
	for _, have := range a.o.Config().AgentIDs() {
		known = known || ours && agent == have
	}
	if !known {
		gateway.WriteJSON(w, http.StatusNotFound, apiError{errorBody{
			Message: "The model '" + text.Cut(name, 200) + "' does not exist. GET /v1/models lists those that do.", Type: "invalid_request_error", Code: "model_not_found",
		}})
		return
	}
	gateway.WriteJSON(w, http.StatusOK, model{name, "model", released, owner})
}

// open tells whether the models may be read; if not, w has the answer.
func (a *api) open(w http.ResponseWriter, r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		if !anyEnabled(a.o.Config()) {
			turnedOff(w, "chatCompletions")
			return false
		}
		return true
	}
	w.Header().Set("Allow", "GET, HEAD")
	gateway.WriteError(w, http.StatusMethodNotAllowed, "invalid_request_error", "Method Not Allowed")
	return false
}

// agentOf returns the agent that a model name means, "" for the default one.
// ours is false for the name of somebody else's model.
func agentOf(name string) (agent id.Agent, ours bool) {
	if strings.EqualFold(name, owner) {
		return "", true
	}
	for _, prefix := range []string{owner + "/", owner + ":", "agent:"} {
		if len(name) > len(prefix) && strings.EqualFold(name[:len(prefix)], prefix) {
			return id.Agent(strings.ToLower(name[len(prefix):])), true
		}
	}
	return "", false
}

type apiError struct {
	Error errorBody `json:"error"`
}

type errorBody struct {
	Message string `json:"message"`
	Type    string `json:"type"`
	Code    string `json:"code,omitempty"`
}

// failure is the one mapping of errors to HTTP.
func failure(err error) (status int, body errorBody) {
	body = errorBody{Message: fault.Hint(err), Type: "api_error"}
	switch fault.KindOf(err) {
	case fault.Invalid:
		return http.StatusBadRequest, errorBody{Message: body.Message, Type: "invalid_request_error"}
	case fault.NotFound:
		return http.StatusNotFound, errorBody{Message: body.Message, Type: "invalid_request_error"}
	case fault.Conflict:
		return http.StatusConflict, errorBody{Message: body.Message, Type: "invalid_request_error"}
	case fault.Unauthenticated, fault.Forbidden:
		// The caller is known; it is the model's service that refuses us.
		return http.StatusBadGateway, errorBody{Message: body.Message, Type: "api_error", Code: "upstream_auth"}
	case fault.RateLimited:
		return http.StatusTooManyRequests, errorBody{Message: body.Message, Type: "rate_limit_error"}
	case fault.Unavailable:
		return http.StatusServiceUnavailable, body
	case fault.Timeout:
		return http.StatusGatewayTimeout, body
	case fault.Canceled:
		if t, ok := errors.AsType[interface {
			error
			Timeout() bool
		}](err); ok && t.Timeout() {
			return http.StatusGatewayTimeout, errorBody{
				Message: "The run took longer than agents.defaults.timeoutSeconds allows.", Type: "api_error", Code: "timeout",
			}
		}
		return http.StatusServiceUnavailable, errorBody{Message: "The run was stopped.", Type: "api_error", Code: "aborted"}
	}
	return http.StatusInternalServerError, errorBody{Message: "internal error", Type: "api_error"}
}
