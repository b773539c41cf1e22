package chat

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/event"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/jsonr"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/rpc"
	"github.com/openclaw-go/openclaw/internal/session"
)

// Methods are the methods of the gateway protocol about talking to agents
// (reference: wire/methods.json).
func (h *Handler) Methods() []rpc.Method {
	inject := rpc.Handle("chat.inject", rpc.Admin, h.rpcInject)
	inject.Hidden = true
	queue := rpc.Handle("queue.status", rpc.Read, h.rpcQueue)
	queue.Hidden = true
	act := rpc.Handle("message.action", rpc.Write, h.rpcAction)
	act.Hidden = true
	poll := rpc.Handle("poll", rpc.Write, h.rpcPoll)
	poll.Hidden = true
	send := rpc.Handle("chat.send", rpc.Write, h.rpcChatSend)
	send.Lane = h.lane
	return []rpc.Method{
		rpc.Handle("send", rpc.Write, h.rpcSend),
		rpc.Handle("agent", rpc.Write, h.rpcAgent),
		rpc.Handle("agent.wait", rpc.Write, h.rpcWait),
		rpc.Handle("chat.history", rpc.Read, h.rpcHistory),
		rpc.Handle("chat.abort", rpc.Write, h.rpcAbort),
		send, inject, queue, act, poll,
	}
}

// lane is the session that a message goes to: messages to different sessions
// needn't wait for each other.
func (h *Handler) lane(params json.RawMessage) string {
	var name string
	ok := jsonr.Object(params, func(k, v []byte) bool {
		if string(k) == "sessionKey" {
			name, _ = jsonr.String(v)
		}
		return true
	})
	if !ok || name == "" {
		return ""
	}
	return string(h.key(name))
}

// provenance is said by clients and not acted on.
type provenance struct {
	Kind             string `json:"kind" schema:"enum=external_user|inter_session|internal_system"`
	OriginSessionID  string `json:"originSessionId,omitempty"`
	SourceSessionKey string `json:"sourceSessionKey,omitempty"`
	SourceChannel    string `json:"sourceChannel,omitempty"`
	SourceTool       string `json:"sourceTool,omitempty"`
}

type chatSend struct {
	SessionKey  string      `json:"sessionKey" schema:"minLength=1,maxLength=512"`
	Message     string      `json:"message"`
	Thinking    string      `json:"thinking,omitempty"`
	Deliver     *bool       `json:"deliver,omitempty"`
	Attachments []any       `json:"attachments,omitempty"`
	TimeoutMs   int64       `json:"timeoutMs,omitempty" schema:"minimum=0"`
	Provenance  *provenance `json:"systemInputProvenance,omitempty"`
	Receipt     string      `json:"systemProvenanceReceipt,omitempty"`
	Key         string      `json:"idempotencyKey" schema:"minLength=1"`
}

type started struct {
	Run    id.Run `json:"runId"`
	Status string `json:"status"`
}

type aborted struct {
	OK      bool     `json:"ok"`
	Aborted bool     `json:"aborted"`
	Runs    []id.Run `json:"runIds"`
}

// rpcChatSend stores the message and says so; the answer comes as events.
func (h *Handler) rpcChatSend(ctx context.Context, c *rpc.Caller, p chatSend) (any, error) {
	atts, err := attachments(p.Attachments)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(p.Message) == "" && len(atts) == 0 {
		return nil, rpc.Invalid("message or attachment required")
	}
	if strings.ContainsRune(p.Message, 0) {
		return nil, rpc.Invalid("message must not contain null bytes")
	}
	thinking, err := thinkingLevel(p.Thinking)
	if err != nil {
		return nil, err
	}
	key := h.key(p.SessionKey)
	if _, ok := h.stops(p.Message); ok {
		runs, err := h.halt(ctx, key, "", "stop")
		if err != nil {
			return nil, err
		}
		return aborted{OK: true, Aborted: len(runs) > 0, Runs: nonNil(runs)}, nil
	}
	in := h.inbound(c, key, id.Run(p.Key), p.Message, atts)
	in.Client.Thinking = thinking
	in.Client.Timeout = time.Duration(p.TimeoutMs) * time.Millisecond
	status, err := h.accept(ctx, in)
	if err != nil {
		return nil, err
	}
	return started{Run: in.Client.Run, Status: status}, nil
}

// thinkingLevel is the level that a client asks for.
func thinkingLevel(word string) (string, error) {
	level, ok := session.ThinkingLevel(word)
	if !ok {
		return "", rpc.Invalid("Invalid thinking level. Use one of: off, minimal, low, medium, high, xhigh, adaptive.")
	}
	return level, nil
}

// accept stores in and returns the status that its sender is told: started for
// a new message, in_flight or ok for a repeated one.
func (h *Handler) accept(ctx context.Context, in msg.Inbound) (status string, err error) {
	fresh, err := h.Inbox.Put(ctx, in)
	switch {
	case err != nil:
		return "", err
	case fresh:
		return "started", nil
	}
	if s, ok := h.results.get(in.Client.Run); ok && s.ended() {
		return "ok", nil
	}
	it, ok, err := h.Inbox.Store.Inbound(ctx, in.DedupeKey())
	if err == nil && ok && it.Done {
		return "ok", nil
	}
	return "in_flight", err
}

