package config_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/config"
)

func TestIncludesAreConfined(t *testing.T) { // T-85
	t.Parallel()
	tests := map[string]struct {
		text  string
		setup func(t *testing.T, state, outside string)
		want  string
	}{
		"absolute":  {`{ $include: "/etc/passwd" }`, nil, "escapes config directory"},
		"upwards":   {`{ $include: "../x.json5" }`, nil, "escapes config directory"},
		"itself":    {`{ $include: "./openclaw.json" }`, nil, "Circular include detected"},
		"directory": {`{ $include: "./d" }`, func(t *testing.T, state, _ string) { write(t, state+"/d/x", "{}") }, "no regular file"},
		"number":    {`{ $include: 5 }`, nil, "expected string or array of strings, got number"},
		"siblings":  {`{ agents: { $include: "./l.json5", x: 1 } }`, func(t *testing.T, state, _ string) { write(t, state+"/l.json5", "[]") }, "Sibling keys require"},
		"link out": {`{ $include: "./l.json5" }`, func(t *testing.T, state, outside string) {
			if err := os.Symlink(outside, state+"/l.json5"); err != nil {
				t.Fatal(err)
			}
		}, "outside config directory (symlink)"},
		"hard link": {`{ $include: "./l.json5" }`, func(t *testing.T, state, outside string) {
			if err := os.Link(outside, state+"/l.json5"); err != nil {
				t.Fatal(err)
			}
		}, "hard link"},
		"too large": {`{ $include: "./l.json5" }`, func(t *testing.T, state, _ string) {
			write(t, state+"/l.json5", "{}"+strings.Repeat(" ", 3<<20))
		}, "larger than 2 MiB"},
		"too deep": {`{ $include: "./0.json5" }`, func(t *testing.T, state, _ string) {
			for i := range 100 {
				write(t, fmt.Sprintf("%s/%d.json5", state, i), fmt.Sprintf(`{ $include: "./%d.json5" }`, i+1))
			}
		}, "Maximum include depth (10)"},
		"too many": {`{ $include: [` + strings.Repeat(`"./a.json5",`, 1000) + `] }`, func(t *testing.T, state, _ string) { write(t, state+"/a.json5", "{}") }, "More than 200 files"},
		"broken":   {`{ $include: "./l.json5" }`, func(t *testing.T, state, _ string) { write(t, state+"/l.json5", "CANARY {") }, "invalid character 'C' at 1:1"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := home(t)
			outside := filepath.Join(p.Home, "outside.json5")
			write(t, outside, `{ ui: { assistant: { name: "CANARY" } } }`)
			write(t, p.Config, test.text)
			if test.setup != nil {
				test.setup(t, p.State, outside)
			}
			l, err := config.Load(t.Context(), p, options(t, nil))
			var invalid *config.Invalid
			if !errors.As(err, &invalid) {
				t.Fatalf("Load: %v", err)
			}
			if !strings.Contains(l.Problems[0].Message, test.want) || l.Problems[0].Line != 1 {
				t.Errorf("problem = %v, want %s", l.Problems[0], test.want)
			}
			if strings.Contains(err.Error(), "CANARY") {
				t.Errorf("the message shows content: %v", err)
			}
		})
	}
}

