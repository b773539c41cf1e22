package test

import (
	"strings"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/test/harness"
)

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
