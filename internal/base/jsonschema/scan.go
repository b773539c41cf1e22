package jsonschema

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// The functions of this file take bytes that json.Valid has accepted.

func trim(raw []byte) []byte { return bytes.Trim(raw, " \t\r\n") }

// kindOf returns the types that raw has: a whole number is also a number.
func kindOf(raw []byte) kind {
	switch raw[0] {
	case '{':
		return object
	case '[':
		return array
	case '"':
		return str
	case 't', 'f':
		return boolean
	case 'n':
		return null
	}
	if !bytes.ContainsAny(raw, ".eE") {
		return integer | number
	}
	if f, err := strconv.ParseFloat(string(raw), 64); err == nil && f == float64(int64(f)) {
		return integer | number
	}
	return number
}

func unquote(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return string(raw) // can't be: the bytes are valid JSON
	}
	return s
}

// depth returns how deep raw is nested.
func depth(raw []byte) int {
	deepest, d := 0, 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			i = endOfString(raw, i) - 1
		case '{', '[':
			d++
			deepest = max(deepest, d)
		case '}', ']':
			d--
		}
	}
	return deepest
}

// parts iterates over the members of an object or the items of an array.
type parts struct {
	raw        []byte
	at         int
	object     bool
	key, value []byte // key is quoted, and nil in arrays
}

func newParts(raw []byte) *parts { return &parts{raw: raw, at: 1, object: raw[0] == '{'} }

func (p *parts) next() bool {
	p.at = skipSpace(p.raw, p.at)
	if p.raw[p.at] == ',' {
		p.at = skipSpace(p.raw, p.at+1)
	}
	if c := p.raw[p.at]; c == '}' || c == ']' {
		return false
	}
	if p.object {
		end := endOfString(p.raw, p.at)
		p.key = p.raw[p.at:end]
		p.at = skipSpace(p.raw, skipSpace(p.raw, end)+1) // past the colon
	}
	end := endOfValue(p.raw, p.at)
	p.value = p.raw[p.at:end]
	p.at = end
	return true
}

func skipSpace(raw []byte, i int) int {
	for {
		switch raw[i] {
		case ' ', '\t', '\n', '\r':
			i++
		default:
			return i
		}
	}
}

// endOfString returns the index behind the closing quote of the string at i.
func endOfString(raw []byte, i int) int {
	for i++; ; {
		q := bytes.IndexByte(raw[i:], '"')
		i += q
		slashes := 0
		for raw[i-1-slashes] == '\\' {
			slashes++
		}
		i++
		if slashes%2 == 0 {
			return i
		}
	}
}

func endOfValue(raw []byte, i int) int {
	switch raw[i] {
	case '"':
		return endOfString(raw, i)
	case '{', '[':
		for d := 0; ; i++ {
			switch raw[i] {
			case '"':
				i = endOfString(raw, i) - 1
			case '{', '[':
				d++
			case '}', ']':
				if d--; d == 0 {
					return i + 1
				}
			}
		}
	}
	for i < len(raw) {
		switch raw[i] {
		case ',', '}', ']', ' ', '\t', '\n', '\r':
			return i
		}
		i++
	}
	return i
}
