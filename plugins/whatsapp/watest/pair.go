package watest

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.mau.fi/libsignal/ecc"
	"go.mau.fi/whatsmeow"
	waBinary "go.mau.fi/whatsmeow/binary"
	"go.mau.fi/whatsmeow/proto/waAdv"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/util/keys"
	"golang.org/x/crypto/curve25519"
	"google.golang.org/protobuf/proto"
)

// offer gives a new client refs for its QR codes.
func (s *Server) offer(c *conn) {
	s.mu.Lock()
	c.ref = s.id()
	s.waiting[c.ref] = c
	id := s.id()
	s.mu.Unlock()
	var refs []waBinary.Node
	for i := range 6 {
		refs = append(refs, waBinary.Node{Tag: "ref", Content: []byte(fmt.Sprintf("%s@%d", c.ref, i))})
	}
	c.send(waBinary.Node{Tag: "iq", Attrs: waBinary.Attrs{"from": types.ServerJID, "type": "set", "id": id, "xmlns": "md"}, Content: []waBinary.Node{{Tag: "pair-device", Content: refs}}})
}

// Scan does what a phone does that scans a QR code.
func (s *Server) Scan(a *Account, qr string) error {
	_, data, ok := strings.Cut(qr, "#")
	if !ok {
		data = qr
	}
	parts := strings.Split(data, ",")
	if len(parts) < 4 {
		return errors.New("that is no code of WhatsApp's: " + qr)
	}
	identity, err1 := base64.StdEncoding.DecodeString(parts[2])
	secret, err2 := base64.StdEncoding.DecodeString(parts[3])
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	ref, _, _ := strings.Cut(parts[0], "@")
	s.mu.Lock()
	c := s.waiting[ref]
	s.mu.Unlock()
	if c == nil {
		return errors.New("nobody waits with this code")
	}
	return s.link(a, c, identity, secret)
}

// link signs a client's identity as the phone and makes it a device.
func (s *Server) link(a *Account, c *conn, identity, secret []byte) error {
	s.mu.Lock()
	a.linked++ // numbers aren't used again
	n := a.linked
	id := s.id()
	s.mu.Unlock()
	details, err := proto.Marshal(&waAdv.ADVDeviceIdentity{RawID: proto.Uint32(7), Timestamp: proto.Uint64(uint64(time.Now().Unix())), KeyIndex: proto.Uint32(uint32(n))})
	if err != nil {
		return err
	}
	sig := ecc.CalculateSignature(ecc.NewDjbECPrivateKey(*a.phone.Priv), join(whatsmeow.AdvAccountSignaturePrefix, details, identity))
	signed, err := proto.Marshal(&waAdv.ADVSignedDeviceIdentity{Details: details, AccountSignatureKey: a.phone.Pub[:], AccountSignature: sig[:]})
	if err != nil {
		return err
	}
	h := hmac.New(sha256.New, secret)
	h.Write(signed)
	container, err := proto.Marshal(&waAdv.ADVSignedDeviceIdentityHMAC{Details: signed, HMAC: h.Sum(nil)})
	if err != nil {
		return err
	}
	d := &device{a: a, n: n, noise: c.static, identity: identity}
	s.mu.Lock()
	delete(s.waiting, c.ref)
	c.dev, c.lastPairing = d, id
	s.mu.Unlock()
	c.send(waBinary.Node{Tag: "iq", Attrs: waBinary.Attrs{"from": types.ServerJID, "type": "set", "id": id, "t": time.Now().Unix()}, Content: []waBinary.Node{{
		Tag: "pair-success", Content: []waBinary.Node{
			{Tag: "device-identity", Content: container},
			{Tag: "device", Attrs: waBinary.Attrs{"jid": d.pn(), "lid": d.lid()}},
			{Tag: "platform", Attrs: waBinary.Attrs{"name": "android"}},
			{Tag: "biz", Attrs: waBinary.Attrs{"name": ""}},
		},
	}}})
	return nil
}

// paired takes the client's own signature; then it must connect again.
func (s *Server) paired(c *conn, n *waBinary.Node) {
	if len(n.GetChildrenByTag("pair-device-sign")) == 0 {
		s.note("pairing refused")
		return
	}
	s.mu.Lock()
	d := c.dev
	d.a.devices = append(d.a.devices, d)
	c.dev = nil
	s.mu.Unlock()
	s.streamError(c, waBinary.Attrs{"code": "515"})
}