// inbound is a message of an authenticated client.
func (h *Handler) inbound(c *rpc.Caller, key id.SessionKey, run id.Run, text string, atts []msg.Attachment) msg.Inbound {
	return msg.Inbound{
		ID: id.Message(run), Text: text, Attachments: atts, Mentioned: true, Received: time.Now(),
		At:     msg.Address{Channel: "webchat", Kind: msg.Direct},
		Client: &msg.Client{Run: run, Session: key, Owner: c.Owner(), Conn: c.Conn, Label: c.Client.ID},
	}
}

// key is the session that a client names.
func (h *Handler) key(raw string) id.SessionKey {
	cfg := h.Config()
	return cfg.Key(cfg.DefaultAgent(), raw)
}

type abortParams struct {
	SessionKey string `json:"sessionKey" schema:"minLength=1"`
	Run        string `json:"runId,omitempty" schema:"minLength=1"`
}

func (h *Handler) rpcAbort(ctx context.Context, _ *rpc.Caller, p abortParams) (aborted, error) {
	key := h.key(p.SessionKey)
	if p.Run != "" {
		if s, ok := h.results.running(id.Run(p.Run)); ok && s != "" && s != key {
			return aborted{}, rpc.Invalid("runId does not match sessionKey")
		}
	}
	runs, err := h.halt(ctx, key, id.Run(p.Run), "rpc")
	if err != nil {
		return aborted{}, err
	}
	return aborted{OK: true, Aborted: len(runs) > 0, Runs: nonNil(runs)}, nil
}

func nonNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

type injectParams struct {
	SessionKey string `json:"sessionKey" schema:"minLength=1"`
	Message    string `json:"message" schema:"minLength=1"`
	Label      string `json:"label,omitempty" schema:"maxLength=100"`
}

type injectResult struct {
	OK bool   `json:"ok"`
	ID string `json:"messageId"`
}

// rpcInject puts a note into the transcript as if the agent had said it.
func (h *Handler) rpcInject(ctx context.Context, _ *rpc.Caller, p injectParams) (injectResult, error) {
	key := h.key(p.SessionKey)
	s, ok, err := h.Agent.Sessions.Get(ctx, key)
	if err != nil {
		return injectResult{}, err
	}
	if !ok {
		return injectResult{}, rpc.Invalid("session not found")
	}
	text := p.Message
	if p.Label != "" {
		text = "[" + p.Label + "]\n\n" + text
	}
	m := injected(text)
	if err := h.Agent.Sessions.Append(ctx, s, m); err != nil {
		return injectResult{}, err
	}
	last, err := h.Agent.Sessions.Entries(ctx, s, 1)
	if err != nil || len(last) == 0 {
		return injectResult{}, errors.Join(errors.New("chat.inject: the note can't be read back"), err)
	}
	mid := last[0].ID
	h.Bus.Publish(event.ChatEnded{Run: id.Run("inject-" + mid), Session: key, State: "final", Message: &m})
	return injectResult{OK: true, ID: mid}, nil
}

// attachments reads what clients send: {type, mimeType, fileName, content},
// content as base64, possibly a data URL. Images only, 5 MB each, 10 at most.
func attachments(raw []any) ([]msg.Attachment, error) {
	const most, largest = 10, 5_000_000
	if len(raw) > most {
		return nil, rpc.Invalid("too many attachments (at most %d)", most)
	}
	var out []msg.Attachment
	for i, x := range raw {
		o, ok := x.(map[string]any)
		if !ok {
			return nil, rpc.Invalid("attachment %d: not an object", i)
		}
		content, _ := o["content"].(string)
		mime, _ := o["mimeType"].(string)
		name, _ := o["fileName"].(string)
		label := attachmentLabel(o, i)
		if head, data, ok := strings.Cut(content, ","); ok && strings.HasPrefix(head, "data:") {
			content = data
			if mime == "" {
				mime, _, _ = strings.Cut(strings.TrimPrefix(head, "data:"), ";")
			}
		}
		if len(content) > base64.StdEncoding.EncodedLen(largest) {
			return nil, rpc.Invalid("attachment %s: exceeds size limit (%d bytes)", label, largest)
		}
		data, err := base64.StdEncoding.DecodeString(content)
		if err != nil || len(data) == 0 {
			return nil, rpc.Invalid("attachment %s: invalid base64 content", label)
		}
		if !strings.HasPrefix(mime, "image/") {
			return nil, rpc.Invalid("attachment %s: only images are taken (got %q)", label, mime)
		}
		out = append(out, msg.Attachment{MIME: mime, Name: name, Size: int64(len(data)), Data: data})
	}
	return out, nil
}

// attachmentLabel is what a refusal calls an attachment.
func attachmentLabel(o map[string]any, i int) string {
	for _, k := range []string{"fileName", "type"} {
		if s, ok := o[k].(string); ok && s != "" {
			return s
		}
	}
	return fmt.Sprintf("attachment-%d", i+1)
}
