package discord

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// api calls the REST API.
type api struct {
	root  *url.URL // with the version
	token string
	http  *http.Client
	time  *timing
	rates rates
}

// maxAnswer bounds an answer: a guild with all its channels is far smaller.
const maxAnswer = 16 << 20

// newAPI makes a client from c that follows no redirect with the token in it.
func newAPI(cfg *Config, c *http.Client) (*api, error) {
	root, err := url.Parse(cfg.APIRoot + "/v" + version)
	if err != nil {
		return nil, fault.New(fault.Invalid, "channels.discord.apiRoot", "not an address")
	}
	own := http.Client{}
	if c != nil {
		own = *c
	}
	own.Timeout = 0 // each call has its own
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if cfg.Proxy != "" {
		u, err := url.Parse(cfg.Proxy)
		if err != nil {
			return nil, fault.New(fault.Invalid, "channels.discord.proxy", "not an address")
		}
		t, ok := own.Transport.(*http.Transport)
		if !ok {
			t, _ = http.DefaultTransport.(*http.Transport)
		}
		t = t.Clone()
		t.Proxy = http.ProxyURL(u)
		own.Transport = t
	}
	return &api{root: root, token: cfg.Token, http: &own}, nil
}

// call is one call of the API.
type call struct {
	method, path string // the path is made of ids that were checked
	query        url.Values
	body, into   any // JSON; nil is none
	files        []upload
	reason       string // for the guild's audit log
	anonymous    bool   // the path itself is the permission
}

type upload struct {
	name, mime string
	data       []byte
}

func (a *api) get(ctx context.Context, path string, query url.Values, into any) error {
	return a.do(ctx, call{method: http.MethodGet, path: path, query: query, into: into})
}

func (a *api) post(ctx context.Context, path string, body, into any) error {
	return a.do(ctx, call{method: http.MethodPost, path: path, body: body, into: into})
}

func (a *api) do(ctx context.Context, c call) error {
	op := "discord." + c.method + " " + routeName(c.path)
	route := c.method + " " + bucketName(c.path)
	if err := a.rates.wait(ctx, op, route, a.time.hold, c.anonymous); err != nil {
		return err
	}
	body, kind, err := encode(c)
	if err != nil {
		return fault.Wrap(fault.Invalid, op, err)
	}
	u := *a.root
	u.RawPath = a.root.EscapedPath() + c.path
	if u.Path, err = url.PathUnescape(u.RawPath); err != nil {
		return fault.New(fault.Invalid, op, "not a path")
	}
	u.RawQuery = c.query.Encode()
	patience := a.time.call
	if len(c.files) > 0 {
		patience += 2 * time.Minute
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, c.method, u.String(), bytes.NewReader(body))
	if err != nil {
		return fault.Wrap(fault.Invalid, op, bare(err))
	}
	req.Header.Set("User-Agent", "DiscordBot (https://github.com/openclaw-go/openclaw, 1.0)")
	if !c.anonymous {
		req.Header.Set("Authorization", "Bot "+a.token)
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	if c.reason != "" {
		req.Header.Set("X-Audit-Log-Reason", url.QueryEscape(c.reason))
	}
	var left atomic.Bool // the request did, so that it may have been carried out
	req = req.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { left.Store(true) }}))
	resp, err := a.http.Do(req)
	if err != nil {
		if err = bare(err); left.Load() && c.method != http.MethodGet {
			err = channel.InDoubt{Err: err}
		}
		return fault.Wrap(fault.Unavailable, op, err)
	}
	defer resp.Body.Close()
	a.rates.note(route, resp.Header)
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return fault.Wrap(fault.Unavailable, op, channel.InDoubt{Err: bare(err)})
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return a.refused(op, route, resp, raw)
	}
	if c.into == nil || resp.StatusCode == http.StatusNoContent {
		return nil
	}
	if err := json.Unmarshal(raw, c.into); err != nil {
		return fault.Wrap(fault.Unavailable, op, fmt.Errorf("an answer of another shape: %w", err))
	}
	return nil
}

// encode makes the body: JSON, with files as one part of a form.
func encode(c call) (body []byte, kind string, err error) {
	if c.body == nil {
		return nil, "", nil
	}
	if body, err = json.Marshal(c.body); err != nil || len(c.files) == 0 {
		return body, "application/json", err
	}
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	h := textproto.MIMEHeader{}
	h.Set("Content-Disposition", `form-data; name="payload_json"`)
	h.Set("Content-Type", "application/json")
	part, err := w.CreatePart(h)
	if err != nil {
		return nil, "", err
	}
	_, _ = part.Write(body)
	for i, f := range c.files {
		h := textproto.MIMEHeader{}
		h.Set("Content-Disposition", fmt.Sprintf(`form-data; name="files[%d]"; filename="%s"`, i, quoted(f.name)))
		h.Set("Content-Type", f.mime)
		if part, err = w.CreatePart(h); err != nil {
			return nil, "", err
		}
		_, _ = part.Write(f.data)
	}
	if err := w.Close(); err != nil {
		return nil, "", err
	}
	return b.Bytes(), w.FormDataContentType(), nil
}

