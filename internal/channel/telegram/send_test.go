package telegram_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/channel/telegram/telegramtest"
)

func files() map[string]msg.Attachment {
	pad := strings.Repeat("\x00", 600)
	return map[string]msg.Attachment{
		"png":  {Name: "a.png", Data: []byte("\x89PNG\r\n\x1a\n" + pad)},
		"jpeg": {Name: "dir/a.jpg", MIME: "text/plain", Data: []byte("\xff\xd8\xff" + pad)},
		"gif":  {Name: "a.gif", Data: []byte("GIF89a" + pad)},
		"mp4":  {Name: "a.mp4", MIME: "video/mp4", Data: []byte("\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom" + pad)},
		"m4a":  {Name: "a.m4a", MIME: "audio/mp4", Data: []byte("\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom" + pad)},
		"mp3":  {Name: "a.mp3", MIME: "audio/mpeg", Data: []byte("ID3" + pad)},
		"ogg":  {Name: "a.ogg", MIME: "audio/ogg", Data: []byte("OggS\x00" + pad)},
		"pdf":  {Name: "a.pdf", MIME: "application/pdf", Data: []byte("%PDF-1.7" + pad)},
		"svg":  {Name: "a.svg", MIME: "image/svg+xml", Data: []byte("<svg/>")},
	}
}

func TestFilesOut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		file, method string
		voice        bool
	}{
		{"png", "sendPhoto", false},
		{"jpeg", "sendPhoto", false},
		{"gif", "sendAnimation", false},
		{"mp4", "sendVideo", false},
		{"m4a", "sendAudio", false},
		{"m4a", "sendVoice", true},
		{"mp3", "sendAudio", false},
		{"ogg", "sendDocument", false},
		{"ogg", "sendVoice", true},
		{"pdf", "sendDocument", false},
		{"svg", "sendDocument", false},
	} {
		s := server(t)
		c := build(t, kind(), config(s, "")).ch
		r, err := c.Send(t.Context(), msg.Outbound{ID: "x", To: address("7"), Text: "**see**", Attachments: []msg.Attachment{files()[tt.file]}, Voice: tt.voice, ReplyTo: "3", Quiet: true})
		if err != nil || len(r.IDs) != 1 {
			t.Errorf("%s: Send = %+v, %v", tt.file, r, err)
		}
		calls := s.Calls("")
		if len(calls) != 1 || calls[0].Method != tt.method || calls[0].Text != "see" {
			t.Errorf("%s, voice %v: calls %+v, want %s with its caption", tt.file, tt.voice, calls, tt.method)
			continue
		}
		if p := calls[0].Params; p["reply_parameters"] == nil || p["disable_notification"] != "true" || strings.Contains(p[strings.ToLower(tt.method[4:])].(string), "/") {
			t.Errorf("%s: params %v", tt.file, p)
		}
	}
}

// What Telegram doesn't take as a picture goes as a document, and formatting
// that it can't read is dropped.
func TestFileFallsBack(t *testing.T) {
	t.Parallel()
	s := server(t)
	c := build(t, kind(), config(s, "")).ch
	s.Fail("sendPhoto", telegramtest.Fault{Status: 400, Description: "Bad Request: PHOTO_INVALID_DIMENSIONS"})
	s.Fail("sendDocument", telegramtest.Fault{Status: 400, Description: "Bad Request: can't parse entities: x"})
	if _, err := c.Send(t.Context(), msg.Outbound{ID: "x", To: address("7"), Text: "a *b*", Attachments: []msg.Attachment{files()["png"]}}); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"a b"}, s.Shown()); d != "" {
		t.Error(d)
	}
	s.Fail("sendPhoto", telegramtest.Fault{Status: 400, Description: "Bad Request: chat not found"})
	if _, err := c.Send(t.Context(), msg.Outbound{ID: "x", To: address("7"), Attachments: []msg.Attachment{files()["png"]}}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("Send to nobody = %v", err)
	}
	if n := len(s.Calls("sendDocument")); n != 2 {
		t.Errorf("%d documents were sent, want 2", n)
	}
}

// A text that is too long for a caption stands before the file.
func TestLongCaption(t *testing.T) {
	t.Parallel()
	s := server(t)
	c := build(t, kind(), config(s, "")).ch
	for _, n := range []int{1024, 1025} {
		text := strings.Repeat("😀", n/2) + strings.Repeat("x", n%2)
		if _, err := c.Send(t.Context(), msg.Outbound{ID: "x", To: address("7"), Text: text, Attachments: []msg.Attachment{files()["png"]}}); err != nil {
			t.Error(err)
		}
	}
	if n := len(s.Calls("sendMessage")); n != 1 || s.Calls("sendPhoto")[1].Text != "" {
		t.Errorf("%d texts beside the files, want 1", n)
	}
}

