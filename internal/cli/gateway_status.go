package cli

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openclaw-go/openclaw/internal/cli/service"
	"github.com/openclaw-go/openclaw/internal/cli/term"
	"github.com/openclaw-go/openclaw/internal/client"
	"github.com/openclaw-go/openclaw/internal/config"
)

type configFact struct {
	Path   string   `json:"path"`
	Exists bool     `json:"exists"`
	Valid  bool     `json:"valid"`
	Issues []string `json:"issues,omitempty"`
}

// gatewayFacts is what gateway status knows.
type gatewayFacts struct {
	Service struct {
		serviceFact
		Command any `json:"command"`
		Runtime struct {
			Status string `json:"status"`
			PID    int    `json:"pid,omitempty"`
			Detail string `json:"detail,omitempty"`
		} `json:"runtime"`
	} `json:"service"`
	Config struct {
		CLI    configFact `json:"cli"`
		Daemon configFact `json:"daemon"`
	} `json:"config"`
	Gateway struct {
		BindMode   string `json:"bindMode"`
		BindHost   string `json:"bindHost"`
		Port       int    `json:"port"`
		PortSource string `json:"portSource"`
		ProbeURL   string `json:"probeUrl"`
		ProbeNote  string `json:"probeNote,omitempty"`
	} `json:"gateway"`
	Port struct {
		Port      int        `json:"port"`
		Status    string     `json:"status"`
		Listeners []listener `json:"listeners"`
		Hints     []string   `json:"hints"`
	} `json:"port"`
	RPC *struct {
		OK    bool   `json:"ok"`
		Error string `json:"error,omitempty"`
		URL   string `json:"url"`
	} `json:"rpc,omitempty"`
	Extra []string `json:"extraServices"`
}

// gatewayStatus is openclaw gateway status: the service, the port, and whether
// the gateway answers. It ends well even when nothing runs.
func (sh *shell) gatewayStatus() *cobra.Command {
	var (
		t               target
		noProbe, strict bool
	)
	cmd := sh.command(spec{
		name: "status", short: "Show the service, the port and whether the gateway answers",
		run: func(ctx context.Context, _ []string) error {
			f, mend, err := sh.gatewayFacts(ctx, t, noProbe)
			if err != nil {
				return err
			}
			if sh.json {
				sh.printJSON(f)
			} else {
				sh.showGateway(f, mend)
			}
			if strict && (f.RPC == nil || !f.RPC.OK) {
				return quiet{1}
			}
			return nil
		},
	})
	t.flags(cmd, 10000)
	cmd.Flags().BoolVar(&noProbe, "no-probe", false, "don't connect")
	cmd.Flags().BoolVar(&strict, "require-rpc", false, "fail when the gateway doesn't answer")
	cmd.Flags().Bool("deep", false, "look for other services too")
	sh.jsonFlag(cmd)
	return cmd
}

func (sh *shell) gatewayFacts(ctx context.Context, t target, noProbe bool) (f gatewayFacts, mend string, err error) {
	l, lerr := sh.load(ctx)
	if l == nil || l.Config == nil {
		return f, "", lerr
	}
	f.Extra = []string{}
	sh.serviceFacts(ctx, &f)
	f.Config.CLI = configFact{Path: l.Path, Exists: l.Exists, Valid: lerr == nil}
	if inv, ok := isInvalid(lerr); ok {
		for _, p := range inv.Problems {
			f.Config.CLI.Issues = append(f.Config.CLI.Issues, p.String())
		}
	}
	f.Config.Daemon = f.Config.CLI
	sh.loaded = l // what could be made of it is enough to look
	gw := l.Config.Gateway
	f.Gateway.BindMode, f.Gateway.BindHost = bindOf(gw), bindHost(gw)
	f.Gateway.Port, f.Gateway.PortSource = sh.port(l.Config), "env/config"
	f.Gateway.ProbeURL = "ws://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(f.Gateway.Port))
	if f.Gateway.BindMode == "loopback" {
		f.Gateway.ProbeNote = "Loopback-only gateway; only local clients can connect."
	}
	f.Port.Port, f.Port.Status, f.Port.Listeners, f.Port.Hints = f.Gateway.Port, "free", []listener{}, []string{}
	if busy(ctx, f.Port.Port) {
		f.Port.Status = "busy"
		f.Port.Listeners = append(f.Port.Listeners, listeners(f.Port.Port)...)
		f.Port.Hints = append(f.Port.Hints, "Gateway already running locally. Stop it (openclaw gateway stop) or use a different port.")
	}
	if noProbe {
		return f, "", nil
	}
	f.RPC = &struct {
		OK    bool   `json:"ok"`
		Error string `json:"error,omitempty"`
		URL   string `json:"url"`
	}{URL: first(t.url, f.Gateway.ProbeURL)}
	if err := sh.call(ctx, t, "health", nil, nil); err != nil {
		f.RPC.Error = text(err)
		return f, f.RPC.Error, nil
	}
	f.RPC.OK = true
	return f, "", nil
}

