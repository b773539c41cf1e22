// Package channel is the contract between the system and a messaging network.
//
// A network is one package under this directory. It implements [Channel] for
// one logged-in account, adds any of the optional interfaces below that the
// network can do, and exports a func Kind() [Kind]. One line in app/tables.go
// makes it part of the binary. Package channeltest holds the tests that every
// channel must pass.
package channel

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/settings"
)

// Channel is one account on one network.
type Channel interface {
	// Run connects and receives until ctx ends; it returns nil then, or the
	// error that ended the connection. The caller restarts it with backoff,
	// except after an error of kind fault.Unauthenticated.
	//
	// Run must not acknowledge a message to the network before recv has
	// returned nil for it: nil means that the message is stored.
	Run(ctx context.Context, recv Receiver) error

	// Send delivers one message that already fits [Limits]. An error of kind
	// fault.Unavailable or fault.RateLimited is retried; others are final.
	Send(ctx context.Context, out msg.Outbound) (msg.Receipt, error)

	Limits() Limits
}

// Receiver stores one inbound message.
type Receiver func(ctx context.Context, in msg.Inbound) error

// Limits are what the network accepts in one message, and how it counts.
type Limits struct {
	Text int // units of Unit in one message; 0 is no limit
	Unit Unit
	// Idempotent says that Send may be repeated with the same Outbound.ID
	// without showing the message twice.
	Idempotent bool
	Media      int64 // bytes of one attachment that Send takes; 0 is no attachments
	Album      int   // attachments that people see as one message; 0 is one
	Buttons    bool  // Send shows msg.Outbound.Buttons
	Polls      bool  // Send makes polls
	Voice      bool  // Send shows voice notes
}

// Unit is how a network measures text.
type Unit int

const (
	UTF16 Unit = iota // UTF-16 code units of the rendered text
	Bytes             // UTF-8 bytes of the rendered text
	Runes             // code points
)

// Env is what a channel gets from its host.
type Env struct {
	Account id.Account
	Log     *slog.Logger
	HTTP    *http.Client
	// State returns a small value that the channel stored under key, or "";
	// SetState stores one durably before it returns (a polling offset). Both
	// are scoped to this channel and account.
	State    func(ctx context.Context, key string) (string, error)
	SetState func(ctx context.Context, key, value string) error
	// Dir is a directory of this account's own for files that a library needs;
	// it may not exist yet. "" is none.
	Dir string
	// Status tells the host that the connection came up (nil) or was lost.
	Status func(err error)
	// Alive tells the host that the transport showed life (an answered poll, a
	// heartbeat): a connection without it for long is made anew. May be nil.
	Alive func()
	// Open reads an outbound attachment from where Ref says; it checks that the
	// agent may send it. May be nil: then only inline Data can be sent.
	Open func(ctx context.Context, a msg.Attachment) (io.ReadCloser, error)
}

// Kind describes a network and makes its channels.
type Kind struct {
	ID    id.Channel
	Label string // for people: "Telegram"
	// Config is the zero value of a type with all that an account's section may
	// hold; the schema of the file is generated from it. A method Whole() any
	// gives that of the network's own section, where it isn't the same.
	Config any
	// New makes the channel of one account from its merged section (channel
	// defaults below, account values on top). It does no I/O.
	New func(env Env, raw json.RawMessage) (Channel, error)
	// Env names the environment variables that fill keys which the section of
	// the default account leaves out.
	Env []EnvKey
	// Tokens names the keys of a section that a logout takes out, for channels
	// that are no Login.
	Tokens []string
	// Normalize turns an id as people write it in allow lists ("@alice",
	// "tg:123", "irc:bob") into the form of msg.Sender.ID, or "" when it can
	// never match. Nil keeps it as it is.
	Normalize func(entry string) string
	// Forms lists how a sender may stand in an allow list, normalized: ids can't
	// be taken over by somebody else, names can and count only where the account
	// sets dangerouslyAllowNameMatching. Nil is the ID alone.
	Forms func(from msg.Sender) (ids, names []string)
	// IsName tells that a normalized entry can only match what Forms calls a
	// name. Nil is never.
	IsName func(entry string) bool
	// Rules tells what an account's section says about the room of a message, for
	// networks whose rooms don't stand under groups. Nil reads groups.
	Rules func(section json.RawMessage, in msg.Inbound) Rules
	// Target reads where to send to as people write it: "@alice", "user:123",
	// "channel:C1", "#go". Nil takes the text as the id of a direct chat.
	Target func(s string) (msg.Address, error)
	// PublicRooms says that the network's groups are rooms that anybody enters:
	// groupAllowFrom doesn't fall back to allowFrom, and holds under an open
	// policy too.
	PublicRooms bool
}

// Rules are what a section says about one room.
type Rules struct {
	Listed   bool     // the room, or a star for all, is there
	Others   bool     // rooms are listed, whether or not this one is
	Disabled bool     // it is turned off
	Policy   string   // its own groupPolicy, or ""
	Allow    []string // who may speak there; nil is what the account says
	Roles    []string // role ids that may speak there
	Mention  *bool    // requireMention, when said
	Bots     string   // allowBots: "", "off", "mentions", "on"
	Prompt   string   // systemPrompt
	Skills   []string // nil is all
	// Tools are what the room says about tools, then what the star does: the
	// first that speaks about the sender counts, and it only takes away.
	Tools   []ToolRules
	History *int // historyLimit, when said
	// InTopic is requireTopic: a direct chat is heard only in its topics.
	InTopic bool
}

// ToolRules are what one entry of a section says about the tools of its room.
type ToolRules struct {
	All *settings.ToolPolicy // nil says nothing
	// BySender stands instead of All for those it names: id:, e164:, username:,
	// name:, or a star for anybody. A key without a word before it is an id.
	BySender map[string]settings.ToolPolicy
}

// ToolsSaid are those of rs that say anything.
func ToolsSaid(rs ...ToolRules) (out []ToolRules) {
	for _, r := range rs {
		if r.All != nil || len(r.BySender) > 0 {
			out = append(out, r)
		}
	}
	return out
}

// RetryAfter is in the chain of a RateLimited or Unavailable error when the
// network named a delay.
type RetryAfter struct{ After time.Duration }

func (e RetryAfter) Error() string { return "retry after " + e.After.String() }

// InDoubt is in the chain of an error of Send after which the message may have
// been shown all the same: it left, but no answer came.
type InDoubt struct{ Err error }

func (e InDoubt) Error() string { return e.Err.Error() }

// Unwrap returns what went wrong.
func (e InDoubt) Unwrap() error { return e.Err }

// EnvKey is one key of a section that an environment variable can give.
type EnvKey struct {
	Key  string // of the account's section: "botToken", "nickserv.password"
	Name string // of the variable: "TELEGRAM_BOT_TOKEN"
	// JSON says that the value is JSON as it stands (a number, true); otherwise
	// it is a string. List cuts it at commas into a list of strings.
	JSON, List bool
}
