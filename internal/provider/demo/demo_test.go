package demo_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider/demo"
	"github.com/openclaw-go/openclaw/internal/provider/providertest"
)

func TestProvider(t *testing.T) {
	t.Parallel()
	providertest.Run(t, providertest.Suite{Kind: demo.Kind()})
}

// chat is a conversation with the demo model.
type chat struct {
	t   *testing.T
	req llm.Request
}

func newChat(t *testing.T, tools ...string) *chat {
	t.Helper()
	c := &chat{t: t, req: llm.Request{Model: demo.Model()}}
	for _, name := range tools {
		c.req.Tools = append(c.req.Tools, llm.ToolSpec{Name: name})
	}
	return c
}

func (c *chat) ask(m llm.Message) llm.Message {
	c.t.Helper()
	c.req.Messages = append(c.req.Messages, m)
	o := providertest.Collect(c.t.Context(), c.t, demo.Provider{}, c.req)
	if o.Err != nil || o.Text != o.Message.Text() {
		c.t.Fatalf("error %v, streamed %q, message %q", o.Err, o.Text, o.Message.Text())
	}
	c.req.Messages = append(c.req.Messages, o.Message)
	return o.Message
}

func (c *chat) say(text string) llm.Message {
	c.t.Helper()
	return c.ask(llm.Message{Role: llm.User, Content: llm.Content{llm.Text(text)}})
}

func TestConversation(t *testing.T) {
	t.Parallel()
	c := newChat(t)
	first, _, _ := strings.Cut(c.say("hi").Text(), "\n")
	if !strings.Contains(first, "demo model") || !strings.Contains(first, "openclaw onboard") {
		t.Errorf("first line = %q, want it to say that this is a demo and how to change that", first)
	}
	for _, step := range []struct{ say, want string }{
		{"what is my name?", "haven't told me"},
		{"My name is Ada Lovelace.", "Ada Lovelace"},
		{"[Mon 2026-11-30 20:47 UTC] What's my name?", "Your name is Ada Lovelace."},
		{"Sender (untrusted metadata):\n```json\n{\"label\":\"cli\"}\n```\n\n[Mon 2026-11-30 20:47 UTC] hello", "Hello, Ada Lovelace"},
		{"remember that the door code is blue", "I will remember"},
		{"what do you remember?", "the door code is blue"},
		{"help", "list files"},
		{"explain quantum physics", "beyond my rules"},
	} {
		got := c.say(step.say).Text()
		if !strings.Contains(got, step.want) || strings.Contains(got, "demo model") {
			t.Errorf("%q: %q, want %q and no second notice", step.say, got, step.want)
		}
	}
	if got := c.say("Read HEARTBEAT.md. If nothing needs attention, reply HEARTBEAT_OK.").Text(); got != "HEARTBEAT_OK" {
		t.Errorf("heartbeat: %q", got)
	}
}

func TestTools(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ say, tool, args string }{
		{"list files", "ls", `{"path":"."}`},
		{"List the files in your workspace, please", "ls", `{"path":"."}`},
		{"can you list the files in docs?", "ls", `{"path":"docs"}`},
		{"read AGENTS.md", "read", `{"path":"AGENTS.md"}`},
		{"Please read the file notes/a.txt.", "read", `{"path":"notes/a.txt"}`},
		{"write hello to the world to a.txt", "write", `{"path":"a.txt","content":"hello to the world"}`},
		{"write \"x y\" to `b c.txt`", "write", `{"path":"b c.txt","content":"x y"}`},
		{"run date", "exec", `{"command":"date"}`},
		{"run `ls -la`", "exec", `{"command":"ls -la"}`},
		{"status", "session_status", `{}`},
		{"What time is it?", "session_status", `{}`},
	} {
		c := newChat(t, "ls", "read", "write", "exec", "session_status")
		m := c.say(tt.say)
		calls := m.Calls()
		if len(calls) != 1 || m.Stop != llm.StopTool || calls[0].Name != tt.tool || !sameJSON(t, calls[0].Args, tt.args) {
			t.Errorf("%q: calls %+v (%s), want %s %s", tt.say, calls, args(calls), tt.tool, tt.args)
			continue
		}
		got := c.ask(llm.Message{Role: llm.ToolRole, CallID: calls[0].ID, ToolName: tt.tool, Content: llm.Content{llm.Text("the real output")}}).Text()
		if tt.tool != "write" && !strings.Contains(got, "the real output") || !strings.Contains(got, "demo model") {
			t.Errorf("%q: answer %q, want the output, and the notice first", tt.say, got)
		}
		if m := newChat(t).say(tt.say); len(m.Calls()) != 0 || !strings.Contains(m.Text(), tt.tool) {
			t.Errorf("%q without tools: %q", tt.say, m.Text())
		}
	}
}

func TestFailedTool(t *testing.T) {
	t.Parallel()
	c := newChat(t, "read")
	call := c.say("read nothing.txt").Calls()[0]
	got := c.ask(llm.Message{Role: llm.ToolRole, CallID: call.ID, ToolName: "read", IsError: true, Content: llm.Content{llm.Text("no such file")}}).Text()
	if !strings.Contains(got, "didn't work") || !strings.Contains(got, "no such file") {
		t.Errorf("got %q", got)
	}
}

func args(calls []llm.Call) string {
	if len(calls) == 0 {
		return ""
	}
	return string(calls[0].Args)
}

func sameJSON(t *testing.T, a json.RawMessage, b string) bool {
	t.Helper()
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return false
	}
	return fmt.Sprint(x) == fmt.Sprint(y)
}
