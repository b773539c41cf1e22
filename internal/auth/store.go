package auth

import (
	"context"

	"github.com/openclaw-go/openclaw/internal/base/id"
)

// Store keeps paired devices and open pairing requests. Package store
// implements it; what a projection writes to devices/paired.json and
// devices/pending.json is the JSON of these types, keyed by device and by
// request id.
//
// [Authenticator] reads everything once and is the only writer afterwards. A
// Put returns when the row is durable; putting what exists replaces it, and
// deleting what doesn't exist is no error.
type Store interface {
	// Devices returns all paired devices, in no order.
	Devices(ctx context.Context) ([]Device, error)
	// PutDevice stores d under d.ID.
	PutDevice(ctx context.Context, d Device) error
	// DeleteDevice removes a device and with it all its tokens.
	DeleteDevice(ctx context.Context, device id.Device) error
	// PendingDevices returns all open requests, in no order.
	PendingDevices(ctx context.Context) ([]Request, error)
	// PutPending stores r under r.ID.
	PutPending(ctx context.Context, r Request) error
	// DeletePending removes a request.
	DeletePending(ctx context.Context, request string) error
}

// Device is a paired device. Its JSON is the recorded shape of a value in
// devices/paired.json.
type Device struct {
	ID             id.Device        `json:"deviceId"`
	PublicKey      string           `json:"publicKey"`
	DisplayName    string           `json:"displayName,omitempty"`
	Platform       string           `json:"platform,omitempty"`
	DeviceFamily   string           `json:"deviceFamily,omitempty"`
	ClientID       string           `json:"clientId,omitempty"`
	ClientMode     string           `json:"clientMode,omitempty"`
	Role           string           `json:"role,omitempty"`
	Roles          []string         `json:"roles,omitempty"`
	Scopes         []string         `json:"scopes,omitempty"`
	ApprovedScopes []string         `json:"approvedScopes,omitempty"`
	RemoteIP       string           `json:"remoteIp,omitempty"`
	Tokens         map[string]Token `json:"tokens,omitempty"` // by role
	CreatedAtMs    int64            `json:"createdAtMs"`
	ApprovedAtMs   int64            `json:"approvedAtMs"`
}

// Token is a device token. It is as good as a password for its device, so it
// must never be logged or shown to anyone but the device.
type Token struct {
	Token        string   `json:"token"`
	Role         string   `json:"role"`
	Scopes       []string `json:"scopes"`
	CreatedAtMs  int64    `json:"createdAtMs"`
	RotatedAtMs  int64    `json:"rotatedAtMs,omitempty"`
	RevokedAtMs  int64    `json:"revokedAtMs,omitempty"`
	LastUsedAtMs int64    `json:"lastUsedAtMs,omitempty"`
}

// Request is an open request for pairing. Its JSON is the recorded shape of a
// value in devices/pending.json and of the event device.pair.requested.
type Request struct {
	ID           string    `json:"requestId"`
	Device       id.Device `json:"deviceId"`
	PublicKey    string    `json:"publicKey"`
	DisplayName  string    `json:"displayName,omitempty"`
	Platform     string    `json:"platform,omitempty"`
	DeviceFamily string    `json:"deviceFamily,omitempty"`
	ClientID     string    `json:"clientId,omitempty"`
	ClientMode   string    `json:"clientMode,omitempty"`
	Role         string    `json:"role,omitempty"`
	Roles        []string  `json:"roles,omitempty"`
	Scopes       []string  `json:"scopes,omitempty"`
	RemoteIP     string    `json:"remoteIp,omitempty"`
	Silent       bool      `json:"silent"`
	Repair       bool      `json:"isRepair"`
	Ts           int64     `json:"ts"` // Unix milliseconds
}
