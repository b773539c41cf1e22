package provider_test

import (
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
)

func say(r llm.Role, s string) llm.Message {
	return llm.Message{Role: r, Content: llm.Content{llm.Text(s)}}
}

func asks(ids ...string) llm.Message {
	m := llm.Message{Role: llm.Assistant}
	for _, id := range ids {
		m.Content = append(m.Content, llm.Block{Type: llm.CallBlock, Call: &llm.Call{ID: id, Name: "t"}})
	}
	return m
}

func result(id string) llm.Message {
	return llm.Message{Role: llm.ToolRole, CallID: id, Content: llm.Content{llm.Text("r")}}
}

func shape(ms []llm.Message) string {
	var out []string
	for _, m := range ms {
		s := string(m.Role[0])
		if m.Role == llm.ToolRole {
			s = "r:" + m.CallID
			if m.IsError {
				s += "!"
			}
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

func TestPair(t *testing.T) {
	t.Parallel()
	u, a := say(llm.User, "u"), say(llm.Assistant, "a")
	for name, tt := range map[string]struct {
		in   []llm.Message
		want string
	}{
		"fine":             {[]llm.Message{u, asks("1", "2"), result("2"), result("1"), a}, "u a r:2 r:1 a"},
		"no result":        {[]llm.Message{u, asks("1", "2"), result("1"), u}, "u a r:1 r:2! u"},
		"no result at end": {[]llm.Message{u, asks("1")}, "u a r:1!"},
		"late result":      {[]llm.Message{u, asks("1"), u, result("1"), a}, "u a r:1 u a"},
		"no call":          {[]llm.Message{result("0"), u, a}, "u a"},
		"twice":            {[]llm.Message{u, asks("1"), result("1"), result("1"), a}, "u a r:1 a"},
		"id used again":    {[]llm.Message{u, asks("1"), result("1"), asks("1"), result("1"), a}, "u a r:1 a r:1 a"},
	} {
		if got := shape(provider.Pair(tt.in)); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

func TestArgs(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "{}", "null": "{}", " ": "{}", `{"a":1}`: `{"a":1}`, `{"a":1} and more`: `{"a":1}`, `{"a":1}{"b":2}`: `{"a":1}`,
		`"{\"a\":1}"`: `{"a":1}`, `{"a":`: `"{\"a\":"`, `[1]`: `"[1]"`, `hello`: `"hello"`,
	} {
		if got := string(provider.Args([]byte(in))); got != want {
			t.Errorf("Args(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestCallID(t *testing.T) {
	t.Parallel()
	for _, fine := range []string{"call_1", "toolu_abc-DEF"} {
		if got := provider.CallID(fine, 40); got != fine {
			t.Errorf("CallID(%q) = %q", fine, got)
		}
	}
	seen := map[string]bool{}
	for _, odd := range []string{"", "functions.exec:0", "functions_exec_0|", strings.Repeat("x", 50), strings.Repeat("x", 51), "a|b", "a.b"} {
		got := provider.CallID(odd, 40)
		if len(got) > 40 || got == "" || strings.ContainsAny(got, ".:| ") || seen[got] {
			t.Errorf("CallID(%q) = %q", odd, got)
		}
		seen[got] = true
	}
}
