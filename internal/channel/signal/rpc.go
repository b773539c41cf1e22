package signal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// daemon talks to signal-cli's HTTP daemon (signal-cli-jsonrpc(5)): JSON-RPC
// under /api/v1/rpc, received messages as server-sent events under
// /api/v1/events.
type daemon struct {
	base    string
	account string // "" when the daemon has one account only
	http    *http.Client
}

const (
	callTime  = 30 * time.Second
	maxAnswer = 64 << 20 // an attachment in base64
)

// call calls a method; result may be nil.
func (d *daemon) call(ctx context.Context, method string, params map[string]any, result any) error {
	const op = "signal.call"
	if d.account != "" {
		params["account"] = d.account
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "method": method, "params": params, "id": string(id.NewDelivery())})
	if err != nil {
		return fault.Wrap(fault.Invalid, op, err)
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.base+"/api/v1/rpc", bytes.NewReader(body))
	if err != nil {
		return fault.Wrap(fault.Invalid, op, err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := d.http.Do(req)
	if err != nil {
		return d.unreachable(op, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 == 2 && resp.StatusCode != http.StatusOK {
		return nil // 201: nothing to answer
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return fault.Wrap(fault.Unavailable, op, channel.InDoubt{Err: err})
	}
	if len(raw) > maxAnswer {
		return fault.New(fault.Invalid, op, "the daemon's answer is too large")
	}
	var answer struct {
		Result json.RawMessage
		Error  *struct {
			Code    int
			Message string
			Data    json.RawMessage
		}
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return &fault.Error{Kind: fault.Unavailable, Op: op, Hint: fmt.Sprintf("the signal-cli daemon answered %s and no JSON", resp.Status), Err: err}
	}
	if answer.Error != nil {
		return refusal(op, answer.Error.Code, answer.Error.Message)
	}
	if result == nil || len(answer.Result) == 0 {
		return nil
	}
	return fault.Wrap(fault.Unavailable, op, json.Unmarshal(answer.Result, result))
}

// refusal classifies an error of the daemon (signal-cli's codes: -1 user error,
// -3 I/O, -4 untrusted key, -5 rate limit, -32600 and below: JSON-RPC's).
func refusal(op string, code int, message string) error {
	hint := "signal-cli: " + text.Preview(message, 300)
	lower := strings.ToLower(message)
	switch {
	case code == -5, strings.Contains(lower, "rate limit"), strings.Contains(lower, "proof required"):
		return fault.Wrap(fault.RateLimited, op, &fault.Error{Kind: fault.RateLimited, Op: op, Hint: hint})
	case strings.Contains(lower, "not registered"), strings.Contains(lower, "authorization failed"), strings.Contains(lower, "specified account does not exist"):
		return &fault.Error{Kind: fault.Unauthenticated, Op: op, Hint: hint + "; register or link it: signal-cli link -n OpenClaw"}
	case code == -3:
		return &fault.Error{Kind: fault.Unavailable, Op: op, Hint: hint}
	}
	return &fault.Error{Kind: fault.Invalid, Op: op, Hint: hint}
}

// unreachable classifies an error of the connection: one that was never made
// can't have sent anything.
func (d *daemon) unreachable(op string, err error) error {
	hint := "no signal-cli daemon answers at " + d.base + "; start one: signal-cli daemon --http"
	if e, ok := errors.AsType[*net.OpError](err); ok && e.Op == "dial" {
		return &fault.Error{Kind: fault.Unavailable, Op: op, Hint: hint, Err: err}
	}
	return &fault.Error{Kind: fault.Unavailable, Op: op, Hint: hint, Err: channel.InDoubt{Err: err}}
}

// check reports whether the daemon answers.
func (d *daemon) check(ctx context.Context) error {
	const op = "signal.check"
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.base+"/api/v1/check", nil)
	if err != nil {
		return fault.Wrap(fault.Invalid, op, err)
	}
	resp, err := d.http.Do(req)
	if err != nil {
		return d.unreachable(op, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return fault.New(fault.Unavailable, op, "the signal-cli daemon answers "+resp.Status)
	}
	return nil
}

// events opens the stream of received messages.
func (d *daemon) events(ctx context.Context) (io.ReadCloser, error) {
	const op = "signal.events"
	u := d.base + "/api/v1/events"
	if d.account != "" {
		u += "?account=" + strings.ReplaceAll(d.account, "+", "%2B")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u, nil)
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, op, err)
	}
	req.Header.Set("Accept", "text/event-stream")
	resp, err := d.http.Do(req)
	if err != nil {
		return nil, d.unreachable(op, err)
	}
	if resp.StatusCode != http.StatusOK {
		_ = resp.Body.Close() // what it says is in the status
		return nil, fault.New(fault.Unavailable, op, "the signal-cli daemon answers "+resp.Status+" to /api/v1/events")
	}
	return resp.Body, nil
}
