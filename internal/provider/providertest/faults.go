package providertest

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/provider"
)

// cut ends the plain recording early at each line: a stream that was cut before
// the model said it was done is an error, never an answer.
func (s Suite) cut(t *testing.T) {
	t.Helper()
	body, kind, want := s.recording(t, s.Plain)
	lines := strings.SplitAfter(body, "\n")
	cutAt := make(chan int, 1)
	url := Serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write(s.wire(kind, strings.Join(lines[:<-cutAt], ""))) // the client may have gone
	})
	p := s.open(t, url, provider.Limits{})
	done := 0
	for n := range lines {
		cutAt <- n
		o := Collect(t.Context(), t, p, s.request())
		switch {
		case o.Err != nil && done > 0:
			t.Errorf("cut after line %d: error %v, but line %d was enough", n, o.Err, done)
		case o.Err != nil && fault.KindOf(o.Err) != fault.Unavailable:
			t.Errorf("cut after line %d: error %v, want one of kind Unavailable", n, o.Err)
		case o.Done && o.Message.Text() != want.Text:
			t.Fatalf("cut after line %d: done with %q, want %q", n, o.Message.Text(), want.Text)
		case o.Done:
			done = n
		}
	}
	if done == 0 {
		t.Error("never done")
	}
}

// refusals checks the classes by status; the table's own test has the words.
func (s Suite) refusals(t *testing.T) {
	t.Helper()
	for _, tt := range []struct {
		status int
		body   string
		kind   fault.Kind
	}{
		{400, `{"error":{"message":"bad"}}`, fault.Invalid},
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 > 8"}}`, fault.Invalid},
		{401, `{"error":{"message":"wrong key ` + s.credential() + `"}}`, fault.Unauthenticated},
		{402, `{}`, fault.Forbidden},
		{403, `{}`, fault.Forbidden},
		{404, `not found`, fault.NotFound},
		{408, ``, fault.Timeout},
		{429, `{"error":{"message":"slow down"}}`, fault.RateLimited},
		{500, `<html>oops</html>`, fault.Unavailable},
		{503, ``, fault.Unavailable},
		{529, `{"error":{"type":"overloaded_error"}}`, fault.Unavailable},
		{302, ``, fault.Invalid},
	} {
		url := Serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "7")
			w.Header().Set("Location", "http://127.0.0.1:1/")
			w.WriteHeader(tt.status)
			_, _ = fmt.Fprint(w, tt.body) // the client may have gone
		})
		o := Collect(t.Context(), t, s.open(t, url, provider.Limits{}), s.request())
		if o.Err != nil && strings.Contains(o.Err.Error()+fault.Hint(o.Err), s.credential()) {
			t.Errorf("status %d: the error shows the key: %v", tt.status, o.Err)
		}
		if got := fault.KindOf(o.Err); got != tt.kind {
			t.Errorf("status %d %s: kind %d, want %d (%v)", tt.status, tt.body, got, tt.kind, o.Err)
		}
		if strings.Contains(tt.body, "too long") != errors.Is(o.Err, provider.ErrOverflow) {
			t.Errorf("status %d %s: overflow is %v", tt.status, tt.body, errors.Is(o.Err, provider.ErrOverflow))
		}
		if r, ok := errors.AsType[provider.RetryAfter](o.Err); tt.status == 429 && (!ok || r.After != 7*time.Second) {
			t.Errorf("status 429: retry after %v, want 7s", r.After)
		}
	}
}

// silence checks the three limits, with noise that must not count as content.
func (s Suite) silence(t *testing.T) {
	t.Helper()
	body, _, _ := s.recording(t, s.Plain)
	half := body[:len(body)/2]
	half = half[:strings.LastIndex(half, s.Form.Break)+len(s.Form.Break)]
	const long, short = time.Minute, 60 * time.Millisecond
	for name, tt := range map[string]struct {
		limits  provider.Limits
		headers bool
		start   string
	}{
		"no headers":        {provider.Limits{Connect: short, FirstToken: long, Idle: long}, false, ""},
		"nothing but noise": {provider.Limits{Connect: long, FirstToken: short, Idle: long}, true, ""},
		"stalled":           {provider.Limits{Connect: long, FirstToken: long, Idle: short}, true, half},
	} {
		url := Serve(t, func(w http.ResponseWriter, r *http.Request) {
			if !tt.headers {
				<-r.Context().Done()
				return
			}
			w.Header().Set("Content-Type", s.Form.Type)
			_, _ = w.Write(s.Form.Wire(tt.start)) // the client may have gone
			tick := time.NewTicker(10 * time.Millisecond)
			defer tick.Stop()
			for r.Context().Err() == nil {
				_, _ = fmt.Fprint(w, s.Form.Comment) // the client may have gone
				_, _ = w.Write(s.Form.Wire(s.Noise)) // the client may have gone
				_ = http.NewResponseController(w).Flush()
				<-tick.C
			}
		})
		begin := time.Now()
		o := Collect(t.Context(), t, s.open(t, url, tt.limits), s.request())
		if fault.KindOf(o.Err) != fault.Timeout || !strings.Contains(fault.Hint(o.Err), "within 60ms") || provider.ReasonOf(o.Err) != provider.ReasonTimeout {
			t.Errorf("%s: error %v, want the limit of 60ms", name, o.Err)
		}
		if d := time.Since(begin); d > 20*time.Second {
			t.Errorf("%s: took %v", name, d)
		}
	}
}

func (s Suite) unreachable(t *testing.T) {
	t.Helper()
	srv := httptest.NewServer(http.NotFoundHandler())
	url := srv.URL
	srv.Close()
	o := Collect(t.Context(), t, s.open(t, url, provider.Limits{}), s.request())
	if fault.KindOf(o.Err) != fault.Unavailable || !strings.Contains(fault.Hint(o.Err), "is the service running?") {
		t.Errorf("error %v, want one of kind Unavailable that asks whether the service runs", o.Err)
	}
}
