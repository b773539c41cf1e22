package cli

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/cli/term"
	"github.com/openclaw-go/openclaw/internal/client"
)

// probe is one gateway that was tried.
type probe struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	URL     string `json:"url"`
	Active  bool   `json:"active"`
	Tunnel  any    `json:"tunnel"`
	Connect struct {
		OK         bool    `json:"ok"`
		RPCOK      bool    `json:"rpcOk"`
		ScopeLimit bool    `json:"scopeLimited"`
		LatencyMs  *int64  `json:"latencyMs"`
		Error      *string `json:"error"`
		Close      *closed `json:"close"`
	} `json:"connect"`
	Self     any             `json:"self"`
	Config   any             `json:"config"`
	Health   json.RawMessage `json:"health"`
	Summary  json.RawMessage `json:"summary"`
	Presence json.RawMessage `json:"presence"`
	mend     string
}

type closed struct {
	Code   int    `json:"code"`
	Reason string `json:"reason"`
}

type probeReply struct {
	OK       bool     `json:"ok"`
	Degraded bool     `json:"degraded"`
	TS       int64    `json:"ts"`
	Duration int64    `json:"durationMs"`
	Timeout  int      `json:"timeoutMs"`
	Primary  *string  `json:"primaryTargetId"`
	Warnings []string `json:"warnings"`
	Network  struct {
		Loopback string  `json:"localLoopbackUrl"`
		Tailnet  *string `json:"localTailnetUrl"`
		IPv4     *string `json:"tailnetIPv4"`
	} `json:"network"`
	Discovery struct {
		Timeout int   `json:"timeoutMs"`
		Count   int   `json:"count"`
		Beacons []any `json:"beacons"`
	} `json:"discovery"`
	Targets []probe `json:"targets"`
}

// gatewayProbe is openclaw gateway probe: it tries every gateway that it knows
// of, and fails when none answers.
func (sh *shell) gatewayProbe() *cobra.Command {
	var t target
	cmd := sh.command(spec{name: "probe", short: "Try every gateway that the config names", run: func(ctx context.Context, _ []string) error {
		r, err := sh.probeAll(ctx, t)
		if err != nil {
			return err
		}
		if sh.json {
			sh.printJSON(r)
		} else {
			sh.showProbe(r)
		}
		if !r.OK {
			return quiet{1}
		}
		return nil
	}})
	t.flags(cmd, 3000)
	sh.jsonFlag(cmd)
	return cmd
}

func (sh *shell) probeAll(ctx context.Context, t target) (probeReply, error) {
	start := time.Now()
	place, c, err := sh.locate(ctx, t)
	if err != nil {
		return probeReply{}, err
	}
	r := probeReply{TS: start.UnixMilli(), Timeout: int(t.wait().Milliseconds()), Warnings: []string{}}
	r.Network.Loopback, r.Discovery.Beacons = sh.localURL(c), []any{}
	kind := map[string]string{"cli --url": "explicit", "config gateway.remote.url": "configRemote"}[place.Source]
	if kind == "" {
		kind = "localLoopback"
	}
	end := term.Progress(sh.Stderr, sh.err, "Trying "+place.URL)
	p := sh.probe(ctx, place, t.wait())
	end()
	p.ID, p.Kind, p.Active = kind, kind, true
	r.Targets = append(r.Targets, p)
	if r.OK = p.Connect.OK; r.OK {
		r.Primary, r.Degraded = &p.ID, !p.Connect.RPCOK
	}
	r.Duration = time.Since(start).Milliseconds()
	return r, nil
}

func (sh *shell) probe(ctx context.Context, place client.Place, limit time.Duration) probe {
	p := probe{URL: place.URL}
	fail := func(err error) probe {
		e := hint(err)
		p.Connect.Error, p.mend = &e, e
		if c, ok := errors.AsType[*client.CloseError](err); ok {
			p.Connect.Close = &closed{c.Code, c.Reason}
		}
		return p
	}
	paths := sh.paths()
	id, err := client.LoadIdentity(client.IdentityPath(paths.State))
	if err != nil {
		return fail(err)
	}
	start := time.Now()
	conn, err := client.Dial(ctx, client.Options{
		URL: place.URL, Token: place.Token, Password: place.Password,
		Identity: id, Tokens: client.NewTokenFile(paths.State), Timeout: limit,
	})
	if err != nil {
		return fail(err)
	}
	defer conn.Close()
	ms := time.Since(start).Milliseconds()
	p.Connect.OK, p.Connect.LatencyMs = true, &ms
	p.Presence = conn.Hello().Snapshot.Presence
	p.Self = map[string]string{"version": conn.Hello().Server.Version}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err = conn.Call(ctx, "health", nil, &p.Health)
	if err == nil {
		err = conn.Call(ctx, "status", nil, &p.Summary)
	}
	p.Connect.RPCOK = err == nil
	if err != nil {
		p.Connect.ScopeLimit = fault.KindOf(err) == fault.Forbidden
		return fail(err)
	}
	return p
}

func (sh *shell) showProbe(r probeReply) {
	reach := sh.out.Good("yes")
	if !r.OK {
		reach = sh.out.Bad("no")
	}
	card := term.Card{Title: "Gateway Status"}
	card.Add("Reachable", reach)
	for _, p := range r.Targets {
		card.Add("Target", p.URL+" ("+p.Kind+")")
		if p.Connect.LatencyMs != nil {
			card.Add("Latency", time.Duration(*p.Connect.LatencyMs*int64(time.Millisecond)).String())
		}
		if p.mend != "" {
			card.Add("Error", p.mend)
		}
	}
	card.Write(sh.Stdout, sh.out)
	if !r.OK {
		sh.note("Start a gateway: openclaw gateway run")
	}
}
