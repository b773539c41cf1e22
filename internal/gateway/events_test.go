package gateway_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/event"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
)

const session = id.SessionKey("agent:main:main")

// times hides what differs from run to run.
var times = regexp.MustCompile(`"(ts|startedAt|endedAt|timestamp)":\d+`)

// seen returns the agent and chat frames up to the one that ends the run.
func (c *client) seen(last func(incoming) bool) (out []string) {
	c.t.Helper()
	for {
		f := c.next()
		if f.Event != "agent" && f.Event != "chat" {
			continue
		}
		text := times.ReplaceAllString(string(f.Payload), `"$1":0`)
		if f.Seq == 0 {
			text += " unnumbered"
		}
		out = append(out, f.Event+" "+text)
		if last(f) {
			return out
		}
	}
}

func state(want string) func(incoming) bool {
	return func(f incoming) bool {
		return f.Event == "chat" && strings.Contains(string(f.Payload), `"state":"`+want+`"`)
	}
}

func message(text string) *llm.Message {
	return &llm.Message{Role: llm.Assistant, Content: llm.Content{llm.Text(text)}, Time: 5}
}

// The sequences are those recorded from the original gateway; deltas come here
// without a pause, so that only the first goes out as a chat delta before the
// flush.
func TestEventSequences(t *testing.T) {
	t.Parallel()
	const agent = `agent {"runId":"r","stream":"%s","data":%s,"sessionKey":"agent:main:main","seq":%d,"ts":0}`
	const delta = `chat {"runId":"r","sessionKey":"agent:main:main","seq":%d,"state":"delta","message":{"role":"assistant","content":[{"type":"text","text":"%s"}],"timestamp":0}}`
	const final = `chat {"runId":"r","sessionKey":"agent:main:main","seq":%d,"state":"final","message":{"role":"assistant","content":[{"type":"text","text":"%s"}],"timestamp":0}}`
	call := llm.Call{ID: "call_1", Name: "exec", Args: json.RawMessage(`{"command":"echo"}`)}
	tests := []struct {
		name   string
		caps   []string
		other  bool // another connection than the one that asked
		events func(asker id.Conn) []event.Event
		last   func(incoming) bool
		want   []string
	}{
		{
			name: "simple", last: state("final"),
			events: func(c id.Conn) []event.Event {
				return []event.Event{
					event.RunStarted{Run: "r", Session: session, Conn: c},
					event.RunDelta{Run: "r", Session: session, Text: "Hello", Fresh: true},
					event.RunDelta{Run: "r", Session: session, Text: " \"you\"\n"},
					event.RunEnded{Run: "r", Session: session},
					event.ChatEnded{Run: "r", Session: session, State: "final", Message: message("Hello \"you\"\n")},
				}
			},
			want: []string{
				fmt.Sprintf(agent, "lifecycle", `{"phase":"start","startedAt":0}`, 1),
				fmt.Sprintf(agent, "assistant", `{"text":"Hello","delta":"Hello"}`, 2), fmt.Sprintf(delta, 2, "Hello"),
				fmt.Sprintf(agent, "assistant", `{"text":"Hello \"you\"\n","delta":" \"you\"\n"}`, 3),
				fmt.Sprintf(agent, "lifecycle", `{"phase":"end","endedAt":0}`, 4),
				fmt.Sprintf(delta, 4, `Hello \"you\"\n`), fmt.Sprintf(final, 4, `Hello \"you\"\n`),
			},
		},
		{
			name: "tool", caps: []string{"tool-events"}, last: state("final"),
			events: func(c id.Conn) []event.Event { return toolTurn(c, call) },
			want: []string{
				fmt.Sprintf(agent, "lifecycle", `{"phase":"start","startedAt":0}`, 1),
				fmt.Sprintf(agent, "assistant", `{"text":"Calling tool.","delta":"Calling tool."}`, 2), fmt.Sprintf(delta, 2, "Calling tool."),
				fmt.Sprintf(agent, "tool", `{"phase":"start","name":"exec","toolCallId":"call_1","args":{"command":"echo"}}`, 3) + " unnumbered",
				fmt.Sprintf(agent, "tool", `{"phase":"update","name":"exec","toolCallId":"call_1"}`, 4) + " unnumbered",
				fmt.Sprintf(agent, "tool", `{"phase":"result","name":"exec","toolCallId":"call_1","meta":"print text","isError":false}`, 5) + " unnumbered",
				fmt.Sprintf(agent, "assistant", `{"text":"Tool finished.","delta":"Tool finished."}`, 6),
				fmt.Sprintf(agent, "lifecycle", `{"phase":"end","endedAt":0}`, 7),
				fmt.Sprintf(delta, 7, "Calling tool.Tool finished."), fmt.Sprintf(final, 7, "Calling tool.Tool finished."),
			},
		},
		{
			name: "tool seen by others", caps: []string{"tool-events"}, other: true, last: state("final"),
			events: func(c id.Conn) []event.Event { return toolTurn(c, call) },
			want: []string{
				fmt.Sprintf(agent, "lifecycle", `{"phase":"start","startedAt":0}`, 1),
				fmt.Sprintf(agent, "assistant", `{"text":"Calling tool.","delta":"Calling tool."}`, 2), fmt.Sprintf(delta, 2, "Calling tool."),
				fmt.Sprintf(agent, "assistant", `{"text":"Tool finished.","delta":"Tool finished."}`, 6),
				fmt.Sprintf(agent, "lifecycle", `{"phase":"end","endedAt":0}`, 7),
				fmt.Sprintf(delta, 7, "Calling tool.Tool finished."), fmt.Sprintf(final, 7, "Calling tool.Tool finished."),
			},
		},
		{
			name: "upstream error, told before the run ends", last: state("error"),
			events: func(c id.Conn) []event.Event {
				return []event.Event{
					event.RunStarted{Run: "r", Session: session, Conn: c},
					event.ChatEnded{Run: "r", Session: session, State: "error", Error: "401 fake bad key"},
					event.RunEnded{Run: "r", Session: session, Err: fault.New(fault.Unauthenticated, "provider", "401 fake bad key")},
				}
			},
			want: []string{
				fmt.Sprintf(agent, "lifecycle", `{"phase":"start","startedAt":0}`, 1),
				fmt.Sprintf(agent, "lifecycle", `{"phase":"error","error":"401 fake bad key","endedAt":0}`, 2),
				`chat {"runId":"r","sessionKey":"agent:main:main","seq":2,"state":"error","errorMessage":"401 fake bad key"}`,
			},
		},
		{
			name: "aborted", last: state("aborted"),
			events: func(c id.Conn) []event.Event {
				return []event.Event{
					event.RunStarted{Run: "r", Session: session, Conn: c},
					event.RunDelta{Run: "r", Session: session, Text: "one", Fresh: true},
					event.RunEnded{Run: "r", Session: session, Err: fault.New(fault.Canceled, "x", "")},
					event.ChatEnded{Run: "r", Session: session, State: "aborted", Stop: "rpc", Message: message("one")},
				}
			},
			want: []string{
				fmt.Sprintf(agent, "lifecycle", `{"phase":"start","startedAt":0}`, 1),
				fmt.Sprintf(agent, "assistant", `{"text":"one","delta":"one"}`, 2), fmt.Sprintf(delta, 2, "one"),
				`chat {"runId":"r","sessionKey":"agent:main:main","seq":3,"state":"aborted","stopReason":"rpc","message":{"role":"assistant","content":[{"type":"text","text":"one"}],"timestamp":0}}`,
			},
		},
		{
			name: "silence", last: state("final"),
			events: func(c id.Conn) []event.Event {
				return []event.Event{
					event.RunStarted{Run: "r", Session: session, Conn: c},
					event.RunDelta{Run: "r", Session: session, Text: "NO_", Fresh: true},
					event.RunDelta{Run: "r", Session: session, Text: "REPLY"},
					event.RunEnded{Run: "r", Session: session},
					event.ChatEnded{Run: "r", Session: session, State: "final"},
				}
			},
			want: []string{
				fmt.Sprintf(agent, "lifecycle", `{"phase":"start","startedAt":0}`, 1), fmt.Sprintf(agent, "lifecycle", `{"phase":"end","endedAt":0}`, 2),
				`chat {"runId":"r","sessionKey":"agent:main:main","seq":2,"state":"final"}`,
			},
		},
		{
			name: "a command has no run", last: state("final"),
			events: func(id.Conn) []event.Event {
				return []event.Event{event.ChatEnded{Run: "r", Session: session, State: "final", Message: &llm.Message{
					Role: llm.Assistant, Content: llm.Content{llm.Text("Current")}, Time: 5, Model: "gateway-injected", Stop: "stop",
				}}}
			},
			want: []string{`chat {"runId":"r","sessionKey":"agent:main:main","seq":1,"state":"final","message":{"role":"assistant","content":[{"type":"text","text":"Current"}],"model":"gateway-injected","stopReason":"stop","timestamp":0}}`},
		},
		{
			name: "a message of a channel has no chat events",
			last: func(f incoming) bool { return strings.Contains(string(f.Payload), `"phase":"end"`) },
			events: func(id.Conn) []event.Event {
				return []event.Event{
					event.RunStarted{Run: "r", Session: session}, event.RunDelta{Run: "r", Session: session, Text: "Hi", Fresh: true}, event.RunEnded{Run: "r", Session: session},
				}
			},
			want: []string{
				fmt.Sprintf(agent, "lifecycle", `{"phase":"start","startedAt":0}`, 1),
				fmt.Sprintf(agent, "assistant", `{"text":"Hi","delta":"Hi"}`, 2), fmt.Sprintf(agent, "lifecycle", `{"phase":"end","endedAt":0}`, 3),
			},
		},
		{
			name: "an unclassified error shows nothing of its inside",
			last: func(f incoming) bool { return strings.Contains(string(f.Payload), `"phase":"error"`) },
			events: func(id.Conn) []event.Event {
				return []event.Event{event.RunEnded{Run: "r", Session: session, Err: errors.New("/home/me/secret")}}
			},
			want: []string{fmt.Sprintf(agent, "lifecycle", `{"phase":"error","error":"something went wrong","endedAt":0}`, 1)},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, rigOptions{})
			p := operator()
			p.Caps = tt.caps
			c := r.open(p)
			asker := id.Conn(c.hello.Server.ConnID)
			if tt.other {
				p := operator()
				p.Caps = tt.caps
				asker = id.Conn(r.open(p).hello.Server.ConnID)
			}
			for _, e := range tt.events(asker) {
				r.bus.Publish(e)
			}
			if diff := cmp.Diff(tt.want, c.seen(tt.last)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func toolTurn(c id.Conn, call llm.Call) []event.Event {
	return []event.Event{
		event.RunStarted{Run: "r", Session: session, Conn: c},
		event.RunDelta{Run: "r", Session: session, Text: "Calling tool.", Fresh: true},
		event.ToolStarted{Run: "r", Session: session, Conn: c, Call: call},
		event.ToolUpdated{Run: "r", Session: session, Conn: c, Call: call, Partial: "x"},
		event.ToolEnded{Run: "r", Session: session, Conn: c, Call: call, Meta: "print text"},
		event.RunDelta{Run: "r", Session: session, Text: "Tool finished.", Fresh: true},
		event.RunEnded{Run: "r", Session: session},
		event.ChatEnded{Run: "r", Session: session, State: "final", Message: message("Calling tool.Tool finished.")},
	}
}

func TestChatDeltasKeepTheirDistance(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigOptions{})
	c := r.open(operator())
	r.bus.Publish(event.RunStarted{Run: "r", Session: session, Conn: id.Conn(c.hello.Server.ConnID)})
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for range 25 {
		r.bus.Publish(event.RunDelta{Run: "r", Session: session, Text: "word "})
		<-tick.C
	}
	r.bus.Publish(event.RunEnded{Run: "r", Session: session})
	r.bus.Publish(event.ChatEnded{Run: "r", Session: session, State: "final", Message: message("word")})
	var at []int64
	for f := range c.frames(state("final")) {
		if f.Event == "chat" && state("delta")(f) {
			var p struct{ Message struct{ Timestamp int64 } }
			if err := json.Unmarshal(f.Payload, &p); err != nil {
				t.Fatal(err)
			}
			at = append(at, p.Message.Timestamp)
		}
	}
	if len(at) < 3 || len(at) > 6 {
		t.Errorf("%d deltas in half a second", len(at))
	}
	for i := 1; i < len(at)-1; i++ { // the last is the flush
		if at[i]-at[i-1] < 149 {
			t.Errorf("deltas %d ms apart", at[i]-at[i-1])
		}
	}
}

func TestGuardedEvents(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigOptions{})
	admin, reader, bare := r.open(operator()), r.open(operator("operator.read")), r.openAs(operator(), nil)
	r.bus.Publish(event.Pairing{Kind: "device.pair.requested", Payload: json.RawMessage(`{"a":1}`)})
	r.bus.Publish(event.Heartbeat{Payload: json.RawMessage(`{}`)})
	r.bus.Publish(event.PresenceChanged{})
	for _, tt := range []struct {
		c    *client
		want string
	}{{admin, "device.pair.requested heartbeat presence"}, {reader, "heartbeat presence"}, {bare, "presence"}} {
		var got []string
		for f := range tt.c.frames(named("presence")) {
			if f.Event != "health" && f.Event != "device.pair.resolved" {
				got = append(got, f.Event)
			}
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
			t.Error(diff)
		}
	}
}

// frames yields frames up to and with the one that last picks.
func (c *client) frames(last func(incoming) bool) func(func(incoming) bool) {
	return func(yield func(incoming) bool) {
		for {
			f := c.next()
			if !yield(f) || last(f) {
				return
			}
		}
	}
}
