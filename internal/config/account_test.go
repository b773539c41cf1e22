package config_test

import (
	"fmt"
	"testing"
)

// allowlistOnly closes what would be open; what is off stays off.
func TestAllowlistOnly(t *testing.T) {
	t.Parallel()
	for policies, want := range map[[2]string]string{
		{"pairing", "open"}: "allowlist allowlist", {"open", "disabled"}: "allowlist disabled", {"disabled", "allowlist"}: "disabled allowlist",
	} {
		f := file(t, fmt.Sprintf(`{"channels":{"matrix":{"homeserver":"https://m.example","accessToken":"t","allowlistOnly":true,"dm":{"policy":%q,"allowFrom":["*"]},"groupPolicy":%q}}}`, policies[0], policies[1]))
		s, err := f.Set(t.Context(), "logging.level", []byte(`"debug"`))
		if err != nil {
			t.Fatal(err)
		}
		c := s.Config.Accounts("matrix")[0].Common
		if got := c.DMPolicy + " " + c.GroupPolicy; got != want {
			t.Errorf("%v becomes %s, want %s", policies, got, want)
		}
	}
}
