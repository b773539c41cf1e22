//go:build official

package official_test

import (
	"os"
	"testing"

	"github.com/openclaw-go/openclaw/test/harness"
)

func TestMain(m *testing.M) { os.Exit(harness.Main(m)) }
