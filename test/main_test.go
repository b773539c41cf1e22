package test

import (
	"flag"
	"os"
	"testing"

	"github.com/openclaw-go/openclaw/test/harness"
)

// TestMain runs more tests at a time than there are processors: they wait for
// other processes most of the time.
func TestMain(m *testing.M) {
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f != nil && f.Value.String() == f.DefValue {
		_ = f.Value.Set("8")
	}
	os.Exit(harness.Main(m))
}
