// Package id holds the identifier types of the system.
//
// They are distinct string types so that a peer can't be passed where an
// account is wanted. Only the package that mints an identifier knows its
// inside; everyone else compares and prints it. The one exception is
// [SessionKey], whose grammar is public and parsed here.
package id

import (
	"strings"

	"github.com/google/uuid"
)

type (
	Agent    string // a configured agent, "main"
	Channel  string // a channel kind, "telegram"
	Account  string // one login on a channel, "default"
	Peer     string // a person, group or room on a channel
	Thread   string // a topic or thread inside a peer
	Message  string // a message as its channel numbers it
	Session  string // one transcript, a UUID
	Run      string // one run of an agent; the caller's idempotency key or a UUID
	Task     string // one record of detached work
	Job      string // one cron job
	Node     string // a paired node
	Device   string // a paired client: hex SHA-256 of its public key
	Delivery string // one entry of the outbox, a UUID
	Conn     string // one connection to the gateway
)

// DefaultAccount is the account of a channel section without accounts.
const DefaultAccount Account = "default"

// MainAgent is the agent that exists when none is configured.
const MainAgent Agent = "main"

// SessionKey names a conversation: agent:<agent>:<rest>. Many transcripts may
// live under one key over time; exactly one is current.
type SessionKey string

// MainKey is the key that an agent's direct chats share by default.
func MainKey(a Agent) SessionKey { return AgentKey(a, "main") }

// AgentKey is the key agent:<a>:<rest>.
func AgentKey(a Agent, rest string) SessionKey {
	return SessionKey("agent:" + string(a) + ":" + rest)
}

// DirectKey is the key of one person's direct chat on one channel.
func DirectKey(a Agent, c Channel, p Peer) SessionKey {
	return AgentKey(a, string(c)+":direct:"+string(p))
}

// GroupKey is the key of a group, or of one thread in it. Kind is "group" or
// "channel".
func GroupKey(a Agent, c Channel, kind string, p Peer, t Thread) SessionKey {
	k := AgentKey(a, string(c)+":"+kind+":"+string(p))
	switch {
	case t == "":
	case Topics(c):
		k += SessionKey(":topic:" + string(t))
	default:
		k += SessionKey(":thread:" + string(t))
	}
	return k
}

// Topics reports whether the threads of a channel's groups are called topics in
// keys, as recorded.
func Topics(c Channel) bool { return c == "telegram" }

// Agent returns the agent that owns k, or "" when k isn't an agent key.
func (k SessionKey) Agent() Agent {
	rest, ok := strings.CutPrefix(string(k), "agent:")
	if !ok {
		return ""
	}
	a, _, _ := strings.Cut(rest, ":")
	return Agent(a)
}

// Rest returns what follows agent:<agent>:, or the whole key when k isn't an
// agent key.
func (k SessionKey) Rest() string {
	if rest, ok := strings.CutPrefix(string(k), "agent:"); ok {
		if _, rest, ok = strings.Cut(rest, ":"); ok {
			return rest
		}
	}
	return string(k)
}

// CanonicalKey turns what a client sent ("main", "agent:work:main", "telegram:…")
// into an agent key; a key without an agent belongs to def. It is lower case,
// as recorded in reference/wire.
func CanonicalKey(def Agent, raw string) SessionKey {
	k := strings.ToLower(strings.TrimSpace(raw))
	if k == "" {
		k = "main"
	}
	if SessionKey(k).Agent() != "" {
		return SessionKey(k)
	}
	return AgentKey(def, k)
}

// NewRun mints a run identifier.
func NewRun() Run { return Run(uuid.NewString()) }

// NewSession mints a transcript identifier.
func NewSession() Session { return Session(uuid.NewString()) }

// NewDelivery mints an outbox identifier.
func NewDelivery() Delivery { return Delivery(uuid.NewString()) }
