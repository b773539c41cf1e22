// Package gateway serves the WebSocket protocol and HTTP on one port: frames,
// handshake, scopes, dispatch and broadcast. It has no domain words; what it
// serves are the methods and routes of features.
//
// Start at [Server.Serve] for the life of a server, [Server.ServeHTTP] for that
// of a request, handshake.go and conn.go for that of a connection, events.go
// for what is told to clients.
package gateway

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/auth"
	"github.com/openclaw-go/openclaw/internal/base/event"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/jsonschema"
	"github.com/openclaw-go/openclaw/internal/base/version"
	"github.com/openclaw-go/openclaw/internal/base/wire"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/feature"
)

// Options is what a Server needs.
type Options struct {
	Feature feature.Feature // everything that is served, merged
	Auth    *auth.Authenticator
	Bus     *event.Bus
	Config  func() *config.Config
	// Ready says why no turn can run, nil when one can. Nil is always ready.
	Ready func() error
	// Health returns the payload of the health event. Nil is {"ok":true}.
	Health func(ctx context.Context) any
	// Queue takes a line of system-event for the next turn of a session, ""
	// being the main one. Nil refuses such lines.
	Queue func(ctx context.Context, session id.SessionKey, text string) error
	// Webhook returns the handler of a channel that receives at path, or nil. It
	// checks who calls. No route of a feature is asked for here. May be nil.
	Webhook func(path string) http.Handler
	Log     *slog.Logger // nil discards
	Now     func() time.Time
}

// Server is the gateway.
type Server struct {
	o        Options
	log      *slog.Logger
	now      func() time.Time
	started  time.Time
	methods  *methods
	mux      *http.ServeMux
	presence *presence
	hub      *hub
	health   *healthState
	waiting  *waiting

	frames  *jsonschema.Schema
	connect *jsonschema.Schema

	life  context.Context // of all requests; ends after the last goodbye
	end   context.CancelFunc
	links context.Context // of all sockets
	cut   context.CancelFunc
	wg    sync.WaitGroup // sockets
}

// New returns a server of o.Feature.
func New(o Options) (*Server, error) {
	if o.Auth == nil || o.Bus == nil || o.Config == nil {
		return nil, errors.New("gateway: Auth, Bus and Config are required")
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Server{
		o: o, log: o.Log, now: o.Now, started: o.Now(),
		frames: wire.RequestSchema(), connect: wire.ConnectSchema(),
		hub: newHub(), waiting: newWaiting(),
	}
	s.presence = newPresence(s.now, version.Protocol)
	s.health = newHealthState(s)
	s.life, s.end = context.WithCancel(context.Background()) // cancelled by Serve
	s.links, s.cut = context.WithCancel(s.life)              //nolint:gosec // farewell calls it, and its parent ends it
	all, err := newMethods(append(s.ownMethods(), o.Feature.Methods...))
	if err != nil {
		return nil, err
	}
	s.methods = all
	s.mux, err = s.routes()
	return s, err
}

// Times of the HTTP side. Bodies and answers are bounded where they are read
// and written, since a stream may last.
const (
	headerTimeout  = 10 * time.Second
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 64 << 10
	goodbye        = 5 * time.Second // for requests that run
	goodbyeLinks   = time.Second     // for sockets to answer the close
)

// Serve answers on ls until ctx ends. Then it takes no new work, tells the
// clients, lets running requests end for a moment and closes everything.
func (s *Server) Serve(ctx context.Context, ls ...net.Listener) error {
	srv := &http.Server{
		Handler: s, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes,
		BaseContext: func(net.Listener) context.Context { return s.life },
		ErrorLog:    slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	sub := s.o.Bus.Subscribe(busBuffer)
	stop := s.o.Auth.OnRevoke(s.hub.revoke)
	defer stop()
	background, cancel := context.WithCancel(s.life)
	var tellers, work sync.WaitGroup
	tellers.Go(func() { s.pump(background, sub) })
	tellers.Go(func() { s.health.run(background) })
	failed := make(chan error, len(ls)) // one from each listener
	for _, l := range ls {
		work.Go(func() { failed <- srv.Serve(l) })
	}
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	cancel()
	tellers.Wait() // what is on the bus is told, perhaps why we go
	s.tellShutdown("gateway stopping", 0)
	s.farewell(srv)
	work.Wait()
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return err
}

// farewell closes what is open; what doesn't end in time is cut.
func (s *Server) farewell(srv *http.Server) {
	timeout, cancel := context.WithTimeout(context.WithoutCancel(s.life), goodbye)
	defer cancel()
	var links sync.WaitGroup
	links.Go(func() {
		s.hub.closeAll(wire.CloseRestart, "service restart")
		cut := time.AfterFunc(goodbyeLinks, s.cut)
		defer cut.Stop()
		s.wg.Wait()
	})
	if err := srv.Shutdown(timeout); err != nil {
		s.log.Debug("requests cut off", "err", err)
		s.end()
		_ = srv.Close()
	}
	links.Wait()
	s.end()
}
