//go:build unix

package proc

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Shell returns the program and arguments that a command line is appended to.
// The user's $SHELL is taken when it is a Bourne shell that /etc/shells lists,
// so a planted value runs nothing; otherwise bash, then sh.
func Shell(env []string) []string {
	sh := Lookup(env, "SHELL")
	if filepath.IsAbs(sh) && slices.Contains([]string{"bash", "zsh", "sh", "dash", "ksh"}, filepath.Base(sh)) && listed(sh) {
		return []string{sh, "-c"}
	}
	for _, sh := range []string{"/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/run/current-system/sw/bin/bash"} {
		if fi, err := os.Stat(sh); err == nil && fi.Mode().IsRegular() {
			return []string{sh, "-c"}
		}
	}
	return []string{"/bin/sh", "-c"}
}

func listed(sh string) bool {
	f, err := os.Open("/etc/shells")
	if err != nil {
		return false
	}
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		if strings.TrimSpace(sc.Text()) == sh {
			fi, err := os.Stat(sh)
			return err == nil && fi.Mode().IsRegular()
		}
	}
	return false
}
