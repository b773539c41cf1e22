package auth

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/wire"
)

const (
	pendingTTL = 5 * time.Minute
	maxPending = 64 // open requests in all; the oldest gives way
)

// Why a device must be paired (again).
const (
	notPaired       = "not-paired"
	scopeUpgrade    = "scope-upgrade"
	roleUpgrade     = "role-upgrade"
	metadataUpgrade = "metadata-upgrade"
)

// pair makes sure that the device of g is approved for what c asks. A local
// client is approved silently where that gives it nothing that its secret
// doesn't: when it is new, or asks for more scopes with the shared secret.
func (a *Authenticator) pair(ctx context.Context, c *wire.Connect, key string, g *Grant) *Refusal {
	why := a.lacks(c, key, g)
	if why == "" {
		return a.noteClient(ctx, c, g)
	}
	trusts := g.Peer.Local && (!g.Peer.Browser || isControlUI(c.Client) || isWebchat(c.Client))
	silent := trusts && (why == notPaired || why == scopeUpgrade) && g.method != byDevice
	req, created, err := a.request(ctx, c, key, g, silent)
	if err != nil {
		a.log.ErrorContext(ctx, "pairing request", "err", err)
		return refuse(wire.CodeUnavailable, "pairing request could not be stored (free disk space, then reconnect)", nil)
	}
	if !silent {
		if created {
			a.log.InfoContext(ctx, "a device asks to be paired", "approve", "openclaw devices approve "+req.ID, "device", string(req.Device), "why", why,
				"addr", g.Peer.Addr.String(), "untrustedProxy", g.Peer.Forwarded && !g.Peer.Proxied)
			a.publish("device.pair.requested", req)
		}
		return refuse(wire.CodeNotPaired, "pairing required", pairingDetails{"PAIRING_REQUIRED", req.ID, why})
	}
	if _, err := a.approve(ctx, req); err != nil {
		a.log.ErrorContext(ctx, "pairing", "err", err)
		return refuse(wire.CodeUnavailable, "pairing could not be stored (free disk space, then reconnect)", nil)
	}
	return nil
}

// lacks returns what the pairing of the device lacks, "" for nothing.
func (a *Authenticator) lacks(c *wire.Connect, key string, g *Grant) string {
	d, ok := a.device(g.Device)
	if !ok || d.PublicKey != key {
		return notPaired
	}
	changed := func(paired, claimed string) bool {
		return paired != "" && lowerASCII(paired) != lowerASCII(claimed)
	}
	if changed(d.Platform, c.Client.Platform) || changed(d.DeviceFamily, c.Client.DeviceFamily) {
		return metadataUpgrade
	}
	if !slices.Contains(d.roles(), g.Role) {
		return roleUpgrade
	}
	if _, ok := covers(d.approved(), c.Scopes); !ok {
		return scopeUpgrade
	}
	return ""
}

func (d Device) roles() []string {
	if len(d.Roles) > 0 || d.Role == "" {
		return d.Roles
	}
	return []string{d.Role}
}

func (d Device) approved() []string {
	if d.ApprovedScopes != nil {
		return d.ApprovedScopes
	}
	return d.Scopes
}

// noteClient keeps what a paired device says about itself up to date.
func (a *Authenticator) noteClient(ctx context.Context, c *wire.Connect, g *Grant) *Refusal {
	a.change.Lock()
	defer a.change.Unlock()
	d, ok := a.device(g.Device)
	if !ok || d.ClientID == c.Client.ID && d.ClientMode == c.Client.Mode && (c.Client.DisplayName == "" || d.DisplayName == c.Client.DisplayName) {
		return nil
	}
	d.ClientID, d.ClientMode = c.Client.ID, c.Client.Mode
	if c.Client.DisplayName != "" {
		d.DisplayName = c.Client.DisplayName
	}
	if err := a.put(ctx, d); err != nil {
		a.log.WarnContext(ctx, "device not updated", "err", err)
	}
	return nil
}

