package gateway

import (
	"fmt"
	"slices"

	"github.com/openclaw-go/openclaw/internal/rpc"
)

// methods is the table of what is served.
type methods struct {
	byName map[string]rpc.Method
	names  []string // as advertised
}

func newMethods(all []rpc.Method) (*methods, error) {
	m := &methods{byName: make(map[string]rpc.Method, len(all))}
	for _, one := range all {
		if _, twice := m.byName[one.Name]; twice || one.Name == "connect" {
			return nil, fmt.Errorf("gateway: method %s is registered twice", one.Name)
		}
		m.byName[one.Name] = one
		if !one.Hidden {
			m.names = append(m.names, one.Name)
		}
	}
	rank := map[string]int{}
	for i, name := range recordedOrder() {
		rank[name] = i - len(all) - 1000 // before what isn't in the list
	}
	slices.SortStableFunc(m.names, func(a, b string) int { return rank[a] - rank[b] })
	return m, nil
}

// recordedOrder is the order in which hello-ok lists the methods that it has.
func recordedOrder() []string {
	return []string{
		"health", "doctor.memory.status", "logs.tail", "channels.status", "channels.logout", "status",
		"usage.status", "usage.cost", "tts.status", "tts.providers", "tts.enable", "tts.disable",
		"tts.convert", "tts.setProvider", "config.get", "config.set", "config.apply", "config.patch",
		"config.schema", "config.schema.lookup", "exec.approvals.get", "exec.approvals.set",
		"exec.approvals.node.get", "exec.approvals.node.set", "exec.approval.request",
		"exec.approval.waitDecision", "exec.approval.resolve", "wizard.start", "wizard.next",
		"wizard.cancel", "wizard.status", "talk.config", "talk.mode", "models.list", "tools.catalog",
		"agents.list", "agents.create", "agents.update", "agents.delete", "agents.files.list",
		"agents.files.get", "agents.files.set", "skills.status", "skills.bins", "skills.install",
		"skills.update", "update.run", "voicewake.get", "voicewake.set", "secrets.reload",
		"secrets.resolve", "sessions.list", "sessions.preview", "sessions.patch", "sessions.reset",
		"sessions.delete", "sessions.compact", "last-heartbeat", "set-heartbeats", "wake",
		"node.pair.request", "node.pair.list", "node.pair.approve", "node.pair.reject",
		"node.pair.verify", "device.pair.list", "device.pair.approve", "device.pair.reject",
		"device.pair.remove", "device.token.rotate", "device.token.revoke", "node.rename", "node.list",
		"node.describe", "node.pending.drain", "node.pending.enqueue", "node.invoke", "node.pending.pull",
		"node.pending.ack", "node.invoke.result", "node.event", "node.canvas.capability.refresh",
		"cron.list", "cron.status", "cron.add", "cron.update", "cron.remove", "cron.run", "cron.runs",
		"gateway.identity.get", "system-presence", "system-event", "send", "agent", "agent.identity.get",
		"agent.wait", "browser.request", "chat.history", "chat.abort", "chat.send",
	}
}

// eventNames lists the events that clients may get.
func eventNames() []string {
	return []string{
		"connect.challenge", "agent", "chat", "presence", "tick", "talk.mode", "shutdown", "health",
		"heartbeat", "cron", "node.pair.requested", "node.pair.resolved", "node.invoke.request",
		"device.pair.requested", "device.pair.resolved", "voicewake.changed", "exec.approval.requested",
		"exec.approval.resolved", "update.available",
	}
}
