package matrix

import (
	"errors"
	"net/http"
	"time"

	"maunium.net/go/mautrix"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// classify makes an error of the homeserver one that the outbox understands.
func classify(op string, err error) error {
	if err == nil {
		return nil
	}
	var h mautrix.HTTPError
	if !errors.As(err, &h) {
		if k := fault.KindOf(err); k != fault.Internal {
			return err
		}
		return fault.Wrap(fault.Unavailable, op, err)
	}
	kind, hint := fault.Unavailable, "the homeserver can't be reached or failed"
	status := 0
	if h.Response != nil {
		status = h.Response.StatusCode
	}
	code, said := "", ""
	var extra map[string]any
	if h.RespError != nil {
		code, said, extra = h.RespError.ErrCode, text.Preview(h.RespError.Err, 200), h.RespError.ExtraData
	}
	if said != "" {
		hint = "the homeserver says: " + said
	}
	switch {
	case code == "M_UNKNOWN_TOKEN" || code == "M_MISSING_TOKEN" || code == "M_USER_DEACTIVATED" || status == http.StatusUnauthorized:
		kind, hint = fault.Unauthenticated, hint+"; get a new access token for channels.matrix.accessToken"
	case code == "M_LIMIT_EXCEEDED" || status == http.StatusTooManyRequests:
		kind = fault.RateLimited
		if ms, ok := extra["retry_after_ms"].(float64); ok && ms > 0 {
			err = errors.Join(channel.RetryAfter{After: time.Duration(ms) * time.Millisecond}, err)
		}
	case code == "M_FORBIDDEN" || status == http.StatusForbidden:
		kind = fault.Forbidden
	case code == "M_NOT_FOUND" || status == http.StatusNotFound:
		kind = fault.NotFound
	case status >= 400 && status < 500:
		kind = fault.Invalid
	}
	return &fault.Error{Kind: kind, Op: op, Hint: hint, Err: err}
}
