package app

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/gateway/control"
)

// heartbeatPrompt is what a heartbeat asks when nothing is configured.
const heartbeatPrompt = "Look at HEARTBEAT.md in the workspace, if there is one, and do what it asks for now. " +
	"Leave finished and old tasks alone. If nothing needs attention, reply HEARTBEAT_OK."

// statuses tells about the configured channels; probe asks their networks.
func (c *channels) statuses(ctx context.Context, probe bool) []control.ChannelStatus {
	by := map[id.Channel]*control.ChannelStatus{}
	for _, a := range c.list() {
		s := by[a.Channel]
		if s == nil {
			s = &control.ChannelStatus{ID: a.Channel, Label: a.Label}
			by[a.Channel] = s
		}
		st := control.AccountStatus{ID: a.Account, Enabled: a.Enabled, Configured: true, Running: a.Running && a.Connected, LastError: a.Err}
		if !a.Since.IsZero() {
			st.LastStart = a.Since.UnixMilli()
		}
		for _, t := range []struct {
			at time.Time
			to *int64
		}{{a.Stopped, &st.LastStop}, {a.Received, &st.LastInbound}, {a.Sent, &st.LastSent}} {
			if !t.at.IsZero() {
				*t.to = t.at.UnixMilli()
			}
		}
		if x, ok := channel.As[channel.Auditor](a.Channeler); ok && probe && a.Running {
			st.Extra = map[string]any{"audit": audited(ctx, x)}
		}
		if p, ok := channel.As[channel.Prober](a.Channeler); ok && probe {
			st.Probe, st.LastProbe = probed(ctx, p), time.Now().UnixMilli()
		}
		s.Accounts = append(s.Accounts, st)
	}
	out := make([]control.ChannelStatus, 0, len(by))
	for _, s := range by {
		slices.SortFunc(s.Accounts, func(a, b control.AccountStatus) int {
			if a.ID == id.DefaultAccount || b.ID == id.DefaultAccount {
				return map[bool]int{true: -1, false: 1}[a.ID == id.DefaultAccount]
			}
			return strings.Compare(string(a.ID), string(b.ID))
		})
		out = append(out, *s)
	}
	slices.SortFunc(out, func(a, b control.ChannelStatus) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return out
}

func probed(ctx context.Context, p channel.Prober) any {
	began := time.Now()
	err := p.Probe(ctx)
	m := map[string]any{"ok": err == nil, "elapsedMs": time.Since(began).Milliseconds()}
	if err != nil {
		m["error"] = err.Error()
	}
	return m
}

// audited is what keeps an account from working as configured.
func audited(ctx context.Context, x channel.Auditor) any {
	issues, err := x.Audit(ctx)
	m := map[string]any{"ok": err == nil && len(issues) == 0, "issues": issues}
	if issues == nil {
		m["issues"] = []channel.Issue{}
	}
	if err != nil {
		m["error"] = err.Error()
	}
	return m
}
