// Package outbox stores outbound messages and delivers them, once each if the
// network lets it, retrying while the error says that it may help.
package outbox

import (
	"context"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// Store persists the outbox. A method returns only when its change is durable.
type Store interface {
	// PutOutbound stores messages to deliver, due now. One whose ID is stored
	// already stays as it is.
	PutOutbound(ctx context.Context, outs ...msg.Outbound) error
	// DueOutbound returns up to n messages of one account to send at now, in the
	// order they were stored: waiting ones that are due, and those in doubt. The
	// caller is the only sender of the account. A message behind an earlier unsent
	// one to the same peer is not due.
	DueOutbound(ctx context.Context, c id.Channel, a id.Account, now time.Time, n int) ([]Item, error)
	// SendingOutbound marks a message as handed to the network from now on; a
	// crash after it leaves the message in doubt.
	SendingOutbound(ctx context.Context, d id.Delivery) error
	// SentOutbound marks a message delivered.
	SentOutbound(ctx context.Context, d id.Delivery, r msg.Receipt) error
	// RetryOutbound counts an attempt that failed and sets the next one.
	RetryOutbound(ctx context.Context, d id.Delivery, next time.Time, reason string) error
	// FailOutbound gives a message up; it stays listed.
	FailOutbound(ctx context.Context, d id.Delivery, reason string) error
	// Outbound returns one message; ok is false when it isn't stored.
	Outbound(ctx context.Context, d id.Delivery) (it Item, ok bool, err error)
	// WaitsOutbound reports whether something waits, or is in doubt, for a peer.
	WaitsOutbound(ctx context.Context, c id.Channel, a id.Account, p id.Peer) (bool, error)
	// OpenOutbound lists what is waiting or in doubt; FailedOutbound what was
	// given up, newest first.
	OpenOutbound(ctx context.Context) ([]Item, error)
	FailedOutbound(ctx context.Context, n int) ([]Item, error)
}

// State is where an outbound message stands.
type State string

// The states of a message.
const (
	Waiting State = "waiting"
	Sending State = "sending" // in doubt when no process is sending it
	Sent    State = "sent"
	Failed  State = "failed"
)

// Item is one stored message.
type Item struct {
	Out     msg.Outbound
	State   State
	Tries   int
	Stored  time.Time
	Next    time.Time
	Reason  string
	Receipt msg.Receipt
}
