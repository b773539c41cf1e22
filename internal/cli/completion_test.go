package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The script for bash works where the package bash-completion isn't installed.
func TestBashCompletionAlone(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	script, errs, code := in(t, dir, "completion", "bash")
	if code != 0 {
		t.Fatal(errs)
	}
	path := filepath.Join(dir, "script.bash")
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(dir, "openclaw")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), bash, "--norc", "--noprofile", "-c",
		`source "$1"; COMP_WORDS=(openclaw gateway sta); COMP_CWORD=2; COMP_LINE="openclaw gateway sta"; COMP_POINT=20; __start_openclaw; echo "${COMPREPLY[@]}"`, "bash", path)
	cmd.Env = []string{"PATH=" + dir + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + dir}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(string(out)); got != "start status" {
		t.Errorf("sta gives %q, want start and status", got)
	}
}
