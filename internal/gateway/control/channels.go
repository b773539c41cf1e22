package control

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/rpc"
)

// ChannelStatus tells about one configured channel.
type ChannelStatus struct {
	ID          id.Channel
	Label       string          // "IRC"
	DetailLabel string          // empty is Label
	SystemImage string          // an icon's name for apps; may be empty
	Default     id.Account      // empty is the first account
	Accounts    []AccountStatus // the default one first
}

// AccountStatus tells about one account of a channel. Times are Unix
// milliseconds, 0 for never.
type AccountStatus struct {
	ID          id.Account
	Name        string
	Enabled     bool
	Configured  bool
	Running     bool
	LastStart   int64
	LastStop    int64
	LastInbound int64
	LastSent    int64
	LastError   string
	// Probe is what asking the network came to; nil when it wasn't asked.
	Probe     any
	LastProbe int64
	// Extra are facts of this network, such as host and nick. Never secrets.
	Extra map[string]any
}

// Bounds of a probe.
const (
	probeTime    = 10 * time.Second
	maxProbeTime = time.Minute
)

func (c *Control) channelsNow(ctx context.Context, probe bool, limit time.Duration) []ChannelStatus {
	if c.Channels == nil {
		return nil
	}
	if probe {
		bounded, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		ctx = bounded
	}
	all := c.Channels(ctx, probe)
	for i := range all {
		if all[i].Label == "" {
			all[i].Label = string(all[i].ID)
		}
		if all[i].DetailLabel == "" {
			all[i].DetailLabel = all[i].Label
		}
		if all[i].Default == "" && len(all[i].Accounts) > 0 {
			all[i].Default = all[i].Accounts[0].ID
		}
	}
	return all
}

// account returns the default account.
func (s ChannelStatus) account() AccountStatus {
	for _, a := range s.Accounts {
		if a.ID == s.Default {
			return a
		}
	}
	return AccountStatus{ID: s.Default}
}

// summary is an account as the map channels shows it.
func (a AccountStatus) summary() map[string]any {
	m := map[string]any{
		"configured": a.Configured, "running": a.Running,
		"lastStartAt": orNull(a.LastStart), "lastStopAt": orNull(a.LastStop), "lastError": orNull(a.LastError),
	}
	maps.Copy(m, a.Extra)
	m["lastProbeAt"] = orNull(a.LastProbe)
	if a.Probe != nil {
		m["probe"] = a.Probe
	}
	return cleaned(m)
}

// full is an account as the list channelAccounts shows it.
func (a AccountStatus) full() map[string]any {
	m := map[string]any{
		"accountId": a.ID, "enabled": a.Enabled, "configured": a.Configured, "running": a.Running,
		"lastStartAt": orNull(a.LastStart), "lastStopAt": orNull(a.LastStop), "lastError": orNull(a.LastError),
		"lastInboundAt": orNull(a.LastInbound), "lastOutboundAt": orNull(a.LastSent),
	}
	maps.Copy(m, a.Extra)
	if a.Name != "" {
		m["name"] = a.Name
	}
	if a.Probe != nil {
		m["probe"] = a.Probe
	}
	if a.LastProbe != 0 {
		m["lastProbeAt"] = a.LastProbe
	}
	return cleaned(m)
}

// health is the channel in the health snapshot.
func (s ChannelStatus) health() map[string]any {
	one := func(a AccountStatus) map[string]any {
		m := a.summary()
		m["accountId"] = a.ID
		return m
	}
	m := one(s.account())
	accounts := map[id.Account]any{}
	for _, a := range s.Accounts {
		accounts[a.ID] = one(a)
	}
	m["accounts"] = accounts
	return m
}

// cleaned takes secrets out of the texts in m: an error of a network may quote
// an address with a token in it.
func cleaned(m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	for k, v := range m {
		switch v := v.(type) {
		case string:
			out[k] = harmless(v)
		case map[string]any:
			out[k] = cleaned(v)
		default:
			out[k] = v
		}
	}
	return out
}

func orNull[T comparable](v T) any {
	if v == *new(T) {
		return nil
	}
	return v
}

type channelsParams struct {
	Probe     bool  `json:"probe,omitempty"`
	TimeoutMs int64 `json:"timeoutMs,omitempty" schema:"minimum=0"`
}

type channelMeta struct {
	ID          id.Channel `json:"id"`
	Label       string     `json:"label"`
	DetailLabel string     `json:"detailLabel"`
	SystemImage string     `json:"systemImage,omitempty"`
}

type channelsResult struct {
	Ts           int64                           `json:"ts"`
	Order        []id.Channel                    `json:"channelOrder"`
	Labels       map[id.Channel]string           `json:"channelLabels"`
	DetailLabels map[id.Channel]string           `json:"channelDetailLabels"`
	SystemImages map[id.Channel]string           `json:"channelSystemImages"`
	Meta         []channelMeta                   `json:"channelMeta"`
	Channels     map[id.Channel]map[string]any   `json:"channels"`
	Accounts     map[id.Channel][]map[string]any `json:"channelAccounts"`
	Defaults     map[id.Channel]id.Account       `json:"channelDefaultAccountId"`
}

func (c *Control) channelsStatus(ctx context.Context, _ *rpc.Caller, p channelsParams) (channelsResult, error) {
	limit := probeTime
	if p.TimeoutMs > 0 {
		limit = min(time.Duration(max(p.TimeoutMs, 1000))*time.Millisecond, maxProbeTime)
	}
	r := channelsResult{
		Ts: millis(c.Now()), Order: []id.Channel{}, Labels: map[id.Channel]string{}, DetailLabels: map[id.Channel]string{},
		SystemImages: map[id.Channel]string{}, Meta: []channelMeta{}, Channels: map[id.Channel]map[string]any{},
		Accounts: map[id.Channel][]map[string]any{}, Defaults: map[id.Channel]id.Account{},
	}
	for _, s := range c.channelsNow(ctx, p.Probe, limit) {
		r.Order = append(r.Order, s.ID)
		r.Labels[s.ID], r.DetailLabels[s.ID], r.Defaults[s.ID] = s.Label, s.DetailLabel, s.Default
		if s.SystemImage != "" {
			r.SystemImages[s.ID] = s.SystemImage
		}
		r.Meta = append(r.Meta, channelMeta{s.ID, s.Label, s.DetailLabel, s.SystemImage})
		r.Channels[s.ID] = s.account().summary()
		r.Accounts[s.ID] = []map[string]any{}
		for _, a := range s.Accounts {
			r.Accounts[s.ID] = append(r.Accounts[s.ID], a.full())
		}
	}
	return r, nil
}

type logoutParams struct {
	Channel string     `json:"channel" schema:"minLength=1"`
	Account id.Account `json:"accountId,omitempty"`
}

func (c *Control) channelsLogout(ctx context.Context, _ *rpc.Caller, p logoutParams) (any, error) {
	known := slices.ContainsFunc(c.channelsNow(ctx, false, 0), func(s ChannelStatus) bool { return string(s.ID) == p.Channel })
	switch {
	case !known:
		return nil, rpc.Invalid("invalid channels.logout channel")
	case c.Logout == nil:
		return nil, rpc.Invalid("channel %s does not support logout", p.Channel)
	}
	return c.Logout(ctx, id.Channel(p.Channel), p.Account)
}
