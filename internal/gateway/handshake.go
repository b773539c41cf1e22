package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/openclaw-go/openclaw/internal/auth"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/jsonschema"
	"github.com/openclaw-go/openclaw/internal/base/version"
	"github.com/openclaw-go/openclaw/internal/base/wire"
)

// handshake challenges the client and returns its connection, with hello-ok as
// the first frame to send. It returns nil when it has refused the client.
func (s *Server) handshake(ctx context.Context, ws *link, r *http.Request, peer auth.Peer) *conn {
	nonce := uuid.NewString()
	challenge, err := s.hub.enc.marshal(wire.Challenge{Nonce: nonce, Ts: s.now().UnixMilli()})
	if err != nil || writeFrames(ctx, ws, direct("connect.challenge", challenge)) != nil {
		return nil
	}
	// Canceling a read would cut the connection without a close frame.
	timeout := time.AfterFunc(wire.HandshakeTimeout, func() { ws.bye(wire.CloseNormal, "") })
	defer timeout.Stop()
	raw, err := readFrame(ctx, ws, wire.MaxPreAuth)
	if errors.Is(err, errTooBig) {
		ws.bye(wire.CloseTooBig, "")
		return nil
	}
	if err != nil {
		return nil
	}
	reqID, params, ok := s.firstFrame(ctx, ws, raw)
	if !ok {
		return nil
	}
	grant, refusal := s.o.Auth.Connect(ctx, params, nonce, peer)
	if refusal != nil {
		s.refuse(ctx, ws, reqID, refusal.Err, refusal.Close)
		return nil
	}
	c := newConn(s, ws, grant, params.Caps)
	hello, err := s.hub.enc.marshal(s.hello(ctx, c, r))
	if err != nil {
		s.log.ErrorContext(ctx, "hello", "err", err)
		return nil
	}
	if !timeout.Stop() {
		return nil // too late: it closes already
	}
	c.push(frame{data: okFrame(reqID, hello)})
	return c
}

// firstFrame returns the params of the request connect, or refuses what came
// instead.
func (s *Server) firstFrame(ctx context.Context, ws *link, raw []byte) (reqID []byte, c *wire.Connect, ok bool) {
	if err := s.frames.Validate(raw); err != nil {
		if isSyntax(err) {
			ws.bye(wire.CloseNormal, "")
		} else {
			ws.bye(wire.ClosePolicy, "invalid request frame")
		}
		return nil, nil, false
	}
	var req request
	if err := json.Unmarshal(raw, &req); err != nil {
		ws.bye(wire.ClosePolicy, "invalid request frame")
		return nil, nil, false
	}
	refuse := func(message string) ([]byte, *wire.Connect, bool) {
		s.refuse(ctx, ws, req.ID, &wire.Error{Code: wire.CodeInvalid, Message: message}, wire.ClosePolicy)
		return nil, nil, false
	}
	if req.Method != "connect" {
		return refuse("invalid handshake: first request must be connect")
	}
	if err := s.connect.Validate(req.Params); err != nil {
		return refuse("invalid connect params: " + err.Error())
	}
	c = new(wire.Connect)
	if err := json.Unmarshal(req.Params, c); err != nil {
		return refuse("invalid connect params: must be valid")
	}
	return req.ID, c, true
}

func isSyntax(err error) bool {
	e, ok := errors.AsType[*jsonschema.Error](err)
	return ok && e.Syntax
}

// refuse answers with e and closes with its message.
func (s *Server) refuse(ctx context.Context, ws *link, reqID []byte, e *wire.Error, code int) {
	if data, err := s.errorFrame(reqID, e); err == nil {
		_ = writeFrames(ctx, ws, frame{data: data})
	}
	ws.bye(code, e.Message)
}

// hello is what an admitted client is told.
func (s *Server) hello(ctx context.Context, c *conn, r *http.Request) wire.HelloOK {
	cfg := s.o.Config()
	mainKey := cfg.Session.MainKey
	if mainKey == "" {
		mainKey = "main"
	}
	agent := cfg.DefaultAgent()
	if c.inPresence() {
		s.presence.put(c, "connect")
		s.hub.bumpPresence()
	}
	people, err := s.hub.enc.marshal(s.presence.list())
	if err != nil {
		people = []byte("[]")
	}
	mainSession, scope := string(id.AgentKey(agent, mainKey)), "per-sender"
	if cfg.Session.Scope == "global" {
		mainSession, scope = "global", "global"
	}
	h := wire.HelloOK{
		Type: "hello-ok", Protocol: wire.Version,
		Server:   wire.Server{Version: version.String(), ConnID: string(c.id)},
		Features: wire.Features{Methods: s.methods.names, Events: eventNames()},
		Snapshot: wire.Snapshot{
			Presence: people, Health: s.health.last(ctx), StateVersion: s.hub.stateVersion(),
			UptimeMs: s.now().Sub(s.started).Milliseconds(), ConfigPath: cfg.Paths.Config, StateDir: cfg.Paths.State,
			SessionDefaults: wire.SessionDefaults{
				DefaultAgentID: string(agent), MainKey: mainKey, MainSessionKey: mainSession, Scope: scope,
			},
			AuthMode: s.o.Auth.Settings().ModeName(),
		},
		Auth:   c.grant.Hello,
		Policy: wire.Policy{MaxPayload: wire.MaxPayload, MaxBufferedBytes: wire.MaxBuffered, TickIntervalMs: wire.TickInterval.Milliseconds()},
	}
	if auth.SafeHost(r.Host) {
		h.CanvasHostURL = "http://" + strings.ToLower(r.Host)
	}
	return h
}