func quoted(name string) string {
	return strings.NewReplacer("\\", "\\\\", `"`, "\\\"", "\r", "", "\n", "").Replace(name)
}

// refusal is an error answer of the API.
type refusal struct {
	status, code int
	text         string
}

func (r *refusal) Error() string {
	if r.code != 0 {
		return fmt.Sprintf("HTTP %d, %d %s", r.status, r.code, r.text)
	}
	return fmt.Sprintf("HTTP %d %s", r.status, r.text)
}

// Codes of refusals that something is done about.
const (
	codeUnknownChannel   = 10003
	codeUnknownMessage   = 10008
	codeUnknownWebhook   = 10015
	codeUnknownAnswer    = 10062
	codeAnswered         = 40060
	codeNoAccess         = 50001
	codeNoDM             = 50007
	codeNotText          = 50008
	codeNoPermission     = 50013
	codeExpired          = 50027
	codeThreadThere      = 160004
	codeInvalidForm      = 50035
	codeUnknownEmoji     = 10014
	codeThreadIsArchived = 50083
)

// refusedWith tells whether err is a refusal with one of codes.
func refusedWith(err error, codes ...int) bool {
	r, ok := errors.AsType[*refusal](err)
	if !ok {
		return false
	}
	for _, c := range codes {
		if r.code == c {
			return true
		}
	}
	return false
}

// refused classifies an error answer by what can be done about it.
func (a *api) refused(op, route string, resp *http.Response, raw []byte) error {
	var ans struct {
		Code       int             `json:"code"`
		Message    string          `json:"message"`
		Errors     json.RawMessage `json:"errors"`
		RetryAfter float64         `json:"retry_after"`
		Global     bool            `json:"global"`
	}
	isJSON := json.Unmarshal(raw, &ans) == nil
	said := clean(ans.Message)
	if d := details(ans.Errors); d != "" {
		said += ": " + d
	}
	said = strings.ReplaceAll(said, a.token, "<token>")
	var cause error = &refusal{status: resp.StatusCode, code: ans.Code, text: said}
	kind, hint := fault.Invalid, "Discord refused it: "+said
	switch s := resp.StatusCode; {
	case s == http.StatusTooManyRequests:
		wait := a.rates.limited(route, resp.Header, ans.RetryAfter, ans.Global || !isJSON)
		kind, hint = fault.RateLimited, "Discord asks to slow down"
		cause = errors.Join(channel.RetryAfter{After: wait}, cause)
	case s == http.StatusUnauthorized:
		kind, hint = fault.Unauthenticated, "Discord doesn't accept the bot token: make a new one under Bot in the Developer Portal, and set channels.discord.token"
	case s >= http.StatusInternalServerError:
		kind, hint = fault.Unavailable, "Discord has a problem: HTTP "+strconv.Itoa(s)
		if resp.Request.Method != http.MethodGet {
			cause = channel.InDoubt{Err: cause} // what is behind its front may have done it
		}
	case s < http.StatusBadRequest:
		kind, hint = fault.Unavailable, "something between here and Discord answered: HTTP "+strconv.Itoa(s)
	case s == http.StatusForbidden:
		kind, hint = fault.Forbidden, forbidden(ans.Code, said)
	case s == http.StatusNotFound:
		kind = fault.NotFound
	}
	return &fault.Error{Kind: kind, Op: op, Hint: hint, Err: cause}
}

// forbidden says what to do about a missing permission.
func forbidden(code int, said string) string {
	switch code {
	case codeNoAccess:
		return "the bot can't see that channel: give it View Channel there, or invite it to the server"
	case codeNoDM:
		return "that person takes no direct messages from the bot: they must share a server with it and allow direct messages there"
	case codeNoPermission:
		return "the bot lacks a permission there: give its role Send Messages, Read Message History, and what the action needs"
	}
	return "Discord forbids it: " + said
}

// details are the first complaints about the fields of a request.
func details(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	var found []string
	var walk func(path string, v any, depth int)
	walk = func(path string, v any, depth int) {
		const most, deep = 3, 12
		o, ok := v.(map[string]any)
		if !ok || depth > deep || len(found) >= most {
			return
		}
		if list, ok := o["_errors"].([]any); ok {
			for _, e := range list {
				if m, ok := e.(map[string]any); ok && len(found) < most {
					text, _ := m["message"].(string)
					found = append(found, clean(path)+": "+clean(text))
				}
			}
		}
		for _, k := range sortedKeys(o) {
			if k != "_errors" {
				walk(strings.TrimPrefix(path+"."+k, "."), o[k], depth+1)
			}
		}
	}
	var v any
	if json.Unmarshal(raw, &v) == nil {
		walk("", v, 0)
	}
	return strings.Join(found, "; ")
}

// bare drops the address from an error of the HTTP client: an interaction's
// holds a token.
func bare(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}
