package gateway

import (
	"bytes"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
)

const (
	presenceTTL = 5 * time.Minute
	maxPresence = 200
)

// being is one entry of the presence list: the gateway, a client or what a
// client said about something else.
type being struct {
	Host             string   `json:"host,omitempty"`
	IP               string   `json:"ip,omitempty"`
	Version          string   `json:"version,omitempty"`
	Platform         string   `json:"platform,omitempty"`
	DeviceFamily     string   `json:"deviceFamily,omitempty"`
	ModelIdentifier  string   `json:"modelIdentifier,omitempty"`
	Mode             string   `json:"mode,omitempty"`
	LastInputSeconds *float64 `json:"lastInputSeconds,omitempty"`
	DeviceID         string   `json:"deviceId,omitempty"`
	Roles            []string `json:"roles,omitempty"`
	Scopes           []string `json:"scopes,omitempty"`
	InstanceID       string   `json:"instanceId,omitempty"`
	Reason           string   `json:"reason,omitempty"`
	Text             string   `json:"text"`
	Ts               int64    `json:"ts"`

	conn id.Conn // of the connected client
}

// presence is the list of who is or was here.
type presence struct {
	now  func() time.Time
	self being

	mu  sync.Mutex
	all map[string]being
}

func newPresence(now func() time.Time, version string) *presence {
	host, err := os.Hostname()
	if err != nil {
		host = "gateway"
	}
	p := &presence{now: now, all: map[string]being{}}
	p.self = being{
		Host: host, IP: lanIP(), Version: version, Platform: platform(), DeviceFamily: family(), ModelIdentifier: model(),
		Mode: "gateway", Reason: "self",
	}
	at := host
	if p.self.IP != "" {
		at += " (" + p.self.IP + ")"
	}
	p.self.Text = "Gateway: " + at + " · app " + version + " · mode gateway · reason self"
	return p
}

// list returns the gateway and then the others, the latest first.
func (p *presence) list() []being {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	self := p.self
	self.Ts = now.UnixMilli()
	out := make([]being, 1, len(p.all)+1)
	out[0] = self
	for key, b := range p.all {
		if b.conn == "" && now.UnixMilli()-b.Ts > presenceTTL.Milliseconds() {
			delete(p.all, key)
			continue
		}
		out = append(out, b)
	}
	slices.SortFunc(out[1:], func(a, b being) int {
		if a.Ts != b.Ts {
			return int(b.Ts - a.Ts)
		}
		return strings.Compare(a.Text, b.Text)
	})
	return out
}

// inPresence reports whether others see c: one-shot command lines would only
// make noise.
func (c *conn) inPresence() bool {
	return c.grant.Client.Mode != "cli" && c.grant.Client.Mode != "probe"
}

// put notes that c came or went; reason is connect or disconnect.
func (p *presence) put(c *conn, reason string) {
	g := c.grant
	b := being{
		Host: g.Client.DisplayName, Version: g.Client.Version, Platform: g.Client.Platform, DeviceFamily: g.Client.DeviceFamily,
		ModelIdentifier: g.Client.ModelIdentifier, Mode: g.Client.Mode, DeviceID: string(g.Device), Roles: []string{g.Role},
		Scopes: g.Scopes, InstanceID: g.Client.InstanceID, Reason: reason, Ts: p.now().UnixMilli(),
	}
	if b.Host == "" {
		b.Host = g.Client.ID
	}
	if b.InstanceID == "" {
		b.InstanceID = b.DeviceID
	}
	at := b.Host
	if !g.Peer.Local && g.Peer.Addr.IsValid() && !g.Peer.Addr.IsLoopback() {
		b.IP = g.Peer.Addr.String()
		at += " (" + b.IP + ")"
	}
	b.Text = "Node: " + at + " · mode " + b.Mode
	key := b.DeviceID
	if key == "" {
		key = string(c.id)
	}
	if reason == "connect" {
		b.conn = c.id
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if old, ok := p.all[key]; ok && reason == "disconnect" && old.conn != c.id {
		return // it is here on another connection
	}
	p.setLocked(key, b)
}

// beacon notes what a client told about itself or something else.
func (p *presence) beacon(key string, b being) {
	p.mu.Lock()
	defer p.mu.Unlock()
	b.Ts = p.now().UnixMilli()
	b.conn = p.all[key].conn
	p.setLocked(key, b)
}

func (p *presence) setLocked(key string, b being) {
	if _, known := p.all[key]; !known && len(p.all) >= maxPresence {
		oldest := ""
		for k, e := range p.all {
			if e.conn == "" && (oldest == "" || e.Ts < p.all[oldest].Ts) {
				oldest = k
			}
		}
		if oldest == "" {
			return
		}
		delete(p.all, oldest)
	}
	p.all[key] = b
}

// lanIP is the first private address of this host, "" when it has none.
func lanIP() string {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return ""
	}
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil && !n.IP.IsLoopback() && !n.IP.IsLinkLocalUnicast() {
			return n.IP.String()
		}
	}
	return ""
}

func platform() string {
	name := runtime.GOOS
	if name == "windows" {
		name = "win32"
	}
	if release, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		name += " " + string(bytes.TrimSpace(release))
	}
	return name
}

func family() string {
	switch runtime.GOOS {
	case "linux":
		return "Linux"
	case "darwin":
		return "Mac"
	case "windows":
		return "Windows"
	}
	return runtime.GOOS
}

func model() string {
	if runtime.GOARCH == "amd64" {
		return "x64"
	}
	return runtime.GOARCH
}
