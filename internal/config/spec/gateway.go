package spec

import (
	"github.com/openclaw-go/openclaw/internal/base/settings"
)

// Gateway is gateway.
type Gateway struct {
	Port                      settings.Positive `json:"port"`
	Mode                      string            `json:"mode" schema:"enum=local|remote"`
	Bind                      string            `json:"bind" schema:"enum=auto|lan|loopback|custom|tailnet"`
	CustomBindHost            string            `json:"customBindHost"`
	ControlUI                 GatewayControlUI  `json:"controlUi"`
	Auth                      GatewayAuth       `json:"auth"`
	TrustedProxies            []string          `json:"trustedProxies"`
	AllowRealIPFallback       bool              `json:"allowRealIpFallback"`
	Tools                     GatewayTools      `json:"tools"`
	ChannelHealthCheckMinutes settings.Natural  `json:"channelHealthCheckMinutes"`
	Tailscale                 GatewayTailscale  `json:"tailscale"`
	Remote                    GatewayRemote     `json:"remote"`
	Reload                    GatewayReload     `json:"reload"`
	TLS                       GatewayTLS        `json:"tls"`
	HTTP                      GatewayHTTP       `json:"http"`
	Push                      GatewayPush       `json:"push"`
	Nodes                     GatewayNodes      `json:"nodes"`
}

// GatewayControlUI is gateway.controlUi.
type GatewayControlUI struct {
	Enabled                                  bool     `json:"enabled"`
	BasePath                                 string   `json:"basePath"`
	Root                                     string   `json:"root"`
	AllowedOrigins                           []string `json:"allowedOrigins"`
	DangerouslyAllowHostHeaderOriginFallback bool     `json:"dangerouslyAllowHostHeaderOriginFallback"`
	AllowInsecureAuth                        bool     `json:"allowInsecureAuth"`
	DangerouslyDisableDeviceAuth             bool     `json:"dangerouslyDisableDeviceAuth"`
}

// GatewayAuth is gateway.auth.
type GatewayAuth struct {
	Mode           string              `json:"mode" schema:"enum=none|token|password|trusted-proxy"`
	Token          settings.Secret     `json:"token"`
	Password       settings.Secret     `json:"password"`
	AllowTailscale bool                `json:"allowTailscale"`
	RateLimit      GatewayRateLimit    `json:"rateLimit"`
	TrustedProxy   GatewayTrustedProxy `json:"trustedProxy"`
}

// GatewayTools is gateway.tools.
type GatewayTools struct {
	Deny  []string `json:"deny"`
	Allow []string `json:"allow"`
}

// GatewayTailscale is gateway.tailscale.
type GatewayTailscale struct {
	Mode        string `json:"mode" schema:"enum=off|serve|funnel"`
	ResetOnExit bool   `json:"resetOnExit"`
}

// GatewayRemote is gateway.remote.
type GatewayRemote struct {
	URL            string          `json:"url"`
	Transport      string          `json:"transport" schema:"enum=ssh|direct"`
	Token          settings.Secret `json:"token"`
	Password       settings.Secret `json:"password"`
	TLSFingerprint string          `json:"tlsFingerprint"`
	SSHTarget      string          `json:"sshTarget"`
	SSHIdentity    string          `json:"sshIdentity"`
}

// GatewayReload is gateway.reload.
type GatewayReload struct {
	Mode       string           `json:"mode" schema:"enum=off|restart|hot|hybrid"`
	DebounceMs settings.Natural `json:"debounceMs"`
}

// GatewayTLS is gateway.tls.
type GatewayTLS struct {
	Enabled      bool   `json:"enabled"`
	AutoGenerate bool   `json:"autoGenerate"`
	CertPath     string `json:"certPath"`
	KeyPath      string `json:"keyPath"`
	CAPath       string `json:"caPath"`
}

// GatewayHTTP is gateway.http.
type GatewayHTTP struct {
	Endpoints       GatewayEndpoints       `json:"endpoints"`
	SecurityHeaders GatewaySecurityHeaders `json:"securityHeaders"`
}

// GatewayPush is gateway.push.
type GatewayPush struct {
	APNs GatewayAPNs `json:"apns"`
}

