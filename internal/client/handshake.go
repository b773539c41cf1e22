package client

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/coder/websocket"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/version"
	"github.com/openclaw-go/openclaw/internal/base/wire"
	"github.com/openclaw-go/openclaw/internal/rpc"
)

// connectParams is [wire.Connect] as OpenClaw's own clients send it: with lists
// where there is nothing to list.
type connectParams struct {
	MinProtocol int          `json:"minProtocol"`
	MaxProtocol int          `json:"maxProtocol"`
	Client      wire.Client  `json:"client"`
	Role        string       `json:"role"`
	Scopes      []string     `json:"scopes"`
	Caps        []string     `json:"caps"`
	Auth        *wire.Auth   `json:"auth,omitempty"`
	Device      *wire.Device `json:"device,omitempty"`
	Locale      string       `json:"locale,omitempty"`
	UserAgent   string       `json:"userAgent,omitempty"`
}

// connectID is the id of the connect request; later ids are numbers.
const connectID = "connect"

// handshake waits for the challenge, answers it and returns the hello.
func handshake(ctx context.Context, ws *websocket.Conn, o Options) (*wire.HelloOK, error) {
	nonce, err := challenge(ctx, ws)
	if err != nil {
		return nil, err
	}
	raw, err := request(connectID, "connect", connect(o, nonce))
	if err != nil {
		return nil, fault.Wrap(fault.Internal, "client.Dial", err)
	}
	if err := ws.Write(ctx, websocket.MessageText, raw); err != nil {
		return nil, broken(err)
	}
	for {
		f, err := readFrame(ctx, ws)
		if err != nil {
			return nil, err
		}
		if f.Type != wire.TypeRes || string(f.ID) != `"`+connectID+`"` {
			continue
		}
		if !f.OK {
			return nil, refused(ctx, ws, f.Error.rpc())
		}
		hello := new(wire.HelloOK)
		if err := json.Unmarshal(f.Payload, hello); err != nil {
			return nil, fault.Wrap(fault.Unavailable, "client.Dial", err)
		}
		return hello, nil
	}
}

// challenge returns the nonce that the gateway sends first.
func challenge(ctx context.Context, ws *websocket.Conn) (string, error) {
	for {
		f, err := readFrame(ctx, ws)
		if err != nil {
			return "", err
		}
		if f.Type != wire.TypeEvent || f.Event != "connect.challenge" {
			continue
		}
		var c wire.Challenge
		if err := json.Unmarshal(f.Payload, &c); err != nil || strings.TrimSpace(c.Nonce) == "" {
			return "", fault.New(fault.Unavailable, "client.Dial", "the gateway sent a challenge without a nonce")
		}
		return strings.TrimSpace(c.Nonce), nil
	}
}

func connect(o Options, nonce string) connectParams {
	p := connectParams{
		MinProtocol: wire.Version, MaxProtocol: wire.Version, Client: o.Client, Role: o.Role, Scopes: o.Scopes, Caps: o.Caps,
		Locale: locale(os.Getenv), UserAgent: "openclaw-go/" + version.Number, Auth: credentials(o),
	}
	if p.Scopes == nil {
		p.Scopes = []string{}
	}
	if p.Caps == nil {
		p.Caps = []string{}
	}
	if o.Identity == nil {
		return p
	}
	signed := Signed{
		Device: o.Identity.ID, ClientID: o.Client.ID, ClientMode: o.Client.Mode, Role: o.Role, Scopes: p.Scopes,
		At: time.Now().UnixMilli(), Nonce: nonce, Platform: o.Client.Platform, Family: o.Client.DeviceFamily,
	}
	if p.Auth != nil {
		signed.Token = p.Auth.Token
	}
	p.Device = &wire.Device{
		ID: o.Identity.ID, PublicKey: o.Identity.PublicKey(), SignedAt: signed.At, Nonce: nonce,
		Signature: o.Identity.Sign(signed.Payload()),
	}
	return p
}

// credentials picks the shared secret when there is one, else the device token
// of an earlier run, which goes into both fields.
func credentials(o Options) *wire.Auth {
	switch {
	case o.Token != "" || o.Password != "":
		return &wire.Auth{Token: o.Token.Reveal(), Password: o.Password.Reveal()}
	case o.Identity == nil:
		return nil
	}
	if t := o.Tokens.token(o.Identity.ID, o.Role); t != "" {
		return &wire.Auth{Token: t.Reveal(), DeviceToken: t.Reveal()}
	}
	return nil
}

// refused waits for the close frame that follows a refusal, for its code.
func refused(ctx context.Context, ws *websocket.Conn, e *rpc.Error) error {
	closed := &CloseError{Code: int(websocket.StatusPolicyViolation), Reason: e.Message, cause: e}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_, _, err := ws.Read(ctx)
	var c websocket.CloseError
	if errors.As(err, &c) {
		closed.Code = int(c.Code)
	}
	return refusalFault(closed, e)
}

// locale is the language of the environment as a BCP 47 tag.
func locale(getenv func(string) string) string {
	for _, k := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		v, _, _ := strings.Cut(getenv(k), ".")
		if v != "" && v != "C" && v != "POSIX" {
			return strings.ReplaceAll(v, "_", "-")
		}
	}
	return "en-US"
}
