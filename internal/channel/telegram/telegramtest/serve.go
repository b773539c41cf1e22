package telegramtest

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	token, method, ok := strings.Cut(strings.TrimPrefix(r.URL.Path, "/bot"), "/")
	if rest, isFile := strings.CutPrefix(r.URL.Path, "/file/bot"); isFile {
		token, method, ok = strings.Cut(rest, "/")
		if token == s.Token && ok {
			s.serveFile(w, method)
			return
		}
	}
	if !ok {
		refuse(w, http.StatusNotFound, "Not Found", "")
		return
	}
	if token != s.Token {
		refuse(w, http.StatusUnauthorized, "Unauthorized", "")
		return
	}
	params := read(r)
	s.mu.Lock()
	var f Fault
	if fs := s.faults[method]; len(fs) > 0 {
		f, s.faults[method] = fs[0], fs[1:]
	}
	s.mu.Unlock()
	if f.Wait > 0 {
		select {
		case <-time.After(f.Wait):
		case <-r.Context().Done():
			return
		}
	}
	if f.Cut && !f.Accept {
		s.note(Call{Method: method, Params: params})
		panic(http.ErrAbortHandler)
	}
	if f.Body != "" {
		s.note(Call{Method: method, Params: params, Status: f.Status})
		w.WriteHeader(f.Status)
		_, _ = io.WriteString(w, f.Body)
		return
	}
	if f.Status != 0 {
		s.note(Call{Method: method, Params: params, Status: f.Status})
		refuse(w, f.Status, f.Description, f.Parameters)
		return
	}
	if method == "getUpdates" {
		s.poll(w, r, params)
		return
	}
	c := Call{Method: method, Params: params, Status: http.StatusOK}
	result, bad := s.act(&c)
	if bad != "" {
		c.Status, c.Text = http.StatusBadRequest, ""
	}
	s.note(c)
	if f.Cut {
		panic(http.ErrAbortHandler)
	}
	if bad != "" {
		refuse(w, http.StatusBadRequest, "Bad Request: "+bad, "")
		return
	}
	answer(w, result)
}

func (s *Server) note(c Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.At = time.Now()
	s.calls = append(s.calls, c)
}

// poll answers getUpdates, at once when there is something.
func (s *Server) poll(w http.ResponseWriter, r *http.Request, params map[string]any) {
	offset, timeout := num(params["offset"]), num(params["timeout"])
	s.mu.Lock()
	if s.webhook {
		s.mu.Unlock()
		s.note(Call{Method: "getUpdates", Params: params, Status: http.StatusConflict})
		refuse(w, http.StatusConflict, "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first", "")
		return
	}
	s.polls++
	mine, epoch := s.polls, s.epoch
	s.acked = max(s.acked, offset)
	s.changedLocked() // ends an older poll
	s.mu.Unlock()
	s.note(Call{Method: "getUpdates", Params: params, Status: http.StatusOK})
	end := time.After(time.Duration(timeout) * time.Second)
	for {
		s.mu.Lock()
		var out []json.RawMessage
		for _, u := range s.updates {
			if u.id >= s.acked && len(out) < 100 {
				out = append(out, u.raw)
			}
		}
		wake, newer, cut := s.wake, s.polls != mine, s.epoch != epoch
		s.mu.Unlock()
		switch {
		case cut:
			panic(http.ErrAbortHandler)
		case newer:
			refuse(w, http.StatusConflict, "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running", "")
			return
		case len(out) > 0:
			answer(w, out)
			return
		}
		select {
		case <-wake:
		case <-end:
			answer(w, []json.RawMessage{})
			return
		case <-r.Context().Done():
			return
		}
	}
}

