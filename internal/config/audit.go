package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/jsonc"
)

// auditLine is one write in logs/config-audit.jsonl.
type auditLine struct {
	TS                string   `json:"ts"`
	Source            string   `json:"source"`
	Event             string   `json:"event"`
	ConfigPath        string   `json:"configPath"`
	PID               int      `json:"pid"`
	PPID              int      `json:"ppid"`
	CWD               string   `json:"cwd"`
	Argv              []string `json:"argv"`
	ExecArgv          []string `json:"execArgv"`
	WatchMode         bool     `json:"watchMode"`
	WatchSession      *string  `json:"watchSession"`
	WatchCommand      *string  `json:"watchCommand"`
	ExistsBefore      bool     `json:"existsBefore"`
	PreviousHash      string   `json:"previousHash"`
	NextHash          string   `json:"nextHash"`
	PreviousBytes     int      `json:"previousBytes"`
	NextBytes         int      `json:"nextBytes"`
	ChangedPathCount  int      `json:"changedPathCount"`
	HasMetaBefore     bool     `json:"hasMetaBefore"`
	HasMetaAfter      bool     `json:"hasMetaAfter"`
	GatewayModeBefore *string  `json:"gatewayModeBefore"`
	GatewayModeAfter  *string  `json:"gatewayModeAfter"`
	Suspicious        []string `json:"suspicious"`
	Result            string   `json:"result"`
	ErrorMessage      string   `json:"errorMessage,omitempty"`
}

// audit notes a write. That the note can't be kept doesn't undo the write.
func (f File) audit(before *Loaded, s Saved, failed error) {
	cwd, _ := os.Getwd()
	argv := f.Args
	if argv == nil {
		argv = []string{}
	}
	line := auditLine{
		TS: f.now().UTC().Format("2006-01-02T15:04:05.000Z"), Source: "config-io", Event: "config.write", ConfigPath: f.Paths.Config,
		PID: os.Getpid(), PPID: os.Getppid(), CWD: cwd, Argv: argv[:min(len(argv), 8)], ExecArgv: []string{},
		ExistsBefore: before.Exists, PreviousHash: before.Hash, NextHash: s.Hash, PreviousBytes: len(before.Raw), NextBytes: len(s.Raw),
		ChangedPathCount: len(Changes(before.merged, s.merged)), HasMetaBefore: before.merged.Get("meta") != nil, HasMetaAfter: s.merged.Get("meta") != nil,
		GatewayModeBefore: text(before.merged.Find("gateway", "mode")), GatewayModeAfter: text(s.merged.Find("gateway", "mode")),
		Suspicious: s.Suspicious, Result: "rename",
	}
	if failed != nil {
		line.Result, line.ErrorMessage = "failed", failed.Error()
	}
	raw, err := json.Marshal(line)
	if err != nil {
		return
	}
	if os.MkdirAll(filepath.Dir(f.Paths.Audit()), 0o700) != nil {
		return
	}
	out, err := os.OpenFile(f.Paths.Audit(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	_, _ = out.Write(append(raw, '\n'))
	_ = out.Close()
}

func text(n *jsonc.Node) *string {
	if n == nil || n.Kind != jsonc.String {
		return nil
	}
	return &n.Text
}

// Changes lists the paths at which two trees differ, the deepest that tell.
func Changes(a, b *jsonc.Node) []string {
	var out []string
	var walk func(path []string, a, b *jsonc.Node)
	walk = func(path []string, a, b *jsonc.Node) {
		if jsonc.Equal(a, b) {
			return
		}
		if a == nil || b == nil || a.Kind != jsonc.Object || b.Kind != jsonc.Object {
			out = append(out, dotted(path...))
			return
		}
		for _, m := range a.Unique() {
			walk(child(path, m.Key), m.Value, b.Get(m.Key))
		}
		for _, m := range b.Unique() {
			if a.Member(m.Key) == nil {
				out = append(out, dotted(child(path, m.Key)...))
			}
		}
	}
	walk(nil, a, b)
	return out
}

// lockWait is how long a writer waits for another one.
const lockWait = 5 * time.Second
