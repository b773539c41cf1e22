package provider_test

import (
	"encoding/json"
	"iter"
	"os"
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
)

func tools() []llm.ToolSpec {
	return []llm.ToolSpec{
		{Name: "exec", Schema: json.RawMessage(`{"type":"object","properties":{"command":{"type":"string"},"timeout":{"type":"number"}},"required":["command"]}`)},
		{Name: "read", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"limit":{"type":"integer"}},"required":["path"]}`)},
	}
}

// stream gives text in pieces of n bytes, then the whole.
func stream(text string, n int, stop llm.StopReason) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		for rest := text; rest != ""; {
			k := min(n, len(rest))
			if !yield(llm.Event{Type: llm.TextDelta, Delta: rest[:k]}, nil) {
				return
			}
			rest = rest[k:]
		}
		yield(llm.Event{Type: llm.Done, Message: llm.Message{Role: llm.Assistant, Provider: "test", Stop: stop, Content: llm.Content{llm.Text(text)}}}, nil)
	}
}

func clean(t *testing.T, text string, n int, stop llm.StopReason) (string, llm.Message, error) {
	t.Helper()
	var shown strings.Builder
	for e, err := range provider.Clean(stream(text, n, stop), tools()) {
		if err != nil {
			return shown.String(), llm.Message{}, err
		}
		if e.Type == llm.Done {
			return shown.String(), e.Message, nil
		}
		shown.WriteString(e.Delta)
	}
	t.Fatal("the stream has no end")
	return "", llm.Message{}, nil
}

func TestClean(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/text-calls.json")
	if err != nil {
		t.Fatal(err)
	}
	var texts map[string]string
	if err := json.Unmarshal(raw, &texts); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct{ text, want, calls string }{
		"kimi":         {texts["kimi"], "The syntax slipped. Let me check.", `exec {"command":"ls","timeout":30}`},
		"qwen":         {texts["qwen"], "Reading.", `read {"path":"README.md"}`},
		"minimax":      {texts["minimax"], "Let me see:", `exec {"command":"date"}`},
		"cut":          {texts["cut"], "Working on it", ""},
		"benign code":  {texts["benign_code"], texts["benign_code"], ""},
		"benign prose": {texts["benign_prose"], texts["benign_prose"], ""},

		"hermes":         {`Now. <tool_call>{"name":"exec","arguments":{"command":"date"}}</tool_call> Done.`, "Now.  Done.", `exec {"command":"date"}`},
		"args in string": {`Go <tool_call>{"name":"exec","arguments":"{\"command\":\"date\"}"}</tool_call>`, "Go", `exec {"command":"date"}`},
		"two calls":      {"Go <tool_call>{\"name\":\"exec\",\"arguments\":{\"command\":\"a\"}}</tool_call>\n<tool_call>{\"name\":\"read\",\"arguments\":{\"path\":\"b\"}}</tool_call>", "Go", `exec {"command":"a"};read {"path":"b"}`},
		"glm":            {"Go <tool_call>exec\n<arg_key>command</arg_key>\n<arg_value>date</arg_value>\n</tool_call>", "Go", `exec {"command":"date"}`},
		"function calls": {"Go <function_calls>\n<invoke name=\"read\">\n<parameter name=\"path\">a b</parameter>\n<parameter name=\"limit\">5</parameter>\n</invoke>\n</function_calls>", "Go", `read {"limit":5,"path":"a b"}`},
		"name space":     {"Go <antml:function_calls>\n<antml:invoke name=\"read\">\n<antml:parameter name=\"path\">a</antml:parameter>\n</antml:invoke>\n</antml:function_calls>", "Go", `read {"path":"a"}`},
		"mistral":        {`Go [TOOL_CALLS][{"name":"exec","arguments":{"command":"date"}}]`, "Go", `exec {"command":"date"}`},
		"mistral new":    {`Go [TOOL_CALLS]exec[ARGS]{"command":"date"}`, "Go", `exec {"command":"date"}`},
		"deepseek":       {"Go <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>exec\n```json\n{\"command\":\"date\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>", "Go", `exec {"command":"date"}`},
		"unknown tool":   {`Go <tool_call>{"name":"rm","arguments":{"path":"/"}}</tool_call>`, "Go", ""},
		"missing arg":    {`Go <tool_call>{"name":"exec","arguments":{}}</tool_call>`, "Go", ""},
		"wrong type":     {`Go <tool_call>{"name":"exec","arguments":{"command":5}}</tool_call>`, "Go", ""},
		"bad JSON":       {`Go <tool_call>{"name":"exec",</tool_call>`, "Go", ""},
		"cut in marker":  {`Go <|tool_calls_sec`, "Go", ""},
		"cut after tag":  {`Go <tool_call>`, "Go", ""},
		"stray end":      {"Done.</tool_call>", "Done.", ""},
		"stray backtick": {"It`s on <tool_call>{\"name\":\"exec\",\"arguments\":{\"command\":\"date\"}}</tool_call>", "It`s on", `exec {"command":"date"}`},
		"after a fence":  {"```\nx <tool_call>{}\n```\ny <invoke name=\"exec\"><parameter name=\"command\">date</parameter></invoke>", "```\nx <tool_call>{}\n```\ny", `exec {"command":"date"}`},
		"tilde fence":    {"~~~\n<tool_call>{\"name\":\"exec\"}</tool_call>\n~~~\nok", "~~~\n<tool_call>{\"name\":\"exec\"}</tool_call>\n~~~\nok", ""},
		"long fence":     {"````\n```\n<invoke name=\"x\">\n```\n````\nok", "````\n```\n<invoke name=\"x\">\n```\n````\nok", ""},
		"unclosed fence": {"```\n<invoke name=\"x\">", "```\n<invoke name=\"x\">", ""},
		"double ticks":   {"``a ` <invoke name=\"x\"> b`` ok", "``a ` <invoke name=\"x\"> b`` ok", ""},
		"about the tag":  {"The <tool_call> tag opens a call, a < b, [x](y).", "The <tool_call> tag opens a call, a < b, [x](y).", ""},
		"html":           {"<b>bold</b> <think>", "<b>bold</b> <think>", ""},
		"plain":          {"a\nb  ", "a\nb  ", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, n := range []int{1, 2, 3, 7, 1000} {
				shown, m, err := clean(t, tt.text, n, llm.StopEnd)
				if err != nil {
					t.Fatal(err)
				}
				var calls []string
				for _, c := range m.Calls() {
					calls = append(calls, c.Name+" "+string(c.Args))
				}
				if got := strings.Join(calls, ";"); got != tt.calls {
					t.Errorf("in pieces of %d: calls %q, want %q", n, got, tt.calls)
				}
				if m.Text() != tt.want || strings.TrimRight(shown, " \n") != strings.TrimRight(tt.want, " \n") {
					t.Errorf("in pieces of %d: message %q, shown %q, want %q", n, m.Text(), shown, tt.want)
				}
				if (m.Stop == llm.StopTool) != (tt.calls != "") {
					t.Errorf("stop = %s", m.Stop)
				}
			}
		})
	}
}

