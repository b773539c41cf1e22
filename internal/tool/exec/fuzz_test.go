package exec_test

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/machine"
	"github.com/openclaw-go/openclaw/internal/tool"
	"github.com/openclaw-go/openclaw/internal/tool/exec"
)

// printer is a machine whose every command prints the same bytes in two parts.
type printer struct{ out []byte }

func (printer) Name() string { return "printer" }

func (p printer) Start(_ context.Context, c machine.Command) (machine.Process, error) {
	_, _ = c.Output.Write(p.out[:len(p.out)/2])
	_, _ = c.Output.Write(p.out[len(p.out)/2:])
	done := make(chan struct{})
	close(done)
	return ended{io.Discard, done}, nil
}

type ended struct {
	io.Writer
	done chan struct{}
}

func (ended) PID() int                { return 1 }
func (ended) CloseStdin() error       { return nil }
func (ended) Signal(string) error     { return nil }
func (ended) Kill(time.Duration)      {}
func (ended) Wait() machine.Exit      { return machine.Exit{} }
func (e ended) Done() <-chan struct{} { return e.done }

// FuzzOutput: whatever a command prints, the model gets clean text.
func FuzzOutput(f *testing.F) {
	for _, s := range []string{"plain", "\x1b[31mred\x1b[0m", "\x1b]0;title\a", "a\rb\r\n", "\x00\x01", "caf\xe9", "\x1b", "\x1b[", "\x1b]", "漢字\x1b漢", "\b\b"} {
		f.Add([]byte(s), true)
	}
	f.Fuzz(func(t *testing.T, out []byte, pty bool) {
		run := exec.New(exec.Options{Machine: printer{out}})
		defer run.Close()
		args, err := json.Marshal(map[string]any{"command": "x", "pty": pty})
		if err != nil {
			t.Fatal(err)
		}
		res, err := run.Tools()[0].Run(t.Context(), tool.Call{Call: llm.Call{Args: args}, Scope: tool.Scope{Owner: true}})
		if err != nil {
			t.Fatal(err)
		}
		got := llm.Message{Content: res.Content}.Text()
		if !utf8.ValidString(got) || strings.ContainsAny(got, "\x00\a\b") || got == "" {
			t.Errorf("%q became %q", out, got)
		}
	})
}