// request returns the open request of the device, making one when there is
// none. Its content doesn't change once an operator may have seen it.
func (a *Authenticator) request(ctx context.Context, c *wire.Connect, key string, g *Grant, silent bool) (r Request, created bool, err error) {
	a.change.Lock()
	defer a.change.Unlock()
	if err := a.expire(ctx); err != nil {
		return r, false, err
	}
	open := a.requests()
	if !silent {
		for _, r := range open {
			if r.Device == g.Device && r.PublicKey == key {
				return r, false, nil
			}
		}
	}
	_, known := a.device(g.Device)
	r = Request{
		ID: uuid.NewString(), Device: g.Device, PublicKey: key, DisplayName: c.Client.DisplayName,
		Platform: c.Client.Platform, DeviceFamily: c.Client.DeviceFamily, ClientID: c.Client.ID, ClientMode: c.Client.Mode,
		Role: g.Role, Roles: []string{g.Role}, Scopes: c.Scopes, Silent: silent, Repair: known, Ts: a.now().UnixMilli(),
	}
	if !g.Peer.Local && g.Peer.Addr.IsValid() && !g.Peer.Addr.IsLoopback() {
		r.RemoteIP = g.Peer.Addr.String()
	}
	if silent {
		return r, true, nil
	}
	if len(open) >= maxPending {
		if err := a.drop(ctx, open[0].ID); err != nil {
			return r, false, err
		}
	}
	if err := a.store.PutPending(ctx, r); err != nil {
		return r, false, err
	}
	a.mu.Lock()
	a.pending[r.ID] = r
	a.mu.Unlock()
	return r, true, nil
}

// requests returns the open requests, oldest first.
func (a *Authenticator) requests() []Request {
	a.mu.RLock()
	defer a.mu.RUnlock()
	out := make([]Request, 0, len(a.pending))
	for _, r := range a.pending {
		out = append(out, r)
	}
	slices.SortFunc(out, func(x, y Request) int { return int(x.Ts - y.Ts) })
	return out
}

// expire drops requests that nobody answered. The caller holds a.change.
func (a *Authenticator) expire(ctx context.Context) error {
	limit := a.now().Add(-pendingTTL).UnixMilli()
	for _, r := range a.requests() {
		if r.Ts < limit {
			if err := a.drop(ctx, r.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *Authenticator) drop(ctx context.Context, request string) error {
	if err := a.store.DeletePending(ctx, request); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.pending, request)
	return nil
}

type resolved struct {
	RequestID string    `json:"requestId"`
	DeviceID  id.Device `json:"deviceId"`
	Decision  string    `json:"decision"`
	Ts        int64     `json:"ts"`
}

// approve pairs the device of r with all that r asks, and makes its token.
func (a *Authenticator) approve(ctx context.Context, r Request) (Device, error) {
	a.change.Lock()
	defer a.change.Unlock()
	now := a.now().UnixMilli()
	d, known := a.device(r.Device)
	if !known || d.PublicKey != r.PublicKey {
		d = Device{ID: r.Device, CreatedAtMs: now}
	}
	scopes := merge(d.Scopes, r.Scopes...)
	approved := merge(d.approved(), r.Scopes...)
	d.PublicKey, d.Platform, d.DeviceFamily = r.PublicKey, r.Platform, r.DeviceFamily
	d.ClientID, d.ClientMode, d.ApprovedAtMs = r.ClientID, r.ClientMode, now
	if r.DisplayName != "" {
		d.DisplayName = r.DisplayName
	}
	if r.RemoteIP != "" {
		d.RemoteIP = r.RemoteIP
	}
	d.Role, d.Roles = r.Role, merge(d.roles(), r.Roles...)
	d.Scopes, d.ApprovedScopes = scopes, approved
	old, has := d.Tokens[r.Role]
	tokenScopes := r.Scopes
	if len(tokenScopes) == 0 && has {
		tokenScopes = old.Scopes
	}
	d = withToken(d, a.issue(old, has, r.Role, tokenScopes))
	if err := a.put(ctx, d); err != nil {
		return d, err
	}
	if err := a.drop(ctx, r.ID); err != nil {
		return d, err
	}
	a.publish("device.pair.resolved", resolved{r.ID, r.Device, "approved", now})
	return d, nil
}
