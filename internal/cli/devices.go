package cli

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/openclaw-go/openclaw/internal/cli/term"
)

// devices is openclaw devices: clients and nodes that may use the gateway.
func (sh *shell) devices() *cobra.Command {
	return sh.command(spec{name: "devices", short: "Devices that may use the gateway, and their tokens", subs: []*cobra.Command{
		sh.devicesList(), sh.devicesApprove(),
		sh.deviceCall("reject", "Refuse a request", "requestId", "device.pair.reject", "requestId", "Rejected"),
		sh.deviceCall("remove", "Forget a device; it must ask again", "deviceId", "device.pair.remove", "deviceId", "Removed"),
		sh.devicesClear(), sh.devicesToken("rotate", "Give a device a new token", "device.token.rotate"),
		sh.devicesToken("revoke", "Take a device's token away", "device.token.revoke"),
	}})
}

type deviceList struct {
	Pending []device `json:"pending"`
	Paired  []device `json:"paired"`
}

type device struct {
	RequestID   string   `json:"requestId"`
	DeviceID    string   `json:"deviceId"`
	DisplayName string   `json:"displayName"`
	Platform    string   `json:"platform"`
	ClientID    string   `json:"clientId"`
	Roles       []string `json:"roles"`
	Scopes      []string `json:"scopes"`
	RemoteIP    string   `json:"remoteIp"`
	TS          int64    `json:"ts"`
	Tokens      []struct {
		Role      string `json:"role"`
		RevokedAt *int64 `json:"revokedAtMs"`
	} `json:"tokens"`
}

func (sh *shell) devicesList() *cobra.Command {
	var t target
	cmd := sh.command(spec{name: "list", short: "List requests and paired devices", run: func(ctx context.Context, _ []string) error {
		var raw json.RawMessage
		if err := sh.call(ctx, t, "device.pair.list", nil, &raw); err != nil {
			return err
		}
		if sh.json {
			sh.printJSON(raw)
			return nil
		}
		var l deviceList
		if err := json.Unmarshal(raw, &l); err != nil {
			return err
		}
		sh.showDevices(l)
		return nil
	}})
	t.flags(cmd, 10000)
	sh.jsonFlag(cmd)
	return cmd
}

func (sh *shell) showDevices(l deviceList) {
	if len(l.Pending) > 0 {
		sh.line("%s", sh.out.Bold("Pending ("+plural(len(l.Pending), "request", "requests")+")"))
		tb := term.Table{Head: []string{"Request", "Device", "Client", "Roles", "IP", "Asked"}, Max: map[int]int{1: 16}}
		for _, d := range l.Pending {
			tb.Rows = append(tb.Rows, []string{
				sh.out.Accent(d.RequestID), d.name(), d.ClientID, strings.Join(d.Roles, ","), orDash(d.RemoteIP),
				ago(time.Since(time.UnixMilli(d.TS))),
			})
		}
		sh.table(tb)
		sh.line("Approve one: openclaw devices approve <request>\n")
	}
	sh.line("%s", sh.out.Bold("Paired ("+plural(len(l.Paired), "device", "devices")+")"))
	tb := term.Table{Head: []string{"Device", "Name", "Client", "Platform", "Roles", "Scopes", "Tokens"}, Max: map[int]int{1: 24}}
	for _, d := range l.Paired {
		var tokens []string
		for _, k := range d.Tokens {
			if k.RevokedAt == nil {
				tokens = append(tokens, k.Role)
			}
		}
		tb.Rows = append(tb.Rows, []string{
			d.DeviceID, orDash(d.DisplayName), d.ClientID, d.Platform, strings.Join(d.Roles, ","),
			strings.ReplaceAll(strings.Join(d.Scopes, ","), "operator.", ""), orDash(strings.Join(tokens, ",")),
		})
	}
	sh.table(tb)
}

func (d device) name() string {
	if d.DisplayName != "" {
		return d.DisplayName
	}
	return d.DeviceID
}

// deviceCall is a command with one argument that is one call.
func (sh *shell) deviceCall(name, short, arg, method, param, word string) *cobra.Command {
	var t target
	cmd := sh.command(spec{name: name, short: short, args: []string{arg}, run: func(ctx context.Context, args []string) error {
		return sh.deviceDo(ctx, t, method, map[string]any{param: args[0]}, word+" "+args[0])
	}})
	t.flags(cmd, 10000)
	sh.jsonFlag(cmd)
	return cmd
}

