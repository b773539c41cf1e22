package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/text"
)

// Reason says why a service refused, finer than a fault kind: it decides how
// long a credential rests.
type Reason string

// The reasons.
const (
	ReasonAuth       Reason = "auth"
	ReasonPermission Reason = "auth_permanent"
	ReasonBilling    Reason = "billing"
	ReasonRateLimit  Reason = "rate_limit"
	ReasonOverloaded Reason = "overloaded"
	ReasonTimeout    Reason = "timeout"
	ReasonNoModel    Reason = "model_not_found"
	ReasonFormat     Reason = "format"   // the request is at fault, no credential
	ReasonOverflow   Reason = "overflow" // the request is too long
	ReasonNetwork    Reason = "network"
)

// Failure is in the chain of every error of a provider that the service or
// the network caused.
type Failure struct {
	Provider string
	Reason   Reason
	Status   int    // HTTP status, 0 without one
	Code     string // the service's own code, bounded
	Message  string // the service's words, bounded and without secrets
	Err      error  // ErrOverflow, a RetryAfter, a network error or nil
}

func (f *Failure) Error() string {
	var b strings.Builder // the provider's name is in the hint before it
	b.WriteString(string(f.Reason))
	if f.Status != 0 {
		fmt.Fprintf(&b, " %d", f.Status)
	}
	if f.Code != "" {
		b.WriteString(" " + f.Code)
	}
	if f.Message != "" {
		b.WriteString(": " + f.Message)
	}
	if f.Err != nil {
		b.WriteString(": " + f.Err.Error())
	}
	return b.String()
}

func (f *Failure) Unwrap() error { return f.Err }

// ReasonOf returns the reason in err's chain, or "".
func ReasonOf(err error) Reason {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f.Reason
	}
	return ""
}

// class is what a row of the table decides.
type class struct {
	reason Reason
	kind   fault.Kind
	hint   string // after the provider's name
}

// row is one rule: the first whose status and words match decides.
type row struct {
	from, to int      // HTTP status, inclusive; 0, 0 matches any
	words    []string // one must be in the code or message, lower case; none matches any
	class    class
}

// The classes, shared by rows and by errors without a status.
func overflow() class {
	return class{ReasonOverflow, fault.Invalid, "the conversation is too long for this model; use /compact or /new"}
}

func badRequest() class {
	return class{ReasonFormat, fault.Invalid, "the service refused the request as malformed"}
}

func badKey() class {
	return class{ReasonAuth, fault.Unauthenticated, "the API key was refused; check it with: openclaw models status"}
}

func billing() class {
	return class{ReasonBilling, fault.Forbidden, "the account has no credit left or a billing problem"}
}

func rateLimited() class {
	return class{ReasonRateLimit, fault.RateLimited, "the rate limit is reached; try again later"}
}

func overloaded() class {
	return class{ReasonOverloaded, fault.Unavailable, "the service is overloaded or down; try again in a moment"}
}

func timedOut() class {
	return class{ReasonTimeout, fault.Timeout, "the service took too long to answer"}
}

func noModel() class {
	return class{ReasonNoModel, fault.NotFound, "the service doesn't know this model; see: openclaw models list"}
}

// table holds every class of refusal, in the order of trying. Words come before
// statuses where services disagree: Google answers a bad key with 400,
// Anthropic an empty account with 400, OpenAI one with 429.
func table() []row {
	return []row{
		{400, 422, overflowWords(), overflow()},
		{500, 500, overflowWords(), overflow()}, // llama.cpp and some proxies
		{413, 413, nil, overflow()},
		{400, 429, []string{"insufficient_quota", "credit balance", "insufficient balance", "insufficient credits", "billing_error", "billing hard limit", "exceeded your current quota, please check your plan", "payment required", "arrearage"}, billing()},
		{402, 402, nil, billing()},
		{400, 403, []string{"api_key_invalid", "invalid_api_key", "api key not valid", "invalid api key", "incorrect api key", "authentication_error", "invalid x-api-key", "security token included in the request", "signature we calculated does not match"}, badKey()},
		{401, 401, nil, badKey()},
		{403, 403, nil, class{ReasonPermission, fault.Forbidden, "this credential may not use the model or service"}},
		{400, 400, []string{"model_not_found", "model not found", "is not a valid model", "unknown model", "model does not exist", "unsupported_model", "model identifier is invalid", "on-demand throughput isn"}, noModel()},
		{404, 404, nil, noModel()},
		{408, 408, nil, timedOut()},
		{504, 504, nil, timedOut()},
		{524, 524, nil, timedOut()},
		{400, 400, []string{"overloaded", "rate_limit"}, overloaded()},
		{409, 409, nil, overloaded()},
		{424, 425, nil, overloaded()},
		{429, 429, []string{"overloaded"}, overloaded()},
		{429, 429, nil, rateLimited()},
		{499, 499, nil, overloaded()},
		{501, 501, nil, badRequest()},
		{505, 505, nil, badRequest()},
		{500, 599, nil, overloaded()},
		{300, 399, nil, class{ReasonFormat, fault.Invalid, "the service redirects elsewhere; correct its baseUrl in models.providers"}},
		{400, 400, []string{"image"}, class{ReasonFormat, fault.Invalid, "the service refused an image of the conversation"}},
		{400, 400, []string{"tool_use_id", "tool_call_id", "tool_call", "tool_use"}, class{ReasonFormat, fault.Invalid, "the service refused how tool calls and results pair up; /new starts over"}},
		{400, 499, nil, badRequest()},
	}
}

