package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/config"
)

const (
	maxTools   = 128
	maxSchema  = 64 << 10
	badTools   = problem("invalid tool configuration")
	badInput   = problem("input: Invalid input")
	noResponse = problem("input: There is no message and no function_call_output to answer.")
)

// request is what a request of POST /v1/responses says.
type request struct {
	input

	tools     []llm.ToolSpec
	maxTokens int
	previous  string
}

// known are the keys that a request may have. The second half is accepted and
// changes nothing.
func known(key string) bool {
	return slices.Contains([]string{
		"model", "input", "instructions", "tools", "tool_choice", "stream", "max_output_tokens", "user", "previous_response_id", "text", "background",
		"max_tool_calls", "temperature", "top_p", "top_logprobs", "metadata", "store", "reasoning", "truncation", "include", "parallel_tool_calls", "service_tier",
		"prompt_cache_key", "prompt_cache_retention", "safety_identifier", "stream_options", "conversation",
	}, key)
}

var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// parseResponse reads a request. Its errors are for the caller.
func (a *api) parseResponse(ctx context.Context, body []byte, limits config.ResponsesEndpoint) (request, error) {
	var o object
	if err := json.Unmarshal(body, &o); err != nil || o == nil {
		return request{}, problem("The body isn't valid JSON.")
	}
	for key := range o {
		if !known(key) {
			return request{}, problem(fmt.Sprintf(": Unrecognized key: %q", text.Cut(key, 100)))
		}
	}
	if err := o.must("model", "string"); err != nil {
		return request{}, err
	}
	in := request{input: input{model: o.string("model"), stream: o.bool("stream"), user: o.string("user")}, previous: o.string("previous_response_id")}
	switch {
	case o.bool("background"):
		return in, problem("background: A response can't run in the background here; leave it out.")
	case o.object("text").object("format") != nil && o.object("text").object("format").string("type") != "text":
		return in, problem("text.format: Only text can be asked for.")
	case len(in.previous) > maxKey:
		return in, problem("previous_response_id: Too long.")
	}
	if raw, ok := o["max_output_tokens"]; ok && string(raw) != "null" {
		if err := json.Unmarshal(raw, &in.maxTokens); err != nil || in.maxTokens <= 0 {
			return in, problem("max_output_tokens: Invalid input: expected a positive integer")
		}
	}
	system := strings.TrimSpace(o.string("instructions"))
	f := a.newFinder(limits)
	if err := in.items(ctx, f, o["input"]); err != nil {
		return in, err
	}
	more, err := in.choose(o)
	if err != nil {
		return in, err
	}
	in.system = strings.Join(slices.DeleteFunc([]string{system, in.system, more}, func(s string) bool { return s == "" }), "\n\n")
	return in, nil
}

func (o object) must(key, kind string) error {
	raw, ok := o[key]
	got := "undefined"
	if ok {
		got = kindOf(raw)
	}
	if got == kind {
		return nil
	}
	return problem(fmt.Sprintf("%s: Invalid input: expected %s, received %s", key, kind, got))
}

// kindOf is the type of a JSON value.
func kindOf(raw json.RawMessage) string {
	switch {
	case len(raw) == 0, raw[0] == 'n':
		return "null"
	case raw[0] == '"':
		return "string"
	case raw[0] == '[':
		return "array"
	case raw[0] == '{':
		return "object"
	case raw[0] == 't', raw[0] == 'f':
		return "boolean"
	}
	return "number"
}

// items reads input: a text, or the conversation so far.
func (in *request) items(ctx context.Context, f *finder, raw json.RawMessage) error {
	switch kindOf(raw) {
	case "string":
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return badInput
		}
		if in.text = strings.TrimSpace(s); in.text == "" {
			return noResponse
		}
		return nil
	case "array":
	default:
		return badInput
	}
	var list []object
	if err := json.Unmarshal(raw, &list); err != nil {
		return badInput
	}
	if len(list) > maxMessages {
		return problem("input: Too many items.")
	}
	var system []string
	var talk []entry
	names := map[string]string{} // of calls, by id
	last := -1                   // what is to be answered begins behind it
	for i, it := range list {
		switch kind := it.string("type"); kind {
		case "message", "":
			said, images, err := f.content(ctx, it["content"])
			if err != nil {
				return problem(fmt.Sprintf("input.%d.content: %s", i, err))
			}
			said = strings.TrimSpace(said)
			switch it.string("role") {
			case "system", "developer":
				system = append(system, said)
			case "user":
				if said == "" && len(images) > 0 {
					said = "(an image)"
				}
				in.images = append(in.images, images...)
				talk = append(talk, entry{"User", said})
			case "assistant":
				talk = append(talk, entry{"Assistant", said})
				last = len(talk) - 1
			default:
				return problem(fmt.Sprintf("input.%d.role: Invalid input: expected user, assistant, system or developer", i))
			}
		case "function_call":
			names[it.string("call_id")] = it.string("name")
			talk = append(talk, entry{"Assistant", "(called " + it.string("name") + " with " + it.string("arguments") + ")"})
			last = len(talk) - 1
		case "function_call_output":
			said, err := output(it["output"])
			if err != nil {
				return problem(fmt.Sprintf("input.%d.output: %s", i, err))
			}
			talk = append(talk, entry{"Result of " + text.Cut(namedOr(names, it.string("call_id")), 100), said})
		case "reasoning", "item_reference":
		default:
			return problem(fmt.Sprintf("input.%d.type: Invalid input: %s isn't known", i, text.Cut(kind, 60)))
		}
	}
	if last == len(talk)-1 {
		return noResponse
	}
	in.system = strings.Join(system, "\n\n")
	in.text = prompt(talk[:last+1], current(talk[last+1:]))
	return nil
}

