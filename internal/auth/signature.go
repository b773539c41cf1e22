package auth

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"strconv"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/wire"
)

// maxSkew is how far the clock of a device may be off.
const maxSkew = 2 * time.Minute

// SigningPayload returns the text that a device signs: version is v3 or v2.
func SigningPayload(version string, c *wire.Connect) string {
	d := c.Device
	parts := []string{
		version, d.ID, c.Client.ID, c.Client.Mode, roleOf(c), strings.Join(c.Scopes, ","),
		strconv.FormatInt(d.SignedAt, 10), signedToken(c.Auth), strings.TrimSpace(d.Nonce),
	}
	if version == "v3" {
		parts = append(parts, lowerASCII(c.Client.Platform), lowerASCII(c.Client.DeviceFamily))
	}
	return strings.Join(parts, "|")
}

func roleOf(c *wire.Connect) string {
	if c.Role == "" {
		return "operator"
	}
	return c.Role
}

func signedToken(a *wire.Auth) string {
	switch {
	case a == nil:
		return ""
	case a.Token != "":
		return a.Token
	case a.DeviceToken != "":
		return a.DeviceToken
	}
	return a.BootstrapToken
}

// lowerASCII trims and lowers A-Z only, so that both ends agree whatever their
// locale.
func lowerASCII(s string) string {
	b := []byte(strings.TrimSpace(s))
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// PublicKey reads a key as raw base64url or as PEM.
func PublicKey(text string) (ed25519.PublicKey, bool) {
	if strings.Contains(text, "BEGIN") {
		block, _ := pem.Decode([]byte(text))
		if block == nil {
			return nil, false
		}
		key, err := x509.ParsePKIXPublicKey(block.Bytes)
		if err != nil {
			return nil, false
		}
		pub, ok := key.(ed25519.PublicKey)
		return pub, ok
	}
	raw, ok := decode64(text)
	if !ok || len(raw) != ed25519.PublicKeySize {
		return nil, false
	}
	return raw, true
}

// DeviceID is the id of the device that holds key.
func DeviceID(key ed25519.PublicKey) id.Device {
	sum := sha256.Sum256(key)
	return id.Device(hex.EncodeToString(sum[:]))
}

func decode64(s string) ([]byte, bool) {
	s = strings.TrimRight(s, "=")
	if b, err := base64.RawURLEncoding.DecodeString(s); err == nil {
		return b, true
	}
	b, err := base64.RawStdEncoding.DecodeString(s)
	return b, err == nil
}

// checkDevice verifies that the client holds the key of its device. It returns
// the key in its short form, or the refusal.
func checkDevice(c *wire.Connect, nonce string, now time.Time) (key string, r *Refusal) {
	d := c.Device
	pub, ok := PublicKey(d.PublicKey)
	if !ok || string(DeviceID(pub)) != d.ID {
		return "", deviceRefusal("device identity mismatch", "DEVICE_AUTH_DEVICE_ID_MISMATCH", "device-id-mismatch")
	}
	if skew := now.Sub(time.UnixMilli(d.SignedAt)); skew > maxSkew || skew < -maxSkew {
		return "", deviceRefusal("device signature expired", "DEVICE_AUTH_SIGNATURE_EXPIRED", "device-signature-stale")
	}
	switch given := strings.TrimSpace(d.Nonce); {
	case given == "":
		return "", deviceRefusal("device nonce required", "DEVICE_AUTH_NONCE_REQUIRED", "device-nonce-missing")
	case given != nonce:
		return "", deviceRefusal("device nonce mismatch", "DEVICE_AUTH_NONCE_MISMATCH", "device-nonce-mismatch")
	}
	sig, ok := decode64(d.Signature)
	if !ok || len(sig) != ed25519.SignatureSize ||
		!ed25519.Verify(pub, []byte(SigningPayload("v3", c)), sig) && !ed25519.Verify(pub, []byte(SigningPayload("v2", c)), sig) {
		return "", deviceRefusal("device signature invalid", "DEVICE_AUTH_SIGNATURE_INVALID", "device-signature")
	}
	return base64.RawURLEncoding.EncodeToString(pub), nil
}
