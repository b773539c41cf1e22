package config

import (
	"encoding/json"
)

// Gateway is gateway.
type Gateway struct {
	Mode           string `json:"mode"` // local or remote
	Port           int    `json:"port"`
	Bind           string `json:"bind"` // auto, loopback, lan, custom, tailnet
	CustomBindHost string `json:"customBindHost"`
	// ChannelHealthCheckMinutes is the time between looks at whether channels
	// live; nil is 5, 0 never.
	ChannelHealthCheckMinutes *int         `json:"channelHealthCheckMinutes"`
	Auth                      GatewayAuth  `json:"auth"`
	TrustedProxies            []string     `json:"trustedProxies"`
	AllowRealIPFallback       bool         `json:"allowRealIpFallback"`
	ControlUI                 ControlUI    `json:"controlUi"`
	HTTP                      GatewayHTTP  `json:"http"`
	Tools                     GatewayTools `json:"tools"`
	Reload                    Reload       `json:"reload"`
	Remote                    Remote       `json:"remote"`
}

// GatewayAuth is gateway.auth.
type GatewayAuth struct {
	Mode      string          `json:"mode"` // token, password, none, trusted-proxy
	Token     json.RawMessage `json:"token"`
	Password  json.RawMessage `json:"password"`
	RateLimit *RateLimit      `json:"rateLimit"`
	Proxy     TrustedProxy    `json:"trustedProxy"`
}

// TrustedProxy is gateway.auth.trustedProxy: the proxy that signs people in.
type TrustedProxy struct {
	UserHeader      string   `json:"userHeader"`
	RequiredHeaders []string `json:"requiredHeaders"`
	AllowUsers      []string `json:"allowUsers"`
}

// RateLimit is gateway.auth.rateLimit.
type RateLimit struct {
	MaxAttempts    int   `json:"maxAttempts"`
	WindowMs       int   `json:"windowMs"`
	LockoutMs      int   `json:"lockoutMs"`
	ExemptLoopback *bool `json:"exemptLoopback"`
}

// UnmarshalJSON takes what the schema calls numbers: fractions are dropped.
func (r *RateLimit) UnmarshalJSON(raw []byte) error {
	type plain RateLimit
	with := struct {
		*plain
		MaxAttempts float64 `json:"maxAttempts"`
		WindowMs    float64 `json:"windowMs"`
		LockoutMs   float64 `json:"lockoutMs"`
	}{plain: (*plain)(r), MaxAttempts: float64(r.MaxAttempts), WindowMs: float64(r.WindowMs), LockoutMs: float64(r.LockoutMs)}
	if err := json.Unmarshal(raw, &with); err != nil {
		return err
	}
	r.MaxAttempts, r.WindowMs, r.LockoutMs = whole(with.MaxAttempts), whole(with.WindowMs), whole(with.LockoutMs)
	return nil
}

// ControlUI is gateway.controlUi.
type ControlUI struct {
	Enabled                                  *bool    `json:"enabled"`
	BasePath                                 string   `json:"basePath"`
	AllowedOrigins                           []string `json:"allowedOrigins"`
	AllowInsecureAuth                        bool     `json:"allowInsecureAuth"`
	DangerouslyAllowHostHeaderOriginFallback bool     `json:"dangerouslyAllowHostHeaderOriginFallback"`
	DangerouslyDisableDeviceAuth             bool     `json:"dangerouslyDisableDeviceAuth"`
}

// GatewayHTTP is gateway.http.
type GatewayHTTP struct {
	Endpoints struct {
		ChatCompletions Endpoint          `json:"chatCompletions"`
		Responses       ResponsesEndpoint `json:"responses"`
	} `json:"endpoints"`
}

// Endpoint is one of gateway.http.endpoints. Zero limits are the usual ones.
type Endpoint struct {
	Enabled      bool  `json:"enabled"`
	MaxBodyBytes int64 `json:"maxBodyBytes"`
}

// ResponsesEndpoint is gateway.http.endpoints.responses.
type ResponsesEndpoint struct {
	Endpoint
	MaxURLParts *int        `json:"maxUrlParts"` // parts of a request that name an address
	Files       Files       `json:"files"`
	Images      Attachments `json:"images"`
}

// Attachments is what a request of an HTTP endpoint may bring along.
type Attachments struct {
	AllowURL     *bool    `json:"allowUrl"` // nil is yes
	URLAllowlist []string `json:"urlAllowlist"`
	AllowedMimes []string `json:"allowedMimes"`
	MaxBytes     int64    `json:"maxBytes"`
	MaxRedirects *int     `json:"maxRedirects"`
	TimeoutMs    int64    `json:"timeoutMs"`
}

// Files are attachments that are read as text.
type Files struct {
	Attachments
	MaxChars int64 `json:"maxChars"`
	PDF      struct {
		MaxPages int `json:"maxPages"`
	} `json:"pdf"`
}

// GatewayTools is gateway.tools: what POST /tools/invoke may call.
type GatewayTools struct {
	Allow []string `json:"allow"`
	Deny  []string `json:"deny"`
}

// Reload is gateway.reload.
type Reload struct {
	Mode       string `json:"mode"` // off, restart, hot, hybrid
	DebounceMs int    `json:"debounceMs"`
}

// Remote is gateway.remote.
type Remote struct {
	URL      string          `json:"url"`
	Token    json.RawMessage `json:"token"`
	Password json.RawMessage `json:"password"`
}

// Logging is logging.
type Logging struct {
	Level        string `json:"level"`
	File         string `json:"file"`
	ConsoleLevel string `json:"consoleLevel"`
	ConsoleStyle string `json:"consoleStyle"`
}