func TestFileFromStore(t *testing.T) {
	t.Parallel()
	s := server(t)
	var size int64 = 12
	c, err := kind().New(channel.Env{Open: func(context.Context, msg.Attachment) (io.ReadCloser, error) {
		return io.NopCloser(io.LimitReader(zeros{}, size)), nil
	}}, config(s, ""))
	if err != nil {
		t.Fatal(err)
	}
	out := msg.Outbound{ID: "x", To: address("7"), Attachments: []msg.Attachment{{Name: "a.bin", Ref: "media/x"}}}
	if _, err := c.Send(t.Context(), out); err != nil || len(s.Calls("sendDocument")) != 1 {
		t.Errorf("Send = %v", err)
	}
	size = 60 << 20
	if _, err := c.Send(t.Context(), out); fault.KindOf(err) != fault.Invalid || len(s.Calls("")) != 1 {
		t.Errorf("Send of 60 MB = %v", err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestButtonsOut(t *testing.T) {
	t.Parallel()
	rows := [][]msg.Button{
		{{Text: "Yes", Data: "/yes", Style: "success"}, {Text: "Docs", URL: "https://example.com/"}},
		{{Text: "too long", Data: strings.Repeat("x", 65)}, {Text: "odd", URL: "javascript:alert(1)"}, {Data: "no label"}},
	}
	const want = `{"inline_keyboard":[[{"callback_data":"/yes","style":"success","text":"Yes"},{"text":"Docs","url":"https://example.com/"}]]}`
	for _, tt := range []struct {
		capabilities string
		dm, group    bool
	}{
		{``, true, true},
		{`,"capabilities":{"inlineButtons":"allowlist"}`, true, true},
		{`,"capabilities":{"inlineButtons":"all"}`, true, true},
		{`,"capabilities":["inlineButtons"]`, true, true},
		{`,"capabilities":[]`, false, false},
		{`,"capabilities":{"inlineButtons":"off"}`, false, false},
		{`,"capabilities":{"inlineButtons":"dm"}`, true, false},
		{`,"capabilities":{"inlineButtons":"group"}`, false, true},
	} {
		s := server(t)
		c := build(t, kind(), config(s, tt.capabilities)).ch
		if got := c.Limits().Buttons; got != (tt.dm || tt.group) {
			t.Errorf("%s: Limits().Buttons = %v", tt.capabilities, got)
		}
		for to, shows := range map[string]bool{"7": tt.dm, "-1001": tt.group} {
			if _, err := c.Send(t.Context(), msg.Outbound{ID: "x", To: address(to), Text: "Sure?", Buttons: rows}); err != nil {
				t.Error(err)
			}
			calls := s.Calls("sendMessage")
			last := calls[len(calls)-1]
			got, _ := json.Marshal(last.Params["reply_markup"])
			if shows && string(got) != want || !shows && (string(got) != "null" || !strings.Contains(last.Text, "Docs: https://example.com/")) {
				t.Errorf("%s to %s: text %q with %s", tt.capabilities, to, last.Text, got)
			}
		}
	}
	if _, err := kind().New(channel.Env{}, json.RawMessage(`{"botToken":"1:a","capabilities":{"inlineButtons":"some"}}`)); fault.KindOf(err) != fault.Invalid {
		t.Errorf("New with an odd scope = %v", err)
	}
}

func TestPolls(t *testing.T) {
	t.Parallel()
	s := server(t)
	c := build(t, kind(), config(s, "")).ch
	send := func(p msg.Poll) error {
		_, err := c.Send(t.Context(), msg.Outbound{ID: "x", To: msg.Address{Peer: "-1001", Thread: "42"}, Poll: &p})
		return err
	}
	long := strings.Repeat("ü", 400)
	if err := send(msg.Poll{Question: long, Options: []string{long, "b", " "}, Multi: true, Public: true, Open: time.Minute}); err != nil {
		t.Fatal(err)
	}
	p := s.Calls("sendPoll")[0].Params
	if p["is_anonymous"] != false || p["allows_multiple_answers"] != true || p["open_period"] != 60. || p["message_thread_id"] != 42. {
		t.Errorf("params %v", p)
	}
	for _, bad := range []msg.Poll{
		{Question: "", Options: []string{"a", "b"}},
		{Question: "q", Options: []string{"a"}},
		{Question: "q", Options: strings.Split("abcdefghijklm", "")},
		{Question: "q", Options: []string{"a", "b"}, Open: time.Hour},
	} {
		if err := send(bad); fault.KindOf(err) != fault.Invalid {
			t.Errorf("Send(%+v) = %v", bad, err)
		}
	}
	if n := len(s.Calls("sendPoll")); n != 1 {
		t.Errorf("%d polls reached the server", n)
	}
	for _, off := range []string{"poll", "sendMessage"} {
		c := build(t, kind(), config(s, `,"actions":{"`+off+`":false}`)).ch
		if c.Limits().Polls {
			t.Errorf("with %s off there are polls", off)
		}
	}
}

func TestPinsAndTopics(t *testing.T) {
	t.Parallel()
	s := server(t)
	s.AddChat(telegramtest.Chat{ID: -1001, Type: "supergroup", Title: "Home", Forum: true})
	c := build(t, kind(), config(s, "")).ch
	to := msg.Address{Channel: "telegram", Kind: msg.Group, Peer: "-1001"}
	p := c.(channel.Pinner)
	if err := p.Pin(t.Context(), to, "5", true); err != nil {
		t.Error(err)
	}
	if err := p.Pin(t.Context(), to, "5", false); err != nil {
		t.Error(err)
	}
	if len(s.Calls("pinChatMessage")) != 1 || len(s.Calls("unpinChatMessage")) != 1 {
		t.Error("not pinned and unpinned")
	}
	s.Fail("getChat", telegramtest.Fault{Status: 200, Body: `{"ok":true,"result":{"id":-1001,"pinned_message":{"message_id":5,"chat":{"id":-1001,"type":"supergroup"},"from":{"id":7,"first_name":"Al"},"text":"rules"}}}`})
	pins, err := p.Pins(t.Context(), to)
	if err != nil || len(pins) != 1 || pins[0].Text != "rules" || pins[0].From.Name != "Al" {
		t.Errorf("Pins = %+v, %v", pins, err)
	}
	at, err := c.(channel.Threader).Thread(t.Context(), to, "", "Garden")
	if err != nil || at.Thread == "" || at.Peer != "-1001" {
		t.Errorf("Thread = %+v, %v", at, err)
	}
	closed := build(t, kind(), config(s, `,"actions":{"createForumTopic":false}`)).ch
	if _, err := closed.(channel.Threader).Thread(t.Context(), to, "", "Garden"); fault.KindOf(err) != fault.Forbidden {
		t.Errorf("Thread with its gate closed = %v", err)
	}
	s.Fail("editMessageText", telegramtest.Fault{Status: 400, Description: "Bad Request: there is no text in the message to edit"})
	if err := c.(channel.Editor).Edit(t.Context(), to, "5", "**new**"); err != nil || s.Calls("editMessageCaption")[0].Text != "new" {
		t.Errorf("Edit of a file's caption = %v", err)
	}
}

// The general topic is named by its number only where Telegram wants that.
func TestGeneralTopic(t *testing.T) {
	t.Parallel()
	s := server(t)
	c := build(t, kind(), config(s, "")).ch
	to := msg.Address{Peer: "-1001", Thread: "1"}
	if _, err := c.Send(t.Context(), msg.Outbound{ID: "x", To: to, Text: "x", Attachments: []msg.Attachment{files()["png"]}}); err != nil {
		t.Error(err)
	}
	if err := c.(channel.Typer).Typing(t.Context(), to); err != nil {
		t.Error(err)
	}
	if p := s.Calls("sendChatAction")[0].Params; p["message_thread_id"] != 1. {
		t.Errorf("typing in the general topic got %v", p)
	}
}

func TestUploadIsWhole(t *testing.T) {
	t.Parallel()
	s := server(t)
	c := build(t, kind(), config(s, "")).ch
	data := bytes.Repeat([]byte("0123456789"), 1<<20)
	if _, err := c.Send(t.Context(), msg.Outbound{ID: "x", To: address("7"), Attachments: []msg.Attachment{{Name: "big.bin", Data: data}}}); err != nil {
		t.Fatal(err)
	}
	if n := s.Calls("sendDocument"); len(n) != 1 {
		t.Errorf("calls %+v", n)
	}
}