// GatewayNodes is gateway.nodes.
type GatewayNodes struct {
	Browser       GatewayBrowser `json:"browser"`
	AllowCommands []string       `json:"allowCommands"`
	DenyCommands  []string       `json:"denyCommands"`
}

// GatewayRateLimit is gateway.auth.rateLimit.
type GatewayRateLimit struct {
	MaxAttempts    float64 `json:"maxAttempts"`
	WindowMs       float64 `json:"windowMs"`
	LockoutMs      float64 `json:"lockoutMs"`
	ExemptLoopback bool    `json:"exemptLoopback"`
}

// GatewayTrustedProxy is gateway.auth.trustedProxy.
type GatewayTrustedProxy struct {
	UserHeader      string   `json:"userHeader" schema:"required,minLength=1"`
	RequiredHeaders []string `json:"requiredHeaders"`
	AllowUsers      []string `json:"allowUsers"`
}

// GatewayEndpoints is gateway.http.endpoints.
type GatewayEndpoints struct {
	ChatCompletions GatewayChatCompletions `json:"chatCompletions"`
	Responses       GatewayResponses       `json:"responses"`
}

// GatewaySecurityHeaders is gateway.http.securityHeaders.
type GatewaySecurityHeaders struct {
	StrictTransportSecurity any `json:"strictTransportSecurity" schema:"is=string|false"`
}

// GatewayAPNs is gateway.push.apns.
type GatewayAPNs struct {
	Relay GatewayRelay `json:"relay"`
}

// GatewayBrowser is gateway.nodes.browser.
type GatewayBrowser struct {
	Mode string `json:"mode" schema:"enum=auto|manual|off"`
	Node string `json:"node"`
}

// GatewayChatCompletions is gateway.http.endpoints.chatCompletions.
type GatewayChatCompletions struct {
	Enabled            bool              `json:"enabled"`
	MaxBodyBytes       settings.Positive `json:"maxBodyBytes"`
	MaxImageParts      settings.Natural  `json:"maxImageParts"`
	MaxTotalImageBytes settings.Positive `json:"maxTotalImageBytes"`
	Images             GatewayImages     `json:"images"`
}

// GatewayResponses is gateway.http.endpoints.responses.
type GatewayResponses struct {
	Enabled      bool              `json:"enabled"`
	MaxBodyBytes settings.Positive `json:"maxBodyBytes"`
	MaxURLParts  settings.Natural  `json:"maxUrlParts"`
	Files        GatewayFiles      `json:"files"`
	Images       GatewayImages     `json:"images"`
}

// GatewayRelay is gateway.push.apns.relay.
type GatewayRelay struct {
	BaseURL   string            `json:"baseUrl"`
	TimeoutMs settings.Positive `json:"timeoutMs"`
}

// GatewayImages is gateway.http.endpoints.responses.images.
type GatewayImages struct {
	AllowURL     bool              `json:"allowUrl"`
	URLAllowlist []string          `json:"urlAllowlist"`
	AllowedMimes []string          `json:"allowedMimes"`
	MaxBytes     settings.Positive `json:"maxBytes"`
	MaxRedirects settings.Natural  `json:"maxRedirects"`
	TimeoutMs    settings.Positive `json:"timeoutMs"`
}

// GatewayFiles is gateway.http.endpoints.responses.files.
type GatewayFiles struct {
	AllowURL     bool              `json:"allowUrl"`
	URLAllowlist []string          `json:"urlAllowlist"`
	AllowedMimes []string          `json:"allowedMimes"`
	MaxBytes     settings.Positive `json:"maxBytes"`
	MaxRedirects settings.Natural  `json:"maxRedirects"`
	TimeoutMs    settings.Positive `json:"timeoutMs"`
	MaxChars     settings.Positive `json:"maxChars"`
	PDF          GatewayPDF        `json:"pdf"`
}

// GatewayPDF is gateway.http.endpoints.responses.files.pdf.
type GatewayPDF struct {
	MaxPages     settings.Positive `json:"maxPages"`
	MaxPixels    settings.Positive `json:"maxPixels"`
	MinTextChars settings.Natural  `json:"minTextChars"`
}
