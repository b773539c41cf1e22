package wire

// Codes of errors.
const (
	CodeInvalid     = "INVALID_REQUEST"
	CodeUnavailable = "UNAVAILABLE"
	CodeNotPaired   = "NOT_PAIRED"
	CodeNotLinked   = "NOT_LINKED"
	CodeTimeout     = "AGENT_TIMEOUT"
)

// Error is the error of a response.
type Error struct {
	Code         string `json:"code"`
	Message      string `json:"message"`
	Details      any    `json:"details,omitempty"`
	Retryable    bool   `json:"retryable,omitempty"`
	RetryAfterMs int64  `json:"retryAfterMs,omitempty"`
}

func (e *Error) Error() string { return e.Code + ": " + e.Message }
