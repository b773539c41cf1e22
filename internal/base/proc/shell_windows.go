package proc

import "path/filepath"

// Shell returns the program and arguments that a command line is appended to.
func Shell(env []string) []string {
	root := Lookup(env, "SystemRoot")
	if !filepath.IsAbs(root) {
		root = `C:\Windows`
	}
	return []string{filepath.Join(root, `System32\WindowsPowerShell\v1.0\powershell.exe`), "-NoProfile", "-NonInteractive", "-Command"}
}
