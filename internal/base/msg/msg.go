// Package msg is the message as channels and the rest of the system see it.
package msg

import (
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
)

// PeerKind tells a direct chat from a group.
type PeerKind string

const (
	Direct  PeerKind = "direct"
	Group   PeerKind = "group"
	Channel PeerKind = "channel" // a public room, as on IRC, Discord and Slack
)

// Address is a place that messages come from and go to.
type Address struct {
	Channel id.Channel `json:"channel,omitempty"`
	Account id.Account `json:"accountId,omitempty"`
	Kind    PeerKind   `json:"kind,omitempty"`
	Peer    id.Peer    `json:"peer,omitempty"`
	Thread  id.Thread  `json:"threadId,omitempty"`
}

// Sender is the person who wrote an inbound message.
type Sender struct {
	ID       id.Peer `json:"id,omitempty"`
	Name     string  `json:"name,omitempty"`
	Username string  `json:"username,omitempty"`
	Bot      bool    `json:"bot,omitempty"`
}

// Inbound is a message received from a channel or an authenticated client.
type Inbound struct {
	ID          id.Message   `json:"id"`
	From        Sender       `json:"from"`
	At          Address      `json:"at"` // the conversation it was written in
	Text        string       `json:"text"`
	Attachments []Attachment `json:"attachments,omitempty"`
	ReplyTo     id.Message   `json:"replyTo,omitempty"`
	Mentioned   bool         `json:"mentioned,omitempty"` // the agent was addressed, or this is a direct chat
	Received    time.Time    `json:"received"`

	// Client is set by a face whose caller has proved who it is (the gateway's
	// methods and HTTP API, automation); such a message passes no access gate
	// and names its session itself. Channels leave it nil.
	Client *Client `json:"client,omitempty"`
}

// Client is what an authenticated caller says about its message.
type Client struct {
	Run      id.Run        `json:"run"` // the idempotency key
	Session  id.SessionKey `json:"session"`
	Owner    bool          `json:"owner,omitempty"`    // holds operator.admin
	Conn     id.Conn       `json:"conn,omitempty"`     // who gets tool events
	Label    string        `json:"label,omitempty"`    // sender label for the transcript
	Thinking string        `json:"thinking,omitempty"` // level for this run
	Model    string        `json:"model,omitempty"`    // overrides the session's
	System   string        `json:"system,omitempty"`   // extra system prompt
	Deliver  bool          `json:"deliver,omitempty"`  // send the answer to At as well
	Timeout  time.Duration `json:"timeout,omitempty"`  // 0 is the agent's
	// Plain says that the text is for the agent as it stands: nothing in it is
	// a command, but for /new and /reset, and no line about the sender precedes
	// it. Scripts talk to an agent like this.
	Plain bool `json:"plain,omitempty"`
	// Lost says that nobody waits for the answer after a restart, so an
	// unfinished run is recorded as interrupted instead of run again.
	Lost bool `json:"lost,omitempty"`
}

// DedupeKey is equal for two deliveries of the same message.
func (in Inbound) DedupeKey() string {
	if in.Client != nil {
		return "run/" + string(in.Client.Run)
	}
	a := in.At
	return string(a.Channel) + "/" + string(a.Account) + "/" + string(a.Peer) + "/" + string(in.ID)
}

// Outbound is a message to deliver. Text is Markdown; the channel renders it.
type Outbound struct {
	ID          id.Delivery   `json:"id"`
	To          Address       `json:"to"`
	Text        string        `json:"text"`
	Attachments []Attachment  `json:"attachments,omitempty"`
	ReplyTo     id.Message    `json:"replyTo,omitempty"`
	Run         id.Run        `json:"run,omitempty"`
	Session     id.SessionKey `json:"session,omitempty"`
	// Part and Parts number the pieces of a split text, from 1; 0 is whole.
	Part  int `json:"part,omitempty"`
	Parts int `json:"parts,omitempty"`
}

// Receipt is what a channel returns for a delivered message.
type Receipt struct {
	IDs []id.Message `json:"ids,omitempty"`
	At  time.Time    `json:"at"`
}

// Attachment points at bytes in the media store.
type Attachment struct {
	MIME string `json:"mime,omitempty"`
	Name string `json:"name,omitempty"`
	Size int64  `json:"size,omitempty"`
	Ref  string `json:"ref,omitempty"`  // path in the media store
	Data []byte `json:"data,omitempty"` // small inline bytes, until stored
}