func (sh *shell) deviceDo(ctx context.Context, t target, method string, params any, done string) error {
	var raw json.RawMessage
	if err := sh.call(ctx, t, method, params, &raw); err != nil {
		return err
	}
	if sh.json {
		sh.printJSON(raw)
		return nil
	}
	sh.line("%s", done)
	return nil
}

func (sh *shell) devicesApprove() *cobra.Command {
	var (
		t      target
		latest bool
	)
	cmd := sh.command(spec{
		name: "approve", short: "Let a device in; without an id the latest that asked", args: []string{"requestId?"},
		run: func(ctx context.Context, args []string) error {
			id := at(args, 0)
			if id == "" || latest {
				var l deviceList
				if err := sh.call(ctx, t, "device.pair.list", nil, &l); err != nil {
					return err
				}
				if len(l.Pending) == 0 {
					return say("No pending device pairing requests to approve")
				}
				id = slices.MaxFunc(l.Pending, func(a, b device) int { return int(min(max(a.TS-b.TS, -1), 1)) }).RequestID
			}
			return sh.deviceDo(ctx, t, "device.pair.approve", map[string]any{"requestId": id}, "Approved "+id)
		},
	})
	cmd.Flags().BoolVar(&latest, "latest", false, "the latest request")
	t.flags(cmd, 10000)
	sh.jsonFlag(cmd)
	return cmd
}

func (sh *shell) devicesClear() *cobra.Command {
	var (
		t            target
		pending, yes bool
	)
	cmd := sh.command(spec{name: "clear", short: "Forget every paired device", run: func(ctx context.Context, _ []string) error {
		if !yes {
			return say("this forgets every device; if you mean it: openclaw devices clear --yes")
		}
		var l deviceList
		if err := sh.call(ctx, t, "device.pair.list", nil, &l); err != nil {
			return err
		}
		removed, rejected := []string{}, []string{}
		for _, d := range l.Paired {
			if err := sh.call(ctx, t, "device.pair.remove", map[string]any{"deviceId": d.DeviceID}, nil); err != nil {
				return err
			}
			removed = append(removed, d.DeviceID)
		}
		for _, d := range l.Pending {
			if !pending {
				break
			}
			if err := sh.call(ctx, t, "device.pair.reject", map[string]any{"requestId": d.RequestID}, nil); err != nil {
				return err
			}
			rejected = append(rejected, d.RequestID)
		}
		if sh.json {
			sh.printJSON(map[string]any{"removedDevices": removed, "rejectedPending": rejected})
			return nil
		}
		sh.line("Cleared %s", plural(len(removed), "device", "devices"))
		return nil
	}})
	cmd.Flags().BoolVar(&pending, "pending", false, "refuse all requests too")
	cmd.Flags().BoolVar(&yes, "yes", false, "really")
	t.flags(cmd, 10000)
	sh.jsonFlag(cmd)
	return cmd
}

// devicesToken is devices rotate and devices revoke.
func (sh *shell) devicesToken(name, short, method string) *cobra.Command {
	var (
		t            target
		device, role string
		scopes       []string
	)
	cmd := sh.command(spec{name: name, short: short, run: func(ctx context.Context, _ []string) error {
		params := map[string]any{"deviceId": device, "role": role}
		if len(scopes) > 0 {
			params["scopes"] = scopes
		}
		var raw json.RawMessage
		if err := sh.call(ctx, t, method, params, &raw); err != nil {
			return err
		}
		// The new token is the point of rotate, so JSON is what it prints.
		sh.printJSON(raw)
		return nil
	}})
	cmd.Flags().StringVar(&device, "device", "", "the device (`id`)")
	cmd.Flags().StringVar(&role, "role", "", "operator or node (`role`)")
	if name == "rotate" {
		cmd.Flags().StringArrayVar(&scopes, "scope", nil, "what the token may do (`scope`); may be repeated")
	}
	require(cmd, "device", "role")
	t.flags(cmd, 10000)
	sh.jsonFlag(cmd)
	return cmd
}
