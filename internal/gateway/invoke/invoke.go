// Package invoke serves the HTTP endpoints beside the OpenAI API: POST
// /tools/invoke calls one tool, GET /sessions/{key}/history reads a
// conversation and POST /sessions/{key}/kill stops what runs in it.
//
// A tool that could take the host over isn't offered here, whatever the agent
// may do, unless gateway.tools.allow names it; a refused tool looks like one
// that doesn't exist. Start at [Feature].
package invoke

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/google/uuid"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/jsonschema"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/feature"
	"github.com/openclaw-go/openclaw/internal/gateway"
	"github.com/openclaw-go/openclaw/internal/tool"
)

// Options is what the endpoints need.
type Options struct {
	Config func() *config.Config
	// Tool returns the tool of that very name which the policy of the session's
	// agent allows, guarded as in a run, and the scope to call it in. ok is false
	// when there is none.
	Tool func(ctx context.Context, session id.SessionKey, name string) (t tool.Tool, scope tool.Scope, ok bool)
	// History returns the last limit messages of a session, oldest first, as
	// chat.history shows them. ok is false when there is no such session.
	History func(ctx context.Context, session id.SessionKey, limit int) (items any, ok bool, err error)
	// Kill stops what runs or waits in a session. ok is false when there is no
	// such session.
	Kill func(ctx context.Context, session id.SessionKey) (killed, ok bool, err error)
}

type api struct {
	o      Options
	schema *jsonschema.Schema
}

// Feature returns the routes.
func Feature(o Options) feature.Feature {
	a := &api{o: o, schema: jsonschema.FromCompact(`{"tool?":"any","action?":"any","args?":"any","sessionKey?":"any","dryRun?":"any"}`)}
	return feature.Feature{Name: "invoke", Routes: []feature.Route{
		{Pattern: "/tools/invoke", Handler: http.HandlerFunc(a.invoke)},
		{Pattern: "/sessions/{key}/history", Handler: http.HandlerFunc(a.history)},
		{Pattern: "/sessions/{key}/kill", Handler: http.HandlerFunc(a.kill)},
	}}
}

const maxBody = 2 << 20

// denied are the tools that run programs, touch files, reach other sessions or
// change the gateway.
func denied() []string {
	return []string{
		"exec", "process", "bash", "shell", "sh", "spawn",
		"read", "write", "edit", "apply_patch", "fs_read", "fs_write", "fs_delete", "fs_move", "ls", "grep", "find",
		"gateway", "cron", "nodes", "whatsapp_login",
		"sessions_spawn", "sessions_send", "sessions_kill", "subagents",
	}
}

// offered reports whether name may be called here at all.
func offered(name string, g config.GatewayTools) bool {
	folded := fold(name)
	switch {
	case slices.Contains(g.Deny, name) || slices.Contains(g.Deny, folded):
		return false
	case slices.Contains(g.Allow, name):
		return true
	}
	return !slices.Contains(denied(), folded)
}

// fold removes what could make a name look like another.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

type failed struct {
	OK    bool        `json:"ok"`
	Error failedError `json:"error"`
}

type failedError struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

func fail(w http.ResponseWriter, status int, kind, message string) {
	gateway.WriteJSON(w, status, failed{Error: failedError{kind, message}})
}

type invoked struct {
	OK     bool   `json:"ok"`
	Result result `json:"result"`
}

type result struct {
	Content []llm.Block     `json:"content"`
	Details json.RawMessage `json:"details,omitempty"`
}

type wouldInvoke struct {
	OK      bool            `json:"ok"`
	DryRun  bool            `json:"dryRun"`
	Tool    string          `json:"tool"`
	Args    json.RawMessage `json:"args"`
	Session id.SessionKey   `json:"sessionKey"`
}

// invoke answers POST /tools/invoke.
func (a *api) invoke(w http.ResponseWriter, r *http.Request) {
	if !gateway.PostOnly(w, r) {
		return
	}
	body, ok := gateway.ReadBody(w, r, maxBody)
	if !ok {
		return
	}
	req, message := a.parse(body)
	if message != "" {
		gateway.WriteError(w, http.StatusBadRequest, "invalid_request_error", message)
		return
	}
	conf := a.o.Config()
	session := sessionKey(req.session, conf)
	t, scope, ok := tool.Tool(nil), tool.Scope{}, false
	if offered(req.tool, conf.Gateway.Tools) {
		t, scope, ok = a.o.Tool(r.Context(), session, req.tool)
	}
	if !ok {
		fail(w, http.StatusNotFound, "not_found", "Tool not available: "+clip(req.tool))
		return
	}
	args := withAction(req.args, req.action, t.Spec())
	if req.dryRun {
		gateway.WriteJSON(w, http.StatusOK, wouldInvoke{true, true, req.tool, args, session})
		return
	}
	run := uuid.NewString()
	if scope.Run == "" {
		scope.Run = id.Run(run)
	}
	res, err := t.Run(r.Context(), tool.Call{
		Call: llm.Call{ID: "invoke_" + run, Name: req.tool, Args: args}, Scope: scope, Update: func(string) {},
	})
	switch {
	case errors.Is(err, tool.ErrDenied):
		fail(w, http.StatusNotFound, "not_found", "Tool not available: "+clip(req.tool))
	case err != nil && fault.KindOf(err) == fault.Invalid:
		fail(w, http.StatusBadRequest, "tool_error", fault.Hint(err))
	case err != nil:
		fail(w, http.StatusInternalServerError, "tool_error", "tool execution failed")
	case res.IsError:
		fail(w, http.StatusBadRequest, "tool_error", textOf(res.Content))
	default:
		gateway.WriteJSON(w, http.StatusOK, invoked{true, result{res.Content, details(res.Content)}})
	}
}

