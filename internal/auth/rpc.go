package auth

import (
	"context"
	"slices"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/rpc"
)

// Methods are device.pair.* and device.token.*.
func (a *Authenticator) Methods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("device.pair.list", rpc.Pairing, a.list),
		rpc.Handle("device.pair.approve", rpc.Pairing, a.pairApprove),
		rpc.Handle("device.pair.reject", rpc.Pairing, a.pairReject),
		rpc.Handle("device.pair.remove", rpc.Pairing, a.pairRemove),
		rpc.Handle("device.token.rotate", rpc.Pairing, a.tokenRotate),
		rpc.Handle("device.token.revoke", rpc.Pairing, a.tokenRevoke),
	}
}

// shownDevice is a device without its secrets.
type shownDevice struct {
	Device
	Tokens []shownToken `json:"tokens,omitempty"`
}

type shownToken struct {
	Role         string   `json:"role"`
	Scopes       []string `json:"scopes"`
	CreatedAtMs  int64    `json:"createdAtMs"`
	RotatedAtMs  int64    `json:"rotatedAtMs,omitempty"`
	RevokedAtMs  int64    `json:"revokedAtMs,omitempty"`
	LastUsedAtMs int64    `json:"lastUsedAtMs,omitempty"`
}

func show(d Device) shownDevice {
	s := shownDevice{Device: d}
	for _, t := range d.Tokens {
		s.Tokens = append(s.Tokens, shownToken{t.Role, t.Scopes, t.CreatedAtMs, t.RotatedAtMs, t.RevokedAtMs, t.LastUsedAtMs})
	}
	slices.SortFunc(s.Tokens, func(x, y shownToken) int { return slices.Compare([]string{x.Role}, []string{y.Role}) })
	s.Device.Tokens, s.Device.ApprovedScopes = nil, nil
	return s
}

type listResult struct {
	Pending []Request     `json:"pending"`
	Paired  []shownDevice `json:"paired"`
}

func (a *Authenticator) list(ctx context.Context, _ *rpc.Caller, _ struct{}) (listResult, error) {
	a.change.Lock()
	err := a.expire(ctx)
	a.change.Unlock()
	if err != nil {
		return listResult{}, err
	}
	out := listResult{Pending: a.requests(), Paired: []shownDevice{}}
	slices.Reverse(out.Pending)
	for _, d := range a.Devices() {
		out.Paired = append(out.Paired, show(d))
	}
	return out, nil
}

// Devices returns the paired devices, the latest approved first. The caller
// must not show their tokens.
func (a *Authenticator) Devices() []Device {
	a.mu.RLock()
	defer a.mu.RUnlock()
	out := make([]Device, 0, len(a.devices))
	for _, d := range a.devices {
		out = append(out, d)
	}
	slices.SortFunc(out, func(x, y Device) int { return int(y.ApprovedAtMs - x.ApprovedAtMs) })
	return out
}

type requestParams struct {
	RequestID string `json:"requestId" schema:"minLength=1"`
}

type approveResult struct {
	RequestID string      `json:"requestId"`
	Device    shownDevice `json:"device"`
}

func (a *Authenticator) pairApprove(ctx context.Context, c *rpc.Caller, p requestParams) (approveResult, error) {
	r, err := a.openRequest(ctx, p.RequestID)
	if err != nil {
		return approveResult{}, err
	}
	if err := mayGive(c, r.Scopes); err != nil {
		a.log.WarnContext(ctx, "pairing approval refused", "device", string(r.Device), "by", string(c.Device), "scopes", r.Scopes)
		return approveResult{}, err
	}
	d, err := a.approve(ctx, r)
	if err != nil {
		return approveResult{}, err
	}
	return approveResult{r.ID, show(d)}, nil
}

// mayGive refuses a caller who would give away what it doesn't hold.
func mayGive(c *rpc.Caller, scopes []string) error {
	for _, s := range scopes {
		if !Has(c.Scopes, rpc.Scope(s)) {
			return rpc.Invalid("missing scope: %s", s)
		}
	}
	return nil
}

func (a *Authenticator) openRequest(ctx context.Context, request string) (Request, error) {
	a.change.Lock()
	defer a.change.Unlock()
	if err := a.expire(ctx); err != nil {
		return Request{}, err
	}
	a.mu.RLock()
	defer a.mu.RUnlock()
	r, ok := a.pending[request]
	if !ok {
		return Request{}, rpc.Invalid("unknown requestId")
	}
	return r, nil
}

type rejectResult struct {
	RequestID string    `json:"requestId"`
	DeviceID  id.Device `json:"deviceId"`
}

