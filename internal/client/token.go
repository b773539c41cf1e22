package client

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/wire"
	"github.com/openclaw-go/openclaw/internal/secret"
)

// TokenFile is identity/device-auth.json: the tokens that gateways gave this
// device, one for each role.
type TokenFile struct {
	path string
	mu   sync.Mutex
}

type deviceAuth struct {
	Version  int                    `json:"version"`
	DeviceID string                 `json:"deviceId"`
	Tokens   map[string]deviceToken `json:"tokens"`
}

type deviceToken struct {
	Token     string   `json:"token"`
	Role      string   `json:"role"`
	Scopes    []string `json:"scopes"`
	UpdatedAt int64    `json:"updatedAtMs"`
}

// NewTokenFile returns the token file of a state directory.
func NewTokenFile(state string) *TokenFile {
	return &TokenFile{path: filepath.Join(state, "identity", "device-auth.json")}
}

// token returns the token of role, or "". Tokens of another identity and a
// damaged file count as none: the gateway issues a new one.
func (f *TokenFile) token(device, role string) secret.String {
	if f == nil {
		return ""
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	auth, err := f.readLocked()
	if err != nil || auth.DeviceID != device {
		return ""
	}
	return secret.String(auth.Tokens[role].Token)
}

func (f *TokenFile) put(device string, g *wire.HelloAuth) error {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	auth, err := f.readLocked()
	if err != nil || auth.DeviceID != device {
		auth = deviceAuth{}
	}
	if auth.Tokens[g.Role].Token == g.DeviceToken {
		return nil
	}
	auth.Version, auth.DeviceID = 1, device
	if auth.Tokens == nil {
		auth.Tokens = map[string]deviceToken{}
	}
	auth.Tokens[g.Role] = deviceToken{Token: g.DeviceToken, Role: g.Role, Scopes: g.Scopes, UpdatedAt: time.Now().UnixMilli()}
	raw, err := json.MarshalIndent(auth, "", "  ")
	if err != nil {
		return err
	}
	tmp, err := writeTemp(f.path, append(raw, '\n'))
	if err != nil {
		return err
	}
	return os.Rename(tmp, f.path)
}

func (f *TokenFile) readLocked() (deviceAuth, error) {
	var auth deviceAuth
	raw, err := readSmall(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return auth, nil
	}
	if err != nil {
		return auth, err
	}
	return auth, json.Unmarshal(raw, &auth)
}
