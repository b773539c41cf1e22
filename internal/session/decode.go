package session

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/llm"
)

// record is a line of a transcript as the reader needs it.
type record struct {
	typ    string
	id     string
	parent string
	root   bool // parentId is null
	linked bool // parentId is there
	time   string
	msg    llm.Message
	isMsg  bool
	// fields are the other keys with their raw values.
	fields []field
}

type field struct{ key, raw string }

func (r *record) raw(key string) string {
	for _, f := range r.fields {
		if f.key == key {
			return f.raw
		}
	}
	return ""
}

// str is the string under key.
func (r *record) str(key string) string {
	p := scanner{s: r.raw(key)}
	s, _ := p.text()
	return s
}

// decoder reads lines. Small things that live as long as the history (blocks,
// calls, usages) come from slabs, since a long transcript has many.
type decoder struct {
	dirty  bool
	blocks []llm.Block
	calls  []llm.Call
	usages []llm.Usage
	fields []field
	parts  []llm.Block // of the message being read
}

// decode reads one line into r. What r points at stays valid after the next
// call.
func (d *decoder) decode(line string, r *record) bool {
	*r = record{}
	p := scanner{s: line, dirty: d.dirty}
	from := len(d.fields)
	ok := p.object(func(k string) bool { return d.key(&p, k, r) }) && p.end()
	r.fields = d.fields[from:len(d.fields):len(d.fields)]
	return ok && r.typ != ""
}

func (d *decoder) key(p *scanner, k string, r *record) (ok bool) {
	switch k {
	case "type":
		r.typ, ok = p.text()
	case "id":
		r.id, ok = p.text()
	case "parentId":
		r.linked, r.root = true, p.peek() == 'n'
		r.parent, ok = p.text()
	case "timestamp":
		if p.peek() != '"' {
			return p.skip()
		}
		r.time, ok = p.str()
	case "message":
		if p.peek() != '{' {
			return p.skip()
		}
		r.isMsg = true
		ok = d.message(p, &r.msg)
	default:
		var raw string
		raw, ok = p.value()
		d.fields = append(d.fields, field{k, raw})
	}
	return ok
}

func (d *decoder) message(p *scanner, m *llm.Message) bool {
	return p.object(func(k string) (ok bool) {
		var s string
		switch k {
		case "role":
			s, ok = p.text()
			m.Role = llm.Role(s)
		case "content":
			m.Content, ok = d.content(p)
		case "toolCallId":
			m.CallID, ok = p.text()
		case "toolName":
			m.ToolName, ok = p.text()
		case "isError":
			s, ok = p.value()
			m.IsError = s == "true"
		case "api":
			m.API, ok = p.text()
		case "provider":
			m.Provider, ok = p.text()
		case "model":
			m.Model, ok = p.text()
		case "usage":
			m.Usage, ok = d.usage(p)
		case "stopReason":
			s, ok = p.text()
			m.Stop = llm.StopReason(s)
		case "errorMessage":
			m.Error, ok = p.text()
		case "timestamp":
			if p.peek() == '"' { // some writers put the ISO time here
				return p.skip()
			}
			m.Time, ok = p.integer()
		case "idempotencyKey":
			m.Key, ok = p.text()
		case "openclawAbort":
			if s, ok = p.value(); ok {
				m.Abort = new(llm.Abort)
				ok = json.Unmarshal([]byte(s), m.Abort) == nil
			}
		default:
			ok = p.skip()
		}
		return ok
	})
}

func (d *decoder) content(p *scanner) (llm.Content, bool) {
	d.parts = d.parts[:0]
	switch p.peek() {
	case '"':
		s, ok := p.str()
		d.parts = append(d.parts, llm.Text(s))
		return d.takeParts(), ok
	case 'n':
		return nil, p.skip()
	}
	ok := p.array(func() bool {
		if p.peek() != '{' {
			return p.skip()
		}
		b, ok := d.block(p)
		d.parts = append(d.parts, b)
		return ok
	})
	return d.takeParts(), ok
}

// takeParts moves the blocks just read to the slab.
func (d *decoder) takeParts() llm.Content {
	n := len(d.parts)
	if n > len(d.blocks) {
		d.blocks = make([]llm.Block, max(256, n))
	}
	c := d.blocks[:n:n]
	d.blocks = d.blocks[n:]
	copy(c, d.parts)
	return llm.Content(c)
}

func (d *decoder) block(p *scanner) (b llm.Block, ok bool) {
	var call llm.Call
	var typ, s, data string
	ok = p.object(func(k string) (ok bool) {
		switch k {
		case "type":
			typ, ok = p.text()
		case "text":
			b.Text, ok = p.text()
		case "thinking":
			if s, ok = p.text(); s != "" {
				b.Text = s
			}
		case "thinkingSignature":
			if p.peek() != '"' { // some providers keep an object here
				b.Signature, ok = p.value()
				return ok
			}
			b.Signature, ok = p.str()
		case "mimeType":
			b.MIME, ok = p.text()
		case "data":
			data, ok = p.text()
		case "id":
			call.ID, ok = p.text()
		case "name":
			call.Name, ok = p.text()
		case "arguments":
			s, ok = p.value()
			call.Args = json.RawMessage(s)
		case "extra":
			s, ok = p.value()
			call.Extra = json.RawMessage(s)
		default:
			ok = p.skip()
		}
		return ok
	})
	b.Type = llm.BlockType(typ)
	switch b.Type {
	case llm.CallBlock:
		b.Call = d.newCall(call)
	case llm.ImageBlock:
		raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(data))
		if err == nil {
			b.Data = raw
		}
	}
	return b, ok
}

func (d *decoder) newCall(c llm.Call) *llm.Call {
	if len(d.calls) == 0 {
		d.calls = make([]llm.Call, 64)
	}
	p := &d.calls[0]
	d.calls = d.calls[1:]
	*p = c
	return p
}

func (d *decoder) usage(p *scanner) (*llm.Usage, bool) {
	if p.peek() != '{' {
		return nil, p.skip()
	}
	if len(d.usages) == 0 {
		d.usages = make([]llm.Usage, 128)
	}
	u := &d.usages[0]
	d.usages = d.usages[1:]
	ok := p.object(func(k string) (ok bool) {
		switch k {
		case "input":
			u.Input, ok = p.integer()
		case "output":
			u.Output, ok = p.integer()
		case "cacheRead":
			u.CacheRead, ok = p.integer()
		case "cacheWrite":
			u.CacheWrite, ok = p.integer()
		case "totalTokens":
			u.Total, ok = p.integer()
		case "cost":
			if p.peek() != '{' {
				return p.skip()
			}
			ok = p.object(func(k string) bool { return cost(p, k, &u.Cost) })
		default:
			ok = p.skip()
		}
		return ok
	})
	return u, ok
}

func cost(p *scanner, k string, c *llm.Cost) (ok bool) {
	switch k {
	case "input":
		c.Input, ok = p.float()
	case "output":
		c.Output, ok = p.float()
	case "cacheRead":
		c.CacheRead, ok = p.float()
	case "cacheWrite":
		c.CacheWrite, ok = p.float()
	case "total":
		c.Total, ok = p.float()
	default:
		ok = p.skip()
	}
	return ok
}
