// Package access decides who may talk to the agents: the policy of direct
// chats and groups, allow lists, and pairing by a code that the owner approves.
package access

import (
	"context"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
)

// Store persists pairing requests and the allow lists that approvals fill. A
// method returns only when its change is durable.
type Store interface {
	// RequestPairing notes that r.Peer asks to be let in and returns the request
	// that stands: an unexpired one of the same peer keeps its code, its Seen
	// moves. Requests created before r.Seen minus l.Life are dropped first. When
	// l.Pending requests of the channel stand already, ok is false and nothing is
	// stored.
	RequestPairing(ctx context.Context, r Request, l Limits) (standing Request, ok bool, err error)
	// Pairings lists the requests of c created since t, oldest first; c == ""
	// selects all channels.
	Pairings(ctx context.Context, c id.Channel, since time.Time) ([]Request, error)
	// ApprovePairing takes the request with this code, created since t, off the
	// list and puts its peer on the allow list of its account, in one
	// transaction. Codes are compared without case. Of no such code, ok is false.
	ApprovePairing(ctx context.Context, c id.Channel, code string, since time.Time) (r Request, ok bool, err error)

	// Allowed returns the stored allow list of an account, in order of arrival.
	// It adds to the configured one.
	Allowed(ctx context.Context, c id.Channel, a id.Account) ([]id.Peer, error)
	// Allow adds p and Disallow removes it; changed is false when there was
	// nothing to do.
	Allow(ctx context.Context, c id.Channel, a id.Account, p id.Peer) (changed bool, err error)
	Disallow(ctx context.Context, c id.Channel, a id.Account, p id.Peer) (changed bool, err error)
}

// Request is one person waiting to be let in.
type Request struct {
	Channel id.Channel
	Account id.Account
	Peer    id.Peer
	Code    string // what the owner types
	Created time.Time
	Seen    time.Time         // when the person last wrote
	Meta    map[string]string // username, firstName, …; shown to the owner
}

// Limits bound the requests of one channel.
type Limits struct {
	Life    time.Duration
	Pending int
}
