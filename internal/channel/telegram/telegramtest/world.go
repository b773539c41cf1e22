package telegramtest

import (
	"context"
	"net/http"
	"strings"
)

// Chat is a chat that the server knows of.
type Chat struct {
	ID     int64
	Type   string // group, supergroup, channel
	Title  string
	Forum  bool
	Admins []string // names of its administrators
	Left   bool     // the bot isn't in it
}

// AddChat makes the server know of a chat.
func (s *Server) AddChat(c Chat) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.chats[c.ID] = c
}

// ReadAll turns the bot's privacy mode off.
func (s *Server) ReadAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads = true
}

// about answers what isn't a message of the bot's.
func (s *Server) about(call *Call) (result any, bad string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := num(call.Params["chat_id"])
	c, known := s.chats[n]
	switch call.Method {
	case "getChat":
		if !known || c.Left {
			return nil, "chat not found"
		}
		return map[string]any{"id": c.ID, "type": c.Type, "title": c.Title, "is_forum": c.Forum}, ""
	case "getChatMember":
		if !known {
			return nil, "chat not found"
		}
		status := "member"
		if c.Left {
			status = "left"
		}
		return map[string]any{"status": status, "user": map[string]any{"id": num(call.Params["user_id"])}}, ""
	case "getChatAdministrators":
		if !known {
			return nil, "chat not found"
		}
		var out []any
		for i, name := range c.Admins {
			out = append(out, map[string]any{"status": "administrator", "user": map[string]any{"id": 9000 + i, "first_name": name}})
		}
		return out, ""
	case "createForumTopic":
		if known && !c.Forum {
			return nil, "the chat is not a forum"
		}
		name, _ := call.Params["name"].(string)
		if k := units(name); k == 0 || k > 128 {
			return nil, "TOPIC_TITLE_EMPTY"
		}
		s.nextMsg++
		return map[string]any{"message_thread_id": s.nextMsg, "name": name}, ""
	}
	return true, ""
}

// set does what changes the bot itself.
func (s *Server) set(call *Call) (result any, bad string) {
	switch call.Method {
	case "setMyCommands":
		if bad := badCommands(call.Params["commands"]); bad != "" {
			return nil, bad
		}
	case "setWebhook":
		link, _ := call.Params["url"].(string)
		secret, _ := call.Params["secret_token"].(string)
		if !strings.HasPrefix(link, "https://") {
			return nil, "bad webhook: An HTTPS URL must be provided for webhook"
		}
		if len(secret) > 256 || strings.ContainsFunc(secret, func(r rune) bool {
			return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
		}) {
			return nil, "secret token contains unallowed characters"
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.webhook, s.hook = true, &Hook{URL: link, Secret: secret}
		s.changedLocked()
	}
	return true, ""
}

// Hook is where the bot wants its updates sent.
type Hook struct{ URL, Secret string }

// Hooked is the webhook that the bot set, or nil.
func (s *Server) Hooked() *Hook {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hook
}

// SecretHeader bears the secret of a webhook.
const SecretHeader = "X-Telegram-Bot-Api-Secret-Token"

// Deliver pushes one update to where a bot listens, as Telegram would, and
// returns the status of the answer: anything but 2xx would be tried again.
func Deliver(ctx context.Context, url, secret, update string) (status int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(update))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	if secret != "" {
		req.Header.Set(SecretHeader, secret)
	}
	c := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := c.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	return resp.StatusCode, nil
}

// Unhook takes the webhook away, as another program does that begins to poll.
func (s *Server) Unhook() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.webhook, s.hook = false, nil
}
