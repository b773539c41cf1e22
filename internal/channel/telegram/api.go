package telegram

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// api calls the Bot API. The token is part of every address, so no error of
// the HTTP client leaves here as it is.
type api struct {
	root, token string
	http        *http.Client
	timeout     time.Duration
}

// maxAnswer bounds an answer: 100 updates are far smaller.
const maxAnswer = 16 << 20

// newAPI makes a client from c that follows no redirect with the token in it.
func newAPI(cfg *Config, token string, c *http.Client) (*api, error) {
	own := http.Client{}
	if c != nil {
		own = *c
	}
	own.Timeout = 0 // each call has its own
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if cfg.Proxy != "" {
		u, err := url.Parse(cfg.Proxy)
		if err != nil {
			return nil, fault.New(fault.Invalid, "channels.telegram.proxy", "not an address")
		}
		t, ok := own.Transport.(*http.Transport)
		if !ok {
			t, _ = http.DefaultTransport.(*http.Transport)
		}
		t = t.Clone()
		t.Proxy = http.ProxyURL(u)
		own.Transport = t
	}
	if cfg.Network.DNSResultOrder == "ipv4first" {
		ipv4First(&own)
	}
	return &api{root: cfg.APIRoot, token: token, http: &own, timeout: time.Duration(cfg.TimeoutSeconds) * time.Second}, nil
}

// ipv4First makes c try a host's IPv4 addresses before the others.
func ipv4First(c *http.Client) {
	t, ok := c.Transport.(*http.Transport)
	if !ok {
		if t, ok = http.DefaultTransport.(*http.Transport); !ok || c.Transport != nil {
			return
		}
	}
	t = t.Clone()
	dial := t.DialContext
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	t.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if network == "tcp" {
			if conn, err := dial(ctx, "tcp4", addr); err == nil {
				return conn, nil
			}
		}
		return dial(ctx, network, addr)
	}
	c.Transport = t
}

// answer is the envelope of every answer.
type answer struct {
	OK          bool            `json:"ok"`
	Result      json.RawMessage `json:"result"`
	Description string          `json:"description"`
	Code        int             `json:"error_code"`
	Parameters  struct {
		RetryAfter int   `json:"retry_after"`
		MigrateTo  int64 `json:"migrate_to_chat_id"`
	} `json:"parameters"`
}

// refusal is an error answer of the Bot API.
type refusal struct {
	code        int
	description string
	migrateTo   int64
}

func (r *refusal) Error() string { return fmt.Sprintf("%d %s", r.code, r.description) }

// says tells whether the refusal speaks of what, in lower case.
func (r *refusal) says(what string) bool {
	return strings.Contains(strings.ToLower(r.description), what)
}

// call calls a method with params as JSON. extra is time that the server may
// take on purpose.
func (a *api) call(ctx context.Context, method string, params, result any, extra time.Duration) error {
	body, err := json.Marshal(params)
	if err != nil {
		return fault.Wrap(fault.Invalid, "telegram."+method, err)
	}
	return a.do(ctx, method, "application/json", [][]byte{body}, result, extra)
}

// upload is a file on its way to Telegram.
type upload struct {
	field, name string
	data        []byte
}

// upload calls a method with files. Their bytes aren't copied.
func (a *api) upload(ctx context.Context, method string, fields map[string]any, result any, files ...upload) error {
	op := "telegram." + method
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, k := range slices.Sorted(maps.Keys(fields)) {
		v, ok := fields[k].(string)
		if !ok {
			raw, err := json.Marshal(fields[k])
			if err != nil {
				return fault.Wrap(fault.Invalid, op, err)
			}
			v = string(raw)
		}
		if err := w.WriteField(k, v); err != nil {
			return fault.Wrap(fault.Invalid, op, err)
		}
	}
	var cuts []int // where the bytes of each file belong
	for _, f := range files {
		if _, err := w.CreateFormFile(f.field, f.name); err != nil {
			return fault.Wrap(fault.Invalid, op, err)
		}
		cuts = append(cuts, b.Len())
	}
	if err := w.Close(); err != nil {
		return fault.Wrap(fault.Invalid, op, err)
	}
	var all [][]byte
	from := 0
	for i, to := range cuts {
		all = append(all, b.Bytes()[from:to], files[i].data)
		from = to
	}
	all = append(all, b.Bytes()[from:])
	return a.do(ctx, method, w.FormDataContentType(), all, result, 2*time.Minute)
}

