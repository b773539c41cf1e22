package jsonr_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/jsonr"
)

// FuzzObject checks against encoding/json: what is valid JSON is walked with
// the same members.
func FuzzObject(f *testing.F) {
	for _, s := range []string{`{}`, ` { "a" : 1 , "b":[{"c":"]}"}] } `, `{"a":"\"x\\"}`, `{"a":}`, `{"a":1,}`, `[1]`, `{"a":"`, `{"a":-1.5E+7,"b":null}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		type member struct{ key, value []byte }
		var got []member
		ok := jsonr.Object(raw, func(k, v []byte) bool {
			got = append(got, member{k, v})
			return true
		})
		if !json.Valid(raw) || len(raw) > 500 {
			return
		}
		var want map[string]json.RawMessage
		isObject := bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{"))
		if ok != isObject {
			t.Fatalf("Object(%q) = %v", raw, ok)
		}
		if !ok || json.Unmarshal(raw, &want) != nil {
			return
		}
		for _, m := range got {
			key, valid := jsonr.String(append(append([]byte{'"'}, m.key...), '"'))
			if w, found := want[key]; !valid || !found || len(want) == len(got) && !bytes.Equal(w, m.value) {
				t.Fatalf("Object(%q): member %q = %q, want %q", raw, m.key, m.value, w)
			}
		}
	})
}

func TestSingle(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{`[1]`: "1", `[ {"a":[]} ]`: `{"a":[]}`, `[]`: "", `[1,2]`: "", `{}`: "", `[`: "", ``: "", `["x"`: ""} {
		if got := string(jsonr.Single([]byte(in))); got != want {
			t.Errorf("Single(%s) = %q, want %q", in, got, want)
		}
	}
}

func TestString(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{`"a"`: "a", `""`: "", `"\n\u00e9"`: "\né", `"é"`: "é"} {
		if got, ok := jsonr.String([]byte(in)); !ok || got != want {
			t.Errorf("String(%s) = %q, %v", in, got, ok)
		}
	}
	for _, in := range []string{``, `"`, `1`, `null`, `"a`, `"\x"`, "\"\n\""} {
		if got, ok := jsonr.String([]byte(in)); ok {
			t.Errorf("String(%s) = %q", in, got)
		}
	}
}
