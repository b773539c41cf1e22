package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/openclaw-go/openclaw/internal/config"
)

// auditReport is what is unsafe about this host, as far as files and the
// configuration show it.
type auditReport struct {
	TS       int64          `json:"ts"`
	Summary  auditSummary   `json:"summary"`
	Findings []auditFinding `json:"findings"`
}

type auditSummary struct {
	Critical int `json:"critical"`
	Warn     int `json:"warn"`
	Info     int `json:"info"`
}

type auditFinding struct {
	ID          string `json:"checkId"`
	Severity    string `json:"severity"`
	Title       string `json:"title"`
	Detail      string `json:"detail"`
	Remediation string `json:"remediation,omitempty"`
}

// shortToken is below what a person might guess or a program might try.
const shortToken = 24

func audit(c *config.Config) auditReport {
	r := auditReport{TS: time.Now().UnixMilli(), Findings: []auditFinding{}}
	add := func(f auditFinding) {
		r.Findings = append(r.Findings, f)
		switch f.Severity {
		case "critical":
			r.Summary.Critical++
		case "warn":
			r.Summary.Warn++
		default:
			r.Summary.Info++
		}
	}
	var token string
	if json.Unmarshal(c.Gateway.Auth.Token, &token) == nil && token != "" && len(token) < shortToken {
		add(auditFinding{
			"gateway.token_too_short", "warn", "Gateway token looks short",
			fmt.Sprintf("gateway auth token is %d chars; prefer a long random token.", len(token)), "openclaw doctor --generate-gateway-token",
		})
	}
	if bindHost(c.Gateway) == "0.0.0.0" && c.Gateway.Auth.Mode == "none" {
		add(auditFinding{"gateway.bind_no_auth", "critical", "Gateway is open to the network", "gateway.bind is " + c.Gateway.Bind +
			" and gateway.auth.mode is none.", "openclaw config set gateway.auth.mode token"})
	}
	if runtime.GOOS == "windows" { // modes mean nothing there
		return r
	}
	for _, f := range []struct {
		path, id, title, severity string
		want                      os.FileMode
	}{
		{c.Paths.State, "fs.state_dir.perms_readable", "State dir is readable by others", "warn", 0o700},
		{c.Paths.Config, "fs.config.perms_world_readable", "Config file is readable by others", "critical", 0o600},
		{filepath.Join(c.SessionsDir(c.DefaultAgent()), "sessions.json"), "fs.sessions_store.perms_readable", "sessions.json is readable by others", "warn", 0o600},
	} {
		if info, err := os.Stat(f.path); err == nil && info.Mode().Perm()&0o077 != 0 {
			add(auditFinding{
				f.id, f.severity, f.title, fmt.Sprintf("%s mode=%o; consider restricting to %o.", f.path, info.Mode().Perm(), f.want),
				fmt.Sprintf("chmod %o %s", f.want, f.path),
			})
		}
	}
	return r
}
