// Package inbox stores inbound messages before anything else happens to them,
// so that a crash loses none, and hands each on once.
package inbox

import (
	"context"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/session"
)

// Store persists the inbox. A method returns only when its change is durable.
type Store interface {
	// PutInbound stores in and reports whether it is new. A key that was ever
	// stored and not yet forgotten is not new.
	PutInbound(ctx context.Context, in msg.Inbound) (fresh bool, err error)
	// OpenInbound returns the messages that were stored but not done, in the
	// order of arrival.
	OpenInbound(ctx context.Context) ([]Item, error)
	// TryInbound counts one more attempt at the messages under keys and returns
	// the highest count.
	TryInbound(ctx context.Context, keys ...string) (tries int, err error)
	// UntryInbound takes one attempt at the messages under keys back.
	UntryInbound(ctx context.Context, keys ...string) error
	// Finish marks messages done with their result, stores what is to be
	// delivered, the session's entry and the end of its transcript, in one
	// transaction: after a crash either
	// all is there or nothing.
	Finish(ctx context.Context, f Finished) error
	// PoisonInbound sets a message aside with a reason; it is done, but listed.
	PoisonInbound(ctx context.Context, key, reason string) error
	// PoisonedInbound lists what was set aside.
	PoisonedInbound(ctx context.Context) ([]Item, error)
	// Inbound returns one message by key.
	Inbound(ctx context.Context, key string) (it Item, ok bool, err error)
	// Overheard returns what was said in a room beside the agent and nobody was
	// told yet, oldest first.
	Overheard(ctx context.Context, room string) ([]Overheard, error)
	// ForgetInbound removes messages done before t; their keys are new again.
	ForgetInbound(ctx context.Context, t time.Time) (n int, err error)
}

// Finished is what came of messages.
type Finished struct {
	Keys []string
	// Dropped are messages that nobody answers; they are done and listed with
	// what was set aside, with Reason.
	Dropped []string
	Reason  string
	Outs    []msg.Outbound
	Result  []byte // JSON, kept with the messages as long as their keys
	// Session is the index entry after the run; nil leaves it alone.
	Session *session.Session
	// Tail is the end of its transcript that isn't on the disk; it may be empty.
	Tail session.Tail
	// Next are messages that come of these: they are stored open, and the caller
	// passes them on ([Inbox.Pass]).
	Next []msg.Inbound
	// Event is a line for the next turn of a session.
	Event *Event
	// Overheard is kept for the next turn in its room; Told is what a turn was
	// told of that, and goes.
	Overheard *Overheard
	Told      Told
}

// Event is a line for the next turn of a session.
type Event struct {
	Session id.SessionKey
	Text    string
	At      time.Time
}

// Overheard is something said in a room beside the agent; At orders it.
type Overheard struct {
	ID     int64 // grows as they are stored
	Room   string
	Sender string
	Text   string
	At     time.Time
	Most   int // how much of the room is kept, when it is stored
}

// Told names what of a room can go: all up to an ID.
type Told struct {
	Room string
	UpTo int64
}

// Item is one stored message.
type Item struct {
	Key    string
	In     msg.Inbound
	Tries  int
	Done   bool
	Result []byte
	Reason string // poisoned
}
