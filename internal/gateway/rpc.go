package gateway

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/rpc"
)

// ownMethods are those of the gateway itself and of its clients.
func (s *Server) ownMethods() []rpc.Method {
	return append(s.o.Auth.Methods(),
		rpc.Handle("system-presence", rpc.Read, s.systemPresence),
		rpc.Handle("system-event", rpc.Admin, s.systemEvent),
	)
}

func (s *Server) systemPresence(context.Context, *rpc.Caller, rpc.Any) ([]being, error) {
	return s.presence.list(), nil
}

type systemEventParams struct {
	being
	SessionKey id.SessionKey `json:"sessionKey"`
}

type okResult struct {
	OK bool `json:"ok"`
}

const maxEventText = 8 << 10

// systemEvent takes a line for an agent's next turn, or what a client says
// about itself; a line that starts with "Node:" is only the latter.
func (s *Server) systemEvent(ctx context.Context, _ *rpc.Caller, raw rpc.Any) (okResult, error) {
	var p systemEventParams
	if err := json.Unmarshal(raw, &p); err != nil {
		return okResult{}, rpc.Invalid("invalid system-event params: text must be a string, and so on")
	}
	b := p.being
	b.Text = strings.TrimSpace(b.Text)
	if b.Text == "" {
		return okResult{}, rpc.Invalid("text required")
	}
	if len(b.Text) > maxEventText {
		return okResult{}, rpc.Invalid("text must not be longer than %d bytes", maxEventText)
	}
	key := b.DeviceID
	if key == "" {
		key = b.InstanceID
	}
	if key == "" {
		key = b.Text
	}
	if !strings.HasPrefix(b.Text, "Node:") && s.o.Queue != nil {
		if err := s.o.Queue(ctx, p.SessionKey, b.Text); err != nil {
			return okResult{}, err
		}
	}
	s.presence.beacon(key, b)
	s.hub.bumpPresence()
	s.tellPresence()
	return okResult{true}, nil
}

type presencePayload struct {
	Presence []being `json:"presence"`
}

// tellPresence tells everyone who is here.
func (s *Server) tellPresence() {
	if s.hub.idle() {
		return
	}
	raw, err := s.hub.enc.marshal(presencePayload{s.presence.list()})
	if err != nil {
		s.log.Error("presence", "err", err)
		return
	}
	s.hub.send(broadcast{event: "presence", payload: raw, versions: true})
}
