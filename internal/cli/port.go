package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
)

// listener is a process that listens on a port.
type listener struct {
	PID     int    `json:"pid"`
	Command string `json:"command"`
	Address string `json:"address"`
	Line    string `json:"commandLine"`
}

// busy reports whether someone listens on port of this host.
func busy(ctx context.Context, port int) bool {
	d := net.Dialer{Timeout: 500 * time.Millisecond}
	conn, err := d.DialContext(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}

// freePort refuses a port that is taken, or ends its owner when forced to.
func (sh *shell) freePort(ctx context.Context, port int, force bool) error {
	if !busy(ctx, port) {
		return nil
	}
	owners := listeners(port)
	if !force {
		return say("Port %d is already in use%s. Stop it (openclaw gateway stop), pass --force, or choose another: --port <port>", port, ownerText(owners))
	}
	if len(owners) == 0 {
		return say("--force: can't tell who listens on port %d here; end that program yourself", port)
	}
	for _, o := range owners {
		p, err := os.FindProcess(o.PID)
		if err != nil || o.PID == os.Getpid() {
			continue
		}
		sh.note("Ending %s (pid %d), which listens on port %d", o.Command, o.PID, port)
		if err := p.Signal(syscall.SIGTERM); err != nil {
			return &fault.Error{Kind: fault.Forbidden, Op: "cli.freePort", Err: err, Hint: fmt.Sprintf("--force: may not end pid %d: %v", o.PID, err)}
		}
	}
	return waitFree(ctx, port, owners)
}

// waitFree gives the owners ten seconds, then kills them.
func waitFree(ctx context.Context, port int, owners []listener) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for n := range 120 {
		if !busy(ctx, port) {
			return nil
		}
		if n == 100 {
			for _, o := range owners {
				if p, err := os.FindProcess(o.PID); err == nil {
					_ = p.Kill() // gone by itself is as good
				}
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return say("--force: port %d is still in use", port)
}

func ownerText(owners []listener) string {
	if len(owners) == 0 {
		return ""
	}
	return fmt.Sprintf(" by %s (pid %d)", owners[0].Command, owners[0].PID)
}

// listeners finds who listens on port, where the system shows it in /proc.
func listeners(port int) []listener {
	inodes := map[string]string{} // socket inode → address
	for _, f := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		for line := range strings.Lines(readString(f)) {
			w := strings.Fields(line)
			if len(w) < 10 || w[3] != "0A" {
				continue
			}
			if _, hex, ok := strings.Cut(w[1], ":"); ok {
				if n, err := strconv.ParseInt(hex, 16, 32); err == nil && int(n) == port {
					inodes["socket:["+w[9]+"]"] = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
				}
			}
		}
	}
	if len(inodes) == 0 {
		return nil
	}
	var out []listener
	dirs, err := filepath.Glob("/proc/[0-9]*/fd")
	if err != nil {
		return nil
	}
	for _, dir := range dirs {
		if addr, ok := owns(dir, inodes); ok {
			pid, _ := strconv.Atoi(strings.Split(dir, "/")[2]) // digits, by the pattern
			out = append(out, listener{
				PID: pid, Address: addr,
				Command: strings.TrimSpace(readString(fmt.Sprintf("/proc/%d/comm", pid))),
				Line:    strings.TrimSpace(strings.ReplaceAll(readString(fmt.Sprintf("/proc/%d/cmdline", pid)), "\x00", " ")),
			})
		}
	}
	return out
}

func owns(dir string, inodes map[string]string) (string, bool) {
	fds, err := os.ReadDir(dir)
	if err != nil {
		return "", false
	}
	for _, fd := range fds {
		link, err := os.Readlink(filepath.Join(dir, fd.Name()))
		if errors.Is(err, os.ErrPermission) {
			return "", false
		}
		if addr, ok := inodes[link]; ok {
			return addr, true
		}
	}
	return "", false
}

func readString(path string) string {
	raw, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(raw)
}