func (sh *shell) serviceFacts(ctx context.Context, f *gatewayFacts) {
	f.Service.Runtime.Status = "unknown"
	m, err := sh.manager()
	if err != nil {
		f.Service.Runtime.Detail = text(err)
		return
	}
	st, err := m.State(ctx)
	if err != nil {
		st = service.State{Detail: text(err)}
	}
	f.Service.serviceFact = *factOf(m, st)
	f.Service.Runtime.Detail, f.Service.Runtime.PID = st.Detail, st.PID
	switch {
	case st.Running:
		f.Service.Runtime.Status = "running"
	case st.Installed:
		f.Service.Runtime.Status = "stopped"
	}
	if st.Installed {
		f.Service.Command = map[string]string{"sourcePath": m.Path()}
	}
}

func bindHost(g config.Gateway) string {
	switch g.Bind {
	case "", "loopback", "auto":
		return "127.0.0.1"
	case "custom":
		return first(g.CustomBindHost, "127.0.0.1")
	}
	return "0.0.0.0"
}

func (sh *shell) showGateway(f gatewayFacts, mend string) {
	s := sh.out
	state := s.Warn(f.Service.NotLoaded)
	if f.Service.Loaded {
		state = s.Good(f.Service.Loaded1)
	}
	card := term.Card{Title: "Gateway"}
	card.Add("Service", f.Service.Label+" ("+state+")")
	runtime := f.Service.Runtime.Status
	if f.Service.Runtime.PID > 0 {
		runtime += fmt.Sprintf(" (pid %d)", f.Service.Runtime.PID)
	} else if f.Service.Runtime.Detail != "" {
		runtime += " (" + f.Service.Runtime.Detail + ")"
	}
	card.Add("Runtime", runtime)
	cfg := sh.short(f.Config.CLI.Path)
	switch {
	case !f.Config.CLI.Exists:
		cfg += " " + s.Warn("(missing; openclaw onboard makes one)")
	case !f.Config.CLI.Valid:
		cfg += " " + s.Bad("(invalid; openclaw config validate)")
	}
	card.Add("Config", cfg)
	card.Add("Bind", fmt.Sprintf("%s (%s), port %d", f.Gateway.BindMode, f.Gateway.BindHost, f.Gateway.Port))
	card.Add("Address", fmt.Sprintf("%s  http://127.0.0.1:%d/", f.Gateway.ProbeURL, f.Gateway.Port))
	card.Add("Note", f.Gateway.ProbeNote)
	for _, l := range f.Port.Listeners {
		card.Add("Listening", fmt.Sprintf("%s, %s (pid %d)", l.Address, l.Command, l.PID))
	}
	if f.RPC != nil {
		probe := s.Good("ok")
		if !f.RPC.OK {
			probe = s.Bad("failed")
		}
		card.Add("RPC probe", probe)
	}
	card.Write(sh.Stdout, s)
	if mend != "" {
		sh.line("\n%s", "  "+strings.ReplaceAll(mend, "\n", "\n  "))
	}
}

// localURL is the address of the gateway of this host.
func (sh *shell) localURL(c *config.Config) string {
	return "ws://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(client.Port(sh.Getenv, c.Gateway)))
}
