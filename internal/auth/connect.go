package auth

import (
	"context"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/wire"
	"github.com/openclaw-go/openclaw/internal/rpc"
)

// Connect decides about a client that answered the challenge nonce with c. The
// params must have passed [wire.ConnectSchema]. The order of the checks is part
// of the protocol: the first that fails names the error.
func (a *Authenticator) Connect(ctx context.Context, c *wire.Connect, nonce string, p Peer) (*Grant, *Refusal) {
	s := a.settings()
	if c.MinProtocol > wire.Version || c.MaxProtocol < wire.Version {
		r := refuse(wire.CodeInvalid, "protocol mismatch", struct {
			Expected int `json:"expectedProtocol"`
		}{wire.Version})
		r.Close = wire.CloseProtocol
		return nil, r
	}
	role := roleOf(c)
	if role != rpc.Operator && role != rpc.Node {
		return nil, refuse(wire.CodeInvalid, "invalid role", nil)
	}
	if p.Browser && p.Origin != "" || isControlUI(c.Client) || p.Browser && s.mode() == ModeNone {
		if ok, why := OriginOK(p, s); !ok {
			a.log.WarnContext(ctx, "origin refused", "origin", p.Origin, "addr", p.Addr.String())
			return nil, refuse(wire.CodeInvalid, originMessage, reasonDetails{"CONTROL_UI_ORIGIN_NOT_ALLOWED", why})
		}
	}
	g := &Grant{Role: role, Scopes: c.Scopes, Client: c.Client, Peer: p}
	if c.Device == nil || s.skipsDevice(c.Client) {
		return a.connectBare(c, s, g)
	}
	key, refusal := checkDevice(c, nonce, a.now())
	if refusal != nil {
		return nil, refusal
	}
	g.Device = id.Device(c.Device.ID)
	if refusal := a.credentials(ctx, c, s, g); refusal != nil {
		return nil, refusal
	}
	if selfPaired(c, g) {
		return g, nil
	}
	if refusal := a.pair(ctx, c, key, g); refusal != nil {
		return nil, refusal
	}
	token, err := a.deviceToken(ctx, g.Device, role, c.Scopes)
	if err != nil {
		a.log.ErrorContext(ctx, "device token", "err", err)
		return nil, refuse(wire.CodeUnavailable, "device token could not be stored (free disk space, then reconnect)", nil)
	}
	if role == rpc.Operator && token.Token != "" {
		g.Hello = &wire.HelloAuth{DeviceToken: token.Token, Role: role, Scopes: token.Scopes, IssuedAtMs: issuedAt(token)}
	}
	return g, nil
}

// skipsDevice is the emergency switch for a Control UI on plain HTTP.
func (s Settings) skipsDevice(c wire.Client) bool {
	return isControlUI(c) && s.Gateway.ControlUI.DangerouslyDisableDeviceAuth
}

// connectBare decides about a client without a device: it may connect with the
// shared secret but holds no scope, because nothing of it was approved.
func (a *Authenticator) connectBare(c *wire.Connect, s Settings, g *Grant) (*Grant, *Refusal) {
	bypass := s.skipsDevice(c.Client)
	insecure := isControlUI(c.Client) && s.Gateway.ControlUI.AllowInsecureAuth && g.Peer.Local
	if isControlUI(c.Client) && !bypass && !insecure && s.mode() != ModeProxy {
		return nil, refuse(wire.CodeInvalid, uiDevice, reasonDetails{Code: "CONTROL_UI_DEVICE_IDENTITY_REQUIRED"})
	}
	identityRequired := refuse(wire.CodeNotPaired, "device identity required", reasonDetails{Code: "DEVICE_IDENTITY_REQUIRED"})
	given := c.Auth != nil && (c.Auth.Token != "" || c.Auth.Password != "")
	if !given && s.mode() != ModeNone && s.mode() != ModeProxy {
		return nil, identityRequired
	}
	if r := a.sharedSecret(c, s, g); r != nil {
		return nil, r
	}
	if g.Role != rpc.Operator {
		return nil, identityRequired
	}
	if !bypass && !(isControlUI(c.Client) && g.method == byProxy) {
		g.Scopes = nil
	}
	return g, nil
}

// selfPaired says that this is the gateway's own helper, or another program
// that holds the shared secret on this host: the secret says as much as a
// pairing would.
func selfPaired(c *wire.Connect, g *Grant) bool {
	return c.Client.ID == "gateway-client" && c.Client.Mode == "backend" && g.Role == rpc.Operator &&
		g.Peer.Local && !g.Peer.Browser && g.sharedSecret()
}
