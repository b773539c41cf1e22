package client

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
)

// maxIdentityFile bounds the small files of identity/.
const maxIdentityFile = 1 << 20

// Identity is the Ed25519 key of this state directory, as a device.
type Identity struct {
	ID  string // hex SHA-256 of the public key
	key ed25519.PrivateKey
}

type identityFile struct {
	Version    int    `json:"version"`
	DeviceID   string `json:"deviceId"`
	PublicPEM  string `json:"publicKeyPem"`
	PrivatePEM string `json:"privateKeyPem"`
	CreatedAt  int64  `json:"createdAtMs"`
}

// IdentityPath is where the identity of a state directory is.
func IdentityPath(state string) string { return filepath.Join(state, "identity", "device.json") }

// NewIdentity returns the identity of a private key.
func NewIdentity(key ed25519.PrivateKey) *Identity {
	sum := sha256.Sum256(public(key))
	return &Identity{ID: hex.EncodeToString(sum[:]), key: key}
}

// LoadIdentity reads the identity at path, or makes one there (mode 0600, in
// the shape that OpenClaw writes). A file that can't be read as an identity is
// an error: replacing it would unpair this device everywhere.
func LoadIdentity(path string) (*Identity, error) {
	raw, err := readSmall(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return createIdentity(path)
	case err != nil:
		return nil, fault.Wrap(fault.Unavailable, "client.LoadIdentity", err)
	}
	key, err := parseIdentity(raw)
	if err != nil {
		return nil, &fault.Error{
			Kind: fault.Invalid, Op: "client.LoadIdentity", Err: err,
			Hint: "the device identity file is damaged; move identity/device.json away and pair this device again",
		}
	}
	return NewIdentity(key), nil
}

func parseIdentity(raw []byte) (ed25519.PrivateKey, error) {
	var f identityFile
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, err
	}
	block, _ := pem.Decode([]byte(f.PrivatePEM))
	if block == nil {
		return nil, errors.New("no PEM block in privateKeyPem")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	key, ok := parsed.(ed25519.PrivateKey)
	if !ok {
		return nil, errors.New("privateKeyPem isn't an Ed25519 key")
	}
	return key, nil
}

// createIdentity makes an identity. When another process makes one at the same
// time, the first one to link its file wins and both use that.
func createIdentity(path string) (*Identity, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, fault.Wrap(fault.Internal, "client.LoadIdentity", err)
	}
	raw, err := encodeIdentity(key, time.Now())
	if err != nil {
		return nil, fault.Wrap(fault.Internal, "client.LoadIdentity", err)
	}
	tmp, err := writeTemp(path, raw)
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, "client.LoadIdentity", err)
	}
	defer os.Remove(tmp)
	err = os.Link(tmp, path)
	if errors.Is(err, fs.ErrExist) {
		return LoadIdentity(path)
	}
	if err != nil { // no hard links here
		err = os.Rename(tmp, path)
	}
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, "client.LoadIdentity", err)
	}
	return NewIdentity(key), nil
}

func encodeIdentity(key ed25519.PrivateKey, now time.Time) ([]byte, error) {
	pub, err := x509.MarshalPKIXPublicKey(public(key))
	if err != nil {
		return nil, err
	}
	priv, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	raw, err := json.MarshalIndent(identityFile{
		Version: 1, DeviceID: NewIdentity(key).ID, CreatedAt: now.UnixMilli(),
		PublicPEM:  string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: pub})),
		PrivatePEM: string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: priv})),
	}, "", "  ")
	return append(raw, '\n'), err
}

// PublicKey is the raw key as the protocol wants it.
func (i *Identity) PublicKey() string { return base64.RawURLEncoding.EncodeToString(public(i.key)) }

// Sign returns the signature of payload as the protocol wants it.
func (i *Identity) Sign(payload string) string {
	return base64.RawURLEncoding.EncodeToString(ed25519.Sign(i.key, []byte(payload)))
}

func public(key ed25519.PrivateKey) ed25519.PublicKey {
	return ed25519.PublicKey(key[ed25519.SeedSize:])
}

func readSmall(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxIdentityFile+1))
	if err == nil && len(raw) > maxIdentityFile {
		return nil, errors.New(filepath.Base(path) + " is too large")
	}
	return raw, err
}

// writeTemp writes raw beside path and returns the name of the new file.
func writeTemp(path string, raw []byte) (string, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*") // mode 0600
	if err != nil {
		return "", err
	}
	_, err = f.Write(raw)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}
