package wire

import "encoding/json"

// Connect is the params of the first request.
type Connect struct {
	MinProtocol int             `json:"minProtocol"`
	MaxProtocol int             `json:"maxProtocol"`
	Client      Client          `json:"client"`
	Caps        []string        `json:"caps,omitempty"`
	Commands    []string        `json:"commands,omitempty"`
	Permissions map[string]bool `json:"permissions,omitempty"`
	PathEnv     string          `json:"pathEnv,omitempty"`
	Role        string          `json:"role,omitempty"`
	Scopes      []string        `json:"scopes,omitempty"`
	Device      *Device         `json:"device,omitempty"`
	Auth        *Auth           `json:"auth,omitempty"`
	Locale      string          `json:"locale,omitempty"`
	UserAgent   string          `json:"userAgent,omitempty"`
}

// Client is what a client says about itself. It never adds rights.
type Client struct {
	ID              string `json:"id"`
	DisplayName     string `json:"displayName,omitempty"`
	Version         string `json:"version"`
	Platform        string `json:"platform"`
	DeviceFamily    string `json:"deviceFamily,omitempty"`
	ModelIdentifier string `json:"modelIdentifier,omitempty"`
	Mode            string `json:"mode"`
	InstanceID      string `json:"instanceId,omitempty"`
}

// Device proves which device connects.
type Device struct {
	ID        string `json:"id"`
	PublicKey string `json:"publicKey"`
	Signature string `json:"signature"`
	SignedAt  int64  `json:"signedAt"`
	Nonce     string `json:"nonce"`
}

// Auth is the credentials of a client.
type Auth struct {
	Token          string `json:"token,omitempty"`
	BootstrapToken string `json:"bootstrapToken,omitempty"`
	DeviceToken    string `json:"deviceToken,omitempty"`
	Password       string `json:"password,omitempty"`
}

// HelloOK is the payload of the answer to connect.
type HelloOK struct {
	Type          string     `json:"type"` // hello-ok
	Protocol      int        `json:"protocol"`
	Server        Server     `json:"server"`
	Features      Features   `json:"features"`
	Snapshot      Snapshot   `json:"snapshot"`
	CanvasHostURL string     `json:"canvasHostUrl,omitempty"`
	Auth          *HelloAuth `json:"auth,omitempty"`
	Policy        Policy     `json:"policy"`
}

// Server names the gateway and the connection.
type Server struct {
	Version string `json:"version"`
	ConnID  string `json:"connId"`
}

// Features lists what the gateway offers.
type Features struct {
	Methods []string `json:"methods"`
	Events  []string `json:"events"`
}

// Snapshot is the state at the time of connecting.
type Snapshot struct {
	Presence        json.RawMessage `json:"presence"`
	Health          json.RawMessage `json:"health"`
	StateVersion    StateVersion    `json:"stateVersion"`
	UptimeMs        int64           `json:"uptimeMs"`
	ConfigPath      string          `json:"configPath,omitempty"`
	StateDir        string          `json:"stateDir,omitempty"`
	SessionDefaults SessionDefaults `json:"sessionDefaults"`
	AuthMode        string          `json:"authMode,omitempty"`
	UpdateAvailable any             `json:"updateAvailable,omitempty"`
}

// SessionDefaults tells how a client names sessions.
type SessionDefaults struct {
	DefaultAgentID string `json:"defaultAgentId"`
	MainKey        string `json:"mainKey"`
	MainSessionKey string `json:"mainSessionKey"`
	Scope          string `json:"scope"`
}

// HelloAuth is the device token of an operator. Scopes are the token's, which
// may be wider than what the connection asked for.
type HelloAuth struct {
	DeviceToken string   `json:"deviceToken"`
	Role        string   `json:"role"`
	Scopes      []string `json:"scopes"`
	IssuedAtMs  int64    `json:"issuedAtMs"`
}

// Policy is the limits of the connection.
type Policy struct {
	MaxPayload       int64 `json:"maxPayload"`
	MaxBufferedBytes int64 `json:"maxBufferedBytes"`
	TickIntervalMs   int64 `json:"tickIntervalMs"`
}
