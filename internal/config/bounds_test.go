package config_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/config"
)

// TestHostileFilesStayCheap gives the pipeline the largest and the deepest
// files it accepts.
func TestHostileFilesStayCheap(t *testing.T) {
	t.Parallel()
	var keys, tokens, agents strings.Builder
	for i := range 6_000 {
		fmt.Fprintf(&keys, `"k%d":1,`, i)
	}
	for i := range 2_500 {
		fmt.Fprintf(&tokens, `"x%d":{"token":{"a":"b"}},`, i)
		fmt.Fprintf(&agents, `{id:"a%d",x:1},`, i)
	}
	for name, text := range map[string]string{
		"keys":   "{" + keys.String() + "}",
		"vars":   "{env:{vars:{" + keys.String() + "}}}",
		"tokens": "{" + tokens.String() + "}",
		"agents": "{agents:{list:[" + agents.String() + "]}}",
		"deep":   "{env:" + strings.Repeat(`{"token":`, 490) + "1" + strings.Repeat("}", 490) + "}",
		"wide":   "{channels:{telegram:{allowFrom:[" + strings.Repeat("1,", 30_000) + "]}}}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := file(t, "{}")
			start := time.Now()
			l, _ := config.Validate(t.Context(), f.Paths, []byte(text), f.Load)
			config.Redact(l.Doc.Root)
			validated := time.Since(start)
			_, _ = f.Replace(t.Context(), []byte(text))
			_, _ = f.Patch(t.Context(), []byte(text))
			config.Migrate(l.Doc.Root)
			if d := time.Since(start); d > 2*time.Minute { // a hang, not a slow machine
				t.Errorf("took %v, %v of it to validate", d, validated)
			}
			t.Logf("%v, %v of it to validate", time.Since(start), validated)
		})
	}
}
