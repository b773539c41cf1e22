//go:build official

package official_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/test/harness"
)

// OpenAI's own client, which OpenClaw brings along, drives our endpoints.
func TestOpenAIClient(t *testing.T) {
	c := install(t)
	model := harness.NewModel(t)
	vectors := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/embeddings" || r.Header.Get("Authorization") != "Bearer sk-embed" {
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, `{"data":[{"index":1,"embedding":[3,4]},{"index":0,"embedding":[0.5,-2]}]}`)
	}))
	t.Cleanup(vectors.Close)
	on := map[string]any{"enabled": true}
	g := harness.New(t, model.URL, nil)
	g.Edit(func(conf map[string]any) {
		conf["gateway"].(map[string]any)["http"] = map[string]any{"endpoints": map[string]any{"chatCompletions": on, "responses": on}}
		conf["agents"].(map[string]any)["defaults"].(map[string]any)["memorySearch"] = map[string]any{
			"provider": "openai", "model": "e", "remote": map[string]any{"baseUrl": vectors.URL + "/v1", "apiKey": "sk-embed"},
		}
	})
	g.Start()

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.node(), "testdata/openai.mjs", c.dir, fmt.Sprintf("http://127.0.0.1:%d/v1", g.Port), harness.Token)
	var errs strings.Builder
	cmd.Env, cmd.Stderr = c.env(), &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	var got struct {
		Models                         []string
		Chat, ChatStream, Result, File string
		StreamCall, StreamText         string
		Call                           struct{ Name, Arguments string }
		Events                         []string
		Vectors                        [][]float64
		Refused                        []any
		ChatUsage, Usage, VectorUsage  map[string]any
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for name, pair := range map[string][2]any{
		"models":        {got.Models, []string{"openclaw", "openclaw/main"}},
		"chat":          {got.Chat, "echo: chat one"},
		"chat stream":   {got.ChatStream, "echo: chat two"},
		"call":          {got.Call.Name + got.Call.Arguments, `get_weather{"city":"Paris"}`},
		"streamed call": {got.StreamCall, `{"city":"Rome"}`},
		"stream":        {got.StreamText, "echo: say three"},
		"vectors":       {got.Vectors, [][]float64{{0.5, -2}, {3, 4}}},
		"refused":       {got.Refused, []any{400.0, "BadRequestError", "400 input: There is no message and no function_call_output to answer."}},
	} {
		if diff := cmp.Diff(pair[1], pair[0]); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if !strings.Contains(got.Result, "Result of") || !strings.Contains(got.Result, "sunny") {
		t.Errorf("the result of the call didn't reach the model: %q", got.Result)
	}
	if !strings.Contains(got.File, "the words") {
		t.Errorf("the file didn't reach the model: %q", got.File)
	}
	for _, u := range []map[string]any{got.ChatUsage, got.Usage} {
		for _, k := range []string{"prompt_tokens", "completion_tokens", "input_tokens", "output_tokens", "total_tokens"} {
			if n, _ := u[k].(float64); n <= 0 {
				t.Errorf("usage %v has no %s", u, k)
			}
		}
	}
	if got.Events[0] != "response.created" || got.Events[len(got.Events)-1] != "response.completed" {
		t.Errorf("events %v", got.Events)
	}
	if calls := model.Calls("sunny"); len(calls) == 1 {
		if !strings.Contains(calls[0].Raw, "get_weather") {
			t.Error("the second response doesn't go on in the session of the first")
		}
	} else {
		t.Errorf("%d calls with the result", len(calls))
	}
}