func (s *Server) act(c *Call) (result any, bad string) {
	p := c.Params
	switch c.Method {
	case "getMe":
		s.mu.Lock()
		defer s.mu.Unlock()
		return map[string]any{"id": BotID, "is_bot": true, "first_name": "Claw", "username": BotName, "can_read_all_group_messages": s.reads}, ""
	case "deleteWebhook":
		s.mu.Lock()
		s.webhook, s.hook = false, nil
		s.mu.Unlock()
		return true, ""
	case "getFile":
		id, _ := p["file_id"].(string)
		s.mu.Lock()
		defer s.mu.Unlock()
		data, ok := s.files[id]
		if !ok {
			return nil, "invalid file_id"
		}
		return map[string]any{"file_id": id, "file_size": len(data), "file_path": "files/" + id}, ""
	case "answerCallbackQuery":
		if id, _ := p["callback_query_id"].(string); id == "" {
			return nil, "query is too old and response timeout expired or query ID is invalid"
		}
		return true, ""
	case "getWebhookInfo":
		info := map[string]any{"url": "", "pending_update_count": 0}
		if h := s.Hooked(); h != nil {
			info["url"] = h.URL
		}
		return info, ""
	case "setWebhook", "setMyCommands", "deleteMyCommands":
		return s.set(c)
	case "sendMessage", "editMessageText", "editMessageCaption":
		key, most := "text", maxText
		if c.Method == "editMessageCaption" {
			key, most = "caption", maxCaption
		}
		if c.Text, bad = shown(p, key, most); bad != "" {
			return nil, bad
		}
		if strings.TrimSpace(c.Text) == "" {
			return nil, "message text is empty"
		}
	case "sendPhoto", "sendDocument", "sendVideo", "sendAudio", "sendVoice", "sendAnimation":
		if c.Text, bad = shown(p, "caption", maxCaption); bad != "" {
			return nil, bad
		}
		if bad := file(c.Method, p); bad != "" {
			return nil, bad
		}
	case "sendMediaGroup":
		if c.Text, bad = album(p); bad != "" {
			return nil, bad
		}
	case "sendPoll":
		if bad := badPoll(p); bad != "" {
			return nil, bad
		}
	case "sendSticker", "sendChatAction", "setMessageReaction", "deleteMessage", "pinChatMessage", "unpinChatMessage", "createForumTopic",
		"getChat", "getChatAdministrators", "getChatMember":
	default:
		return nil, "method not found"
	}
	if bad := badKeyboard(p["reply_markup"]); bad != "" {
		return nil, bad
	}
	if num(p["chat_id"]) == 0 {
		if name, _ := p["chat_id"].(string); !strings.HasPrefix(name, "@") {
			return nil, "chat_id is empty"
		}
	}
	if num(p["chat_id"]) == 404 {
		return nil, "chat not found"
	}
	if n := num(p["message_thread_id"]); n == 1 && c.Method != "sendChatAction" || n < 0 {
		return nil, "message thread not found"
	}
	if !strings.HasPrefix(c.Method, "send") || c.Method == "sendChatAction" {
		c.Message = num(p["message_id"])
		return s.about(c)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c.Message = s.nextMsg
	if c.Method == "sendMediaGroup" {
		var sent []map[string]any
		for range c.Params["media"].([]any) {
			sent = append(sent, map[string]any{"message_id": s.nextMsg, "date": time.Now().Unix(), "chat": map[string]any{"id": num(p["chat_id"])}, "media_group_id": "1"})
			s.nextMsg++
		}
		return sent, ""
	}
	s.nextMsg++
	return map[string]any{"message_id": s.nextMsg - 1, "date": time.Now().Unix(), "chat": map[string]any{"id": num(p["chat_id"])}}, ""
}

func (s *Server) serveFile(w http.ResponseWriter, path string) {
	s.note(Call{Method: "file", Params: map[string]any{"path": path}, Status: http.StatusOK})
	s.mu.Lock()
	data, ok := s.files[strings.TrimPrefix(path, "files/")]
	s.mu.Unlock()
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	_, _ = w.Write(data)
}

func read(r *http.Request) map[string]any {
	p := map[string]any{}
	const most = 64 << 20
	r.Body = http.MaxBytesReader(nil, r.Body, most)
	if strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") {
		if r.ParseMultipartForm(most) == nil {
			for k, v := range r.MultipartForm.Value {
				p[k] = v[0]
			}
			for k, v := range r.MultipartForm.File {
				p[k] = v[0].Filename
				p["size:"+k] = float64(v[0].Size)
			}
		}
		return p
	}
	_ = json.NewDecoder(r.Body).Decode(&p)
	return p
}

func num(v any) int64 {
	switch v := v.(type) {
	case float64:
		return int64(v)
	case string:
		n, _ := strconv.ParseInt(v, 10, 64)
		return n
	}
	return 0
}

func answer(w http.ResponseWriter, result any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"ok": true, "result": result})
}

func refuse(w http.ResponseWriter, status int, description, parameters string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	body := map[string]any{"ok": false, "error_code": status, "description": description}
	if parameters != "" {
		body["parameters"] = json.RawMessage(parameters)
	}
	_ = json.NewEncoder(w).Encode(body)
}
