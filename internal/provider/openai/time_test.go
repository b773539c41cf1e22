package openai_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
	"github.com/openclaw-go/openclaw/internal/provider/openai"
)

// paced is a service that sends start, then noise every five seconds, for ever.
type paced struct{ start, noise string }

func (p paced) RoundTrip(r *http.Request) (*http.Response, error) {
	body := &pacedBody{ctx: r.Context(), rest: p.start, noise: p.noise}
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: body}, nil
}

type pacedBody struct {
	ctx         context.Context
	rest, noise string
}

func (b *pacedBody) Close() error { return nil }

func (b *pacedBody) Read(p []byte) (int, error) {
	if b.rest == "" {
		t := time.NewTimer(5 * time.Second)
		defer t.Stop()
		select {
		case <-b.ctx.Done():
			return 0, b.ctx.Err()
		case <-t.C:
			b.rest = b.noise
		}
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	if n == 0 {
		return 0, io.ErrNoProgress
	}
	return n, nil
}

const (
	hello  = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hello\"}}]}\n\n"
	finish = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
)

// TestNoise: what keeps a connection open is no progress; the default limits
// end the call.
func TestNoise(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		service paced
		want    time.Duration
		kind    fault.Kind
	}{
		"pings":                 {paced{"", ": ping\n\n"}, 120 * time.Second, fault.Timeout},
		"empty chunks":          {paced{"", "data: {\"choices\":[]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\"}}]}\n\n"}, 120 * time.Second, fault.Timeout},
		"half a line":           {paced{"", "x"}, 120 * time.Second, fault.Timeout},
		"pings after content":   {paced{hello, ": ping\n\n"}, 90 * time.Second, fault.Timeout},
		"open after its finish": {paced{hello + finish, ": ping\n\n"}, 3 * time.Second, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p, err := openai.New(&http.Client{Transport: tt.service}, provider.Config{ID: "test", BaseURL: "http://x/v1"})
				if err != nil {
					t.Fatal(err)
				}
				begin := time.Now()
				var last error
				done := false
				for e, err := range p.Stream(t.Context(), llm.Request{Model: model(), Messages: []llm.Message{user("x")}}) {
					last, done = err, e.Type == llm.Done
				}
				if d := time.Since(begin).Truncate(time.Second); d != tt.want || done != (tt.kind == 0) || fault.KindOf(last) != tt.kind {
					t.Errorf("after %v: done %v, error %v; want %v", d, done, last, tt.want)
				}
			})
		})
	}
}

// TestSlowConsumer: the time that the consumer takes isn't the service's.
func TestSlowConsumer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		body := strings.Repeat(hello, 3) + finish + "data: [DONE]\n\n"
		p, err := openai.New(&http.Client{Transport: paced{body, ": ping\n\n"}}, provider.Config{ID: "test", BaseURL: "http://x/v1"})
		if err != nil {
			t.Fatal(err)
		}
		done := false
		for e, err := range p.Stream(t.Context(), llm.Request{Model: model(), Messages: []llm.Message{user("x")}}) {
			if err != nil {
				t.Fatal(err)
			}
			<-time.After(10 * time.Minute)
			done = e.Type == llm.Done
		}
		if !done {
			t.Error("the stream didn't end with the answer")
		}
	})
}