func overflowWords() []string {
	return []string{
		"context_length_exceeded", "maximum context length", "context length exceeded", "context window", "prompt is too long",
		"exceed_context_size", "exceeds the available context", "input is too long", "too many tokens", "request_too_large",
		"exceeds the maximum number of tokens", "reduce the length of the messages", "exceeds the context", "context size has been exceeded",
		"maximum prompt length", "model_context_window_exceeded", "prompt too long", "token limit exceeded", "larger than the maximum context", "exceed context limit", "too many input tokens",
	}
}

// Refused classifies an answer that isn't one: an HTTP status with its header
// and the first bytes of its body, or an error object in the middle of a
// stream (status 0: taken from the object). Secrets are words that must not
// appear in the error.
func Refused(op, provider string, status int, h http.Header, body []byte, secrets ...string) error {
	code, message, inner := errorBody(body)
	if status < 300 {
		status = inner
	}
	if status == 0 {
		status = statusOf(code)
	}
	text := strings.ToLower(code + " " + message)
	c := overloaded()
	for _, r := range table() {
		if (r.from == 0 || r.from <= status && status <= r.to) && anyIn(text, r.words) {
			c = r.class
			break
		}
	}
	f := &Failure{Provider: provider, Reason: c.reason, Status: status, Code: Redact(code, secrets...), Message: Redact(message, secrets...)}
	hint := provider + ": " + c.hint
	switch c.kind {
	case fault.Invalid:
		if c.reason == ReasonOverflow {
			f.Err = ErrOverflow
		}
	case fault.RateLimited, fault.Unavailable:
		if d, ok := retryAfter(h, body, time.Now()); ok {
			f.Err = RetryAfter{d}
		}
	}
	return &fault.Error{Kind: c.kind, Op: op, Hint: hint, Err: f}
}

func anyIn(text string, words []string) bool {
	if len(words) == 0 {
		return true
	}
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// statusOf gives an error object without a status the one it would have had.
func statusOf(code string) int {
	switch code = strings.ToLower(code); {
	case code == "":
		return 0
	case strings.Contains(code, "rate_limit"), strings.Contains(code, "resource_exhausted"), strings.Contains(code, "throttling"):
		return 429
	case strings.Contains(code, "overloaded"):
		return 529
	case strings.Contains(code, "authentication"):
		return 401
	case strings.Contains(code, "permission"):
		return 403
	case strings.Contains(code, "billing"):
		return 402
	case strings.Contains(code, "not_found"):
		return 404
	case strings.Contains(code, "too_large"):
		return 413
	case strings.Contains(code, "timeout"):
		return 408
	case strings.Contains(code, "invalid"), strings.Contains(code, "validation"), strings.Contains(code, "context_length"):
		return 400
	}
	return 500
}

// errorBody reads the shapes in which services describe an error. What isn't
// JSON gives no message: a web page tells a person nothing.
func errorBody(body []byte) (code, message string, status int) {
	type object struct {
		Message json.RawMessage `json:"message"`
		Type    json.RawMessage `json:"type"`
		Code    json.RawMessage `json:"code"`
		Status  json.RawMessage `json:"status"`
	}
	var outer struct {
		object
		Error  json.RawMessage `json:"error"`
		Detail json.RawMessage `json:"detail"`
	}
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0] // Google wraps the object in a list
	}
	if json.Unmarshal(body, &outer) != nil {
		return "", "", 0
	}
	o := outer.object
	if len(outer.Error) > 0 && string(outer.Error) != "null" {
		o = object{}
		if json.Unmarshal(outer.Error, &o) != nil {
			o.Message = outer.Error
		}
	}
	message = plain(o.Message)
	if message == "" {
		message = plain(outer.Detail)
	}
	codes := make([]string, 0, 3)
	for _, raw := range []json.RawMessage{o.Type, o.Code, o.Status} {
		s := plain(raw)
		if n, err := strconv.Atoi(s); err == nil {
			if n >= 300 && n <= 599 {
				status = n
			}
			continue
		}
		if s != "" && s != "error" && !strings.Contains(strings.Join(codes, " "), s) {
			codes = append(codes, s)
		}
	}
	return strings.Join(codes, " "), message, status
}

