package telegram_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel/telegram/telegramtest"
)

// Several files are as few messages as Telegram allows, in their order.
func TestAlbumsOut(t *testing.T) {
	t.Parallel()
	rows := [][]msg.Button{{{Text: "Yes", Data: "y"}}}
	for _, tt := range []struct {
		name, files, text string
		voice             bool
		buttons           [][]msg.Button
		want              []string // calls: method, files, what is shown
	}{
		{name: "pictures", files: "png jpeg png", text: "**see**", want: []string{"sendMediaGroup 3 see"}},
		{name: "pictures and films", files: "png mp4", want: []string{"sendMediaGroup 2"}},
		{name: "documents", files: "pdf svg", text: "a", want: []string{"sendMediaGroup 2 a"}},
		{name: "music", files: "mp3 m4a", want: []string{"sendMediaGroup 2"}},
		{name: "kinds that don't mix", files: "png png pdf mp3 mp3", text: "a", want: []string{"sendMediaGroup 2 a", "sendDocument 1", "sendMediaGroup 2"}},
		{name: "what moves stands alone", files: "png gif png", want: []string{"sendPhoto 1", "sendAnimation 1", "sendPhoto 1"}},
		{name: "voices too", files: "ogg ogg", voice: true, want: []string{"sendVoice 1", "sendVoice 1"}},
		{name: "eleven", files: strings.TrimSpace(strings.Repeat("png ", 11)), want: []string{"sendMediaGroup 10", "sendPhoto 1"}},
		{name: "buttons below the last", files: "png png png", text: "a", buttons: rows, want: []string{"sendMediaGroup 2 a", "sendPhoto 1"}},
		{name: "a long text", files: "png png", text: strings.Repeat("x", 1025), want: []string{"sendMessage 0 " + strings.Repeat("x", 1025), "sendMediaGroup 2"}},
	} {
		s := server(t)
		c := build(t, kind(), config(s, "")).ch
		out := msg.Outbound{ID: "x", To: address("-1001:topic:7"), Text: tt.text, Voice: tt.voice, Buttons: tt.buttons, ReplyTo: "3"}
		n := 0
		for _, f := range strings.Fields(tt.files) {
			out.Attachments, n = append(out.Attachments, files()[f]), n+1
		}
		r, err := c.Send(t.Context(), out)
		if len(tt.text) > 1024 {
			n++
		}
		if err != nil || len(r.IDs) != n {
			t.Errorf("%s: Send = %+v, %v; want %d messages", tt.name, r, err, n)
		}
		var got []string
		for i, c := range s.Calls("") {
			files := 0
			for k := range c.Params {
				if strings.HasPrefix(k, "size:") {
					files++
				}
			}
			if files == 0 && c.Method != "sendMessage" {
				files = 1
			}
			got = append(got, strings.TrimSpace(fmt.Sprintf("%s %d %s", c.Method, files, c.Text)))
			if p := c.Params; fmt.Sprint(p["message_thread_id"]) != "7" || (p["reply_parameters"] != nil) != (i == 0) {
				t.Errorf("%s: params %v", tt.name, p)
			}
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
	}
}

// An album that is refused goes file by file; one whose text can't be read
// goes with the text it shows.
func TestAlbumFallsBack(t *testing.T) {
	t.Parallel()
	s := server(t)
	c := build(t, kind(), config(s, "")).ch
	out := msg.Outbound{ID: "x", To: address("7"), Text: "a *b*", ReplyTo: "3", Attachments: []msg.Attachment{files()["png"], files()["jpeg"]}}
	s.Fail("sendMediaGroup", telegramtest.Fault{Status: 400, Description: "Bad Request: can't parse entities: x"})
	if r, err := c.Send(t.Context(), out); err != nil || len(r.IDs) != 2 {
		t.Fatalf("Send = %+v, %v", r, err)
	}
	s.Fail("sendMediaGroup", telegramtest.Fault{Status: 400, Description: "Bad Request: PHOTO_INVALID_DIMENSIONS"})
	s.Fail("sendPhoto", telegramtest.Fault{Status: 400, Description: "Bad Request: PHOTO_INVALID_DIMENSIONS"})
	if r, err := c.Send(t.Context(), out); err != nil || len(r.IDs) != 2 {
		t.Fatalf("Send = %+v, %v", r, err)
	}
	if d := cmp.Diff([]string{"a b", "a b"}, s.Shown()); d != "" {
		t.Error(d)
	}
	if n := len(s.Calls("sendDocument")); n != 1 {
		t.Errorf("%d documents, want the one that is no picture", n)
	}
	for _, c := range s.Calls("sendPhoto") {
		if c.Status == 200 && (c.Text != "" || c.Params["reply_parameters"] != nil) {
			t.Errorf("the second file has what the first one had: %+v", c)
		}
	}
	s.Fail("sendMediaGroup", telegramtest.Fault{Status: 400, Description: "Bad Request: chat not found"})
	if _, err := c.Send(t.Context(), out); fault.KindOf(err) != fault.NotFound {
		t.Errorf("Send to nobody = %v", err)
	}
}

// What went out before a failure doesn't go out again.
func TestAlbumGoesOn(t *testing.T) {
	t.Parallel()
	s := server(t)
	c := build(t, kind(), config(s, "")).ch
	out := msg.Outbound{ID: "x", To: address("7"), Text: "a", Attachments: []msg.Attachment{files()["png"], files()["png"], files()["pdf"]}}
	slow := telegramtest.Fault{Status: 429, Description: "Too Many Requests", Parameters: `{"retry_after":1}`}
	s.Fail("sendDocument", slow)
	if _, err := c.Send(t.Context(), out); fault.KindOf(err) != fault.RateLimited {
		t.Fatalf("Send = %v", err)
	}
	r, err := c.Send(t.Context(), out)
	if err != nil || len(r.IDs) != 3 || len(s.Calls("sendMediaGroup")) != 1 {
		t.Errorf("the second try: %+v, %v; %d albums", r, err, len(s.Calls("sendMediaGroup")))
	}
	// Half of an album that goes file by file.
	out.ID = "y"
	s.Fail("sendMediaGroup", telegramtest.Fault{Status: 400, Description: "Bad Request: x"})
	s.Fail("sendPhoto", telegramtest.Fault{}, slow)
	if _, err := c.Send(t.Context(), out); fault.KindOf(err) != fault.RateLimited {
		t.Fatalf("Send = %v", err)
	}
	if r, err := c.Send(t.Context(), out); err != nil || len(r.IDs) != 3 {
		t.Errorf("the second try: %+v, %v", r, err)
	}
	if n := len(s.Shown()); n != 2 {
		t.Errorf("the text is seen %d times, want once with each", n)
	}
	if n := len(s.Calls("sendPhoto")); n != 3 { // the first, the refused one, and that again
		t.Errorf("%d pictures", n)
	}
}