func TestIncludesMerge(t *testing.T) {
	t.Parallel()
	p := place(t, "valid/23-include-root")
	l, err := config.Load(t.Context(), p, options(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"canvas", "browser"}, l.Config.Tools.Deny); diff != "" {
		t.Error(diff)
	}
	if l.Config.Gateway.Port != 21151 || len(l.Config.Agents.List) != 2 || len(l.Files()) != 5 {
		t.Errorf("port %d, %d agents, %d files", l.Config.Gateway.Port, len(l.Config.Agents.List), len(l.Files()))
	}
	write(t, filepath.Join(p.State, "parts", "list.json5"), "[\n  { id: 5 },\n]")
	l, err = config.Load(t.Context(), p, options(t, nil))
	if err == nil || l.Problems[0].File != filepath.Join(p.State, "parts", "list.json5") || l.Problems[0].Line != 2 || l.Problems[0].Column != 9 {
		t.Errorf("a problem in an included file: %v", l.Problems)
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	p := home(t)
	cwd := t.TempDir()
	write(t, filepath.Join(cwd, ".env"), "A=cwd\nB=cwd\nLD_PRELOAD=/tmp/evil.so\nPATH=/tmp\n")
	write(t, filepath.Join(p.State, ".env"), "B=state\nC=state\nexport D=\"two\\nlines\" # c\nE='x # y'\nF=plain # c\n")
	write(t, p.Config, `{ env: { C: "file", G: "file", vars: { H: "${A}", I: "file", NODE_OPTIONS: "--require x" } },
		messages: { responsePrefix: "${A} ${B} ${C} ${G} ${I} ${SET} $${A} ${low} ${NONE}" } }`)
	l, err := config.Load(t.Context(), p, config.LoadOptions{Dir: cwd, Env: vars(map[string]string{"SET": "process", "A": ""})})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := l.Config.Messages.ResponsePrefix, "cwd cwd state file file process ${A} ${low} ${NONE}"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(l.Warnings) != 1 || l.Warnings[0].Path != "messages.responsePrefix" || !strings.Contains(l.Warnings[0].Message, `"NONE"`) || l.Warnings[0].Line != 2 {
		t.Errorf("warnings = %v", l.Warnings)
	}
	want := map[string]string{"A": "cwd", "B": "cwd", "C": "state", "D": "two\nlines", "E": "x # y", "F": "plain", "G": "file", "I": "file"}
	if diff := cmp.Diff(want, l.Config.Environ()); diff != "" {
		t.Error(diff)
	}
	if l.Config.Getenv("SET") != "process" || l.Config.Getenv("D") != "two\nlines" {
		t.Error("Getenv doesn't see it")
	}
}

func TestFindPaths(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(s ...string) string { return filepath.Join(append([]string{dir}, s...)...) }
	write(t, in("old", ".clawdbot", "clawdbot.json"), "{}")
	write(t, in("def", ".openclaw", "openclaw.json"), "{}")
	tests := map[string]struct {
		env  map[string]string
		opts config.PathOptions
		want config.Paths
	}{
		"plain":          {nil, config.PathOptions{UserHome: in("new")}, config.Paths{Home: in("new"), State: in("new", ".openclaw"), Config: in("new", ".openclaw", "openclaw.json")}},
		"old names":      {nil, config.PathOptions{UserHome: in("old")}, config.Paths{Home: in("old"), State: in("old", ".clawdbot"), Config: in("old", ".clawdbot", "clawdbot.json")}},
		"home":           {map[string]string{"OPENCLAW_HOME": "~/h"}, config.PathOptions{UserHome: in("u")}, config.Paths{Home: in("u", "h"), State: in("u", "h", ".openclaw"), Config: in("u", "h", ".openclaw", "openclaw.json")}},
		"state dir":      {map[string]string{"OPENCLAW_STATE_DIR": in("s")}, config.PathOptions{UserHome: in("u")}, config.Paths{Home: in("u"), State: in("s"), Config: in("s", "openclaw.json")}},
		"state, default": {map[string]string{"OPENCLAW_STATE_DIR": in("s")}, config.PathOptions{UserHome: in("def")}, config.Paths{Home: in("def"), State: in("s"), Config: in("def", ".openclaw", "openclaw.json")}},
		"config path":    {map[string]string{"OPENCLAW_CONFIG_PATH": in("c.json")}, config.PathOptions{UserHome: in("u")}, config.Paths{Home: in("u"), State: in("u", ".openclaw"), Config: in("c.json")}},
		"profile":        {nil, config.PathOptions{UserHome: in("def"), Profile: "work"}, config.Paths{Home: in("def"), State: in("def", ".openclaw-work"), Config: in("def", ".openclaw-work", "openclaw.json"), Profile: "work"}},
		"dev":            {nil, config.PathOptions{UserHome: in("def"), Dev: true}, config.Paths{Home: in("def"), State: in("def", ".openclaw-dev"), Config: in("def", ".openclaw-dev", "openclaw.json"), Profile: "dev"}},
		"bad profile":    {map[string]string{"OPENCLAW_PROFILE": "../x"}, config.PathOptions{UserHome: in("u")}, config.Paths{Home: in("u"), State: in("u", ".openclaw"), Config: in("u", ".openclaw", "openclaw.json")}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, config.FindPaths(vars(test.env), test.opts)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	for _, o := range []config.PathOptions{{Profile: "a", Dev: true}, {Profile: "../x"}, {Profile: "a b"}} {
		if o.CheckProfile() == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

func TestKeyPath(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][]string{
		"a.b.c": {"a", "b", "c"}, "a[0].b": {"a", "0", "b"}, "a.0.b": {"a", "0", "b"}, `a\.b.c`: {"a.b", "c"}, `a["x.y"].z`: {"a", "x.y", "z"},
		`models.providers.x\/y`: {"models", "providers", "x/y"}, "a[0][1]": {"a", "0", "1"}, " a ": {"a"}, "[0].a": {"0", "a"},
	} {
		got, err := config.ParseKeyPath(in)
		if err != nil {
			t.Errorf("ParseKeyPath(%q): %v", in, err)
		}
		if diff := cmp.Diff(config.KeyPath(want), got); diff != "" {
			t.Errorf("ParseKeyPath(%q) (-want +got):\n%s", in, diff)
		}
	}
	for _, in := range []string{"", ".", "a.", ".a", "a..b", "a[", "a[]", "a[x]", "a[0]b", `a\`, "__proto__.x", "a.constructor", "a[prototype]"} {
		if got, err := config.ParseKeyPath(in); err == nil {
			t.Errorf("ParseKeyPath(%q) = %v, want an error", in, got)
		}
	}
}

func FuzzKeyPath(f *testing.F) {
	f.Add(`a.b[0]\.c`)
	f.Add(`a["x.y"].z`)
	f.Fuzz(func(t *testing.T, s string) {
		p, err := config.ParseKeyPath(s)
		if err != nil || len(s) > 1000 { // writing it back may pass the limit
			return
		}
		again, err := config.ParseKeyPath(p.String())
		if err != nil {
			if strings.TrimSpace(p.String()) != p.String() {
				return // white space at an end belongs to nobody
			}
			t.Fatalf("%q became %q: %v", s, p, err)
		}
		if diff := cmp.Diff(p, again); diff != "" && strings.TrimSpace(p.String()) == p.String() {
			t.Fatalf("%q: %s", s, diff)
		}
	})
}

func FuzzDotenv(f *testing.F) {
	f.Add("A=1\nexport B='x\ny'\nC=\"a\\n\" # c\n=\n#x=1\nD")
	f.Fuzz(func(t *testing.T, s string) {
		for k, v := range config.ParseDotenv(s) {
			if k == "" || strings.ContainsAny(k, " =\n") || len(v) > len(s) {
				t.Fatalf("%q gave %q = %q", s, k, v)
			}
		}
	})
}

func FuzzValidate(f *testing.F) {
	for _, name := range []string{"21-gateway-full", "12-agents-list-bindings", "07-secretrefs", "16-sandbox"} {
		raw, err := os.ReadFile("testdata/samples/valid/" + name + ".json5")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(raw))
	}
	f.Add(`{ agents: { list: 5 }, bindings: {}, channels: [], cron: "x", tools: { media: null } }`)
	p := home(f)
	opts := options(f, nil)
	f.Fuzz(func(t *testing.T, s string) {
		l, err := config.Validate(t.Context(), p, []byte(s), opts)
		if err == nil && l.Config == nil {
			t.Fatalf("%q is valid and has no configuration", s)
		}
		if l.Doc != nil {
			config.Migrate(l.Doc.Root)
			config.Redact(l.Doc.Root)
		}
	})
}

func TestAccounts(t *testing.T) {
	t.Parallel()
	p := place(t, "valid/08-telegram-multi-account.json5")
	l, err := config.Load(t.Context(), p, options(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	as := l.Config.Accounts("telegram")
	if len(as) != 2 || as[0].ID != "alerts" || as[1].ID != "main" {
		t.Fatalf("accounts = %+v", as)
	}
	if diff := cmp.Diff([]string{"123456789", "tg:987654321"}, as[0].Common.AllowFrom); diff != "" {
		t.Error(diff)
	}
	if as[0].Common.DMPolicy != "disabled" || as[1].Common.DMPolicy != "allowlist" || !as[0].Enabled {
		t.Errorf("policies %q, %q", as[0].Common.DMPolicy, as[1].Common.DMPolicy)
	}
	if !strings.Contains(string(as[0].Raw), `"222:bbb"`) || strings.Contains(string(as[0].Raw), "accounts") {
		t.Errorf("raw = %s", as[0].Raw)
	}
	write(t, p.Config, `{ channels: { irc: { enabled: false, host: "h", nick: "n" }, telegram: { accounts: { a: { enabled: false } } }, discord: { dm: { policy: "open", allowFrom: ["*"] } } } }`)
	if l, err = config.Load(t.Context(), p, options(t, nil)); err != nil {
		t.Fatal(err)
	}
	irc := l.Config.Accounts("irc")
	if len(irc) != 1 || irc[0].ID != "default" || irc[0].Enabled || irc[0].Common.DMPolicy != "pairing" {
		t.Errorf("irc = %+v", irc)
	}
	if a := l.Config.Accounts("telegram"); len(a) != 1 || a[0].Enabled {
		t.Errorf("telegram = %+v", a)
	}
	if s := l.Config.Channel("discord"); s.DMPolicy != "open" || len(s.AllowFrom) != 1 {
		t.Errorf("the older form = %+v", s)
	}
	if s := l.Config.Channel("nosuch"); *s.Enabled || s.DMPolicy != "pairing" {
		t.Errorf("a missing section = %+v", s)
	}
}

func TestPatterns(t *testing.T) { // T-89
	t.Parallel()
	p := home(t)
	write(t, p.Config, `{ messages: { groupChat: { mentionPatterns: ["(a+)+$", "(?=x)y", "((a{1000}){1000}){1000}", "`+strings.Repeat("a", 5000)+`"] } } }`)
	l, err := config.Load(t.Context(), p, options(t, nil))
	if err == nil || len(l.Problems) != 2 || l.Problems[0].Path != "messages.groupChat.mentionPatterns.2" || l.Problems[1].Path != "messages.groupChat.mentionPatterns.3" {
		t.Errorf("problems = %v", l.Problems)
	}
	if len(l.Warnings) != 1 || l.Warnings[0].Path != "messages.groupChat.mentionPatterns.1" {
		t.Errorf("warnings = %v", l.Warnings)
	}
}

func TestLeftOversAndModes(t *testing.T) { // F-19, T-79
	t.Parallel()
	p := home(t)
	write(t, p.Config, "{}")
	if err := os.Chmod(p.Config, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{p.Config + ".123.tmp", p.Config + ".bak.9.tmp", p.LastGood() + ".5.tmp"} {
		write(t, name, "{")
	}
	write(t, p.Config+".bak", "{}")
	opts := options(t, nil)
	opts.LastGood = true
	l, err := config.Load(t.Context(), p, opts)
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Warnings) != 1 || l.Warnings[0].Mend != "run: chmod 600 "+p.Config {
		t.Errorf("warnings = %v", l.Warnings)
	}
	entries, err := os.ReadDir(p.State)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if diff := cmp.Diff([]string{"openclaw.json", "openclaw.json.bak", "openclaw.last-good.json"}, names); diff != "" {
		t.Error(diff)
	}
}

func TestSetOllamaKey(t *testing.T) {
	t.Parallel()
	f := file(t, "{}")
	s, err := f.Set(t.Context(), "models.providers.ollama.apiKey", []byte(`"k"`))
	if err != nil {
		t.Fatal(err)
	}
	if p := s.Config.Models.Providers["ollama"]; p.BaseURL != "http://127.0.0.1:11434" || p.API != "ollama" {
		t.Errorf("provider = %+v", p)
	}
}

// The profile dev has a port of its own, so that it runs beside the other one.
func TestDevPort(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		profile, text string
		want          int
	}{
		"dev":        {"dev", `{}`, config.DevPort},
		"dev, said":  {"dev", `{ gateway: { port: 5 } }`, 5},
		"other":      {"work", `{}`, 18789},
		"no profile": {"", `{}`, 18789},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			paths := config.Paths{Home: dir, State: dir, Config: filepath.Join(dir, "openclaw.json"), Profile: test.profile}
			l, err := config.Validate(t.Context(), paths, []byte(test.text), config.LoadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if got := l.Config.Gateway.Port; got != test.want {
				t.Errorf("port %d, want %d", got, test.want)
			}
		})
	}
}