// plain is raw as text: the value of a string, else the JSON itself.
func plain(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	if string(raw) == "null" {
		return ""
	}
	return string(raw)
}

// retryAfter reads the delay that a service asks for, at most a day.
func retryAfter(h http.Header, body []byte, now time.Time) (time.Duration, bool) {
	bounded := func(d time.Duration) (time.Duration, bool) { return min(max(d, 0), 24*time.Hour), true }
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return bounded(time.Duration(min(ms, 1e9)) * time.Millisecond)
	}
	v := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(v, 64); err == nil {
		return bounded(time.Duration(min(s, 1e6) * float64(time.Second)))
	}
	if at, err := http.ParseTime(v); err == nil {
		return bounded(at.Sub(now))
	}
	if _, rest, ok := strings.Cut(string(body), `"retryDelay"`); ok { // Google
		if parts := strings.SplitN(rest, `"`, 3); len(parts) == 3 {
			if d, err := time.ParseDuration(parts[1]); err == nil {
				return bounded(d)
			}
		}
	}
	return 0, false
}

// Unreachable classifies an error of the network or of the body's end. What
// ctx says about why it ended goes first: a limit of ours, or the caller.
func Unreachable(ctx context.Context, op, provider string, err error) error {
	if ctx.Err() != nil {
		cause := context.Cause(ctx)
		if limit, ok := errors.AsType[*limitError](cause); ok {
			f := &Failure{Provider: provider, Reason: ReasonTimeout}
			return &fault.Error{Kind: fault.Timeout, Op: op, Hint: provider + ": " + limit.Error(), Err: f}
		}
		return &fault.Error{Kind: fault.KindOf(ctx.Err()), Op: op, Hint: "stopped", Err: ctx.Err()}
	}
	f := &Failure{Provider: provider, Reason: ReasonNetwork}
	hint := "the connection broke before the answer was complete"
	kind := fault.Unavailable
	dns, isDNS := errors.AsType[*net.DNSError](err)
	op2, isOp := errors.AsType[*net.OpError](err)
	ne, isNet := errors.AsType[net.Error](err)
	switch {
	case isDNS:
		hint = "the host " + strconv.Quote(dns.Name) + " can't be found; check baseUrl and the network"
	case isOp && op2.Op == "dial" && op2.Addr != nil:
		hint = "nothing answers at " + op2.Addr.String() + "; is the service running?"
	case isNet && ne.Timeout():
		kind, f.Reason, hint = fault.Timeout, ReasonTimeout, "the connection timed out"
	case err != nil && strings.Contains(err.Error(), "certificate"):
		hint = "the service's TLS certificate can't be trusted"
	}
	return &fault.Error{Kind: kind, Op: op, Hint: provider + ": " + hint, Err: f}
}

// Garbled is the error of an answer that can't be read: what says what was
// wrong with it.
func Garbled(op, provider, what string) error {
	f := &Failure{Provider: provider, Reason: ReasonOverloaded}
	return &fault.Error{Kind: fault.Unavailable, Op: op, Hint: provider + ": " + what, Err: f}
}

// Blocked is the error of an answer that the service withheld; asking again
// gives the same.
func Blocked(op, provider, what string) error {
	f := &Failure{Provider: provider, Reason: ReasonFormat}
	return &fault.Error{Kind: fault.Invalid, Op: op, Hint: provider + ": " + what, Err: f}
}

// Redact makes a text of a service fit for an error: one line of at most 300
// bytes, the secrets and what looks like a key replaced.
func Redact(s string, secrets ...string) string {
	for _, x := range secrets {
		if len(x) >= 4 {
			s = strings.ReplaceAll(s, x, "[redacted]")
		}
	}
	words := strings.Fields(s)
	for i, w := range words {
		bare := strings.Trim(w, `"'.,:;()[]{}`)
		for _, p := range []string{"sk-", "AIza", "gsk_", "xai-", "Bearer", "eyJ", "r8_", "hf_", "pplx-"} {
			if strings.HasPrefix(bare, p) && len(bare) > len(p)+6 {
				words[i] = strings.Replace(w, bare, "[redacted]", 1)
			}
		}
	}
	return text.Ellipsis(strings.Join(words, " "), 300)
}

// Words returns what the service itself said, with its HTTP status in front, as
// in "401 bad key"; ok is false when err isn't a refusal of a service.
func Words(err error) (text string, ok bool) {
	f, ok := errors.AsType[*Failure](err)
	if !ok || f.Status == 0 || f.Message == "" {
		return "", false
	}
	return strconv.Itoa(f.Status) + " " + f.Message, true
}
