package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/openclaw-go/openclaw/internal/app"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/cli"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/secret"
)

// deps gives the command line the program behind it.
func deps() cli.Deps {
	d := cli.Deps{
		Serve: serve, Local: local, Checks: app.Checks,
		Models:   func(ctx context.Context, c *config.Config) ([]llm.Model, error) { return app.Models(ctx, c), nil },
		Resolver: app.Resolver,
		Resolve: func(ctx context.Context, c *config.Config, raw json.RawMessage) (secret.String, error) {
			return c.Secret(ctx, raw)
		},
	}
	for _, k := range app.Channels() {
		d.Channels = append(d.Channels, k.ID)
	}
	d.Channels = append(d.Channels, "whatsapp")
	return d
}

// serve runs the gateway once; the command line runs it again when it asks to
// be, so that a new port or log of the configuration is taken up.
func serve(ctx context.Context, o cli.ServeOptions) error {
	hurry, done := twice()
	defer done()
	port := 0 // the configuration's, which may change while it runs
	if o.FixedPort {
		port = o.Port
	}
	err := app.Run(ctx, app.Options{
		Hurry: hurry,
		Paths: o.Paths, Port: port, Bind: o.Bind, Auth: o.Auth, Token: o.Token, Password: o.Password, Log: o.Log, LogFile: o.LogFile,
		Ready: func(s app.Started) { o.Ready(cli.Ready{Addr: s.Addr, Model: s.Model}) },
	})
	if errors.Is(err, app.ErrRestart) {
		return cli.ErrRestart
	}
	return err
}

// twice is closed at the second signal to end: whoever asks again doesn't want
// to wait for what runs.
func twice() (hurry <-chan struct{}, done func()) {
	signals, closed, end := make(chan os.Signal, 2), make(chan struct{}), make(chan struct{}) // room for both signals
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		for range 2 {
			select {
			case <-signals:
			case <-end:
				return
			}
		}
		close(closed)
	}()
	return closed, func() { signal.Stop(signals); close(end) }
}

func local(ctx context.Context, o cli.LocalOptions) (cli.Answer, error) {
	r, err := app.Embedded(ctx, app.Turn{
		Paths: o.Paths, Log: o.Log, Agent: o.Agent, Session: o.Session, ID: o.SessionID, Message: o.Message, Thinking: o.Thinking,
		Timeout: o.Timeout, Run: o.Run, Verbose: o.Verbose, Deliver: o.Deliver,
		Channel: id.Channel(cmp.Or(o.ReplyOn, o.Channel)), To: cmp.Or(o.ReplyTo, o.To), Account: o.ReplyAs,
	})
	if err != nil {
		return cli.Answer{}, err
	}
	meta, err := json.Marshal(app.Meta(r))
	if err != nil {
		return cli.Answer{}, err
	}
	a := cli.Answer{Meta: meta, Payloads: []cli.Payload{}}
	if r.Text != "" {
		a.Payloads = append(a.Payloads, cli.Payload{Text: r.Text})
	}
	return a, nil
}
