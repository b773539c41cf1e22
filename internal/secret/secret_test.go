package secret_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/secret"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func resolver(providers map[string]secret.Provider, env map[string]string) *secret.Resolver {
	return secret.NewResolver(secret.Settings{Providers: providers}, func(k string) string { return env[k] }, nil)
}

func write(t *testing.T, name, text string, mode os.FileMode) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestStringHidesItself(t *testing.T) {
	t.Parallel()
	s := secret.String("CANARY")
	raw, err := json.Marshal(map[string]any{"s": s})
	if err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{fmt.Sprint(s), fmt.Sprintf("%v %+v %#v %q %s", s, s, s, s, s), string(raw)} {
		if strings.Contains(out, "CANARY") {
			t.Errorf("it shows: %s", out)
		}
	}
	if s.Reveal() != "CANARY" || secret.String("").String() != "" {
		t.Error("Reveal or the empty secret is wrong")
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	tests := map[secret.Ref]string{
		{Source: "env", Provider: "default", ID: "A_1"}:                          "",
		{Source: "env", Provider: "default", ID: "lower"}:                        "id",
		{Source: "env", Provider: "default", ID: "A" + strings.Repeat("B", 128)}: "id",
		{Source: "env", Provider: "Default", ID: "A"}:                            "provider",
		{Source: "file", Provider: "f", ID: "/a/b~1c"}:                           "",
		{Source: "file", Provider: "f", ID: "value"}:                             "",
		{Source: "file", Provider: "f", ID: "a"}:                                 "id",
		{Source: "file", Provider: "f", ID: "/a~2"}:                              "id",
		{Source: "exec", Provider: "v", ID: "a/b.c:d-e"}:                         "",
		{Source: "exec", Provider: "v", ID: "a/../b"}:                            "id",
		{Source: "exec", Provider: "v", ID: "-a"}:                                "id",
		{Source: "http", Provider: "v", ID: "a"}:                                 "source",
	}
	for ref, want := range tests {
		if field, _ := ref.Check(); field != want {
			t.Errorf("%v: field %q, want %q", ref, field, want)
		}
	}
}

func TestValue(t *testing.T) {
	t.Parallel()
	jsonFile := write(t, "s.json", `{"a":{"b/c":"CANARY-json"},"n":5}`, 0o600)
	single := write(t, "one", "CANARY-single\n", 0o600)
	open := write(t, "open", "CANARY", 0o666)
	seen := write(t, "seen", "CANARY", 0o640)
	large := write(t, "large", strings.Repeat("x", 100), 0o600)
	bad := write(t, "bad", "CANARY {", 0o600)
	providers := map[string]secret.Provider{
		"limited": {Source: "env", Allowlist: []string{"OK"}},
		"json":    {Source: "file", Path: jsonFile}, "single": {Source: "file", Path: single, Mode: "singleValue"},
		"open": {Source: "file", Path: open, Mode: "singleValue"}, "seen": {Source: "file", Path: seen, Mode: "singleValue"}, "large": {Source: "file", Path: large, Mode: "singleValue", MaxBytes: 99},
		"bad": {Source: "file", Path: bad}, "gone": {Source: "file", Path: single + "x"}, "dir": {Source: "file", Path: filepath.Dir(single)},
	}
	r := resolver(providers, map[string]string{"OK": "CANARY-env", "NOT_LISTED": "CANARY"})
	ref := func(source, provider, id string) string {
		return fmt.Sprintf(`{"source":%q,"provider":%q,"id":%q}`, source, provider, id)
	}
	tests := map[string]struct {
		raw  string
		want string
		kind fault.Kind
	}{
		"plain":             {`"p"`, "p", 0},
		"absent":            {``, "", 0},
		"null":              {`null`, "", 0},
		"number":            {`5`, "", fault.Invalid},
		"other object":      {`{"a":1}`, "", fault.Invalid},
		"env":               {ref("env", "default", "OK"), "CANARY-env", 0},
		"env missing":       {ref("env", "default", "NOPE"), "", fault.NotFound},
		"env listed":        {ref("env", "limited", "OK"), "CANARY-env", 0},
		"env not listed":    {ref("env", "limited", "NOT_LISTED"), "", fault.Forbidden},
		"no provider":       {ref("file", "nosuch", "value"), "", fault.Invalid},
		"other source":      {ref("exec", "json", "value"), "", fault.Invalid},
		"json":              {ref("file", "json", "/a/b~1c"), "CANARY-json", 0},
		"json missing":      {ref("file", "json", "/a/x"), "", fault.NotFound},
		"json no string":    {ref("file", "json", "/n"), "", fault.Invalid},
		"json as value":     {ref("file", "json", "value"), "", fault.Invalid},
		"single":            {ref("file", "single", "value"), "CANARY-single", 0},
		"single by pointer": {ref("file", "single", "/a"), "", fault.Invalid},
		"writable":          {ref("file", "open", "value"), "", fault.Unavailable},
		"readable":          {ref("file", "seen", "value"), "", fault.Unavailable},
		"too large":         {ref("file", "large", "value"), "", fault.Unavailable},
		"no JSON":           {ref("file", "bad", "/a"), "", fault.Invalid},
		"no file":           {ref("file", "gone", "value"), "", fault.Unavailable},
		"directory":         {ref("file", "dir", "value"), "", fault.Unavailable},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := r.Value(t.Context(), json.RawMessage(test.raw))
			if test.kind == 0 && err != nil || test.kind != 0 && fault.KindOf(err) != test.kind {
				t.Fatalf("Value: %v, want kind %d", err, test.kind)
			}
			if got.Reveal() != test.want {
				t.Errorf("Value = %q, want %q", got.Reveal(), test.want)
			}
			if err != nil && strings.Contains(err.Error(), "CANARY") {
				t.Errorf("the error shows a secret: %v", err)
			}
		})
	}
}

