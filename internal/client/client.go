// Package client speaks the gateway protocol, version 3, from the client's
// side: the command line, the terminal UI and the node host use it.
//
// [Dial] opens a connection and does the handshake (challenge, device
// signature, hello-ok). [Conn.Call] is one request with one answer,
// [Conn.CallFinal] one whose answer comes in two frames, and [Conn.Events] is
// what the gateway pushes. A connection that breaks stays broken; [Keep] dials
// again for those who want that.
//
// [Locate] finds out where the gateway is and which secret it wants.
package client

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"runtime"
	"time"

	"github.com/coder/websocket"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/version"
	"github.com/openclaw-go/openclaw/internal/base/wire"
	"github.com/openclaw-go/openclaw/internal/rpc"
	"github.com/openclaw-go/openclaw/internal/secret"
)

// eventRoom is how many undelivered events a connection holds: more than
// one turn's burst. What doesn't fit is dropped and shows as a gap in Seq.
const eventRoom = 512

// Options are the parameters of [Dial]. URL is required.
type Options struct {
	URL      string
	Token    secret.String
	Password secret.String
	// Identity signs the challenge. Without one the gateway takes all scopes away.
	Identity *Identity
	// Tokens keeps device tokens between runs; nil forgets them.
	Tokens *TokenFile

	Client wire.Client // zero fields describe this program's command line
	Role   string      // "" is operator
	Scopes []string    // nil is all operator scopes, when Role is operator
	Caps   []string

	// Timeout bounds dialling and the handshake; 0 is ten seconds.
	Timeout time.Duration
	Log     *slog.Logger
}

// Scopes are all operator scopes, in the order that the signature wants.
func Scopes() []string {
	return []string{string(rpc.Admin), string(rpc.Read), string(rpc.Write), string(rpc.Approvals), string(rpc.Pairing)}
}

func (o Options) withDefaults() Options {
	if o.Role == "" {
		o.Role = rpc.Operator
	}
	if o.Scopes == nil && o.Role == rpc.Operator {
		o.Scopes = Scopes()
	}
	if o.Timeout <= 0 {
		o.Timeout = 10 * time.Second
	}
	if o.Client.ID == "" {
		o.Client.ID = "cli"
	}
	if o.Client.Mode == "" {
		o.Client.Mode = "cli"
	}
	if o.Client.Version == "" {
		o.Client.Version = version.Protocol
	}
	if o.Client.Platform == "" {
		o.Client.Platform = Platform()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// Platform is the name of this system as OpenClaw's clients give it: a device
// whose platform changes must be paired again.
func Platform() string {
	if runtime.GOOS == "windows" {
		return "win32"
	}
	return runtime.GOOS
}

// Dial connects to the gateway and does the handshake. An error is a
// [*CloseError], an [*rpc.Error] or a fault whose hint says what to do.
func Dial(ctx context.Context, o Options) (*Conn, error) {
	o = o.withDefaults()
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	ws, resp, err := websocket.Dial(ctx, o.URL, &websocket.DialOptions{
		HTTPHeader:      http.Header{"User-Agent": {"openclaw/" + version.String()}},
		CompressionMode: websocket.CompressionDisabled,
	})
	if resp != nil && resp.Body != nil {
		defer resp.Body.Close()
	}
	if err != nil {
		return nil, dialFault(ctx, resp, err)
	}
	ws.SetReadLimit(wire.MaxPayload)
	hello, err := handshake(ctx, ws, o)
	if err != nil {
		_ = ws.CloseNow()
		return nil, err
	}
	if a := hello.Auth; a != nil && a.DeviceToken != "" && o.Identity != nil {
		if err := o.Tokens.put(o.Identity.ID, a); err != nil {
			o.Log.WarnContext(ctx, "device token not stored", "err", err)
		}
	}
	return start(ctx, ws, hello), nil
}

// dialFault turns an error of the network or of the upgrade into one of ours.
func dialFault(ctx context.Context, resp *http.Response, err error) error {
	if resp != nil {
		if resp.StatusCode == http.StatusTooManyRequests {
			return &fault.Error{
				Kind: fault.RateLimited, Op: "client.Dial", Err: err,
				Hint: "too many failed attempts; wait a minute and try again",
			}
		}
		return &fault.Error{
			Kind: fault.Unavailable, Op: "client.Dial", Err: err,
			Hint: "something answers there, but it isn't an OpenClaw gateway (" + resp.Status + ")",
		}
	}
	if ctx.Err() != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &fault.Error{
			Kind: fault.Timeout, Op: "client.Dial", Err: &CloseError{Code: codeAbnormal, cause: err},
			Hint: "the gateway did not answer in time",
		}
	}
	if errors.Is(err, context.Canceled) {
		return fault.Wrap(fault.Canceled, "client.Dial", err)
	}
	return &fault.Error{
		Kind: fault.Unavailable, Op: "client.Dial", Err: &CloseError{Code: codeAbnormal, cause: err},
		Hint: "no gateway answers there",
	}
}