func (a *Authenticator) pairReject(ctx context.Context, _ *rpc.Caller, p requestParams) (rejectResult, error) {
	r, err := a.openRequest(ctx, p.RequestID)
	if err != nil {
		return rejectResult{}, err
	}
	a.change.Lock()
	err = a.drop(ctx, r.ID)
	a.change.Unlock()
	if err != nil {
		return rejectResult{}, err
	}
	a.publish("device.pair.resolved", resolved{r.ID, r.Device, "rejected", a.now().UnixMilli()})
	return rejectResult{r.ID, r.Device}, nil
}

type deviceParams struct {
	DeviceID id.Device `json:"deviceId" schema:"minLength=1"`
}

func (a *Authenticator) pairRemove(ctx context.Context, c *rpc.Caller, p deviceParams) (deviceParams, error) {
	a.change.Lock()
	d, ok := a.device(p.DeviceID)
	if ok {
		// Who may not make such a device may not break it either.
		if err := mayGive(c, d.approved()); err != nil && c.Device != d.ID {
			a.change.Unlock()
			return deviceParams{}, err
		}
		if err := a.store.DeleteDevice(ctx, p.DeviceID); err != nil {
			a.change.Unlock()
			return deviceParams{}, err
		}
		a.mu.Lock()
		delete(a.devices, p.DeviceID)
		a.mu.Unlock()
	}
	a.change.Unlock()
	if !ok {
		return deviceParams{}, rpc.Invalid("unknown deviceId")
	}
	a.tellRevoked(p.DeviceID, "")
	return p, nil
}

type rotateParams struct {
	DeviceID id.Device `json:"deviceId" schema:"minLength=1"`
	Role     string    `json:"role" schema:"minLength=1"`
	Scopes   []string  `json:"scopes,omitempty" schema:"items.minLength=1"`
}

type rotateResult struct {
	DeviceID    id.Device `json:"deviceId"`
	Role        string    `json:"role"`
	Token       string    `json:"token"`
	Scopes      []string  `json:"scopes"`
	RotatedAtMs int64     `json:"rotatedAtMs"`
}

// tokenRotate makes a new token for a role that the device is approved for, no
// wider than its approval and than what the caller holds.
func (a *Authenticator) tokenRotate(ctx context.Context, c *rpc.Caller, p rotateParams) (rotateResult, error) {
	t, err := a.rotate(ctx, c, p)
	if err != nil {
		return rotateResult{}, err
	}
	a.tellRevoked(p.DeviceID, p.Role)
	return rotateResult{p.DeviceID, p.Role, t.Token, t.Scopes, issuedAt(t)}, nil
}

func (a *Authenticator) rotate(ctx context.Context, c *rpc.Caller, p rotateParams) (Token, error) {
	a.change.Lock()
	defer a.change.Unlock()
	d, ok := a.device(p.DeviceID)
	if !ok || !slices.Contains(d.roles(), p.Role) {
		return Token{}, rpc.Invalid("unknown deviceId/role")
	}
	old, has := d.Tokens[p.Role]
	scopes := p.Scopes
	if scopes == nil {
		scopes = old.Scopes
		if !has && p.Role == rpc.Operator {
			scopes = d.approved()
		}
	}
	if missing, ok := covers(d.approved(), scopes); !ok {
		return Token{}, rpc.Invalid("missing scope: %s", missing)
	}
	if err := mayGive(c, scopes); err != nil {
		return Token{}, err
	}
	t := a.issue(old, true, p.Role, scopes)
	if !has {
		t.CreatedAtMs = t.RotatedAtMs
	}
	return t, a.put(ctx, withToken(d, t))
}

type revokeParams struct {
	DeviceID id.Device `json:"deviceId" schema:"minLength=1"`
	Role     string    `json:"role" schema:"minLength=1"`
}

type revokeResult struct {
	DeviceID    id.Device `json:"deviceId"`
	Role        string    `json:"role"`
	RevokedAtMs int64     `json:"revokedAtMs"`
}

func (a *Authenticator) tokenRevoke(ctx context.Context, c *rpc.Caller, p revokeParams) (revokeResult, error) {
	at, err := a.revoke(ctx, c, p)
	if err != nil {
		return revokeResult{}, err
	}
	a.tellRevoked(p.DeviceID, p.Role)
	return revokeResult{p.DeviceID, p.Role, at}, nil
}

func (a *Authenticator) revoke(ctx context.Context, c *rpc.Caller, p revokeParams) (int64, error) {
	a.change.Lock()
	defer a.change.Unlock()
	d, ok := a.device(p.DeviceID)
	t, has := d.Tokens[p.Role]
	if !ok || !has {
		return 0, rpc.Invalid("unknown deviceId/role")
	}
	if err := mayGive(c, t.Scopes); err != nil && c.Device != d.ID {
		return 0, err
	}
	t.RevokedAtMs = a.now().UnixMilli()
	return t.RevokedAtMs, a.put(ctx, withToken(d, t))
}
