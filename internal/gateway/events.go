package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/event"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/wire"
)

// busBuffer holds the events of a burst while the pump encodes; a text delta
// that doesn't fit is lost to live views, but not to the final message.
const busBuffer = 8192

// pump turns events of the bus into events of the wire until ctx ends, and
// ticks.
func (s *Server) pump(ctx context.Context, sub *event.Sub) {
	defer func() { sub.Close() }()
	runs := newRuns(s)
	tick := time.NewTicker(wire.TickInterval)
	defer tick.Stop()
	for {
		select {
		case e, ok := <-sub.C:
			if ok {
				s.tell(runs, e)
				continue
			}
			if !errors.Is(sub.Err(), event.ErrSlow) {
				return
			}
			s.log.ErrorContext(ctx, "event bus overran the gateway; clients may miss events")
			sub = s.o.Bus.Subscribe(busBuffer)
		case now := <-tick.C:
			runs.sweep(now)
			raw := strconv.AppendInt([]byte(`{"ts":`), s.now().UnixMilli(), 10)
			s.hub.send(broadcast{event: "tick", payload: append(raw, '}')})
		case <-ctx.Done():
			s.drain(runs, sub)
			return
		}
	}
}

// drain tells what is already on the bus.
func (s *Server) drain(runs *runs, sub *event.Sub) {
	for {
		select {
		case e, ok := <-sub.C:
			if !ok {
				return
			}
			s.tell(runs, e)
		default:
			return
		}
	}
}

// tell is the one switch from typed events to events of the wire.
func (s *Server) tell(runs *runs, e event.Event) {
	switch e := e.(type) {
	case event.RunStarted:
		runs.started(e)
	case event.RunDelta:
		runs.delta(e)
	case event.ToolStarted:
		args := e.Call.Args
		if len(args) == 0 {
			args = json.RawMessage("{}")
		}
		runs.tool(e.Run, e.Session, e.Conn, toolData{Phase: "start", Name: e.Call.Name, ID: e.Call.ID, Args: args})
	case event.ToolUpdated:
		runs.tool(e.Run, e.Session, e.Conn, toolData{Phase: "update", Name: e.Call.Name, ID: e.Call.ID})
	case event.ToolEnded:
		runs.tool(e.Run, e.Session, e.Conn, toolData{Phase: "result", Name: e.Call.Name, ID: e.Call.ID, Meta: e.Meta, IsError: &e.IsError})
	case event.Compacting:
		runs.agent(runs.get(e.Run, e.Session), "compaction", []byte(`{"phase":"start"}`), false)
	case event.Compacted:
		runs.agent(runs.get(e.Run, e.Session), "compaction", fmt.Appendf(nil, `{"phase":"end","willRetry":%t}`, e.Done), false)
	case event.RunEnded:
		runs.ended(e)
	case event.ChatEnded:
		runs.chatEnded(e)
	case event.Pairing:
		s.hub.send(broadcast{event: e.Kind, payload: orNull(e.Payload)})
	case event.Heartbeat:
		s.hub.send(broadcast{event: "heartbeat", payload: orNull(e.Payload)})
	case event.PresenceChanged:
		s.hub.bumpPresence()
		s.tellPresence()
	case event.HealthChanged, event.ChannelState:
		s.health.refresh()
	case event.ConfigChanged:
		s.recheck()
		s.health.refresh()
	case event.Shutdown:
		s.tellShutdown(e.Reason, e.RestartExpected)
	case event.MessageReceived, event.MessageSent, event.MessageFailed, event.SessionChanged, event.SystemEvent,
		event.ApprovalRequested, event.JobFired:
		// Nothing on the wire.
	}
}

func orNull(raw json.RawMessage) []byte {
	if len(raw) == 0 {
		return []byte("null")
	}
	return raw
}

// recheck closes the connections whose credential is no longer good.
func (s *Server) recheck() {
	for _, c := range s.hub.all() {
		if !s.o.Auth.Valid(c.grant) {
			c.mute()
			c.closeLater(revokeDelay, wire.ClosePolicy, "gateway credentials changed")
		}
	}
}

// toolData is the data of an agent event of the stream tool.
type toolData struct {
	Phase   string          `json:"phase"`
	Name    string          `json:"name"`
	ID      string          `json:"toolCallId"`
	Args    json.RawMessage `json:"args,omitempty"`
	Meta    string          `json:"meta,omitempty"`
	IsError *bool           `json:"isError,omitempty"`
}

// wireMessage is a message of the event chat while and after a run streams.
type wireMessage struct {
	Role    llm.Role    `json:"role"`
	Content llm.Content `json:"content"`
	Time    int64       `json:"timestamp"`
}

type chatPayload struct {
	Run     id.Run        `json:"runId"`
	Session id.SessionKey `json:"sessionKey"`
	Seq     int64         `json:"seq"`
	State   string        `json:"state"`
	Stop    string        `json:"stopReason,omitempty"`
	Message any           `json:"message,omitempty"`
	Error   string        `json:"errorMessage,omitempty"`
}

func canceled(err error) bool { return err != nil && fault.KindOf(err) == fault.Canceled }
