package cli

import (
	"context"
	"encoding/json"
	"time"

	"github.com/spf13/cobra"

	"github.com/openclaw-go/openclaw/internal/base/wire"
	"github.com/openclaw-go/openclaw/internal/client"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/secret"
)

// target are the flags of a command that talks to the gateway.
type target struct {
	url, token, password string
	timeout              int // milliseconds
	final                bool
}

// flags adds them; timeout is the default one.
func (t *target) flags(cmd *cobra.Command, timeout int) {
	f := cmd.Flags()
	f.StringVar(&t.url, "url", "", "another gateway's `url`; needs its token or password")
	f.StringVar(&t.token, "token", "", "the gateway's `token`")
	f.StringVar(&t.password, "password", "", "the gateway's `password`")
	t.limit(cmd, timeout)
}

func (t *target) limit(cmd *cobra.Command, timeout int) {
	cmd.Flags().IntVar(&t.timeout, "timeout", timeout, "how long to wait, in `ms`")
}

// finalFlag adds --expect-final.
func (t *target) finalFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&t.final, "expect-final", false, "wait for the second answer of a long call")
}

func (t *target) wait() time.Duration {
	if t.timeout <= 0 {
		return 10 * time.Second
	}
	return time.Duration(t.timeout) * time.Millisecond
}

// locate finds the gateway that t and the configuration mean.
func (sh *shell) locate(ctx context.Context, t target) (client.Place, *config.Config, error) {
	c, err := sh.running(ctx)
	if err != nil {
		return client.Place{}, nil, err
	}
	p, err := client.Locate(ctx, client.Search{
		URL: t.url, Token: t.token, Password: t.password, Getenv: sh.Getenv, Gateway: c.Gateway,
		Resolve: func(ctx context.Context, raw json.RawMessage) (secret.String, error) { return sh.resolve(ctx, c, raw) },
	})
	return p, c, err
}

// dial connects to the gateway as this device.
func (sh *shell) dial(ctx context.Context, t target) (*client.Conn, error) {
	o, wrap, err := sh.options(ctx, t)
	if err != nil {
		return nil, err
	}
	conn, err := client.Dial(ctx, o)
	if err != nil {
		return nil, wrap(err)
	}
	return conn, nil
}

// options are those of dial, and what turns its errors into ones with the
// address that was tried.
func (sh *shell) options(ctx context.Context, t target) (client.Options, func(error) error, error) {
	place, c, err := sh.locate(ctx, t)
	if err != nil {
		return client.Options{}, nil, err
	}
	paths := sh.paths()
	wrap := func(err error) error {
		u := &unreachable{place: place, config: paths.Config, err: err}
		if place.Source == "local loopback" {
			u.bind = bindOf(c.Gateway)
		}
		return u
	}
	id, err := client.LoadIdentity(client.IdentityPath(paths.State))
	if err != nil {
		return client.Options{}, nil, err
	}
	return client.Options{
		URL: place.URL, Token: place.Token, Password: place.Password,
		Identity: id, Tokens: client.NewTokenFile(paths.State),
		Client:  wire.Client{ID: "cli", Mode: "cli"},
		Timeout: t.wait(), Log: sh.logger(),
	}, wrap, nil
}

func bindOf(g config.Gateway) string {
	if g.Bind == "" {
		return "loopback"
	}
	return g.Bind
}

// call is one request on a connection of its own.
func (sh *shell) call(ctx context.Context, t target, method string, params, result any) error {
	conn, err := sh.dial(ctx, t)
	if err != nil {
		return err
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(ctx, t.wait())
	defer cancel()
	if t.final {
		return conn.CallFinal(ctx, method, params, result, nil)
	}
	return conn.Call(ctx, method, params, result)
}
