package fs

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// encoding is how a text file stores characters.
type encoding int

const (
	utf8Plain encoding = iota
	utf8BOM
	utf16LE
	utf16BE
	latin1
)

const bom = "\xef\xbb\xbf"

// sniff tells the encoding from b, the whole of a file or, when its length is
// that of a sample, its start.
func sniff(b []byte) encoding {
	switch {
	case bytes.HasPrefix(b, []byte(bom)):
		return utf8BOM
	case len(b) >= 2 && b[0] == 0xff && b[1] == 0xfe:
		return utf16LE
	case len(b) >= 2 && b[0] == 0xfe && b[1] == 0xff:
		return utf16BE
	}
	for rest := b; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		if r == utf8.RuneError && size == 1 {
			if len(b) == sample && !utf8.FullRune(rest) {
				break // torn at the end of the sample
			}
			return latin1
		}
		rest = rest[size:]
	}
	return utf8Plain
}

// decode returns the text of a whole file, without a byte order mark.
func (e encoding) decode(b []byte) string {
	switch e {
	case utf8BOM:
		return string(b[len(bom):])
	case utf16LE, utf16BE:
		order := e.order()
		units := make([]uint16, 0, len(b)/2)
		for b = b[2:]; len(b) >= 2; b = b[2:] {
			units = append(units, order.Uint16(b))
		}
		return string(utf16.Decode(units))
	case latin1:
		return fromLatin1(b)
	}
	return string(b)
}

func fromLatin1(b []byte) string {
	out := make([]byte, 0, len(b)+len(b)/4)
	for _, c := range b {
		out = utf8.AppendRune(out, rune(c))
	}
	return string(out)
}

// encode is the reverse of decode.
func (e encoding) encode(s string) ([]byte, error) {
	switch e {
	case utf8BOM:
		return []byte(bom + s), nil
	case utf16LE, utf16BE:
		order := e.order()
		b := order.AppendUint16(nil, 0xfeff)
		for _, u := range utf16.Encode([]rune(s)) {
			b = order.AppendUint16(b, u)
		}
		return b, nil
	case latin1:
		b := make([]byte, 0, len(s))
		for _, r := range s {
			if r > 0xff {
				return nil, refuse("the file is stored as Latin-1, which has no %q; convert it to UTF-8 first (exec: iconv)", r)
			}
			b = append(b, byte(r)) //nolint:gosec // at most 0xff, checked above
		}
		return b, nil
	}
	return []byte(s), nil
}

func (e encoding) order() interface {
	binary.ByteOrder
	binary.AppendByteOrder
} {
	if e == utf16BE {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// wide reports whether lines can't be found byte by byte.
func (e encoding) wide() bool { return e == utf16LE || e == utf16BE }