func TestCleanRunsNoHalfAnswer(t *testing.T) {
	t.Parallel()
	_, m, err := clean(t, `Go <tool_call>{"name":"exec","arguments":{"command":"date"}}</tool_call>`, 5, llm.StopLength)
	if err != nil || len(m.Calls()) != 0 {
		t.Errorf("an answer cut by its length: calls %v, %v", m.Calls(), err)
	}
	shown, _, err := clean(t, `<tool_call>{"name":"rm","arguments":{}}</tool_call>`, 5, llm.StopEnd)
	if fault.KindOf(err) != fault.Unavailable || shown != "" {
		t.Errorf("nothing but an unknown call: shown %q, error %v", shown, err)
	}
}

func FuzzClean(f *testing.F) {
	f.Add("Go <tool_call>{\"name\":\"exec\",\"arguments\":{\"command\":\"date\"}}</tool_call> `x", uint8(3))
	f.Add("```\n<invoke name=\"x\">\n```\n[TOOL_CALLS]", uint8(1))
	f.Fuzz(func(t *testing.T, text string, n uint8) {
		whole, _, err1 := clean(t, text, len(text)+1, llm.StopEnd)
		pieces, _, err2 := clean(t, text, int(n)+1, llm.StopEnd)
		if (err1 == nil) != (err2 == nil) {
			t.Fatalf("%v and %v", err1, err2)
		}
		if len(text) < 1000 && whole != pieces {
			t.Fatalf("whole shows %q, pieces of %d show %q", whole, n+1, pieces)
		}
		if !strings.ContainsAny(text, "<[") && whole != text {
			t.Fatalf("%q became %q", text, whole)
		}
	})
}

func BenchmarkClean(b *testing.B) {
	text := strings.Repeat("tok ", 200)
	b.ReportAllocs()
	for b.Loop() {
		for range provider.Clean(stream(text, 4, llm.StopEnd), nil) {
		}
	}
}
