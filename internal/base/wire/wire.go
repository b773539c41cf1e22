// Package wire is the gateway protocol, version 3, as bytes: frames, limits,
// the first exchange and the codes of errors. The gateway, the client and the
// node host share it.
//
// A client opens a WebSocket and gets the event connect.challenge. Its first
// frame must be the request connect; the answer is [HelloOK] or an error and a
// close. From then on requests, responses and events go both ways freely.
package wire

import (
	"encoding/json"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/text"
)

// Version is the version of the protocol.
const Version = 3

// Limits that both ends rely on.
const (
	MaxPreAuth       = 64 << 10 // bytes of a frame before hello-ok
	MaxPayload       = 26214400 // bytes of a frame after it
	MaxBuffered      = 52428800 // bytes that may wait for one client
	TickInterval     = 30 * time.Second
	HandshakeTimeout = 3 * time.Second
	MaxReason        = 120 // bytes of a close reason; the error has the whole text
)

// Close codes.
const (
	CloseNormal   = 1000
	CloseProtocol = 1002 // protocol mismatch
	ClosePolicy   = 1008 // refused, unauthorized or too slow
	CloseTooBig   = 1009
	CloseRestart  = 1012 // the service stops or restarts
)

// Types of frames.
const (
	TypeReq   = "req"
	TypeRes   = "res"
	TypeEvent = "event"
)

// Request asks for a method.
type Request struct {
	Type   string          `json:"type"`
	ID     string          `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params,omitempty"`
}

// Response answers the request with its ID. Some methods answer twice.
type Response struct {
	Type    string          `json:"type"`
	ID      string          `json:"id"`
	OK      bool            `json:"ok"`
	Payload json.RawMessage `json:"payload,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// Event tells. Broadcasts carry Seq, one counter for the whole gateway; events
// for chosen connections carry none.
type Event struct {
	Type         string          `json:"type"`
	Event        string          `json:"event"`
	Payload      json.RawMessage `json:"payload,omitempty"`
	Seq          int64           `json:"seq,omitempty"`
	StateVersion *StateVersion   `json:"stateVersion,omitempty"`
}

// StateVersion tells how often presence and health changed.
type StateVersion struct {
	Presence int64 `json:"presence"`
	Health   int64 `json:"health"`
}

// Challenge is the payload of connect.challenge.
type Challenge struct {
	Nonce string `json:"nonce"`
	Ts    int64  `json:"ts"`
}

// Reason cuts s to what a close frame may carry.
func Reason(s string) string { return text.Cut(s, MaxReason) }
