package slacktest

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	switch p := r.URL.Path; {
	case p == "/link":
		s.serveSocket(w, r)
	case strings.HasPrefix(p, "/files/"):
		s.serveFile(w, r, strings.TrimPrefix(p, "/files/"))
	case strings.HasPrefix(p, "/upload/"):
		s.takeFile(w, r, strings.TrimPrefix(p, "/upload/"))
	case strings.HasPrefix(p, "/commands/"):
		s.respond(w, r)
	case strings.HasPrefix(p, "/api/"):
		s.serveMethod(w, r, strings.TrimPrefix(p, "/api/"))
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func (s *Server) serveMethod(w http.ResponseWriter, r *http.Request, method string) {
	const most = 4 << 20
	r.Body = http.MaxBytesReader(w, r.Body, most)
	_ = r.ParseForm()
	p := map[string]string{}
	for k, v := range r.PostForm {
		p[k] = v[0]
	}
	c := Call{Method: method, Params: p, Token: strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), At: time.Now()}
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
	var answer map[string]any
	if f == (Fault{Wait: f.Wait}) || f.Accept {
		answer, c.Error = s.act(c)
	}
	if f.Error != "" {
		c.Error = f.Error
	}
	s.mu.Lock()
	s.calls = append(s.calls, c)
	s.mu.Unlock()
	if f.RetryAfter != "" {
		w.Header().Set("Retry-After", f.RetryAfter)
	}
	switch {
	case f.Cut:
		panic(http.ErrAbortHandler)
	case f.Body != "":
		if f.Status != 0 {
			w.WriteHeader(f.Status)
		}
		_, _ = io.WriteString(w, f.Body)
		return
	case f.Status != 0:
		w.WriteHeader(f.Status)
		_, _ = io.WriteString(w, `{"ok":false,"error":"`+f.Error+`"}`)
		return
	}
	if c.Error != "" {
		answer = map[string]any{"ok": false, "error": c.Error}
		if f.Needed != "" {
			answer["needed"], answer["provided"] = f.Needed, s.Scopes
		}
	} else {
		answer["ok"] = true
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("X-Oauth-Scopes", s.Scopes)
	_ = json.NewEncoder(w).Encode(answer)
}

// act carries out a call; bad is its error.
func (s *Server) act(c Call) (answer map[string]any, bad string) {
	want := s.BotToken
	if c.Method == "apps.connections.open" {
		want = s.AppToken
	}
	if c.Token != want {
		return nil, "invalid_auth"
	}
	p := c.Params
	s.mu.Lock()
	defer s.mu.Unlock()
	if ch := p["channel"] + p["channel_id"]; ch != "" && !s.knownLocked(ch) {
		return nil, "channel_not_found"
	}
	switch c.Method {
	case "auth.test":
		return map[string]any{"url": "https://test.slack.com/", "team": "Test", "user": BotName, "team_id": Team, "user_id": BotUser, "bot_id": BotID}, ""
	case "apps.connections.open":
		return map[string]any{"url": "ws" + strings.TrimPrefix(s.http.URL, "http") + "/link?ticket=secret-ticket"}, ""
	case "conversations.open":
		u := p["users"]
		if !strings.HasPrefix(u, "U0") {
			return nil, "user_not_found"
		}
		if s.dms[u] == "" {
			s.dms[u] = "D" + u[1:]
		}
		return map[string]any{"channel": map[string]any{"id": s.dms[u]}}, ""
	case "conversations.info":
		return map[string]any{"channel": s.roomLocked(p["channel"])}, ""
	case "conversations.list":
		return map[string]any{"channels": []any{s.roomLocked(General), s.roomLocked(Elsewhere), s.roomLocked(Mpim)}}, ""
	case "conversations.members":
		return map[string]any{"members": []string{Person, BotUser}}, ""
	case "users.conversations":
		var ims []any
		for u, d := range s.dms {
			ims = append(ims, map[string]any{"id": d, "user": u, "is_im": true})
		}
		return map[string]any{"channels": ims}, ""
	case "users.info":
		return map[string]any{"user": person(p["user"])}, ""
	case "users.list":
		return map[string]any{"members": []any{person(Person), person(BotUser)}}, ""
	case "emoji.list":
		return map[string]any{"emoji": map[string]string{"claw": "https://emoji.test/claw.png"}}, ""
	case "conversations.history", "conversations.replies":
		return s.historyLocked(c), ""
	case "assistant.threads.setStatus":
		if p["thread_ts"] == "" {
			return nil, "invalid_arguments"
		}
		return map[string]any{}, ""
	case "files.getUploadURLExternal":
		n, err := strconv.Atoi(p["length"])
		if err != nil || n <= 0 || p["filename"] == "" {
			return nil, "invalid_arguments"
		}
		s.number++
		id := "F0" + strconv.Itoa(s.number)
		s.files[id] = &File{ID: id, Name: p["filename"]}
		return map[string]any{"upload_url": s.http.URL + "/upload/" + id, "file_id": id}, ""
	case "files.completeUploadExternal":
		return s.shareLocked(p)
	case "files.info":
		f := s.files[p["file"]]
		if f == nil {
			return nil, "file_not_found"
		}
		return map[string]any{"file": s.describeLocked(f)}, ""
	}
	return s.talkLocked(c)
}

func (s *Server) knownLocked(ch string) bool {
	switch ch {
	case General, Elsewhere, Mpim:
		return true
	}
	for _, d := range s.dms {
		if d == ch {
			return true
		}
	}
	return false
}

func (s *Server) roomLocked(ch string) map[string]any {
	r := s.plainRoomLocked(ch)
	if name, ok := s.renamed[ch]; ok {
		r["name"] = name
	}
	return r
}

// Rename gives a channel another name.
func (s *Server) Rename(ch, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.renamed == nil {
		s.renamed = map[string]string{}
	}
	s.renamed[ch] = name
}

func (s *Server) plainRoomLocked(ch string) map[string]any {
	switch ch {
	case General:
		return map[string]any{"id": General, "name": "general", "is_channel": true, "is_member": true, "num_members": 2, "topic": map[string]any{"value": "all things"}}
	case Elsewhere:
		return map[string]any{"id": Elsewhere, "name": "elsewhere", "is_channel": true}
	case Mpim:
		return map[string]any{"id": Mpim, "name": "mpdm-a--b-1", "is_mpim": true, "is_member": true}
	}
	for u, d := range s.dms {
		if d == ch {
			return map[string]any{"id": d, "user": u, "is_im": true}
		}
	}
	return nil
}

func person(id string) map[string]any {
	switch id {
	case Person:
		return map[string]any{"id": id, "name": "al", "real_name": "Al Example", "tz": "Europe/Vienna", "profile": map[string]any{"display_name": "Al"}}
	case BotUser:
		return map[string]any{"id": id, "name": BotName, "real_name": "Claw", "is_bot": true}
	}
	return map[string]any{"id": id, "name": strings.ToLower(id), "real_name": "Person " + id}
}

// historyLocked is a page of a conversation: newest first, or of a thread,
// oldest first.
func (s *Server) historyLocked(c Call) map[string]any {
	p := c.Params
	limit, _ := strconv.Atoi(p["limit"])
	if limit <= 0 {
		limit = 100
	}
	thread := c.Method == "conversations.replies"
	out := []map[string]any{}
	for _, m := range s.messages {
		in := m.Channel == p["channel"] && (p["oldest"] == "" || m.TS > p["oldest"] || p["inclusive"] == "true" && m.TS == p["oldest"]) &&
			(p["latest"] == "" || m.TS < p["latest"] || p["inclusive"] == "true" && m.TS == p["latest"])
		if thread {
			in = in && (m.Thread == p["ts"] || m.TS == p["ts"])
		} else {
			in = in && m.Thread == ""
		}
		if in {
			out = append(out, tell(m, p["include_all_metadata"] == "true"))
		}
	}
	if !thread {
		slices.Reverse(out)
	}
	skip, _ := strconv.Atoi(p["cursor"])
	out = out[min(skip, len(out)):]
	meta := map[string]any{"next_cursor": ""}
	if len(out) > limit {
		out = out[:limit]
		meta["next_cursor"] = strconv.Itoa(skip + limit)
	}
	return map[string]any{"messages": out, "has_more": meta["next_cursor"] != "", "response_metadata": meta}
}

// tell is a message as a history has it.
func tell(m *Message, metadata bool) map[string]any {
	o := map[string]any{"type": "message", "ts": m.TS, "text": m.Text, "user": m.User}
	if m.BotID != "" {
		o["bot_id"] = m.BotID
	}
	if m.Thread != "" {
		o["thread_ts"] = m.Thread
	}
	if metadata && len(m.Metadata) > 0 {
		o["metadata"] = m.Metadata
	}
	if len(m.Files) > 0 {
		o["files"] = describe(m.Files)
	}
	var rs []map[string]any
	for name, users := range m.Reactions {
		rs = append(rs, map[string]any{"name": name, "users": users, "count": len(users)})
	}
	if rs != nil {
		o["reactions"] = rs
	}
	return o
}

func describe(fs []*File) (out []map[string]any) {
	for _, f := range fs {
		out = append(out, map[string]any{"id": f.ID, "name": f.Name, "mimetype": f.MIME, "size": len(f.Data), "mode": "hosted"})
	}
	return out
}

func (s *Server) describeLocked(f *File) map[string]any {
	u := f.URL
	if u == "" {
		u = s.http.URL + "/files/" + f.ID
	}
	return map[string]any{"id": f.ID, "name": f.Name, "mimetype": f.MIME, "size": len(f.Data), "url_private": u, "url_private_download": u}
}

// serveFile gives the bytes of a file to who has the token.
func (s *Server) serveFile(w http.ResponseWriter, r *http.Request, id string) {
	s.mu.Lock()
	f := s.files[id]
	s.mu.Unlock()
	if f == nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	if r.Header.Get("Authorization") != "Bearer "+s.BotToken {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, "<html>log in</html>")
		return
	}
	w.Header().Set("Content-Type", f.MIME)
	_, _ = w.Write(f.Data)
}

