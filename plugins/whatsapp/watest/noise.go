package watest

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"sync"
	"time"

	"github.com/coder/websocket"
	"go.mau.fi/libsignal/ecc"
	waBinary "go.mau.fi/whatsmeow/binary"
	"go.mau.fi/whatsmeow/proto/waCert"
	"go.mau.fi/whatsmeow/proto/waWa6"
	"go.mau.fi/whatsmeow/socket"
	"go.mau.fi/whatsmeow/util/keys"
	"golang.org/x/crypto/curve25519"
	"google.golang.org/protobuf/proto"
)

// noise is the state of a Noise_XX_25519_AESGCM_SHA256 handshake.
type noise struct {
	hash, salt []byte
	key        cipher.AEAD
	n          uint32
}

func newNoise() *noise {
	h := []byte(socket.NoiseStartPattern)
	s := &noise{hash: h, salt: h, key: aead(h)}
	s.mixHash(socket.WAConnHeader)
	return s
}

func aead(key []byte) cipher.AEAD {
	b, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // the length is ours
	}
	g, err := cipher.NewGCM(b)
	if err != nil {
		panic(err)
	}
	return g
}

func nonce(n uint32) []byte {
	iv := make([]byte, 12)
	binary.BigEndian.PutUint32(iv[8:], n)
	return iv
}

func (s *noise) mixHash(b []byte) {
	sum := sha256.Sum256(append(append([]byte{}, s.hash...), b...))
	s.hash = sum[:]
}

func (s *noise) split(secret []byte) (first, second []byte) {
	out, err := hkdf.Key(sha256.New, secret, s.salt, "", 64)
	if err != nil {
		panic(err)
	}
	return out[:32], out[32:]
}

func (s *noise) mixKey(priv *[32]byte, pub []byte) error {
	secret, err := curve25519.X25519(priv[:], pub)
	if err != nil {
		return err
	}
	salt, key := s.split(secret)
	s.salt, s.key, s.n = salt, aead(key), 0
	return nil
}

func (s *noise) seal(plain []byte) []byte {
	out := s.key.Seal(nil, nonce(s.n), plain, s.hash)
	s.n++
	s.mixHash(out)
	return out
}

func (s *noise) open(sealed []byte) ([]byte, error) {
	out, err := s.key.Open(nil, nonce(s.n), sealed, s.hash)
	s.n++
	s.mixHash(sealed)
	return out, err
}

// chain is the certificate chain that vouches for the server's key.
func chain(root, static *keys.KeyPair) ([]byte, error) {
	middle := keys.NewKeyPair()
	one := func(signer *keys.KeyPair, serial, issuer uint32, key *[32]byte) (*waCert.CertChain_NoiseCertificate, error) {
		details, err := proto.Marshal(&waCert.CertChain_NoiseCertificate_Details{
			Serial: proto.Uint32(serial), IssuerSerial: proto.Uint32(issuer), Key: key[:],
			NotBefore: proto.Uint64(uint64(time.Now().Add(-time.Hour).Unix())), NotAfter: proto.Uint64(uint64(time.Now().Add(24 * time.Hour).Unix())),
		})
		if err != nil {
			return nil, err
		}
		sig := ecc.CalculateSignature(ecc.NewDjbECPrivateKey(*signer.Priv), details)
		return &waCert.CertChain_NoiseCertificate{Details: details, Signature: sig[:]}, nil
	}
	intermediate, err := one(root, 1, 0, middle.Pub)
	if err != nil {
		return nil, err
	}
	leaf, err := one(middle, 2, 1, static.Pub)
	if err != nil {
		return nil, err
	}
	return proto.Marshal(&waCert.CertChain{Intermediate: intermediate, Leaf: leaf})
}

// conn is one client's connection.
type conn struct {
	ws          *websocket.Conn
	rest        []byte // of the stream, not yet a frame
	read        cipher.AEAD
	reads       uint32
	static      [32]byte // the client's noise key
	hello       *waWa6.ClientPayload
	ref         string // before it is linked
	dev         *device
	lastPairing string // id of the pair-success it was sent

	mu     sync.Mutex
	write  cipher.AEAD
	writes uint32
}

