// Package msg is the message as channels and the rest of the system see it.
package msg

import (
	"encoding/json"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
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
	// Chat says that no person is named: a channel, or a group, speaks. It may
	// stand on lists of who is heard, but is never the owner.
	Chat bool `json:"chat,omitempty"`
}

// Room is what a network tells about a conversation beyond its address.
type Room struct {
	Name      string   `json:"name,omitempty"`
	Alias     string   `json:"alias,omitempty"`     // another name by which the configuration may list it
	Topic     string   `json:"topic,omitempty"`     // what the room is about, or the name of its thread
	Parent    id.Peer  `json:"parent,omitempty"`    // the room that a thread or forum post belongs to
	Guild     string   `json:"guild,omitempty"`     // id of the Discord server
	GuildName string   `json:"guildName,omitempty"` // and its name
	Team      string   `json:"team,omitempty"`      // id of the Slack workspace
	Roles     []string `json:"roles,omitempty"`     // ids of the sender's roles there
	// Agent is the one that the account's section names for the place.
	Agent id.Agent `json:"agent,omitempty"`
}

// Quote is the message that another one answers.
type Quote struct {
	ID   id.Message `json:"id,omitempty"`
	From Sender     `json:"from,omitzero"`
	Text string     `json:"text,omitempty"`
	Self bool       `json:"self,omitempty"` // the agent wrote it: answering it addresses the agent
}

// Said is something that was said beside the agent.
type Said struct {
	From string    `json:"from,omitempty"`
	Text string    `json:"text"`
	At   time.Time `json:"at"`
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
	Room        Room         `json:"room,omitzero"`
	Quote       *Quote       `json:"quote,omitempty"` // what it answers, as far as the network tells
	// Notice says that nobody wrote Text to the agent: it is a fact about the
	// conversation (a reaction, an edit, somebody joined) that the next turn is
	// told. ID is one of its own.
	Notice bool `json:"notice,omitempty"`
	// Native says that the network itself made a command of it (a slash command
	// from its menu, a pressed button), so it needs no mention.
	Native bool `json:"native,omitempty"`
	// Agent is the one of several agents that this copy of the message is for, and
	// Then are those that get it after that one. Channels leave them empty.
	Agent id.Agent   `json:"agent,omitempty"`
	Then  []id.Agent `json:"then,omitempty"`
	// Before is what was said at its place beside the agent, when that is handed
	// on with the message.
	Before []Said `json:"before,omitempty"`
	// Backlog says that it was written while the account was away.
	Backlog bool `json:"backlog,omitempty"`

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
	// Tools are the caller's own: a call of one ends the run and goes to the
	// caller, whose next message brings the result.
	Tools []llm.ToolSpec `json:"tools,omitempty"`
	// MaxTokens bounds each answer of the model; 0 is the model's own bound.
	MaxTokens int `json:"maxTokens,omitempty"`
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
	key := string(a.Channel) + "/" + string(a.Account) + "/" + string(a.Peer) + "/" + string(in.ID)
	if in.Agent != "" {
		key += "@" + string(in.Agent)
	}
	return key
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
	Buttons     [][]Button    `json:"buttons,omitempty"` // rows, where [channel.Limits] has Buttons
	Poll        *Poll         `json:"poll,omitempty"`    // where Limits has Polls; Text is then empty
	Quiet       bool          `json:"quiet,omitempty"`   // without sound, where the network can
	Voice       bool          `json:"voice,omitempty"`   // show an audio attachment as a voice note
	// Native is content in the network's own form (Slack blocks, Discord
	// components), sent beside Text.
	Native json.RawMessage `json:"native,omitempty"`
	// Part and Parts number the pieces of a split text, from 1; 0 is whole.
	Part  int `json:"part,omitempty"`
	Parts int `json:"parts,omitempty"`
	// Edit is a message already shown, a preview, that this one takes the place
	// of; without Text it is only taken back. Channels don't see it.
	Edit id.Message `json:"edit,omitempty"`
	// After is the earliest time to deliver it; zero is at once.
	After time.Time `json:"after,omitzero"`
	// Spans say which pieces of a run's texts it shows, so that a run that goes
	// on after a crash shows none of them again.
	Spans []Span `json:"spans,omitempty"`
	// Doubt says that an earlier try may have shown it. A network that is
	// idempotent by looking does so only then. It isn't stored.
	Doubt bool `json:"-"`
}

// Span is a piece of what a run said.
type Span struct {
	Turn int `json:"turn"`           // of the run's messages with text, from 0
	From int `json:"from,omitempty"` // bytes of the visible text
	To   int `json:"to,omitempty"`
	// Sum is of the piece; of what isn't a piece of text (a summary of a call,
	// thoughts) it is the name of the thing.
	Sum string `json:"sum"`
}

// Button is something to press. Pressing one with Data comes back as an Inbound
// with Native whose Text is Data.
type Button struct {
	Text  string `json:"text"`
	Data  string `json:"data,omitempty"`
	URL   string `json:"url,omitempty"`
	Style string `json:"style,omitempty"` // primary, secondary, success, danger
}

// Poll is a question with answers to choose from.
type Poll struct {
	Question string        `json:"question"`
	Options  []string      `json:"options"`
	Multi    bool          `json:"multi,omitempty"` // more than one answer
	Open     time.Duration `json:"open,omitempty"`  // 0 is the network's usual
	Public   bool          `json:"public,omitempty"`
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
