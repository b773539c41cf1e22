package client

import (
	"strconv"
	"strings"
)

// Signed is what a device signs when it connects.
type Signed struct {
	Device     string
	ClientID   string
	ClientMode string
	Role       string
	Scopes     []string
	At         int64 // Unix milliseconds
	Token      string
	Nonce      string
	Platform   string
	Family     string
}

// Payload is the text that is signed: version 3, one line, nothing escaped.
func (s Signed) Payload() string {
	return strings.Join([]string{
		"v3", s.Device, s.ClientID, s.ClientMode, s.Role, strings.Join(s.Scopes, ","),
		strconv.FormatInt(s.At, 10), s.Token, s.Nonce, lowerASCII(s.Platform), lowerASCII(s.Family),
	}, "|")
}

// lowerASCII trims s and lowers A to Z only: other letters stay, as the
// gateway compares bytes.
func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, strings.TrimSpace(s))
}
