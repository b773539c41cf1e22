package test

import (
	"strings"
	"testing"
	"time"
)

// A model that can't be used is taken, since its service may come later, but
// pointed out.
func TestModelsSetDoubts(t *testing.T) {
	t.Parallel()
	g, _ := alone(t, nil)
	for model, want := range map[string]string{
		"nope/nope":   "nope/nope is not among the models that can be used now",
		"fake/fake-9": "not among the known models of fake",
		"fake/fake-1": "",
	} {
		code, out := run(t, g, 20*time.Second, "models", "set", model)
		if code != 0 || want != "" && !strings.Contains(out, want) || want == "" && strings.Contains(out, "not among") {
			t.Errorf("%s: %d: %s", model, code, out)
		}
	}
}