func join(parts ...[]byte) (out []byte) {
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

// coded is a client that waits for somebody to type its code into a phone.
type coded struct {
	conn    *conn
	wrapped []byte // its ephemeral key, behind the code
	ours    *keys.KeyPair
	account *Account
}

// byCode begins linking by code.
func (s *Server) byCode(c *conn, iq *waBinary.Node) {
	reg := iq.GetChildByTag("link_code_companion_reg")
	switch reg.Attrs["stage"] {
	case "companion_hello":
		wrapped, _ := reg.GetChildByTag("link_code_pairing_wrapped_companion_ephemeral_pub").Content.([]byte)
		j := reg.AttrGetter().JID("jid")
		s.mu.Lock()
		s.codes[j.User] = &coded{conn: c, wrapped: wrapped, account: s.find(j)}
		s.mu.Unlock()
		s.result(c, iq, waBinary.Node{Tag: "link_code_companion_reg", Content: []waBinary.Node{{Tag: "link_code_pairing_ref", Content: []byte("ref-" + j.User)}}})
	case "companion_finish":
		s.result(c, iq)
		bundle, _ := reg.GetChildByTag("link_code_pairing_wrapped_key_bundle").Content.([]byte)
		identity, _ := reg.GetChildByTag("companion_identity_public").Content.([]byte)
		if err := s.finish(c, bundle, identity, reg.AttrGetter().JID("jid")); err != nil {
			s.note("code: " + err.Error())
		}
	}
}

// Type does what a phone does into which a linking code was typed.
func (s *Server) Type(a *Account, code string) error {
	code = strings.ReplaceAll(code, "-", "")
	s.mu.Lock()
	k := s.codes[a.PN.User]
	id := s.id()
	s.mu.Unlock()
	if k == nil || k.account != a {
		return errors.New("nobody waits for a code of this number")
	}
	theirs, err := behind(code, k.wrapped)
	if err != nil {
		return err
	}
	k.ours = keys.NewKeyPair()
	salt, iv := make([]byte, 32), make([]byte, 16)
	_, _ = rand.Read(salt)
	_, _ = rand.Read(iv)
	sealed, err := ctr(code, salt, iv, k.ours.Pub[:])
	if err != nil {
		return err
	}
	k.wrapped = theirs // from here on, the key itself
	k.conn.send(waBinary.Node{Tag: "notification", Attrs: waBinary.Attrs{"from": types.ServerJID, "type": "link_code_companion_reg", "id": id, "t": time.Now().Unix()}, Content: []waBinary.Node{{
		Tag: "link_code_companion_reg", Attrs: waBinary.Attrs{"stage": "primary_hello"}, Content: []waBinary.Node{
			{Tag: "link_code_pairing_wrapped_primary_ephemeral_pub", Content: join(salt, iv, sealed)},
			{Tag: "primary_identity_pub", Content: a.phone.Pub[:]},
			{Tag: "link_code_pairing_ref", Content: []byte("ref-" + a.PN.User)},
		},
	}}})
	return nil
}

func ctr(code string, salt, iv, in []byte) ([]byte, error) {
	key, err := pbkdf2.Key(sha256.New, code, salt, 2<<16, 32)
	if err != nil {
		return nil, err
	}
	b, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	out := make([]byte, len(in))
	cipher.NewCTR(b, iv).XORKeyStream(out, in)
	return out, nil
}

func behind(code string, wrapped []byte) ([]byte, error) {
	if len(wrapped) != 80 {
		return nil, errors.New("the wrapped key has another length")
	}
	return ctr(code, wrapped[:32], wrapped[32:48], wrapped[48:])
}

// finish opens the client's keys, by which it proves that it knows the code.
func (s *Server) finish(c *conn, bundle, identity []byte, j types.JID) error {
	s.mu.Lock()
	k := s.codes[j.User]
	s.mu.Unlock()
	if k == nil || k.ours == nil || len(bundle) < 44 {
		return errors.New("not so far yet")
	}
	shared, err := curve25519.X25519(k.ours.Priv[:], k.wrapped)
	if err != nil {
		return err
	}
	key, err := hkdf.Key(sha256.New, shared, bundle[:32], "link_code_pairing_key_bundle_encryption_key", 32)
	if err != nil {
		return err
	}
	plain, err := aead(key).Open(nil, bundle[32:44], bundle[44:], nil)
	if err != nil {
		return err
	}
	if len(plain) != 96 || string(plain[:32]) != string(identity) {
		return errors.New("the bundle isn't of this identity")
	}
	mixed, err := curve25519.X25519(k.account.phone.Priv[:], identity)
	if err != nil {
		return err
	}
	secret, err := hkdf.Key(sha256.New, join(shared, mixed, plain[64:]), nil, "adv_secret", 32)
	if err != nil {
		return err
	}
	return s.link(k.account, c, identity, secret)
}
