package client

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/coder/websocket"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/wire"
	"github.com/openclaw-go/openclaw/internal/rpc"
)

// request is a frame that we send, as bytes.
func request(id, method string, params any) ([]byte, error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	return json.Marshal(wire.Request{Type: wire.TypeReq, ID: id, Method: method, Params: raw})
}

// frame is a frame that we receive: an answer or an event.
type frame struct {
	Type    string          `json:"type"`
	ID      json.RawMessage `json:"id"` // the gateway echoes even a number
	OK      bool            `json:"ok"`
	Payload json.RawMessage `json:"payload"`
	Error   *wireError      `json:"error"`
	Event   string          `json:"event"`
	Seq     int64           `json:"seq"`
}

type wireError struct {
	Code         string          `json:"code"`
	Message      string          `json:"message"`
	Details      json.RawMessage `json:"details"`
	Retryable    bool            `json:"retryable"`
	RetryAfterMs int64           `json:"retryAfterMs"`
}

func (e *wireError) rpc() *rpc.Error {
	if e == nil {
		return &rpc.Error{Code: wire.CodeUnavailable, Message: "unknown error"}
	}
	out := &rpc.Error{
		Code: e.Code, Message: e.Message, Retryable: e.Retryable,
		RetryAfter: time.Duration(e.RetryAfterMs) * time.Millisecond,
	}
	if len(e.Details) > 0 {
		out.Details = e.Details
	}
	return out
}

func readFrame(ctx context.Context, ws *websocket.Conn) (frame, error) {
	_, raw, err := ws.Read(ctx)
	if err != nil {
		return frame{}, broken(err)
	}
	return parseFrame(raw)
}

func parseFrame(raw []byte) (frame, error) {
	var f frame
	if err := json.Unmarshal(raw, &f); err != nil {
		return frame{}, &fault.Error{
			Kind: fault.Unavailable, Op: "client.read", Err: err,
			Hint: "the gateway sent something that isn't a frame of its protocol",
		}
	}
	return f, nil
}

// readQuiet is readFrame with a limit on silence.
func readQuiet(ctx context.Context, ws *websocket.Conn, quiet time.Duration) (frame, error) {
	ctx, cancel := context.WithTimeout(ctx, quiet)
	defer cancel()
	f, err := readFrame(ctx, ws)
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return f, &fault.Error{Kind: fault.Timeout, Op: "client.read", Err: err, Hint: "the gateway went silent"}
	}
	return f, err
}
