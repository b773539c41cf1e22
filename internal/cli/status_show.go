package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/version"
	"github.com/openclaw-go/openclaw/internal/cli/term"
)

func (sh *shell) showStatus(r *statusReply, all bool) {
	s := sh.out
	card := term.Card{Title: "OpenClaw status"}
	card.Add("Version", version.String())
	card.Add("OS", fmt.Sprint(r.OS["label"]))
	gw := r.Gateway.Mode + " · " + r.Gateway.URL + " (" + r.Gateway.URLSource + ") · "
	if r.Gateway.Reachable {
		gw += s.Good(fmt.Sprintf("reachable %dms", deref(r.Gateway.LatencyMs)))
	} else {
		gw += s.Bad("unreachable") + " (" + deref(r.Gateway.Error) + ")"
	}
	card.Add("Gateway", gw)
	card.Add("Service", r.Service.Label+" "+r.Service.LoadedText+" · "+r.Service.Runtime)
	card.Add("Agents", fmt.Sprintf("%d · sessions %d · default %s", len(r.Agents.Agents), r.Agents.Total, r.Agents.Default))
	var model string
	if r.Sessions.Defaults.Model != nil {
		model = *r.Sessions.Defaults.Model
	}
	card.Add("Model", first(model, "chosen at start"))
	card.Add("Channels", channelLine(r.Channels))
	file := sh.short(sh.paths().Config)
	if r.Config != nil {
		file += " · " + s.Bad("invalid") + ", the last good one is in force"
	}
	card.Add("Config", file)
	card.Write(sh.Stdout, s)
	if len(r.Audit.Findings) > 0 {
		sh.line("\n%s", s.Bold("Security"))
		for _, f := range r.Audit.Findings {
			if f.Severity == "info" && !all {
				continue
			}
			sh.line("  %s %s. %s", paint(s, f.Severity), f.Title, s.Dim(f.Remediation))
		}
	}
	if len(r.Sessions.Recent) > 0 {
		sh.line("\n%s", s.Bold("Sessions"))
		t := term.Table{Max: map[int]int{0: 48}}
		for _, x := range r.Sessions.Recent {
			age := "-"
			if x.Age != nil {
				age = ago(time.Duration(*x.Age) * time.Millisecond)
			}
			t.Rows = append(t.Rows, []string{"  " + s.Accent(x.Key), x.Kind, age, orDash(x.Model)})
		}
		sh.table(t)
	}
	sh.line("")
	if r.mend != "" {
		sh.line("%s", r.mend)
		return
	}
	sh.line("More: %s · %s · %s", s.Accent("openclaw doctor"), s.Accent("openclaw logs --follow"), s.Accent("openclaw gateway status"))
}

func channelLine(raw json.RawMessage) string {
	var names []string
	if json.Unmarshal(raw, &names) != nil || len(names) == 0 {
		return "none configured"
	}
	return strings.Join(names, ", ")
}

func paint(s term.Style, severity string) string {
	switch severity {
	case "critical", "error":
		return s.Bad("✗")
	case "warn", "warning":
		return s.Warn("!")
	}
	return s.Dim("·")
}
