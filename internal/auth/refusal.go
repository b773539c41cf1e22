package auth

import (
	"github.com/openclaw-go/openclaw/internal/base/wire"
)

// Refusal is why a client may not connect: the error to answer and the code to
// close with. Its message is also the reason of the close.
type Refusal struct {
	Err   *wire.Error
	Close int
}

func (r *Refusal) Error() string { return r.Err.Error() }

type reasonDetails struct {
	Code   string `json:"code"`
	Reason string `json:"reason,omitempty"`
}

type authDetails struct {
	Code                    string `json:"code"`
	AuthReason              string `json:"authReason"`
	CanRetryWithDeviceToken bool   `json:"canRetryWithDeviceToken"`
	RecommendedNextStep     string `json:"recommendedNextStep"`
}

type pairingDetails struct {
	Code      string `json:"code"`
	RequestID string `json:"requestId"`
	Reason    string `json:"reason"`
}

func refuse(code, message string, details any) *Refusal {
	return &Refusal{Err: &wire.Error{Code: code, Message: message, Details: details}, Close: wire.ClosePolicy}
}

func deviceRefusal(message, code, reason string) *Refusal {
	return refuse(wire.CodeInvalid, message, reasonDetails{Code: code, Reason: reason})
}

const (
	originMessage = "origin not allowed (open the Control UI from the gateway host or allow it in gateway.controlUi.allowedOrigins)"
	uiDevice      = "control ui requires device identity (use HTTPS or localhost secure context)"
)

// reason is why credentials didn't pass.
type reason string

const (
	tokenMissing      reason = "token_missing"
	tokenMismatch     reason = "token_mismatch"
	passwordMissing   reason = "password_missing"
	passwordMismatch  reason = "password_mismatch"
	deviceMismatch    reason = "device_token_mismatch"
	bootstrapInvalid  reason = "bootstrap_token_invalid"
	rateLimited       reason = "rate_limited"
	proxyUserMissing  reason = "trusted_proxy_user_missing"
	proxyUserDenied   reason = "trusted_proxy_user_not_allowed"
	proxyUntrusted    reason = "trusted_proxy_untrusted_source"
	proxyHeaderAbsent reason = "trusted_proxy_required_header_missing"
)

// verdict is what a refusal of credentials says.
type verdict struct{ code, text, next string }

// verdicts is the text of each reason; %s is the hint for the kind of client.
func verdictOf(r reason, c wire.Client) verdict {
	tokenHint, passwordHint := "provide gateway auth token", "provide gateway auth password"
	switch {
	case c.Mode == "cli":
		tokenHint, passwordHint = "set gateway.remote.token to match gateway.auth.token", "set gateway.remote.password to match gateway.auth.password"
	case isControlUI(c) || isWebchat(c):
		tokenHint, passwordHint = "open the dashboard URL and paste the token in Control UI settings", "enter the password in Control UI settings"
	}
	const conf, cred, review = "update_auth_configuration", "update_auth_credentials", "review_auth_configuration"
	switch r {
	case tokenMissing:
		return verdict{"AUTH_TOKEN_MISSING", "unauthorized: gateway token missing (" + tokenHint + ")", conf}
	case tokenMismatch:
		return verdict{"AUTH_TOKEN_MISMATCH", "unauthorized: gateway token mismatch (" + tokenHint + ")", cred}
	case passwordMissing:
		return verdict{"AUTH_PASSWORD_MISSING", "unauthorized: gateway password missing (" + passwordHint + ")", conf}
	case passwordMismatch:
		return verdict{"AUTH_PASSWORD_MISMATCH", "unauthorized: gateway password mismatch (" + passwordHint + ")", cred}
	case deviceMismatch:
		return verdict{"AUTH_DEVICE_TOKEN_MISMATCH", "unauthorized: device token mismatch (rotate/reissue device token)", cred}
	case bootstrapInvalid:
		return verdict{"AUTH_BOOTSTRAP_TOKEN_INVALID", "unauthorized: bootstrap token invalid or expired (scan a fresh setup code)", review}
	case rateLimited:
		return verdict{"AUTH_RATE_LIMITED", "unauthorized: too many failed authentication attempts (retry later)", "wait_then_retry"}
	case proxyUserMissing:
		return verdict{"AUTH_UNAUTHORIZED", "unauthorized: the proxy named no user (check gateway.auth.trustedProxy.userHeader)", review}
	case proxyUserDenied:
		return verdict{"AUTH_UNAUTHORIZED", "unauthorized: this user isn't in gateway.auth.trustedProxy.allowUsers", review}
	case proxyHeaderAbsent:
		return verdict{"AUTH_UNAUTHORIZED", "unauthorized: a header of gateway.auth.trustedProxy.requiredHeaders is missing", review}
	case proxyUntrusted:
		return verdict{"AUTH_UNAUTHORIZED", "unauthorized: the request didn't come through a proxy in gateway.trustedProxies", review}
	}
	return verdict{"AUTH_UNAUTHORIZED", "unauthorized", review}
}

func isControlUI(c wire.Client) bool { return c.ID == "openclaw-control-ui" }

func isWebchat(c wire.Client) bool {
	return c.Mode == "webchat" || c.ID == "webchat" || c.ID == "webchat-ui"
}
