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
	"github.com/openclaw-go/openclaw/internal/rpc"
)

// Hello is the payload of hello-ok.
type Hello struct {
	Protocol int `json:"protocol"`
	Server   struct {
		Version string `json:"version"`
		ConnID  string `json:"connId"`
	} `json:"server"`
	Features struct {
		Methods []string `json:"methods"`
		Events  []string `json:"events"`
	} `json:"features"`
	Snapshot Snapshot `json:"snapshot"`
	Auth     Grant    `json:"auth"`
	Policy   struct {
		MaxPayload     int64 `json:"maxPayload"`
		TickIntervalMs int   `json:"tickIntervalMs"`
	} `json:"policy"`
}

// Snapshot is the gateway's state at the time of the handshake.
type Snapshot struct {
	Presence        json.RawMessage `json:"presence"`
	Health          json.RawMessage `json:"health"`
	UptimeMs        int64           `json:"uptimeMs"`
	ConfigPath      string          `json:"configPath"`
	StateDir        string          `json:"stateDir"`
	AuthMode        string          `json:"authMode"`
	SessionDefaults struct {
		Agent   string `json:"defaultAgentId"`
		MainKey string `json:"mainSessionKey"`
	} `json:"sessionDefaults"`
}

// Grant is what the gateway allows this connection.
type Grant struct {
	DeviceToken string   `json:"deviceToken"`
	Role        string   `json:"role"`
	Scopes      []string `json:"scopes"`
	IssuedAtMs  int64    `json:"issuedAtMs"`
}

type authParams struct {
	Token       string `json:"token,omitempty"`
	DeviceToken string `json:"deviceToken,omitempty"`
	Password    string `json:"password,omitempty"`
}

type deviceParams struct {
	ID        string `json:"id"`
	PublicKey string `json:"publicKey"`
	Signature string `json:"signature"`
	SignedAt  int64  `json:"signedAt"`
	Nonce     string `json:"nonce"`
}

type connectParams struct {
	MinProtocol int           `json:"minProtocol"`
	MaxProtocol int           `json:"maxProtocol"`
	Client      rpc.Client    `json:"client"`
	Role        string        `json:"role"`
	Scopes      []string      `json:"scopes"`
	Caps        []string      `json:"caps"`
	Auth        *authParams   `json:"auth,omitempty"`
	Device      *deviceParams `json:"device,omitempty"`
	Locale      string        `json:"locale,omitempty"`
	UserAgent   string        `json:"userAgent,omitempty"`
}

// connectID is the id of the connect request; later ids are numbers.
const connectID = "connect"

// handshake waits for the challenge, answers it and returns the hello.
func handshake(ctx context.Context, ws *websocket.Conn, o Options) (*Hello, error) {
	nonce, err := challenge(ctx, ws)
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(request{Type: "req", ID: connectID, Method: "connect", Params: connect(o, nonce)})
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
		if f.Type != "res" || string(f.ID) != `"`+connectID+`"` {
			continue
		}
		if !f.OK {
			return nil, refused(ctx, ws, f.Error.rpc())
		}
		hello := new(Hello)
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
		if f.Type != "event" || f.Event != "connect.challenge" {
			continue
		}
		var c struct {
			Nonce string `json:"nonce"`
		}
		if err := json.Unmarshal(f.Payload, &c); err != nil || strings.TrimSpace(c.Nonce) == "" {
			return "", fault.New(fault.Unavailable, "client.Dial", "the gateway sent a challenge without a nonce")
		}
		return strings.TrimSpace(c.Nonce), nil
	}
}

func connect(o Options, nonce string) connectParams {
	p := connectParams{
		MinProtocol: Protocol, MaxProtocol: Protocol, Client: o.Client, Role: o.Role, Scopes: o.Scopes, Caps: o.Caps,
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
	p.Device = &deviceParams{
		ID: o.Identity.ID, PublicKey: o.Identity.PublicKey(), SignedAt: signed.At, Nonce: nonce,
		Signature: o.Identity.Sign(signed.Payload()),
	}
	return p
}

// credentials picks the shared secret when there is one, else the device token
// of an earlier run, which goes into both fields.
func credentials(o Options) *authParams {
	switch {
	case o.Token != "" || o.Password != "":
		return &authParams{Token: o.Token.Reveal(), Password: o.Password.Reveal()}
	case o.Identity == nil:
		return nil
	}
	if t := o.Tokens.token(o.Identity.ID, o.Role); t != "" {
		return &authParams{Token: t.Reveal(), DeviceToken: t.Reveal()}
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
