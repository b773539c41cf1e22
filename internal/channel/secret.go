package channel

import (
	"os"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
)

// ReadSecret returns what the file at path holds: one line with a token or a
// password. op names the key of the configuration that names the file.
func ReadSecret(op, path string) (string, error) {
	const most = 4 << 10
	st, err := os.Lstat(path)
	if err != nil {
		return "", fault.Wrap(fault.Invalid, op, err)
	}
	if !st.Mode().IsRegular() || st.Size() > most {
		return "", fault.New(fault.Invalid, op, "not a small regular file: "+path)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", fault.Wrap(fault.Invalid, op, err)
	}
	s := strings.TrimSpace(string(b))
	if strings.ContainsAny(s, "\r\n\x00") {
		return "", fault.New(fault.Invalid, op, "more than one line in "+path)
	}
	return s, nil
}
