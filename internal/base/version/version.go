// Package version says which OpenClaw this is.
//
// Two versions matter. [Protocol] is the release of OpenClaw whose files, wire
// and command line we are compatible with; clients compare it. [Number] is our
// own. The linker sets [Commit] and, for a release, [Number]:
//
//	go build -ldflags "-X github.com/openclaw-go/openclaw/internal/base/version.Commit=$(git rev-parse --short HEAD)"
package version

// Protocol is the OpenClaw release that this program stands in for.
const Protocol = "2026.3.13"

// The linker writes these two, so they can't be constants.
var (
	Number = "0.1.0" //nolint:gochecknoglobals // set by -ldflags -X
	Commit = ""      //nolint:gochecknoglobals // set by -ldflags -X
)

// String is the whole version, as in 2026.3.13-go.0.1.0.
func String() string { return Protocol + "-go." + Number }

// Banner is what --version prints. Scripts read its second word and expect it
// to start with a release of OpenClaw.
func Banner() string {
	if Commit == "" {
		return "OpenClaw " + String()
	}
	return "OpenClaw " + String() + " (" + Commit + ")"
}
