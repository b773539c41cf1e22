package session

import "os"

// alive reports whether a process with this number exists.
func alive(pid int) bool {
	p, err := os.FindProcess(pid) // fails when there is none
	if err != nil {
		return false
	}
	return p.Release() == nil
}
