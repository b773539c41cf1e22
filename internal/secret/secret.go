// Package secret resolves references to secrets and keeps their values out of
// logs: [String] prints and marshals as "[redacted]".
package secret

// String is a secret value.
type String string

// String returns "[redacted]", or "" for an empty secret.
func (s String) String() string {
	if s == "" {
		return ""
	}
	return "[redacted]"
}

// GoString is String.
func (s String) GoString() string { return s.String() }

// MarshalText redacts.
func (s String) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Reveal returns the value itself, for the one place that sends it.
func (s String) Reveal() string { return string(s) }
