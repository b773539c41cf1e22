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

// bare drops the address from an error of the HTTP client: an interaction's
// holds a token.
func bare(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}
