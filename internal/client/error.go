package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/coder/websocket"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/wire"
	"github.com/openclaw-go/openclaw/internal/rpc"
)

const codeAbnormal = 1006 // no close frame came

var errClosed = fault.New(fault.Canceled, "client", "the connection is closed")

// CloseError says how the gateway ended a connection, in the words that
// scripts around OpenClaw look for.
type CloseError struct {
	Code   int
	Reason string
	cause  error
}

func (e *CloseError) Error() string {
	label := map[int]string{
		wire.CloseNormal: " normal closure", codeAbnormal: " abnormal closure (no close frame)", wire.CloseRestart: " service restart",
	}[e.Code]
	reason := e.Reason
	if reason == "" {
		reason = "no close reason"
	}
	return "gateway closed (" + strconv.Itoa(e.Code) + label + "): " + reason
}

func (e *CloseError) Unwrap() error { return e.cause }

// broken turns an error of the connection into a fault.
func broken(err error) error {
	if errors.Is(err, context.Canceled) {
		return fault.Wrap(fault.Canceled, "client", err)
	}
	var c websocket.CloseError
	if !errors.As(err, &c) {
		return &fault.Error{
			Kind: fault.Unavailable, Op: "client", Err: &CloseError{Code: codeAbnormal, cause: err},
			Hint: "the connection to the gateway broke",
		}
	}
	closed := &CloseError{Code: int(c.Code), Reason: c.Reason, cause: err}
	switch c.Code {
	case websocket.StatusServiceRestart:
		return &fault.Error{Kind: fault.Unavailable, Op: "client", Err: closed, Hint: "the gateway is restarting; try again in a moment"}
	case websocket.StatusMessageTooBig:
		return &fault.Error{Kind: fault.Invalid, Op: "client", Err: closed, Hint: "the request is larger than the gateway accepts"}
	case websocket.StatusPolicyViolation:
		return &fault.Error{Kind: fault.Forbidden, Op: "client", Err: closed, Hint: "the gateway ended the connection: " + c.Reason}
	}
	return &fault.Error{Kind: fault.Unavailable, Op: "client", Err: closed, Hint: "the gateway ended the connection"}
}

// refusalFault explains a refused connect by the code in its details.
func refusalFault(closed *CloseError, e *rpc.Error) error {
	var d struct {
		Code      string `json:"code"`
		RequestID string `json:"requestId"`
		Expected  int    `json:"expectedProtocol"`
	}
	if raw, ok := e.Details.(json.RawMessage); ok {
		_ = json.Unmarshal(raw, &d) // details are a help, not a promise
	}
	out := &fault.Error{Kind: fault.Unauthenticated, Op: "client.Dial", Err: closed}
	switch {
	case d.Code == "PAIRING_REQUIRED":
		out.Kind = fault.Forbidden
		out.Hint = "this device must be approved on the gateway's host: openclaw devices approve " + d.RequestID
	case d.Code == "AUTH_TOKEN_MISSING":
		out.Hint = "the gateway wants a token: pass --token <token> or set OPENCLAW_GATEWAY_TOKEN"
	case d.Code == "AUTH_TOKEN_MISMATCH":
		out.Hint = "the token is not the gateway's: compare it with gateway.auth.token in the gateway's config"
	case d.Code == "AUTH_PASSWORD_MISSING":
		out.Hint = "the gateway wants a password: pass --password <password> or set OPENCLAW_GATEWAY_PASSWORD"
	case d.Code == "AUTH_PASSWORD_MISMATCH":
		out.Hint = "the password is not the gateway's"
	case d.Code == "AUTH_DEVICE_TOKEN_MISMATCH":
		out.Hint = "this device's token was revoked: on the gateway's host type openclaw devices rotate, or pass --token <token>"
	case d.Code == "AUTH_RATE_LIMITED":
		out.Kind, out.Hint = fault.RateLimited, "too many failed attempts; wait and try again"
	case d.Code == "DEVICE_AUTH_SIGNATURE_EXPIRED":
		out.Hint = "the clocks of this host and of the gateway differ by more than two minutes"
	case d.Code == "DEVICE_IDENTITY_REQUIRED":
		out.Hint = "the gateway wants a device identity or a token: pass --token <token>"
	case d.Expected != 0:
		out.Kind = fault.Invalid
		out.Hint = fmt.Sprintf("the gateway speaks protocol %d, this program protocol %d: update the older one", d.Expected, wire.Version)
	default:
		out.Hint = e.Message
	}
	return out
}

func timeoutFault(ctx context.Context, what string) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return fault.Wrap(fault.Canceled, "client.Call", ctx.Err())
	}
	return &fault.Error{
		Kind: fault.Timeout, Op: "client.Call", Err: ctx.Err(),
		Hint: "the gateway did not answer " + what + " in time; give it longer with --timeout <ms>",
	}
}
