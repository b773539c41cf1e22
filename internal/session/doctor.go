package session

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/feature"
)

const (
	// keepArchives is how long archived transcripts are of use.
	keepArchives = 30 * 24 * time.Hour
	// staleAfter is when a temporary file belongs to nobody any more.
	staleAfter = time.Hour
	fixIt      = "run `openclaw doctor --fix`"
)

// Checks look at the transcripts of a state directory. running tells whether a
// gateway is using it; then nothing is mended under its hands.
func Checks(stateDir string, running func() bool) []feature.Check {
	c := checker{dir: stateDir, running: running}
	return []feature.Check{
		{Name: "transcripts", Run: c.transcripts},
		{Name: "session locks", Run: c.locks},
		{Name: "session archives", Run: c.archives},
	}
}

type checker struct {
	dir     string
	running func() bool
}

func (c checker) find(pattern string) []string {
	names, _ := filepath.Glob(filepath.Join(c.dir, "agents", "*", "sessions", pattern)) // the pattern is well formed
	return names
}

func (c checker) short(path string) string {
	if rel, err := filepath.Rel(c.dir, path); err == nil {
		return filepath.ToSlash(rel)
	}
	return filepath.Base(path)
}

// fix is what to do and whether that can be done now.
func (c checker) fix(f func(context.Context) error) (mend string, do func(context.Context) error) {
	if c.running != nil && c.running() {
		return "stop the gateway with `openclaw gateway stop`, then " + fixIt, nil
	}
	return fixIt, f
}

// transcripts looks for lines that can't be read.
func (c checker) transcripts(ctx context.Context) []feature.Finding {
	var out []feature.Finding
	for _, path := range c.find("*.jsonl") {
		if ctx.Err() != nil {
			break
		}
		l, err := readTranscript(path)
		if err != nil {
			out = append(out, feature.Finding{
				Severity: "error", Text: "transcript " + c.short(path) + " cannot be read", Mend: "check its owner and permissions",
			})
			continue
		}
		n := len(l.bad)
		if l.torn != "" {
			n++
		}
		if n == 0 {
			continue
		}
		f := feature.Finding{
			Severity: "warning",
			Text:     fmt.Sprintf("transcript %s has %d damaged lines; they are skipped, the rest is used", c.short(path), n),
		}
		f.Mend, f.Fix = c.fix(func(context.Context) error { return mendFile(path) })
		out = append(out, f)
	}
	return out
}

// mendFile takes the lines that can't be read out of a transcript and keeps
// them, and the whole as it was, beside it.
func mendFile(path string) error {
	text, part, err := readTail(path, 0)
	if err != nil {
		return err
	}
	if part {
		return fmt.Errorf("%s is too large to mend", filepath.Base(path))
	}
	l := parse(text, false)
	lost := l.bad
	if l.torn != "" {
		lost = append(lost, l.torn)
	}
	now := time.Now()
	if _, err := setAside(path, lost, now); err != nil {
		return err
	}
	if err := copyFile(path, path+".bak."+fileTime(now)); err != nil {
		return err
	}
	var d decoder
	var r record
	var b []byte
	for line := range strings.Lines(text) {
		line = strings.Trim(line, "\x00 \t\r\n")
		for at := 0; line != ""; { // the whole line, or what is glued to its torn beginning
			if d.decode(line[at:], &r) {
				b = append(append(b, line[at:]...), '\n')
				break
			}
			n := strings.Index(line[at+1:], `{"type":"`)
			if n < 0 {
				break
			}
			at += 1 + n
		}
	}
	return replaceFile(path, b)
}

// locks looks for lock files that an OpenClaw left when it died.
func (c checker) locks(context.Context) []feature.Finding {
	var out []feature.Finding
	for _, path := range c.find("*.jsonl.lock") {
		var holder struct {
			PID int `json:"pid"`
		}
		b, err := os.ReadFile(path)
		if err != nil || json.Unmarshal(b, &holder) == nil && holder.PID > 0 && alive(holder.PID) {
			continue
		}
		f := feature.Finding{Severity: "warning", Text: "lock file " + c.short(path) + " was left by a process that is gone"}
		f.Mend, f.Fix = fixIt, func(context.Context) error { return os.Remove(path) }
		out = append(out, f)
	}
	return out
}

// archives looks for files that only take room.
func (c checker) archives(context.Context) []feature.Finding {
	var old []string
	var bytes int64
	now := time.Now()
	for pattern, age := range map[string]time.Duration{
		"*.jsonl.reset.*": keepArchives, "*.jsonl.deleted.*": keepArchives, "*.jsonl.bak.*": keepArchives, ".*.tmp": staleAfter,
	} {
		for _, path := range c.find(pattern) {
			if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() && now.Sub(st.ModTime()) > age {
				old = append(old, path)
				bytes += st.Size()
			}
		}
	}
	if len(old) == 0 {
		return nil
	}
	f := feature.Finding{
		Severity: "warning",
		Text:     fmt.Sprintf("%d archived transcripts and leftovers are older than 30 days (%d kB)", len(old), bytes>>10),
		Mend:     fixIt + " to remove them",
	}
	f.Fix = func(context.Context) error {
		for _, path := range old {
			if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
				return err
			}
		}
		return nil
	}
	return []feature.Finding{f}
}
