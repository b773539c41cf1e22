package slack

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// api calls Slack's Web API.
type api struct {
	root    *url.URL
	bot     string // tokens
	app     string
	user    string
	http    *http.Client // follows no redirect, so that no token goes elsewhere
	timeout time.Duration
}

const (
	maxAnswer   = 16 << 20 // 200 messages are far smaller
	callTimeout = 30 * time.Second
)

func newAPI(cfg *Config, c *http.Client) *api {
	own := http.Client{}
	if c != nil {
		own = *c
	}
	own.Timeout = 0 // each call has its own
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	root, _ := url.Parse(cfg.APIRoot) // decode checked it
	return &api{root: root, bot: cfg.BotToken, app: cfg.AppToken, user: cfg.UserToken, http: &own, timeout: callTimeout}
}

// params are the arguments of a method. Strings go as they are, everything
// else as JSON, and what is nil or "" not at all.
type params map[string]any

func (p params) encode() (string, error) {
	v := url.Values{}
	for k, x := range p {
		switch x := x.(type) {
		case nil:
		case []any:
			if x == nil {
				continue
			}
			raw, err := json.Marshal(x)
			if err != nil {
				return "", err
			}
			v.Set(k, string(raw))
		case string:
			if x != "" {
				v.Set(k, x)
			}
		default:
			raw, err := json.Marshal(x)
			if err != nil {
				return "", err
			}
			v.Set(k, string(raw))
		}
	}
	return v.Encode(), nil
}

// refusal is an answer that says no.
type refusal struct {
	Code     string `json:"error"`
	Needed   string `json:"needed"`   // scopes
	Provided string `json:"provided"` // and those the token has
	Meta     struct {
		Messages []string `json:"messages"`
	} `json:"response_metadata"`
	status int
}

func (r *refusal) Error() string {
	s := "slack answered " + strconv.Quote(text.Ellipsis(printable(r.Code), 80))
	if len(r.Meta.Messages) > 0 {
		s += " (" + text.Ellipsis(printable(r.Meta.Messages[0]), 200) + ")"
	}
	return s
}

// refused tells whether Slack said no with one of codes.
func refused(err error, codes ...string) bool {
	r, ok := errors.AsType[*refusal](err)
	if !ok {
		return false
	}
	for _, c := range codes {
		if r.Code == c {
			return true
		}
	}
	return false
}

// call calls a method as the bot.
func (a *api) call(ctx context.Context, method string, p params, result any) error {
	_, err := a.as(ctx, a.bot, method, p, result)
	return err
}

// as calls a method with a token, and returns the headers of the answer.
func (a *api) as(ctx context.Context, token, method string, p params, result any) (http.Header, error) {
	op := "slack." + method
	body, err := p.encode()
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, op, err)
	}
	ctx, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	left := new(atomic.Bool) // the request did, so that it may have been carried out
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { left.Store(true) }})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.root.JoinPath(method).String(), strings.NewReader(body))
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, op, bare(err))
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := a.http.Do(req)
	if err != nil {
		if err = bare(err); left.Load() {
			err = channel.InDoubt{Err: err}
		}
		return nil, fault.Wrap(fault.Unavailable, op, err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, op, channel.InDoubt{Err: bare(err)})
	}
	return resp.Header, read(op, resp, raw, result)
}

// read reads an answer.
func read(op string, resp *http.Response, raw []byte, result any) error {
	ans := struct {
		OK bool `json:"ok"`
		refusal
	}{}
	err := json.Unmarshal(raw, &ans)
	ans.status = resp.StatusCode
	switch {
	case resp.StatusCode == http.StatusTooManyRequests:
		return limited(op, resp.Header.Get("Retry-After"), &ans.refusal)
	case resp.StatusCode >= http.StatusInternalServerError:
		return &fault.Error{Kind: fault.Unavailable, Op: op, Hint: "Slack has a problem: HTTP " + strconv.Itoa(resp.StatusCode), Err: channel.InDoubt{Err: &ans.refusal}}
	case err != nil:
		return fault.Wrap(fault.Unavailable, op, channel.InDoubt{Err: fmt.Errorf("HTTP %d with an answer that is no JSON object", resp.StatusCode)})
	case !ans.OK:
		return judged(op, &ans.refusal, resp.Header.Get("Retry-After"))
	case result == nil:
		return nil
	}
	if err := json.Unmarshal(raw, result); err != nil {
		return fault.Wrap(fault.Unavailable, op, channel.InDoubt{Err: fmt.Errorf("an answer of another shape: %w", err)})
	}
	return nil
}

