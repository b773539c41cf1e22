package wire

import "github.com/openclaw-go/openclaw/internal/base/jsonschema"

// RequestSchema returns the schema of a request frame.
func RequestSchema() *jsonschema.Schema {
	return jsonschema.FromCompact(`{"type":"\"req\"","id":"string(minLength=1)","method":"string(minLength=1)","params?":"any","(strict)":true}`)
}

// ConnectSchema returns the schema of the params of connect. Ids and modes of
// clients are closed lists.
func ConnectSchema() *jsonschema.Schema {
	return jsonschema.FromCompact(`{
		"minProtocol":"integer(minimum=1)","maxProtocol":"integer(minimum=1)",
		"client":{"id":"\"webchat-ui\"|\"openclaw-control-ui\"|\"webchat\"|\"cli\"|\"gateway-client\"|\"openclaw-macos\"|\"openclaw-ios\"|\"openclaw-android\"|\"node-host\"|\"test\"|\"fingerprint\"|\"openclaw-probe\"",
			"displayName?":"string(minLength=1)","version":"string(minLength=1)","platform":"string(minLength=1)","deviceFamily?":"string(minLength=1)","modelIdentifier?":"string(minLength=1)",
			"mode":"\"webchat\"|\"cli\"|\"ui\"|\"backend\"|\"node\"|\"probe\"|\"test\"","instanceId?":"string(minLength=1)","(strict)":true},
		"caps?":"[string(minLength=1)]","commands?":"[string(minLength=1)]","permissions?":{"<key>":"boolean"},
		"pathEnv?":"string","role?":"string(minLength=1)","scopes?":"[string(minLength=1)]",
		"device?":{"id":"string(minLength=1)","publicKey":"string(minLength=1)","signature":"string(minLength=1)","signedAt":"integer(minimum=0)","nonce":"string(minLength=1)","(strict)":true},
		"auth?":{"token?":"string","bootstrapToken?":"string","deviceToken?":"string","password?":"string","(strict)":true},
		"locale?":"string","userAgent?":"string","(strict)":true}`)
}
