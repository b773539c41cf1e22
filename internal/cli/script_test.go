package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/cli"
)

var update = flag.Bool("update", false, "rewrite golden files")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"openclaw": func() {
		os.Exit(cli.Main(context.Background(), os.Args[1:], deps()))
	}})
}

// deps stand in for the gateway and the agent: they say what they were asked.
func deps() cli.Deps {
	return cli.Deps{
		Serve: func(ctx context.Context, o cli.ServeOptions) error {
			o.Ready(cli.Ready{Addr: fmt.Sprintf("127.0.0.1:%d", o.Port), Model: "demo/demo"})
			o.Log.InfoContext(ctx, "gateway ready", "port", o.Port)
			o.Log.LogAttrs(ctx, slog.LevelDebug, "a detail", slog.String("subsystem", "test"))
			return nil
		},
		Local: func(_ context.Context, o cli.LocalOptions) (cli.Answer, error) {
			if o.Message == "fail" {
				return cli.Answer{}, fault.New(fault.Unavailable, "test", "the model is away")
			}
			return cli.Answer{
				Payloads: []cli.Payload{{Text: fmt.Sprintf("%s heard: %s", o.Session, o.Message)}},
				Meta:     json.RawMessage(`{"durationMs":1}`),
			}, nil
		},
	}
}

func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"), UpdateScripts: *update, RequireExplicitExec: true,
		Setup: setUp,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"jsonkeys": jsonKeys, "mode": fileMode,
		},
	})
}

// setUp gives each script a home, a port where nobody listens ($FREE) and one
// where a small gateway answers ($PORT, token tok).
func setUp(e *testscript.Env) error {
	home := filepath.Join(e.WorkDir, "home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	_, port, err := net.SplitHostPort(free.Addr().String())
	if err != nil {
		return err
	}
	_ = free.Close()
	srv := newGateway()
	e.Defer(srv.Close)
	for k, v := range map[string]string{
		"HOME": home, "OPENCLAW_GATEWAY_PORT": port, "FREE": port, "PORT": srv.port(), "NO_COLOR": "1", "TMPDIR": e.WorkDir,
	} {
		e.Setenv(k, v)
	}
	return nil
}

// jsonKeys checks that a file (or stdout) is one JSON value and nothing else,
// with exactly these keys at its top, or in the elements of its list, in order.
func jsonKeys(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: jsonkeys file key...")
	}
	text := ts.ReadFile(args[0])
	dec := json.NewDecoder(strings.NewReader(text))
	var raw json.RawMessage
	ts.Check(dec.Decode(&raw))
	if _, err := dec.Token(); err != io.EOF {
		ts.Fatalf("more than JSON: %q", text)
	}
	raw = bytes.TrimPrefix(bytes.TrimSpace(raw), []byte("["))
	got := keys(ts, raw)
	if !slices.Equal(got, args[1:]) {
		ts.Fatalf("keys are %q,\nwant %q", got, args[1:])
	}
}

func keys(ts *testscript.TestScript, raw []byte) []string {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		ts.Fatalf("no object: %s", raw)
	}
	var out []string
	for dec.More() {
		k, err := dec.Token()
		ts.Check(err)
		out = append(out, fmt.Sprint(k))
		var skip json.RawMessage
		ts.Check(dec.Decode(&skip))
	}
	return out
}

// fileMode checks the permissions of a file.
func fileMode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: mode 0600 file")
	}
	info, err := os.Stat(ts.MkAbs(args[1]))
	ts.Check(err)
	if got := fmt.Sprintf("%04o", info.Mode().Perm()); got != args[0] {
		ts.Fatalf("%s has mode %s, want %s", args[1], got, args[0])
	}
}