func TestExec(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		return // the programs below are shell scripts
	}
	script := func(body string) string { return write(t, "p", "#!/bin/sh\n"+body, 0o700) }
	answer := script(`read req; case "$req" in *'"ids":["a/b"]'*) echo '{"protocolVersion":1,"values":{"a/b":"CANARY-'"$EXTRA$PASSED$HOME"'"},"errors":{"x":{"message":"CANARY"}}}';; *) echo '{"protocolVersion":1,"values":{},"errors":{"x":{"message":"CANARY"}}}';; esac`)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(answer, link); err != nil {
		t.Fatal(err)
	}
	no := false
	exec := func(p secret.Provider) secret.Provider { p.Source = "exec"; return p }
	tests := map[string]struct {
		p    secret.Provider
		id   string
		want string
		kind fault.Kind
	}{
		"answer":    {secret.Provider{Command: answer, Env: map[string]string{"EXTRA": "e"}, PassEnv: []string{"PASSED"}}, "a/b", "CANARY-ep", 0},
		"no value":  {secret.Provider{Command: answer}, "x", "", fault.NotFound},
		"plain":     {secret.Provider{Command: script("echo ' CANARY-plain '"), JSONOnly: &no}, "a", "CANARY-plain", 0},
		"not JSON":  {secret.Provider{Command: script("echo CANARY")}, "a", "", fault.Invalid},
		"fails":     {secret.Provider{Command: script("echo CANARY >&2; exit 3")}, "a", "", fault.Unavailable},
		"too slow":  {secret.Provider{Command: script("sleep 60 & wait"), TimeoutMs: 100}, "a", "", fault.Timeout},
		"silent":    {secret.Provider{Command: script("sleep 60"), NoOutputTimeoutMs: 100}, "a", "", fault.Timeout},
		"too much":  {secret.Provider{Command: script("while :; do echo CANARYCANARYCANARY; done"), MaxOutputBytes: 1000}, "a", "", fault.Invalid},
		"relative":  {secret.Provider{Command: "p"}, "a", "", fault.Forbidden},
		"missing":   {secret.Provider{Command: answer + "x"}, "a", "", fault.Forbidden},
		"link":      {secret.Provider{Command: link}, "a/b", "", fault.Forbidden},
		"link, ok":  {secret.Provider{Command: link, AllowSymlinkCommand: true, TrustedDirs: []string{filepath.Dir(answer)}}, "a/b", "CANARY-", 0},
		"elsewhere": {secret.Provider{Command: answer, TrustedDirs: []string{"/usr/bin"}}, "a/b", "", fault.Forbidden},
		"writable":  {secret.Provider{Command: write(t, "w", "#!/bin/sh\n", 0o777)}, "a", "", fault.Forbidden},
		"metachars": {secret.Provider{Command: answer, Args: []string{"; touch /tmp/x", "$(id)"}}, "a/b", "CANARY-", 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := resolver(map[string]secret.Provider{"v": exec(test.p)}, map[string]string{"PASSED": "p", "HOME": "/root"})
			start := time.Now()
			got, err := r.Resolve(t.Context(), secret.Ref{Source: "exec", Provider: "v", ID: test.id})
			if test.kind == 0 && err != nil || test.kind != 0 && fault.KindOf(err) != test.kind {
				t.Fatalf("Resolve: %v, want kind %d", err, test.kind)
			}
			if got.Reveal() != test.want {
				t.Errorf("Resolve = %q, want %q", got.Reveal(), test.want)
			}
			if err != nil && strings.Contains(err.Error(), "CANARY") {
				t.Errorf("the error shows output: %v", err)
			}
			if d := time.Since(start); d > 10*time.Second {
				t.Errorf("took %v", d)
			}
		})
	}
}

func TestRemembersAndShares(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	asked := 0
	r := secret.NewResolver(secret.Settings{}, func(string) string {
		mu.Lock()
		defer mu.Unlock()
		asked++
		return "v"
	}, nil)
	ref := secret.Ref{Source: "env", Provider: "default", ID: "A"}
	for range 5 {
		if _, err := r.Resolve(t.Context(), ref); err != nil {
			t.Fatal(err)
		}
	}
	if asked != 1 {
		t.Errorf("asked %d times, want 1", asked)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Resolve(ctx, secret.Ref{Source: "env", Provider: "default", ID: "B"}); err != nil && fault.KindOf(err) != fault.Canceled {
		t.Errorf("a cancelled wait: %v", err)
	}
}

func TestSection(t *testing.T) {
	t.Parallel()
	r := resolver(nil, map[string]string{"A": `quo"te`})
	raw := json.RawMessage(`{"id":923475000111222333,"token":{"source":"env","provider":"default","id":"A"},"list":[{"x":{"source":"env","provider":"default","id":"GONE"}}],"source":"kept"}`)
	got, err := r.Section(t.Context(), raw)
	if err == nil || !strings.Contains(err.Error(), "GONE") {
		t.Errorf("the missing one: %v", err)
	}
	want := `{"id":923475000111222333,"list":[{"x":null}],"source":"kept","token":"quo\"te"}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`{"source":"env","provider":"default","id":"A"}`)
	f.Add(`"x"`)
	f.Fuzz(func(t *testing.T, s string) {
		ref, _, ok, err := secret.Parse(json.RawMessage(s))
		if err == nil && ok {
			ref.Check()
		}
	})
}
