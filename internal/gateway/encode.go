package gateway

import (
	"bytes"
	"encoding/json"
	"sync"
)

// encoders holds buffers between uses; big ones are let go.
type encoders struct{ pool sync.Pool }

const maxPooled = 64 << 10

// marshal returns v as JSON, leaving <, > and & as they are.
func (e *encoders) marshal(v any) ([]byte, error) {
	buf, ok := e.pool.Get().(*bytes.Buffer)
	if !ok {
		buf = new(bytes.Buffer)
	}
	buf.Reset()
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	out := bytes.Clone(bytes.TrimSuffix(buf.Bytes(), []byte("\n")))
	if buf.Cap() <= maxPooled {
		e.pool.Put(buf)
	}
	return out, nil
}
