package provider_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/provider"
)

// TestRefused has a test for every row of the table.
func TestRefused(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		status int
		body   string
		reason provider.Reason
		kind   fault.Kind
	}{
		"OpenAI overflow":          {400, `{"error":{"message":"too long","code":"context_length_exceeded"}}`, provider.ReasonOverflow, fault.Invalid},
		"Anthropic overflow":       {400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`, provider.ReasonOverflow, fault.Invalid},
		"llama.cpp overflow":       {500, `{"error":{"message":"the request exceeds the available context size"}}`, provider.ReasonOverflow, fault.Invalid},
		"too large":                {413, `{}`, provider.ReasonOverflow, fault.Invalid},
		"OpenAI without quota":     {429, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":"insufficient_quota"}}`, provider.ReasonBilling, fault.Forbidden},
		"Anthropic without credit": {400, `{"error":{"type":"invalid_request_error","message":"Your credit balance is too low"}}`, provider.ReasonBilling, fault.Forbidden},
		"payment required":         {402, ``, provider.ReasonBilling, fault.Forbidden},
		"Google's bad key":         {400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`, provider.ReasonAuth, fault.Unauthenticated},
		"bad key":                  {401, `{"error":{"message":"no"}}`, provider.ReasonAuth, fault.Unauthenticated},
		"forbidden":                {403, `{}`, provider.ReasonPermission, fault.Forbidden},
		"no model, as 400":         {400, `{"error":{"message":"x is not a valid model ID"}}`, provider.ReasonNoModel, fault.NotFound},
		"no model":                 {404, `{"error":{"message":"model: x"}}`, provider.ReasonNoModel, fault.NotFound},
		"request timeout":          {408, ``, provider.ReasonTimeout, fault.Timeout},
		"gateway timeout":          {504, `<html>`, provider.ReasonTimeout, fault.Timeout},
		"Cloudflare timeout":       {524, ``, provider.ReasonTimeout, fault.Timeout},
		"overloaded, as 400":       {400, `{"error":{"type":"overloaded_error","message":"x"}}`, provider.ReasonOverloaded, fault.Unavailable},
		"conflict":                 {409, ``, provider.ReasonOverloaded, fault.Unavailable},
		"too early":                {425, ``, provider.ReasonOverloaded, fault.Unavailable},
		"overloaded, as 429":       {429, `{"error":{"message":"The engine is currently overloaded"}}`, provider.ReasonOverloaded, fault.Unavailable},
		"rate limit":               {429, `{"error":{"message":"Rate limit reached"}}`, provider.ReasonRateLimit, fault.RateLimited},
		"client closed":            {499, ``, provider.ReasonOverloaded, fault.Unavailable},
		"not implemented":          {501, ``, provider.ReasonFormat, fault.Invalid},
		"HTTP version":             {505, ``, provider.ReasonFormat, fault.Invalid},
		"server error":             {500, `<html>`, provider.ReasonOverloaded, fault.Unavailable},
		"bad gateway":              {502, ``, provider.ReasonOverloaded, fault.Unavailable},
		"unavailable":              {503, ``, provider.ReasonOverloaded, fault.Unavailable},
		"Anthropic overloaded":     {529, `{"error":{"type":"overloaded_error","message":"Overloaded"}}`, provider.ReasonOverloaded, fault.Unavailable},
		"redirect":                 {308, ``, provider.ReasonFormat, fault.Invalid},
		"bad image":                {400, `{"error":{"message":"Could not process image"}}`, provider.ReasonFormat, fault.Invalid},
		"tool pairing":             {400, "{\"error\":{\"message\":\"unexpected `tool_use_id` found in `tool_result` blocks\"}}", provider.ReasonFormat, fault.Invalid},
		"bad request":              {400, `{"error":"nonsense"}`, provider.ReasonFormat, fault.Invalid},
		"unprocessable":            {422, `{"detail":[{"msg":"field required"}]}`, provider.ReasonFormat, fault.Invalid},

		"Bedrock overflow":   {400, `{"message":"Input is too long for requested model."}`, provider.ReasonOverflow, fault.Invalid},
		"AWS token ended":    {403, `{"message":"The security token included in the request is expired"}`, provider.ReasonAuth, fault.Unauthenticated},
		"AWS wrong secret":   {403, `{"message":"The request signature we calculated does not match the signature you provided."}`, provider.ReasonAuth, fault.Unauthenticated},
		"Bedrock no model":   {400, `{"message":"The provided model identifier is invalid."}`, provider.ReasonNoModel, fault.NotFound},
		"Bedrock by profile": {400, `{"message":"Invocation of model ID x with on-demand throughput isn’t supported."}`, provider.ReasonNoModel, fault.NotFound},
		"Bedrock's model":    {424, `{"message":"x"}`, provider.ReasonOverloaded, fault.Unavailable},

		"in a stream: throttled":  {0, `{"error":{"type":"throttlingException","message":"Too many requests"}}`, provider.ReasonRateLimit, fault.RateLimited},
		"in a stream: validation": {0, `{"error":{"type":"validationException","message":"Input is too long"}}`, provider.ReasonOverflow, fault.Invalid},
		"in a stream: overloaded": {0, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, provider.ReasonOverloaded, fault.Unavailable},
		"in a stream: rate":       {200, `{"error":{"type":"rate_limit_error","message":"slow"}}`, provider.ReasonRateLimit, fault.RateLimited},
		"in a stream: auth":       {0, `{"error":{"type":"authentication_error","message":"x"}}`, provider.ReasonAuth, fault.Unauthenticated},
		"in a stream: permission": {0, `{"error":{"type":"permission_error","message":"x"}}`, provider.ReasonPermission, fault.Forbidden},
		"in a stream: billing":    {0, `{"error":{"type":"billing_error","message":"x"}}`, provider.ReasonBilling, fault.Forbidden},
		"in a stream: not found":  {0, `{"error":{"type":"not_found_error","message":"x"}}`, provider.ReasonNoModel, fault.NotFound},
		"in a stream: invalid":    {0, `{"error":{"type":"invalid_request_error","message":"x"}}`, provider.ReasonFormat, fault.Invalid},
		"in a stream: overflow":   {0, `{"error":{"code":"context_length_exceeded","message":"x"}}`, provider.ReasonOverflow, fault.Invalid},
		"in a stream: a status":   {0, `{"error":{"code":503,"message":"x"}}`, provider.ReasonOverloaded, fault.Unavailable},
		"in a stream: anything":   {0, `{"error":{"message":"x"}}`, provider.ReasonOverloaded, fault.Unavailable},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := provider.Refused("op", "acme", tt.status, nil, []byte(tt.body))
			if got := provider.ReasonOf(err); got != tt.reason || fault.KindOf(err) != tt.kind {
				t.Errorf("reason %q kind %d, want %q %d (%v)", got, fault.KindOf(err), tt.reason, tt.kind, err)
			}
			if got := errors.Is(err, provider.ErrOverflow); got != (tt.reason == provider.ReasonOverflow) {
				t.Errorf("overflow = %v", got)
			}
			if h := fault.Hint(err); !strings.HasPrefix(h, "acme: ") {
				t.Errorf("hint %q doesn't name the provider", h)
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		h    http.Header
		body string
		want time.Duration
	}{
		"seconds":      {http.Header{"Retry-After": {"7"}}, "", 7 * time.Second},
		"fraction":     {http.Header{"Retry-After": {"0.5"}}, "", 500 * time.Millisecond},
		"milliseconds": {http.Header{"Retry-After-Ms": {"250"}, "Retry-After": {"9"}}, "", 250 * time.Millisecond},
		"absurd":       {http.Header{"Retry-After": {"1e300"}}, "", 24 * time.Hour},
		"negative":     {http.Header{"Retry-After": {"-5"}}, "", 0},
		"Google":       {nil, `{"error":{"code":429,"details":[{"retryDelay": "17s"}]}}`, 17 * time.Second},
	} {
		err := provider.Refused("op", "acme", 429, tt.h, []byte(tt.body))
		ra, ok := errors.AsType[provider.RetryAfter](err)
		if !ok || ra.After != tt.want {
			t.Errorf("%s: %v %v, want %v", name, ra.After, ok, tt.want)
		}
	}
	h := http.Header{"Retry-After": {time.Now().Add(30 * time.Second).UTC().Format(http.TimeFormat)}}
	ra, _ := errors.AsType[provider.RetryAfter](provider.Refused("op", "acme", 503, h, nil))
	if ra.After < 25*time.Second || ra.After > 31*time.Second {
		t.Errorf("a date in 30 s: %v", ra.After)
	}
	if _, ok := errors.AsType[provider.RetryAfter](provider.Refused("op", "acme", 429, http.Header{"Retry-After": {"soon"}}, nil)); ok {
		t.Error("nonsense gives a delay")
	}
}

func TestErrorsAreBoundedAndKeepSecrets(t *testing.T) {
	t.Parallel()
	const key = "verysecretkey12345"
	body := `{"error":{"message":"Incorrect API key provided: ` + key + ` (or sk-proj-abcdefghijklmnop) ` + strings.Repeat("x ", 100_000) + `","type":"bad ` + key + `"}}`
	err := provider.Refused("op", "acme", 401, nil, []byte(body), key)
	if s := err.Error(); strings.Contains(s, key) || strings.Contains(s, "sk-proj") || len(s) > 1000 {
		t.Errorf("error of %d bytes: %.300s", len(s), s)
	}
	html := provider.Refused("op", "acme", 502, nil, []byte("<html><body>nginx</body></html>"))
	if strings.Contains(html.Error(), "<") {
		t.Errorf("a web page in the error: %v", html)
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	if err := provider.Unreachable(ctx, "op", "acme", io.ErrUnexpectedEOF); fault.KindOf(err) != fault.Unavailable || provider.ReasonOf(err) != provider.ReasonNetwork {
		t.Errorf("broken connection: %v", err)
	}
	cancel()
	if err := provider.Unreachable(ctx, "op", "acme", io.ErrUnexpectedEOF); fault.KindOf(err) != fault.Canceled || !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}