func (a *api) do(ctx context.Context, method, kind string, body [][]byte, result any, extra time.Duration) error {
	op := "telegram." + method
	ctx, cancel := context.WithTimeout(ctx, a.timeout+extra)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.root+"/bot"+a.token+"/"+method, http.NoBody)
	if err != nil {
		return fault.Wrap(fault.Invalid, op, a.redact(err))
	}
	req.GetBody = func() (io.ReadCloser, error) {
		parts := make([]io.Reader, 0, len(body))
		for _, p := range body {
			parts = append(parts, bytes.NewReader(p))
		}
		return io.NopCloser(io.MultiReader(parts...)), nil
	}
	req.Body, _ = req.GetBody()
	for _, p := range body {
		req.ContentLength += int64(len(p))
	}
	req.Header.Set("Content-Type", kind)
	var left atomic.Bool // the request did, so that it may have been carried out
	req = req.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { left.Store(true) }}))
	resp, err := a.http.Do(req)
	if err != nil {
		if err = a.redact(err); left.Load() {
			err = channel.InDoubt{Err: err}
		}
		return fault.Wrap(fault.Unavailable, op, err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return fault.Wrap(fault.Unavailable, op, channel.InDoubt{Err: a.redact(err)})
	}
	var ans answer
	if err := json.Unmarshal(raw, &ans); err != nil {
		return a.refused(op, &answer{Code: resp.StatusCode, Description: "an answer that is no JSON"})
	}
	if !ans.OK {
		if ans.Code == 0 {
			ans.Code = resp.StatusCode
		}
		return a.refused(op, &ans)
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(ans.Result, result); err != nil {
		return fault.Wrap(fault.Unavailable, op, fmt.Errorf("an answer of another shape: %w", err))
	}
	return nil
}

// refused classifies an error answer by what can be done about it.
func (a *api) refused(op string, ans *answer) error {
	said := text.Ellipsis(printable(strings.ReplaceAll(ans.Description, a.token, "<token>")), 300)
	var cause error = &refusal{code: ans.Code, description: said, migrateTo: ans.Parameters.MigrateTo}
	low := strings.ToLower(said)
	kind, hint := fault.Invalid, "Telegram refused it: "+said
	switch {
	case ans.Code == http.StatusUnauthorized, ans.Code == http.StatusNotFound && !strings.Contains(low, "bad request"):
		kind, hint = fault.Unauthenticated, "Telegram doesn't accept the bot token: check channels.telegram.botToken"
	case ans.Code == http.StatusForbidden:
		kind = fault.Forbidden
	case ans.Code == http.StatusConflict:
		kind, hint = fault.Conflict, "another program reads this bot's messages: stop it, or use another bot token"
	case ans.Code == http.StatusTooManyRequests:
		kind, hint = fault.RateLimited, "Telegram asks to slow down"
		wait := min(max(ans.Parameters.RetryAfter, 1), 3600)
		cause = errors.Join(channel.RetryAfter{After: time.Duration(wait) * time.Second}, cause)
	case ans.Code >= 500, ans.Code < 400:
		kind, hint = fault.Unavailable, "Telegram has a problem: "+said
	case strings.Contains(low, "not found"):
		kind = fault.NotFound
	}
	return &fault.Error{Kind: kind, Op: op, Hint: hint, Err: cause}
}

// redact drops the address from an error of the HTTP client, and the token
// from wherever else it may be.
func (a *api) redact(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	if a.token != "" && strings.Contains(err.Error(), a.token) {
		return errors.New(strings.ReplaceAll(err.Error(), a.token, "<token>"))
	}
	return err
}

// file opens a file of the Bot API's file server.
func (a *api) file(ctx context.Context, path string) (io.ReadCloser, error) {
	const op = "telegram.file"
	for p := range strings.SplitSeq(path, "/") {
		if p == ".." || p == "." {
			return nil, fault.New(fault.Invalid, op, "a path that leaves the bot's files")
		}
	}
	u := a.root + "/file/bot" + a.token + "/" + (&url.URL{Path: strings.TrimLeft(path, "/")}).EscapedPath()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u, http.NoBody)
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, op, a.redact(err))
	}
	resp, err := a.http.Do(req)
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, op, a.redact(err))
	}
	if resp.StatusCode != http.StatusOK {
		_ = resp.Body.Close()
		return nil, a.refused(op, &answer{Code: resp.StatusCode, Description: "Bad Request: file " + strconv.Itoa(resp.StatusCode)})
	}
	return resp.Body, nil
}

// printable drops control characters from text of the server.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, ""))
}
