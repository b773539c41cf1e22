package jsonc_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/jsonc"
)

const sample = `// mine
{
  // the gateway
  gateway: { mode: 'local', port: 0x4965 }, // inline
  agents: {
    list: [
      { id: 'main' }, // first
      { id: 'two' },
    ],
    /* the rest */
    defaults: {},
  },
  ids: [923475000111222333, 42],
  last: true
}
`

func TestRewrite(t *testing.T) {
	t.Parallel()
	parse := func(s string) *jsonc.Node {
		d, err := jsonc.Parse("", []byte(s))
		if err != nil {
			t.Fatal(err)
		}
		return d.Root
	}
	set := func(v string, path ...string) func(*jsonc.Node) *jsonc.Node {
		return func(n *jsonc.Node) *jsonc.Node { return n.With(path, parse(v)) }
	}
	unset := func(key string) func(*jsonc.Node) *jsonc.Node {
		return func(n *jsonc.Node) *jsonc.Node { return n.Without(key) }
	}
	lines := func(old, now string) [2]string { return [2]string{old, now} }
	tests := map[string]struct {
		src    string
		change func(*jsonc.Node) *jsonc.Node
		swap   [2]string // what of src becomes what
	}{
		"scalar":            {sample, set("1", "gateway", "port"), lines("0x4965", "1")},
		"string style":      {sample, set(`"lan"`, "gateway", "mode"), lines("'local'", "'lan'")},
		"add inline":        {sample, set(`"lan"`, "gateway", "bind"), lines("0x4965 }", "0x4965, bind: 'lan' }")},
		"add at the end":    {sample, set(`{a:[1]}`, "new"), lines("last: true\n", "last: true,\n  new: {\n    a: [\n      1\n    ]\n  }\n")},
		"fill an empty one": {sample, set(`"x/y"`, "agents", "defaults", "model"), lines("defaults: {}", "defaults: {\n      model: 'x/y'\n    }")},
		"remove the last":   {sample, unset("last"), lines("42],\n  last: true\n", "42]\n")},
		"remove a line":     {sample, unset("ids"), lines("  ids: [923475000111222333, 42],\n", "")},
		"append an item":    {sample, set(`[{id:'main'},{id:'two'},{id:'x'}]`, "agents", "list"), lines("{ id: 'two' },\n", "{ id: 'two' },\n      {\n        id: 'x'\n      },\n")},
		"remove an item":    {sample, set(`[{id:'two'}]`, "agents", "list"), lines("      { id: 'main' }, // first\n", "")},
		"inline array":      {sample, set(`[923475000111222333]`, "ids"), lines("333, 42]", "333]")},
		"inline front":      {sample, set(`[1,923475000111222333, 42]`, "ids"), lines("[923", "[1, 923")},
		"root was empty":    {"{}\n", set(`1`, "a", "b"), lines("{}", "{\n  \"a\": {\n    \"b\": 1\n  }\n}")},
		"only a comment":    {"{\n  // nothing yet\n}\n", set(`1`, "a"), lines("yet\n", "yet\n  \"a\": 1\n")},
		"plain JSON":        {"{\n    \"a\": 1\n}", set(`{"c":[]}`, "b"), lines("1\n", "1,\n    \"b\": {\n        \"c\": []\n    }\n")},
		"CRLF":              {"{\r\n  a: 1\r\n}", set(`2`, "b"), lines("1\r\n", "1,\r\n  b: 2\r\n")},
		"comma after all":   {"{ a: 1, }", set(`2`, "b"), lines("1, }", "1, b: 2, }")},
		"odd key":           {"{ a: 1 }", set(`2`, "b-c"), lines("1 }", "1, \"b-c\": 2 }")},
		"the only one":      {"{ a: { b: 1 } }", func(n *jsonc.Node) *jsonc.Node { return n.With([]string{"a"}, parse("{}")) }, lines("{ b: 1 }", "{}")},
		"comment on commas": {"{\n  a: 1 // one\n  , b: 2\n}", unset("b"), lines("\n  , b: 2", "\n  ")},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := jsonc.Parse("f", []byte(test.src))
			if err != nil {
				t.Fatal(err)
			}
			got, err := jsonc.Rewrite(d, test.change(d.Root))
			if err != nil {
				t.Fatal(err)
			}
			want := strings.Replace(test.src, test.swap[0], test.swap[1], 1)
			if diff := cmp.Diff(want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzRewrite changes one source into the value of another. Rewrite checks the
// value; here the lines that hold no change must still be there.
func FuzzRewrite(f *testing.F) {
	f.Add(sample, sample, "k")
	f.Add(sample, `{gateway:{mode:'lan',x:[1,2]},agents:{list:[{id:'two'}]},ids:[42]}`, "gateway")
	f.Add("{ a: 1, /* x */ b: 2 }", "{}", "b")
	f.Add("[\n 1, // a\n 2\n]", "[2]", "")
	f.Fuzz(func(t *testing.T, a, b, key string) {
		da, err := jsonc.Parse("a", []byte(a))
		if err != nil {
			return
		}
		if db, err := jsonc.Parse("b", []byte(b)); err == nil {
			if _, err := jsonc.Rewrite(da, db.Root); err != nil {
				t.Fatalf("Rewrite(%q to %q): %v", a, b, err)
			}
		}
		if da.Root.Kind != jsonc.Object || !jsonc.Equal(jsonc.Str(key), jsonc.Str(strings.ToValidUTF8(key, "\uFFFD"))) {
			return
		}
		out, err := jsonc.Rewrite(da, da.Root.With([]string{key}, &jsonc.Node{Kind: jsonc.Null}))
		if err != nil {
			t.Fatalf("Rewrite(%q with %q): %v", a, key, err)
		}
		if m := da.Root.Member(key); m != nil {
			if m.Value.Kind != jsonc.Array && m.Value.Kind != jsonc.Object &&
				(!bytes.HasPrefix(out, da.Source[:m.Value.Start]) || !bytes.HasSuffix(out, da.Source[m.Value.End:])) {
				t.Fatalf("setting %q in %q changed more: %q", key, a, out)
			}
			return
		}
		if n := len(da.Root.Members); n > 0 && !bytes.HasPrefix(out, da.Source[:da.Root.Members[n-1].Value.End]) {
			t.Fatalf("adding %q to %q changed more: %q", key, a, out)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	src := []byte(strings.Replace(sample, "last", "x", 1))
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := jsonc.Parse("", src); err != nil {
			b.Fatal(err)
		}
	}
}
