package discord

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/channel"
)

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