func namedOr(names map[string]string, call string) string {
	if n := names[call]; n != "" {
		return n + " (" + call + ")"
	}
	return call
}

// current makes one message of those to be answered.
func current(es []entry) entry {
	if len(es) == 1 && es[0].who == "User" {
		return es[0]
	}
	var b strings.Builder
	for i, e := range es {
		if i > 0 {
			b.WriteString("\n")
		}
		if e.who != "User" {
			b.WriteString(e.who + ": ")
		}
		b.WriteString(e.text)
	}
	return entry{"User", b.String()}
}

// output reads the result of a call: a text or parts of text.
func output(raw json.RawMessage) (string, error) {
	switch kindOf(raw) {
	case "string":
		var s string
		err := json.Unmarshal(raw, &s)
		return s, err
	case "array":
		var parts []object
		if err := json.Unmarshal(raw, &parts); err != nil {
			return "", badInput
		}
		var texts []string
		for _, p := range parts {
			texts = append(texts, p.string("text"))
		}
		return strings.Join(texts, "\n"), nil
	}
	return "", problem("Invalid input: expected string, received " + kindOf(raw))
}

// choose reads the caller's tools and which of them are to be called, and
// returns what the model is told of that.
func (in *request) choose(o object) (instruction string, err error) {
	if in.tools, err = toolsOf(o["tools"]); err != nil {
		return "", err
	}
	raw := o["tool_choice"]
	switch kindOf(raw) {
	case "null":
		return "", nil
	case "string":
		switch o.string("tool_choice") {
		case "none":
			in.tools = nil
		case "required":
			if len(in.tools) == 0 {
				return "", badTools
			}
			return "Answer by calling one of these tools: " + strings.Join(in.toolNames(), ", ") + ".", nil
		case "auto":
		default:
			return "", problem("tool_choice: Invalid input")
		}
		return "", nil
	}
	choice := o.object("tool_choice")
	name := choice.string("name")
	if name == "" {
		name = choice.object("function").string("name")
	}
	i := slices.IndexFunc(in.tools, func(t llm.ToolSpec) bool { return t.Name == name })
	if i < 0 {
		return "", badTools
	}
	in.tools = in.tools[i : i+1]
	return "Answer by calling the tool " + name + ".", nil
}

func (in *request) toolNames() (names []string) {
	for _, t := range in.tools {
		names = append(names, t.Name)
	}
	return names
}

// toolsOf reads function tools, flat as OpenAI's API has them or nested as
// OpenClaw takes them.
func toolsOf(raw json.RawMessage) ([]llm.ToolSpec, error) {
	if kindOf(raw) == "null" {
		return nil, nil
	}
	var list []object
	if err := json.Unmarshal(raw, &list); err != nil || len(list) > maxTools {
		return nil, problem("tools: Invalid input")
	}
	var out []llm.ToolSpec
	for i, t := range list {
		if t.string("type") != "function" {
			return nil, problem(fmt.Sprintf("tools.%d.type: Only tools of type function can be brought along; the agent has its own.", i))
		}
		f := t
		if nested := t.object("function"); nested != nil {
			f = nested
		}
		spec := llm.ToolSpec{Name: f.string("name"), Description: f.string("description"), Schema: f["parameters"]}
		switch {
		case !toolName.MatchString(spec.Name):
			return nil, problem(fmt.Sprintf("tools.%d.name: Invalid input: a name has 1 to 64 letters, digits, _ and -", i))
		case slices.ContainsFunc(out, func(s llm.ToolSpec) bool { return s.Name == spec.Name }):
			return nil, problem(fmt.Sprintf("tools.%d.name: There are two tools %s.", i, spec.Name))
		case kindOf(spec.Schema) == "null":
			spec.Schema = json.RawMessage(`{"type":"object","properties":{}}`)
		case kindOf(spec.Schema) != "object" || len(spec.Schema) > maxSchema:
			return nil, problem(fmt.Sprintf("tools.%d.parameters: Invalid input: expected a JSON Schema of at most 64 kB", i))
		}
		out = append(out, spec)
	}
	return out, nil
}
