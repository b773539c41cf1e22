package event

import (
	"encoding/json"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// Event is a fact. The set is closed: see the types below.
type Event interface{ isEvent() }

// Volatile marks events that may be dropped under pressure.
type Volatile interface{ volatile() }

type (
	// MessageReceived: the inbox stored a message.
	MessageReceived struct{ In msg.Inbound }
	// MessageSent: a channel accepted a message.
	MessageSent struct {
		Out     msg.Outbound
		Receipt msg.Receipt
	}
	// MessageFailed: a message will not be delivered.
	MessageFailed struct {
		Out msg.Outbound
		Err error
	}
	// RunStarted: an agent began to work.
	RunStarted struct {
		Run     id.Run
		Session id.SessionKey
		Conn    id.Conn // the connection that asked, if any
		At      time.Time
	}
	// RunDelta: more of the answer. Text is what was added.
	RunDelta struct {
		Run     id.Run
		Session id.SessionKey
		Text    string
		Fresh   bool // the first piece of a new assistant message
	}
	// ToolStarted, ToolUpdated and ToolEnded bracket one tool call.
	ToolStarted struct {
		Run     id.Run
		Session id.SessionKey
		Conn    id.Conn
		Call    llm.Call
	}
	ToolUpdated struct {
		Run     id.Run
		Session id.SessionKey
		Conn    id.Conn
		Call    llm.Call
		Partial string
	}
	ToolEnded struct {
		Run     id.Run
		Session id.SessionKey
		Conn    id.Conn
		Call    llm.Call
		Meta    string // one line about the call for people
		Result  []llm.Block
		IsError bool
	}
	// Compacting tells that the older part of a conversation is being summed up,
	// Compacted that this is over.
	Compacting struct {
		Run     id.Run
		Session id.SessionKey
	}
	Compacted struct {
		Run     id.Run
		Session id.SessionKey
		Done    bool // the conversation is shorter now, and the run goes on with that
	}
	// RunEnded is the last event of a run, whatever happened.
	RunEnded struct {
		Run     id.Run
		Session id.SessionKey
		Usage   llm.Usage
		Err     error // kind fault.Canceled when aborted
		At      time.Time
	}
	// ChatEnded: a message of an authenticated client has its answer. State is
	// final, error or aborted; Message is nil when there is nothing to show.
	ChatEnded struct {
		Run     id.Run
		Session id.SessionKey
		State   string
		Message *llm.Message
		Error   string
		Stop    string // aborted: rpc, stop or timeout
	}
	// SessionChanged: the index entry of a session changed.
	SessionChanged struct{ Session id.SessionKey }
	// SystemEvent: a line was queued for an agent's next turn.
	SystemEvent struct {
		Session id.SessionKey
		Text    string
	}
	// PresenceChanged: somebody came, went or told something about itself.
	PresenceChanged struct{}
	// HealthChanged: channels or agents changed in a way that health shows.
	HealthChanged struct{}
	// Pairing: a device or node asks to be paired, or was decided about. Kind is
	// the wire event's name; Payload its payload.
	Pairing struct {
		Kind    string
		Payload json.RawMessage
	}
	// ConfigChanged: a new version of the file is in force.
	ConfigChanged struct{ Paths []string }
	// ChannelState: an account connected, lost its connection or gave up.
	ChannelState struct {
		Channel   id.Channel
		Account   id.Account
		Connected bool
		Err       error
	}
	// Heartbeat: a heartbeat ended. Payload is the wire event's payload.
	Heartbeat struct{ Payload json.RawMessage }
	// ApprovalRequested: someone must say yes or no.
	ApprovalRequested struct{ ID, Summary string }
	// JobFired: a cron job ran.
	JobFired struct {
		Job id.Job
		Err error
	}
	// Shutdown: the process is about to end or restart.
	Shutdown struct {
		Reason          string
		RestartExpected time.Duration // 0 is none
	}
)

func (MessageReceived) isEvent()   {}
func (MessageSent) isEvent()       {}
func (MessageFailed) isEvent()     {}
func (RunStarted) isEvent()        {}
func (RunDelta) isEvent()          {}
func (RunDelta) volatile()         {}
func (ToolStarted) isEvent()       {}
func (ToolUpdated) isEvent()       {}
func (ToolUpdated) volatile()      {}
func (Compacting) isEvent()        {}
func (Compacted) isEvent()         {}
func (ToolEnded) isEvent()         {}
func (RunEnded) isEvent()          {}
func (ChatEnded) isEvent()         {}
func (SessionChanged) isEvent()    {}
func (SystemEvent) isEvent()       {}
func (PresenceChanged) isEvent()   {}
func (HealthChanged) isEvent()     {}
func (Pairing) isEvent()           {}
func (ConfigChanged) isEvent()     {}
func (ChannelState) isEvent()      {}
func (Heartbeat) isEvent()         {}
func (ApprovalRequested) isEvent() {}
func (JobFired) isEvent()          {}
func (Shutdown) isEvent()          {}
