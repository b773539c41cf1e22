package provider

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/llm"
)

// written is a call as a model wrote it: with arguments as JSON, or with the
// text of each.
type written struct {
	name   string
	args   json.RawMessage
	fields []field
}

type field struct{ name, value string }

// read finds the calls in the inside of a marked region, whichever of the
// forms it has. What can't be read gives none.
func read(s string) []written {
	switch {
	case strings.Contains(s, "<|tool_call_argument_begin|>"):
		return readMarks(s, "<|tool_call_begin|>", "<|tool_call_end|>", "<|tool_call_argument_begin|>")
	case strings.Contains(s, "<｜tool▁sep｜>"):
		return readMarks(s, "<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>", "<｜tool▁sep｜>")
	case strings.Contains(s, "invoke name="):
		return readTags(s, `<(?:antml:)?invoke name="?([^">]+)"?>`, `(?s)<(?:antml:)?parameter name="([^"]+)"[^>]*>(.*?)</(?:antml:)?parameter>`)
	case strings.Contains(s, "<function="):
		return readTags(s, `<function=([^>\s]+)>`, `(?s)<parameter=([^>]+)>(.*?)</parameter>`)
	case strings.Contains(s, "<arg_key>"):
		return readTags(s, `^\s*([\w.-]+)`, `(?s)<arg_key>(.*?)</arg_key>\s*<arg_value>(.*?)</arg_value>`)
	}
	return readJSON(s)
}

// readMarks reads Kimi's and DeepSeek's form: marks around a name and JSON.
func readMarks(s, begin, end, sep string) []written {
	var out []written
	for part := range strings.SplitSeq(s, end) {
		if i := strings.Index(part, begin); i >= 0 {
			part = part[i+len(begin):]
		}
		name, args, ok := strings.Cut(part, sep)
		if !ok {
			continue
		}
		if strings.TrimSpace(name) == "function" { // DeepSeek: type, then the name in the next line
			name, args, _ = strings.Cut(args, "\n")
			args = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(args), "```json"), "```")
		}
		if raw := json.RawMessage(strings.TrimSpace(args)); json.Valid(raw) {
			out = append(out, written{name: name, args: raw})
		}
	}
	return out
}

// readTags reads forms with a tag for each argument. The expressions are ours.
func readTags(s, call, param string) []written {
	heads := regexp.MustCompile(call).FindAllStringSubmatchIndex(s, MaxCalls+1)
	params := regexp.MustCompile(param)
	out := make([]written, 0, len(heads))
	for i, h := range heads {
		end := len(s)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		w := written{name: s[h[2]:h[3]]}
		for _, p := range params.FindAllStringSubmatch(s[h[1]:end], -1) {
			value := strings.TrimSuffix(strings.TrimPrefix(p[2], "\n"), "\n")
			w.fields = append(w.fields, field{strings.TrimSpace(p[1]), value})
		}
		out = append(out, w)
	}
	return out
}

// readJSON reads {"name":…,"arguments":…}, one or many, and Mistral's name
// before the arguments.
func readJSON(s string) []written {
	s = strings.TrimSpace(s)
	if i := strings.IndexAny(s, "{["); i > 0 {
		name := strings.TrimSpace(s[:i])
		if raw := json.RawMessage(strings.TrimPrefix(s[i:], "[ARGS]")); json.Valid(raw) && raw[0] == '{' {
			return []written{{name: name, args: raw}}
		}
		return nil
	}
	var out []written
	dec := json.NewDecoder(strings.NewReader(s))
	for dec.More() && len(out) <= MaxCalls {
		var raw json.RawMessage
		if dec.Decode(&raw) != nil {
			return nil
		}
		list := []json.RawMessage{raw}
		if raw[0] == '[' && json.Unmarshal(raw, &list) != nil {
			return nil
		}
		for _, raw := range list {
			w, ok := readObject(raw)
			if !ok {
				return nil
			}
			out = append(out, w)
		}
	}
	return out
}

func readObject(raw json.RawMessage) (written, bool) {
	var o struct {
		Name       string          `json:"name"`
		Arguments  json.RawMessage `json:"arguments"`
		Parameters json.RawMessage `json:"parameters"`
		Input      json.RawMessage `json:"input"`
		Function   json.RawMessage `json:"function"`
	}
	if json.Unmarshal(raw, &o) != nil {
		return written{}, false
	}
	if o.Name == "" && len(o.Function) > 0 && o.Function[0] == '{' {
		return readObject(o.Function)
	}
	for _, args := range []json.RawMessage{o.Arguments, o.Parameters, o.Input} {
		if len(args) > 0 {
			return written{name: o.Name, args: Args(args)}, o.Name != ""
		}
	}
	return written{name: o.Name}, o.Name != ""
}

// property is what is read of a schema's property.
type property struct {
	Type json.RawMessage `json:"type"`
}

// call makes the call when it names one of tools and fits its schema.
func (w written) call(tools []llm.ToolSpec) (llm.Call, bool) {
	name := strings.TrimSpace(w.name)
	if i := strings.LastIndexByte(name, ':'); i > 0 { // functions.exec:12
		name = name[:i]
	}
	name = strings.TrimPrefix(name, "functions.")
	for i := range tools {
		if tools[i].Name != name {
			continue
		}
		var schema struct {
			Properties map[string]property `json:"properties"`
			Required   []string            `json:"required"`
		}
		if len(tools[i].Schema) > 0 && json.Unmarshal(tools[i].Schema, &schema) != nil {
			return llm.Call{}, false
		}
		args := map[string]json.RawMessage{}
		if len(w.args) > 0 && json.Unmarshal(w.args, &args) != nil || args == nil {
			return llm.Call{}, false
		}
		for _, f := range w.fields {
			args[f.name] = schema.Properties[f.name].value(f.value)
		}
		for _, r := range schema.Required {
			if _, ok := args[r]; !ok {
				return llm.Call{}, false
			}
		}
		for k, v := range args {
			if !schema.Properties[k].fits(v) {
				return llm.Call{}, false
			}
		}
		raw, err := json.Marshal(args)
		return llm.Call{ID: NewCallID(), Name: name, Args: raw}, err == nil
	}
	return llm.Call{}, false
}

func (p property) kind() string {
	var s string
	_ = json.Unmarshal(p.Type, &s) // a list of types or none: no single kind
	return s
}

// value makes JSON of text: as it is for a string, else as JSON where it is.
func (p property) value(text string) json.RawMessage {
	if k := p.kind(); k != "string" {
		t := strings.TrimSpace(text)
		if json.Valid([]byte(t)) && (k != "" || t != "" && strings.ContainsAny(t[:1], "{[")) {
			return json.RawMessage(t)
		}
	}
	raw, err := json.Marshal(text)
	if err != nil {
		return json.RawMessage(`""`)
	}
	return raw
}

func (p property) fits(v json.RawMessage) bool {
	if len(v) == 0 {
		return false
	}
	switch c := v[0]; p.kind() {
	case "string":
		return c == '"'
	case "number", "integer":
		return c == '-' || c >= '0' && c <= '9'
	case "boolean":
		return c == 't' || c == 'f'
	case "array":
		return c == '['
	case "object":
		return c == '{'
	}
	return true
}
