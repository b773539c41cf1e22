package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/jsonw"
)

// ErrEntry says that an index entry is not an object with a session id.
var ErrEntry = errors.New("not a session entry")

// plain is Session without methods.
type plain Session

// Encode returns the entry as sessions.json holds it.
func (s Session) Encode() ([]byte, error) {
	b, err := marshal(plain(s))
	if err != nil || len(s.Extra) == 0 {
		return b, err
	}
	known := reflect.ValueOf(s)
	for _, k := range slices.Sorted(maps.Keys(s.Extra)) {
		raw := s.Extra[k]
		if f, ok := fieldOf(known, k); ok {
			if !f.IsZero() {
				continue // set since it was read
			}
			// The keys that are always written can't be inside a string, where
			// quotes are escaped, nor first.
			zero, err := json.Marshal(f.Interface())
			if err != nil {
				return nil, err
			}
			b = bytes.Replace(b, []byte(`,"`+k+`":`+string(zero)), nil, 1)
		}
		if len(raw) == 0 {
			continue
		}
		b = b[:len(b)-1]
		b = append(b, ',')
		b = jsonw.String(b, k)
		b = append(b, ':')
		b = append(b, raw...)
		b = append(b, '}')
	}
	return b, nil
}

// MarshalJSON is Encode.
func (s Session) MarshalJSON() ([]byte, error) { return s.Encode() }

// UnmarshalJSON reads what MarshalJSON writes; Key stays as it is.
func (s *Session) UnmarshalJSON(raw []byte) error {
	got, err := Decode(s.Key, raw)
	if err == nil {
		*s = got
	}
	return err
}

// Decode reads the entry of key as sessions.json holds it. A known key of the
// wrong type doesn't spoil the entry: it is kept in Extra. So is a zero that
// we would leave out, and, without a value, a key that we always write but that
// wasn't there.
func Decode(key id.SessionKey, raw []byte) (Session, error) {
	s := Session{Key: key}
	p := scanner{s: string(raw)}
	var knownPart strings.Builder
	present := map[string]string{}
	knownPart.WriteByte('{')
	known := reflect.ValueOf(&s).Elem()
	ok := p.object(func(k string) bool {
		v, ok := p.value()
		if !ok {
			return false
		}
		if _, isKnown := fieldOf(known, k); !isKnown {
			s.keep(strings.Clone(k), v)
			return true
		}
		if _, twice := present[k]; !twice {
			if knownPart.Len() > 1 {
				knownPart.WriteByte(',')
			}
			knownPart.WriteString(`"` + k + `":` + v)
		}
		present[k] = v
		return true
	}) && p.end()
	if !ok {
		return s, ErrEntry
	}
	knownPart.WriteByte('}')
	if err := json.Unmarshal([]byte(knownPart.String()), (*plain)(&s)); err != nil {
		if _, wrongType := errors.AsType[*json.UnmarshalTypeError](err); !wrongType {
			return s, errors.Join(ErrEntry, err)
		}
		s.keepWrong(present)
	}
	for k, v := range present { // zero, but written
		if f, _ := fieldOf(known, k); f.IsZero() && !slices.Contains(alwaysWritten, k) {
			s.keep(k, v)
		}
	}
	for _, k := range alwaysWritten {
		if _, there := present[k]; !there {
			s.keep(k, "")
		}
	}
	if !ValidID(s.ID) {
		return s, ErrEntry
	}
	return s, nil
}

// keepWrong keeps the known keys whose values don't fit; of a number where a
// string belongs, its digits are used.
func (s *Session) keepWrong(present map[string]string) {
	known := reflect.ValueOf(s).Elem()
	for k, v := range present {
		f, _ := fieldOf(known, k)
		if json.Unmarshal([]byte(v), reflect.New(f.Type()).Interface()) == nil {
			continue
		}
		var n json.Number
		if f.Kind() == reflect.String && json.Unmarshal([]byte(v), &n) == nil {
			f.SetString(n.String())
			continue
		}
		f.SetZero()
		s.keep(k, v)
	}
}

func (s *Session) keep(k, raw string) {
	if s.Extra == nil {
		s.Extra = map[string]json.RawMessage{}
	}
	s.Extra[k] = json.RawMessage(raw)
}

// alwaysWritten are the keys of Session without omitempty, but for the two
// that every entry has.
var alwaysWritten = []string{ //nolint:gochecknoglobals // a constant list
	"systemSent", "abortedLastRun", "inputTokens", "outputTokens", "cacheRead", "cacheWrite", "totalTokens", "totalTokensFresh",
	"compactionCount",
}

// fieldIndex is the place of each key in Session.
var fieldIndex = func() map[string]int { //nolint:gochecknoglobals // computed once from the type
	m := map[string]int{}
	t := reflect.TypeFor[Session]()
	for i := range t.NumField() {
		if k, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); k != "-" {
			m[k] = i
		}
	}
	return m
}()

func fieldOf(s reflect.Value, key string) (reflect.Value, bool) {
	i, ok := fieldIndex[key]
	if !ok {
		return reflect.Value{}, false
	}
	return s.Field(i), true
}

// String returns the text under a key that isn't typed, "" when there is none.
func (s Session) String(key string) string {
	var v string
	if raw := s.Extra[key]; len(raw) == 0 || json.Unmarshal(raw, &v) != nil {
		return ""
	}
	return v
}

// Set keeps v under a key that isn't typed; nil removes it. The map is copied,
// so that other copies of s don't change.
func (s *Session) Set(key string, v any) error {
	m := maps.Clone(s.Extra)
	if m == nil {
		m = map[string]json.RawMessage{}
	}
	delete(m, key)
	if v != nil {
		raw, err := marshal(v)
		if err != nil {
			return err
		}
		m[key] = raw
	}
	s.Extra = m
	return nil
}

// Title is what people call the session: its display name or where it comes
// from.
func (s Session) Title() string {
	if n := s.String("displayName"); n != "" {
		return n
	}
	if s.Origin != nil {
		return s.Origin.Label
	}
	return ""
}

// ValidID reports whether i can name a transcript file.
func ValidID(i id.Session) bool {
	if i == "" || len(i) > 128 || i[0] == '.' || i[0] == '-' {
		return false
	}
	for _, c := range []byte(i) {
		if !plainByte(c) && c != '.' {
			return false
		}
	}
	return true
}

// plainByte reports whether c is a letter, a digit, _ or -.
func plainByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}

// flexible is a string that old files hold as a number.
type flexible string

func (f *flexible) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] != '"' {
		var n *json.Number
		if err := json.Unmarshal(raw, &n); err != nil || n == nil {
			return err
		}
		*f = flexible(n.String())
		return nil
	}
	return json.Unmarshal(raw, (*string)(f))
}

// UnmarshalJSON accepts a thread id that is a number.
func (d *Delivery) UnmarshalJSON(raw []byte) error {
	type bare Delivery
	v := struct {
		*bare
		ThreadID flexible `json:"threadId"`
	}{bare: (*bare)(d)}
	err := json.Unmarshal(raw, &v)
	d.ThreadID = string(v.ThreadID)
	return err
}

// UnmarshalJSON accepts a thread id that is a number.
func (o *Origin) UnmarshalJSON(raw []byte) error {
	type bare Origin
	v := struct {
		*bare
		ThreadID flexible `json:"threadId"`
	}{bare: (*bare)(o)}
	err := json.Unmarshal(raw, &v)
	o.ThreadID = string(v.ThreadID)
	return err
}
