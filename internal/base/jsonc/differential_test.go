//go:build oracle

package jsonc_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/jsonc"
)

// judge runs inputs through npm json5, in the notation of json5-cases.json.
const judge = `
console.warn = () => {};
const JSON5 = require(process.env.JSON5_PATH);
const odd = v => typeof v === 'number' && (!Number.isFinite(v) || Object.is(v, -0)) ? (Object.is(v, -0) ? '-0' : String(v)) : v;
const out = JSON.parse(require('fs').readFileSync(0)).map(s => {
  try { return {s, ok: true, v: JSON.stringify(odd(JSON5.parse(s)), (k, v) => odd(v))} } catch (e) { return {s, ok: false, v: e.message} }
});
process.stdout.write(JSON.stringify(out));`

// TestDifferential compares 30,000 mutations of the oracle cases with npm json5.
// It needs node and JSON5_PATH, the directory of the npm package:
//
//	JSON5_PATH=…/node_modules/json5 go test -tags oracle -run Differential ./internal/base/jsonc
func TestDifferential(t *testing.T) {
	t.Parallel()
	if os.Getenv("JSON5_PATH") == "" {
		t.Fatal("set JSON5_PATH to the directory of the npm package json5")
	}
	r := rand.New(rand.NewPCG(2026, 11))
	var parts []string
	for _, c := range oracle(t) {
		parts = append(parts, c.S)
	}
	parts = append(parts, "{", "}", "[", "]", ",", ":", "'", `"`, "\\", "/*", "*/", "//", "\n", "\r", "e", "E", "0x", ".", "-", "+", "\u2028", "\u00a0", "a", "9", "😀", `\u`, `\x`, "NaN", "null")
	var inputs []string
	for len(inputs) < 30_000 {
		s := parts[r.IntN(len(parts))]
		for range 1 + r.IntN(3) {
			p := parts[r.IntN(len(parts))]
			at := r.IntN(len(s) + 1)
			if r.IntN(4) == 0 && at < len(s) {
				s = s[:at] + s[at+1:]
				continue
			}
			s = s[:at] + p + s[at:]
		}
		if utf8.ValidString(s) {
			inputs = append(inputs, s)
		}
	}
	raw, err := json.Marshal(inputs)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "-e", judge)
	cmd.Stdin = bytes.NewReader(raw)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var cases []oracleCase
	if err := json.Unmarshal(out, &cases); err != nil {
		t.Fatal(err)
	}
	accepted := 0
	for _, c := range cases {
		d, err := jsonc.Parse("", []byte(c.S))
		if !c.OK {
			if err == nil || err.Error() != c.V {
				t.Errorf("Parse(%q): %v, want %s", c.S, err, c.V)
			}
			continue
		}
		if err != nil {
			t.Errorf("Parse(%q): %v, want %s", c.S, err, c.V)
			continue
		}
		accepted++
		var want any
		if err := json.Unmarshal([]byte(c.V), &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, value(d.Root)); diff != "" {
			t.Errorf("Parse(%q) (-want +got):\n%s", c.S, diff)
		}
	}
	t.Logf("%d inputs, %d accepted", len(cases), accepted)
}