func limited(op, after string, r *refusal) error {
	const usual, most = 1, 3600
	n, err := strconv.Atoi(strings.TrimSpace(after))
	if err != nil {
		n = usual
	}
	if r.Code == "" {
		r.Code = "ratelimited"
	}
	wait := time.Duration(min(max(n, 1), most)) * time.Second
	return &fault.Error{Kind: fault.RateLimited, Op: op, Hint: "Slack asks to slow down", Err: errors.Join(channel.RetryAfter{After: wait}, r)}
}

// judged classifies a refusal by what can be done about it.
func judged(op string, r *refusal, after string) error {
	said := text.Ellipsis(printable(r.Code), 80)
	kind, hint := fault.Invalid, "Slack refused it: "+said
	var cause error = r
	switch r.Code {
	case "ratelimited", "rate_limited":
		return limited(op, after, r)
	case "invalid_auth", "not_authed", "token_revoked", "token_expired":
		kind, hint = fault.Unauthenticated, "Slack doesn't accept the token ("+said+"): copy it again from OAuth & Permissions of the app into channels.slack.botToken, and the App-Level Token into appToken"
	case "account_inactive", "user_removed_from_team", "org_login_required", "ekm_access_denied", "team_access_not_granted", "app_not_installed":
		kind, hint = fault.Unauthenticated, "the app isn't in the workspace any more ("+said+"): install it again under OAuth & Permissions, and copy the new token into channels.slack.botToken"
	case "missing_scope", "no_permission":
		kind = fault.Forbidden
		if hint = "the app may not do this: add the scope it needs under OAuth & Permissions and install it again"; r.Needed != "" {
			hint = "the app lacks the scope " + text.Ellipsis(printable(r.Needed), 120) + ": add it under OAuth & Permissions and install the app again"
		}
	case "not_allowed_token_type":
		kind, hint = fault.Forbidden, "Slack wants another type of token for this"
	case "not_in_channel", "cant_post_message":
		kind, hint = fault.Forbidden, "the bot isn't in that channel: write /invite with its name there"
	case "is_archived", "restricted_action", "cant_update_message", "cant_delete_message", "edit_window_closed", "cannot_dm_bot", "user_disabled", "access_denied", "restricted_action_read_only_channel":
		kind = fault.Forbidden
	case "channel_not_found", "user_not_found", "users_not_found", "message_not_found", "thread_not_found", "file_not_found", "file_deleted", "no_such_channel":
		kind = fault.NotFound
	case "internal_error", "fatal_error", "request_timeout", "service_unavailable", "team_added_to_org", "accesslimited":
		kind, hint = fault.Unavailable, "Slack has a problem: "+said
		cause = channel.InDoubt{Err: r}
	case "msg_too_long":
		hint = "Slack takes no message that long"
	}
	return &fault.Error{Kind: kind, Op: op, Hint: hint, Err: cause}
}

// bare drops the address from an error of the HTTP client: that of a socket
// holds a ticket.
func bare(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}

// upload puts the bytes of a file where Slack said.
func (a *api) upload(ctx context.Context, to *url.URL, body []byte) error {
	const op, most = "slack.upload", 5 * time.Minute
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String(), bytes.NewReader(body))
	if err != nil {
		return fault.Wrap(fault.Invalid, op, bare(err))
	}
	req.Header.Set("Content-Type", "application/octet-stream")
	resp, err := a.http.Do(req)
	if err != nil {
		return fault.Wrap(fault.Unavailable, op, bare(err))
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusTooManyRequests:
		return limited(op, resp.Header.Get("Retry-After"), &refusal{})
	case resp.StatusCode >= http.StatusInternalServerError:
		return fault.New(fault.Unavailable, op, "Slack has a problem: HTTP "+strconv.Itoa(resp.StatusCode))
	case resp.StatusCode != http.StatusOK:
		return fault.New(fault.Invalid, op, "Slack refused the file: HTTP "+strconv.Itoa(resp.StatusCode))
	}
	return nil
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
