// Package auth says who a client of the gateway is and what it may do: shared
// token or password, device keys and pairing, device tokens, scopes and the
// limit on failed attempts.
//
// It knows nothing of sockets. Package gateway hands [Authenticator.Connect]
// what a client sent, and gets a [Grant] or the refusal to send.
package auth
