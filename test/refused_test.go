package test

import (
	"strings"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/test/harness"
)

// What can't be meant is refused before it is stored.
func TestRefusedWords(t *testing.T) {
	t.Parallel()
	m := harness.NewModel(t)
	g := harness.New(t, m.URL, nil)
	g.Start()
	for _, c := range []struct{ method, params, want string }{
		{"chat.send", `{"sessionKey":"main","message":"a\u0000b","idempotencyKey":"k1"}`, "message must not contain null bytes"},
		{"chat.send", `{"sessionKey":"main","message":"a","idempotencyKey":"k2","thinking":"lots"}`, "Invalid thinking level"},
		{"agent", `{"message":"a","agentId":"main","idempotencyKey":"k3","thinking":"lots"}`, "Invalid thinking level"},
	} {
		code, out := run(t, g, 20*time.Second, "gateway", "call", c.method, "--params", c.params)
		if code == 0 || !strings.Contains(out, c.want) {
			t.Errorf("%s: %d: %s\nwant %q", c.params, code, out, c.want)
		}
	}
	if n := len(m.Calls("")); n > 0 {
		t.Errorf("the model was called %d times", n)
	}
	if code, out := run(t, g, 20*time.Second, "agent", "--agent", "main", "--thinking", "Max", "-m", "a question"); code != 0 {
		t.Errorf("an alias: %d: %s", code, out)
	}
}

// A refused attachment is called by its name, its type or its place.
func TestRefusedAttachment(t *testing.T) {
	t.Parallel()
	m := harness.NewModel(t)
	g := harness.New(t, m.URL, nil)
	g.Start()
	for params, want := range map[string]string{
		`{"type":"image","mimeType":"image/png","fileName":"a.png","content":"@"}`: "attachment a.png: invalid base64 content",
		`{"type":"image","mimeType":"image/png","content":"@"}`:                    "attachment image: invalid base64 content",
		`{"content":"@"}`: "attachment attachment-1: invalid base64 content",
	} {
		params = `{"sessionKey":"main","message":"look","idempotencyKey":"k","attachments":[` + params + `]}`
		code, out := run(t, g, 20*time.Second, "gateway", "call", "chat.send", "--params", params)
		if code == 0 || !strings.Contains(out, want) {
			t.Errorf("%d: %s\nwant %q", code, out, want)
		}
	}
}
