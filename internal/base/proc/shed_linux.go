package proc

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// Shed gives back the pages of this program's code that only its start needed:
// the system maps the others again as they are used. Code is never written to,
// so nothing can be lost.
func Shed() error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) != 6 || fields[1] != "r-xp" || fields[5] != exe {
			continue
		}
		low, high, _ := strings.Cut(fields[0], "-")
		from, ferr := strconv.ParseUint(low, 16, 64)
		to, terr := strconv.ParseUint(high, 16, 64)
		if ferr != nil || terr != nil || to <= from {
			continue
		}
		if _, _, e := syscall.Syscall(syscall.SYS_MADVISE, uintptr(from), uintptr(to-from), syscall.MADV_DONTNEED); e != 0 {
			return e
		}
	}
	return lines.Err()
}