func (s *Server) takeFile(w http.ResponseWriter, r *http.Request, id string) {
	data, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.files[id]
	if f == nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	f.Data = data
	_, _ = io.WriteString(w, "OK - "+strconv.Itoa(len(data)))
}

func (s *Server) shareLocked(p map[string]string) (map[string]any, string) {
	var list []struct {
		ID, Title string
	}
	if json.Unmarshal([]byte(p["files"]), &list) != nil || len(list) == 0 {
		return nil, "invalid_arguments"
	}
	m := &Message{Channel: p["channel_id"], Thread: p["thread_ts"], TS: s.stampLocked(), User: BotUser, BotID: BotID}
	for _, x := range list {
		f := s.files[x.ID]
		if f == nil || len(f.Data) == 0 {
			return nil, "file_not_found"
		}
		f.Shared = true
		m.Files = append(m.Files, f)
	}
	s.messages = append(s.messages, m)
	return map[string]any{"files": list}, ""
}

// respond takes the answer to a slash command.
func (s *Server) respond(w http.ResponseWriter, r *http.Request) {
	var p struct {
		Type string `json:"response_type"`
		Text string `json:"text"`
	}
	_ = json.NewDecoder(r.Body).Decode(&p)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, Call{Method: "respond", Params: map[string]string{"url": r.URL.Path, "response_type": p.Type, "text": p.Text}, At: time.Now()})
	if fs := s.faults["respond"]; len(fs) > 0 {
		s.faults["respond"] = fs[1:]
		w.WriteHeader(fs[0].Status)
		return
	}
	_, _ = io.WriteString(w, "ok")
}

// ResponseURL is where answers to a slash command go.
func (s *Server) ResponseURL() string { return s.http.URL + "/commands/1" }
