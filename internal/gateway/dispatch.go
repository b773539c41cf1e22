package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/openclaw-go/openclaw/internal/auth"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/wire"
	"github.com/openclaw-go/openclaw/internal/rpc"
)

// authorize returns the method, or the error for a client that may not call it.
// Who isn't the owner doesn't learn which methods exist.
func (s *Server) authorize(c *conn, name string) (rpc.Method, *wire.Error) {
	refuse := func(format string, args ...any) (rpc.Method, *wire.Error) {
		return rpc.Method{}, &wire.Error{Code: wire.CodeInvalid, Message: fmt.Sprintf(format, args...)}
	}
	if name == "connect" {
		return refuse("connect is only valid as the first request")
	}
	m, known := s.methods.byName[name]
	switch {
	case known && m.Scope == "":
		return m, nil
	case !known && nodeOnly(name):
		m.Scope = rpc.NodeRole
	case !known:
		m.Scope = rpc.Admin
	}
	if (c.grant.Role == rpc.Node) != (m.Scope == rpc.NodeRole) {
		c.foreign++
		return refuse("unauthorized role: %s", c.grant.Role)
	}
	c.foreign = 0
	if m.Scope != rpc.NodeRole && !auth.Has(c.caller.Scopes, m.Scope) {
		return refuse("missing scope: %s", m.Scope)
	}
	if !known {
		return refuse("unknown method: %s", name)
	}
	return m, nil
}

// nodeOnly reports whether the protocol gives name to nodes alone, so that
// operators get the same answer whether it is served or not.
func nodeOnly(name string) bool {
	switch name {
	case "skills.bins", "node.pending.drain", "node.pending.pull", "node.pending.ack", "node.invoke.result",
		"node.event", "node.canvas.capability.refresh":
		return true
	}
	return false
}

// call serves one request.
func (s *Server) call(ctx context.Context, c *rpc.Caller, m rpc.Method, params json.RawMessage) (any, error) {
	return s.guard(m.Name, func() (any, error) { return m.Serve(ctx, c, params) })
}

// guard turns a panic of a method into an error: one request must not take the
// others down.
func (s *Server) guard(method string, fn func() (any, error)) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("method panicked", "method", method, "panic", p, "stack", string(debug.Stack()))
			result, err = nil, fault.New(fault.Internal, "gateway."+method, "")
		}
	}()
	return fn()
}

// wireError is the one mapping of errors to the protocol.
func (s *Server) wireError(method string, err error) *wire.Error {
	if e, ok := errors.AsType[*rpc.Error](err); ok {
		return &wire.Error{Code: e.Code, Message: e.Message, Details: e.Details, Retryable: e.Retryable, RetryAfterMs: e.RetryAfter.Milliseconds()}
	}
	out := &wire.Error{Code: wire.CodeUnavailable, Message: fault.Hint(err)}
	switch fault.KindOf(err) {
	case fault.Invalid, fault.NotFound, fault.Conflict, fault.Forbidden, fault.Unauthenticated:
		out.Code = wire.CodeInvalid
	case fault.RateLimited, fault.Unavailable:
		out.Retryable = true
	case fault.Timeout:
		out.Code = wire.CodeTimeout
	case fault.Canceled:
		out.Message = "canceled"
	default:
		s.log.Error("method failed", "method", method, "err", err)
		out.Message = "internal error (see the gateway's log: openclaw logs)"
	}
	return out
}

func okFrame(reqID, payload []byte) []byte {
	b := make([]byte, 0, len(reqID)+len(payload)+48)
	b = append(b, `{"type":"res","id":`...)
	b = append(b, reqID...)
	b = append(b, `,"ok":true,"payload":`...)
	b = append(b, payload...)
	return append(b, '}')
}

func (s *Server) errorFrame(reqID []byte, e *wire.Error) ([]byte, error) {
	raw, err := s.hub.enc.marshal(e)
	if err != nil {
		s.log.Error("encode error", "err", err)
		return nil, err
	}
	b := make([]byte, 0, len(reqID)+len(raw)+48)
	b = append(b, `{"type":"res","id":`...)
	b = append(b, reqID...)
	b = append(b, `,"ok":false,"error":`...)
	b = append(b, raw...)
	return append(b, '}'), nil
}
