package jsonc_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/jsonc"
)

type oracleCase struct {
	S  string
	OK bool
	V  string
}

func oracle(t testing.TB) []oracleCase {
	t.Helper()
	raw, err := os.ReadFile("testdata/json5-cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []oracleCase
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

// value is n as the oracle writes values: JavaScript numbers, and strings for
// those that JSON lacks.
func value(n *jsonc.Node) any {
	switch n.Kind {
	case jsonc.Null:
		return nil
	case jsonc.Bool:
		return n.Bool
	case jsonc.String:
		return n.Text
	case jsonc.Number:
		f := n.Float()
		switch {
		case math.IsNaN(f) || math.IsInf(f, 0):
			return strings.TrimPrefix(jsonc.FormatFloat(f), "+")
		case f == 0 && math.Signbit(f):
			return "-0"
		}
		return f
	case jsonc.Array:
		out := []any{}
		for _, v := range n.Items {
			out = append(out, value(v))
		}
		return out
	}
	out := map[string]any{}
	for _, m := range n.Unique() {
		out[m.Key] = value(m.Value)
	}
	return out
}

func TestOracle(t *testing.T) {
	t.Parallel()
	cases := oracle(t)
	if len(cases) != 85 {
		t.Fatalf("%d cases, want 85", len(cases))
	}
	for _, c := range cases {
		d, err := jsonc.Parse("", []byte(c.S))
		if !c.OK {
			if err == nil {
				t.Errorf("Parse(%q) = %v, want %s", c.S, value(d.Root), c.V)
			} else if err.Error() != c.V {
				t.Errorf("Parse(%q): %v, want %s", c.S, err, c.V)
			}
			continue
		}
		if err != nil {
			t.Errorf("Parse(%q): %v, want %s", c.S, err, c.V)
			continue
		}
		var want any
		if err := json.Unmarshal([]byte(c.V), &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, value(d.Root)); diff != "" {
			t.Errorf("Parse(%q) (-want +got):\n%s", c.S, diff)
		}
	}
}

func TestNumbersKeepDigits(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"923475000111222333":    "923475000111222333",
		"-100123456789012345":   "-100123456789012345",
		"0xFFFFFFFFFFFFFFFFF":   "295147905179352825855",
		"+7":                    "7",
		"6e2":                   "600",
		"128000.":               "128000",
		".25":                   "0.25",
		"1.50":                  "1.5",
		"923475000111222333e0":  "923475000111222333",
		"1.5e1":                 "15",
		"12e-1":                 "1.2",
		"1e21":                  "1000000000000000000000",
		"1e-7":                  "1e-7",
		"1e99999999999999999":   "Infinity",
		"1e-99999999999999999":  "0",
		"-Infinity":             "-Infinity",
		"0.1000000000000000055": "0.1000000000000000055",
	} {
		d, err := jsonc.Parse("", []byte(in))
		if err != nil {
			t.Errorf("Parse(%q): %v", in, err)
			continue
		}
		if d.Root.Text != want {
			t.Errorf("Parse(%q) = %s, want %s", in, d.Root.Text, want)
		}
	}
}

func TestPositions(t *testing.T) {
	t.Parallel()
	_, err := jsonc.Parse("f.json5", []byte("// x\n{\n  a: 1, 😀b: 2,\r\n\t'c': [ {} ] }"))
	if err == nil {
		t.Fatal("an emoji starts no identifier")
	}
	d, err := jsonc.Parse("f.json5", []byte("// x\n{\n  a: '😀', b: 2,\r\n\t'c': [ {} ] }"))
	if err != nil {
		t.Fatal(err)
	}
	got := []string{d.Root.Pos().String(), d.Root.Get("a").Pos().String(), d.Root.Get("b").Pos().String(), d.Root.Find("c").Items[0].Pos().String()}
	if diff := cmp.Diff([]string{"2:1", "3:6", "3:15", "4:9"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestDepthIsBounded(t *testing.T) {
	t.Parallel()
	_, err := jsonc.Parse("", []byte(strings.Repeat("[", 1_000_000)))
	var syntax *jsonc.SyntaxError
	if !errors.As(err, &syntax) || !strings.Contains(err.Error(), "nested deeper than 500") {
		t.Errorf("a million brackets: %v", err)
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	d, err := jsonc.Parse("", []byte(`{a:1,b:[NaN,-Infinity,'q"\'\u2028'],a:3,/*c*/c:{},}`))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"a":3,"b":[null,null,"q\"'\u2028"],"c":{}}`
	if got := string(d.Root.JSON()); got != want {
		t.Errorf("JSON() = %s, want %s", got, want)
	}
	if !json.Valid(d.Root.Indented()) {
		t.Errorf("Indented() isn't JSON: %s", d.Root.Indented())
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range oracle(f) {
		f.Add(c.S)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := jsonc.Parse("", []byte(s))
		if err != nil {
			return
		}
		out := d.Root.JSON()
		if !json.Valid(out) {
			t.Fatalf("JSON of %q is no JSON: %s", s, out)
		}
		again, err := jsonc.Parse("", out)
		if err != nil {
			t.Fatalf("Parse(%q), the JSON of %q: %v", out, s, err)
		}
		if got := again.Root.JSON(); string(got) != string(out) {
			t.Fatalf("JSON of %q changed from %s to %s", s, out, got)
		}
		if got, err := jsonc.Rewrite(d, d.Root); err != nil || string(got) != s {
			t.Fatalf("Rewrite(%q) without a change = %q, %v", s, got, err)
		}
	})
}
