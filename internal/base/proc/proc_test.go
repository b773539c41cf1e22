package proc_test

import (
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/proc"
)

func TestRing(t *testing.T) {
	t.Parallel()
	r := proc.NewRing(8)
	for _, s := range []string{"abc", "def", "gh"} {
		_, _ = r.Write([]byte(s))
	}
	for _, c := range []struct {
		write  string
		offset int64
		limit  int
		want   string
		from   int64
	}{
		{"", 0, 100, "abcdefgh", 0},
		{"", 3, 100, "defgh", 3},
		{"ij", 0, 100, "cdefghij", 2},
		{"", 9, 100, "j", 9},
		{"", 10, 100, "", 10},
		{"", 0, 3, "hij", 7},
		{"0123456789", 0, 100, "23456789", 12},
		{"x", 0, 100, "3456789x", 13},
	} {
		_, _ = r.Write([]byte(c.write))
		b, from := r.Since(c.offset, c.limit)
		if string(b) != c.want || from != c.from {
			t.Errorf("after %q: Since(%d, %d) = %q, %d; want %q, %d", c.write, c.offset, c.limit, b, from, c.want, c.from)
		}
	}
	if b, dropped := r.Bytes(); string(b) != "3456789x" || dropped != 13 || r.Total() != 21 {
		t.Errorf("Bytes = %q, %d; Total = %d", b, dropped, r.Total())
	}
}

// FuzzRing compares the ring with a plain string.
func FuzzRing(f *testing.F) {
	f.Add("abc", "defghij", 4)
	f.Add("", "x", 0)
	f.Fuzz(func(t *testing.T, a, b string, limit int) {
		limit = min(max(limit, 0), 64)
		r, all := proc.NewRing(limit), ""
		for range 3 {
			for _, s := range []string{a, b} {
				_, _ = r.Write([]byte(s))
				all += s
			}
			want := all[max(0, len(all)-limit):]
			if got, dropped := r.Bytes(); string(got) != want || int(dropped) != len(all)-len(want) {
				t.Fatalf("ring of %d after %q holds %q, dropped %d; want %q", limit, all, got, dropped, want)
			}
		}
	})
}

func TestSettable(t *testing.T) {
	t.Parallel()
	for _, name := range strings.Fields(`LD_PRELOAD LD_AUDIT LD_LIBRARY_PATH PATH BASH_ENV ENV SHELLOPTS PS4 HOME ZDOTDIR IFS
		GIT_SSH_COMMAND GIT_EXEC_PATH GIT_CONFIG_GLOBAL GIT_CONFIG_COUNT GIT_PAGER VIMINIT LUA_INIT HOSTALIASES NODE_OPTIONS
		PYTHONSTARTUP PYTHONPATH PERL5OPT PERL5LIB RUBYOPT SSL_CERT_FILE SHELL DYLD_INSERT_LIBRARIES ld_preload Ld_Preload
		HTTPS_PROXY http_proxy PAGER EDITOR GCONV_PATH OPENCLAW_GATEWAY_TOKEN PROMPT_COMMAND LESSOPEN MAKEFLAGS JAVA_TOOL_OPTIONS`) {
		if proc.Settable(name) {
			t.Errorf("Settable(%s) = true", name)
		}
	}
	for _, name := range []string{"", "A=B", "A B", "A\x00"} {
		if proc.Settable(name) {
			t.Errorf("Settable(%q) = true", name)
		}
	}
	for _, name := range strings.Fields("LANG LC_ALL TZ TERM CI DEBUG NODE_ENV PORT NO_COLOR MY_FLAG GIT_AUTHOR_NAME COLUMNS") {
		if !proc.Settable(name) {
			t.Errorf("Settable(%s) = false", name)
		}
	}
}

func TestShell(t *testing.T) {
	t.Parallel()
	for _, env := range [][]string{nil, {"SHELL=./evil"}, {"SHELL=/tmp/evil/bash"}, {"SHELL=/usr/bin/python3"}} {
		sh := proc.Shell(env)
		if len(sh) < 2 || strings.Contains(sh[0], "evil") || strings.Contains(sh[0], "python") {
			t.Errorf("Shell(%q) = %q", env, sh)
		}
	}
}
