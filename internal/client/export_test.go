package client

import "encoding/json"

// ParseFrame lets the fuzzer at what a gateway may send.
func ParseFrame(raw []byte) (kind string, payload json.RawMessage, err error) {
	f, err := parseFrame(raw)
	if err == nil && f.Type == "res" && !f.OK {
		_ = f.Error.rpc().Error()
	}
	return f.Type, f.Payload, err
}
