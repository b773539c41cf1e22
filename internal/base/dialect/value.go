package dialect

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/openclaw-go/openclaw/internal/base/jsonw"
)

// The bounds of one schema.
const (
	maxDepth = 48
	maxNodes = 20_000
)

var errTooBig = errors.New("schema too large")

// value is any JSON: an object, a list, or the raw text of a scalar.
type value any

// object is a JSON object that keeps its order.
type object struct {
	keys []string
	vals map[string]value
}

func newObject() *object { return &object{vals: map[string]value{}} }

func (o *object) set(key string, v value) {
	if _, ok := o.vals[key]; !ok {
		o.keys = append(o.keys, key)
	}
	o.vals[key] = v
}

func (o *object) del(key string) {
	if _, ok := o.vals[key]; !ok {
		return
	}
	delete(o.vals, key)
	for i, k := range o.keys {
		if k == key {
			o.keys = append(o.keys[:i:i], o.keys[i+1:]...)
			return
		}
	}
}

func (o *object) obj(key string) *object { x, _ := o.vals[key].(*object); return x }

func (o *object) list(key string) []value { x, _ := o.vals[key].([]value); return x }

func (o *object) has(key string) bool { _, ok := o.vals[key]; return ok }

// str is the member key when it is a string, else "".
func (o *object) str(key string) string { return text(o.vals[key]) }

func text(v value) string {
	raw, ok := v.(json.RawMessage)
	var s string
	if !ok || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

func quoted(s string) json.RawMessage { return jsonw.String(nil, s) }

// equal compares by text, which is enough for values of one schema.
func equal(a, b value) bool { return bytes.Equal(emit(nil, a), emit(nil, b)) }

func contains(list []value, v value) bool {
	for _, x := range list {
		if equal(x, v) {
			return true
		}
	}
	return false
}

type parser struct {
	dec   *json.Decoder
	nodes int
}

func parse(raw []byte) (value, error) {
	p := &parser{dec: json.NewDecoder(bytes.NewReader(raw))}
	p.dec.UseNumber()
	v, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if _, err := p.dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text after the schema")
	}
	return v, nil
}

func (p *parser) value(depth int) (value, error) {
	if p.nodes++; p.nodes > maxNodes || depth > maxDepth {
		return nil, errTooBig
	}
	t, err := p.dec.Token()
	if err != nil {
		return nil, err
	}
	d, ok := t.(json.Delim)
	if !ok {
		if s, ok := t.(string); ok {
			return quoted(s), nil
		}
		raw, err := json.Marshal(t)
		return json.RawMessage(raw), err
	}
	var out value
	if d == '{' {
		out, err = p.object(depth)
	} else {
		out, err = p.list(depth)
	}
	if err != nil {
		return nil, err
	}
	_, err = p.dec.Token() // the closing bracket
	return out, err
}

func (p *parser) object(depth int) (*object, error) {
	o := newObject()
	for p.dec.More() {
		key, err := p.dec.Token()
		if err != nil {
			return nil, err
		}
		name, ok := key.(string)
		if !ok {
			return nil, errors.New("a key that isn't a string")
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		o.set(name, v)
	}
	return o, nil
}

func (p *parser) list(depth int) ([]value, error) {
	l := []value{}
	for p.dec.More() {
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		l = append(l, v)
	}
	return l, nil
}

func emit(b []byte, v value) []byte {
	switch x := v.(type) {
	case *object:
		b = append(b, '{')
		for i, k := range x.keys {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(jsonw.String(b, k), ':')
			b = emit(b, x.vals[k])
		}
		return append(b, '}')
	case []value:
		b = append(b, '[')
		for i, y := range x {
			if i > 0 {
				b = append(b, ',')
			}
			b = emit(b, y)
		}
		return append(b, ']')
	case json.RawMessage:
		return append(b, x...)
	}
	return append(b, "null"...)
}