type call struct {
	tool, action, session string
	args                  json.RawMessage
	dryRun                bool
}

// parse reads a request by exact keys, and says what is wrong with it.
func (a *api) parse(body []byte) (c call, message string) {
	if err := a.schema.Validate(body); err != nil {
		if e, ok := errors.AsType[*jsonschema.Error](err); ok && e.Syntax || len(body) == 0 {
			return c, "The body isn't valid JSON."
		}
		return c, "Invalid body: " + err.Error()
	}
	var o map[string]json.RawMessage
	if err := json.Unmarshal(body, &o); err != nil {
		return c, "The body isn't valid JSON."
	}
	text := func(key string) (s string) {
		if err := json.Unmarshal(o[key], &s); err != nil {
			return ""
		}
		return strings.TrimSpace(s)
	}
	c = call{action: text("action"), session: text("sessionKey"), args: o["args"], dryRun: string(o["dryRun"]) == "true"}
	if err := json.Unmarshal(o["tool"], &c.tool); err != nil || strings.TrimSpace(c.tool) == "" {
		return c, "tools.invoke requires body.tool"
	}
	if len(c.args) == 0 || c.args[0] != '{' {
		c.args = json.RawMessage("{}")
	}
	return c, ""
}

// withAction puts a top-level action into the arguments of a tool that has one.
func withAction(args json.RawMessage, action string, spec llm.ToolSpec) json.RawMessage {
	if action == "" {
		return args
	}
	var schema struct{ Properties map[string]json.RawMessage }
	if err := json.Unmarshal(spec.Schema, &schema); err != nil || schema.Properties["action"] == nil {
		return args
	}
	var o map[string]json.RawMessage
	if err := json.Unmarshal(args, &o); err != nil || o["action"] != nil {
		return args
	}
	if o == nil {
		o = map[string]json.RawMessage{}
	}
	quoted, err := json.Marshal(action)
	if err != nil {
		return args
	}
	o["action"] = quoted
	out, err := json.Marshal(o)
	if err != nil {
		return args
	}
	return out
}

// sessionKey completes what a caller names: nothing and "main" are the main
// session of the default agent.
func sessionKey(given string, c *config.Config) id.SessionKey {
	if k := id.SessionKey(given); k.Agent() != "" {
		return k
	}
	mainKey := c.Session.MainKey
	if mainKey == "" {
		mainKey = "main"
	}
	if given == "" || given == "main" {
		given = mainKey
	}
	if given == mainKey && c.Session.Scope == "global" {
		return c.MainKey(c.DefaultAgent())
	}
	return id.AgentKey(c.DefaultAgent(), given)
}

// details is the answer as JSON where the tool answered in JSON.
func details(blocks []llm.Block) json.RawMessage {
	if len(blocks) != 1 || blocks[0].Type != llm.TextBlock {
		return nil
	}
	text := strings.TrimSpace(blocks[0].Text)
	if !strings.HasPrefix(text, "{") || !json.Valid([]byte(text)) {
		return nil
	}
	return json.RawMessage(text)
}

func textOf(blocks []llm.Block) string {
	var all []string
	for _, b := range blocks {
		if b.Type == llm.TextBlock {
			all = append(all, b.Text)
		}
	}
	if len(all) == 0 {
		return "tool execution failed"
	}
	return strings.Join(all, "\n")
}

func clip(s string) string { return text.Cut(s, 200) }

// Limits of GET /sessions/{key}/history.
const (
	defaultLimit = 200
	maxLimit     = 1000
)

type historyAnswer struct {
	Session string `json:"sessionKey"`
	Items   any    `json:"items"`
}

// history answers GET /sessions/{key}/history?limit=n.
func (a *api) history(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		fail(w, http.StatusMethodNotAllowed, "method_not_allowed", "Use GET.")
		return
	}
	limit := defaultLimit
	if q := r.URL.Query().Get("limit"); q != "" {
		n, err := strconv.Atoi(q)
		if err != nil || n < 1 || n > maxLimit {
			fail(w, http.StatusBadRequest, "invalid_request_error", "limit must be a number from 1 to "+strconv.Itoa(maxLimit))
			return
		}
		limit = n
	}
	key := r.PathValue("key")
	items, ok, err := a.o.History(r.Context(), sessionKey(key, a.o.Config()), limit)
	if !a.found(w, key, ok, err) {
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	gateway.WriteJSON(w, http.StatusOK, historyAnswer{key, items})
}

type killAnswer struct {
	OK     bool `json:"ok"`
	Killed bool `json:"killed"`
}

// kill answers POST /sessions/{key}/kill.
func (a *api) kill(w http.ResponseWriter, r *http.Request) {
	if !gateway.PostOnly(w, r) {
		return
	}
	key := r.PathValue("key")
	killed, ok, err := a.o.Kill(r.Context(), sessionKey(key, a.o.Config()))
	if a.found(w, key, ok, err) {
		gateway.WriteJSON(w, http.StatusOK, killAnswer{true, killed})
	}
}

func (a *api) found(w http.ResponseWriter, key string, ok bool, err error) bool {
	switch {
	case err != nil && fault.KindOf(err) == fault.Invalid:
		fail(w, http.StatusBadRequest, "invalid_request_error", fault.Hint(err))
	case err != nil:
		fail(w, http.StatusInternalServerError, "internal_error", "the session couldn't be read (see the gateway's log: openclaw logs)")
	case !ok:
		fail(w, http.StatusNotFound, "not_found", "Session not found: "+clip(key))
	default:
		return true
	}
	return false
}