func (c *conn) frame(ctx context.Context) ([]byte, error) {
	for {
		if len(c.rest) >= 3 {
			n := int(c.rest[0])<<16 | int(c.rest[1])<<8 | int(c.rest[2])
			if len(c.rest) >= 3+n {
				f := c.rest[3 : 3+n]
				c.rest = c.rest[3+n:]
				return f, nil
			}
		}
		_, b, err := c.ws.Read(ctx)
		if err != nil {
			return nil, err
		}
		c.rest = append(c.rest[:len(c.rest):len(c.rest)], b...)
	}
}

func (c *conn) put(ctx context.Context, b []byte) error {
	return c.ws.Write(ctx, websocket.MessageBinary, append([]byte{byte(len(b) >> 16), byte(len(b) >> 8), byte(len(b))}, b...))
}

// shake does the server's half of the handshake.
func (c *conn) shake(ctx context.Context, root, static *keys.KeyPair) error {
	for len(c.rest) < len(socket.WAConnHeader) {
		_, b, err := c.ws.Read(ctx)
		if err != nil {
			return err
		}
		c.rest = append(c.rest, b...)
	}
	if string(c.rest[:4]) != string(socket.WAConnHeader) {
		return errors.New("that isn't WhatsApp's header")
	}
	c.rest = c.rest[4:]
	s := newNoise()
	first, err := c.frame(ctx)
	if err != nil {
		return err
	}
	var m waWa6.HandshakeMessage
	if err := proto.Unmarshal(first, &m); err != nil {
		return err
	}
	theirs := m.GetClientHello().GetEphemeral()
	s.mixHash(theirs)
	mine := keys.NewKeyPair()
	s.mixHash(mine.Pub[:])
	if err := s.mixKey(mine.Priv, theirs); err != nil {
		return err
	}
	sealed := s.seal(static.Pub[:])
	if err := s.mixKey(static.Priv, theirs); err != nil {
		return err
	}
	cert, err := chain(root, static)
	if err != nil {
		return err
	}
	out, err := proto.Marshal(&waWa6.HandshakeMessage{ServerHello: &waWa6.HandshakeMessage_ServerHello{Ephemeral: mine.Pub[:], Static: sealed, Payload: s.seal(cert)}})
	if err != nil {
		return err
	}
	if err := c.put(ctx, out); err != nil {
		return err
	}
	last, err := c.frame(ctx)
	if err != nil {
		return err
	}
	m = waWa6.HandshakeMessage{}
	if err := proto.Unmarshal(last, &m); err != nil {
		return err
	}
	key, err := s.open(m.GetClientFinish().GetStatic())
	if err != nil {
		return err
	}
	copy(c.static[:], key)
	if err := s.mixKey(mine.Priv, key); err != nil {
		return err
	}
	payload, err := s.open(m.GetClientFinish().GetPayload())
	if err != nil {
		return err
	}
	c.hello = &waWa6.ClientPayload{}
	in, outKey := s.split(nil)
	c.read, c.write = aead(in), aead(outKey)
	return proto.Unmarshal(payload, c.hello)
}

// next reads a node.
func (c *conn) next(ctx context.Context) (*waBinary.Node, error) {
	f, err := c.frame(ctx)
	if err != nil {
		return nil, err
	}
	plain, err := c.read.Open(nil, nonce(c.reads), f, nil)
	c.reads++
	if err != nil {
		return nil, err
	}
	if plain, err = waBinary.Unpack(plain); err != nil {
		return nil, err
	}
	return waBinary.Unmarshal(plain)
}

// send writes a node. An error is left to the reader, who sees it too.
func (c *conn) send(n waBinary.Node) {
	b, err := waBinary.Marshal(n)
	if err != nil {
		panic(err) // a node of ours
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	sealed := c.write.Seal(nil, nonce(c.writes), b, nil)
	c.writes++
	_ = c.put(ctx, sealed)
}
