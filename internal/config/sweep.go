package config

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// sweep removes the temporary files that a writer left when it was killed. It
// holds the writers' lock, so none of them is in use.
func (p Paths) sweep(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	unlock, err := lockDir(ctx, filepath.Dir(p.Config))
	if err != nil {
		return // a writer is at work; the next start sweeps
	}
	defer unlock()
	for _, f := range []string{realPath(p.Config), p.Config, p.LastGood()} {
		left, _ := filepath.Glob(globQuote(f) + ".*tmp") // the pattern is well formed
		for _, l := range left {
			_ = os.Remove(l)
		}
	}
}

func globQuote(s string) string {
	out := make([]byte, 0, len(s))
	for i := range len(s) {
		if c := s[i]; (c == '*' || c == '?' || c == '[' || c == '\\') && runtime.GOOS != "windows" {
			out = append(out, '\\')
		}
		out = append(out, s[i])
	}
	return string(out)
}

// openToOthers warns about a file that others on this host may read.
func openToOthers(path string) []Problem {
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	return []Problem{{Message: fmt.Sprintf("others on this host may read the file (mode %04o)", info.Mode().Perm()), File: path, Mend: "run: chmod 600 " + path, Open: true}}
}
