package media_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/media"
)

func store(t *testing.T) *media.Store {
	t.Helper()
	return &media.Store{Dir: filepath.Join(t.TempDir(), "media"), Log: slog.New(slog.DiscardHandler)}
}

func gives(s string) func(context.Context) (io.ReadCloser, error) {
	return func(context.Context) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(s)), nil }
}

func TestTake(t *testing.T) {
	t.Parallel()
	s := store(t)
	f, err := s.Take(t.Context(), "k", "../../.bashrc", 100, gives("#!/bin/sh\n"))
	if err != nil || f.MIME != "text/plain" || filepath.Dir(f.Path) != filepath.Join(s.Dir, "inbound") || strings.ContainsAny(f.Name, "/\\") {
		t.Errorf("%+v, %v", f, err)
	}
	again, err := s.Take(t.Context(), "k", "x", 100, func(context.Context) (io.ReadCloser, error) { return nil, errors.New("read twice") })
	if err != nil || again.Path != f.Path {
		t.Errorf("the second time: %+v, %v", again, err)
	}
	for name, body := range map[string]string{"empty": "", "large": strings.Repeat("x", 101)} {
		if f, err := s.Take(t.Context(), name, "x", 100, gives(body)); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %+v, %v", name, f, err)
		}
	}
	left, err := os.ReadDir(filepath.Join(s.Dir, "inbound"))
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestSniff(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ head, name, mime, ext string }{
		{"\x89PNG\r\n\x1a\n", "a.exe", "image/png", ".png"},
		{"MZ\x90\x00\x03\x00\x00\x00", "a.png", "application/octet-stream", ".bin"},
		{"OggS\x00\x02", "", "audio/ogg", ".ogg"},
		{"\x00\x00\x00\x20ftypM4A \x00\x00", "", "audio/mp4", ".m4a"},
		{"\x00\x00\x00\x20ftypisom\x00\x00", "", "video/mp4", ".mp4"},
		{"PK\x03\x04", "a.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", ".docx"},
		{"PK\x03\x04", "a.png", "application/zip", ".zip"},
		{"a,b\n1,2\n", "x.csv", "text/csv", ".csv"},
		{"<html><script>", "x.png", "text/html", ".html"},
		{"ID3\x03", "", "audio/mpeg", ".mp3"},
	} {
		if m, e := media.Sniff([]byte(tc.head), tc.name); m != tc.mime || e != tc.ext {
			t.Errorf("Sniff(%q, %q) = %s %s, want %s %s", tc.head, tc.name, m, e, tc.mime, tc.ext)
		}
	}
}

func TestStage(t *testing.T) {
	t.Parallel()
	s, ws, out := store(t), t.TempDir(), t.TempDir()
	for path, body := range map[string]string{ws + "/a.txt": "hello", out + "/secret": "s"} {
		if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(out+"/secret", ws+"/link"); err != nil {
		t.Fatal(err)
	}
	for ref, want := range map[string]fault.Kind{
		ws + "/../x": fault.Forbidden, "../secret": fault.Forbidden, out + "/secret": fault.Forbidden, "/etc/passwd": fault.Forbidden,
		"link": fault.NotFound, "none.txt": fault.NotFound, ".": fault.Invalid,
	} {
		if _, err := s.Stage(t.Context(), []string{ws}, ref, 100); fault.KindOf(err) != want {
			t.Errorf("Stage(%s): %v, want %v", ref, err, want)
		}
	}
	a, err := s.Stage(t.Context(), []string{ws}, "a.txt", 100)
	if err != nil || a.MIME != "text/plain" || a.Size != 5 {
		t.Fatal(a, err)
	}
	r, err := s.Open(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if b, err := io.ReadAll(r); string(b) != "hello" || err != nil {
		t.Error(string(b), err)
	}
	for _, ref := range []string{"", "media:", "media:../inbound/x", "media:/etc/passwd", "/etc/passwd", `media:..\x`} {
		if r, err := s.Open(t.Context(), msg.Attachment{Ref: ref}); err == nil {
			r.Close()
			t.Errorf("Open(%q) opens", ref)
		}
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away" {
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, "GIF89a....")
	}))
	defer srv.Close()
	s := store(t)
	for _, ref := range []string{
		srv.URL + "/x.gif", "http://localhost:1/", "http://169.254.169.254/latest/meta-data", "http://[::1]:1/", "http://[::ffff:10.0.0.1]/",
		"http://10.0.0.1/", "http://100.64.0.1/", "ftp://example.com/x", "gopher://x/", "http://user:pw@example.com/",
	} {
		if _, err := s.Stage(t.Context(), nil, ref, 100); err == nil {
			t.Errorf("Stage(%s) fetches", ref)
		}
	}
	s.Client = srv.Client()
	a, err := s.Stage(t.Context(), nil, srv.URL+"/x.png", 100)
	if err != nil || a.MIME != "image/gif" || filepath.Ext(a.Ref) != ".gif" {
		t.Error(a, err)
	}
	if _, err := s.Stage(t.Context(), nil, srv.URL+"/x.png", 5); fault.KindOf(err) != fault.Invalid {
		t.Errorf("too large: %v", err)
	}
}

func TestExpire(t *testing.T) {
	t.Parallel()
	s := store(t)
	s.Keep, s.Most = time.Hour, 2
	now := time.Now()
	for i, age := range []time.Duration{2 * time.Hour, 50 * time.Minute, 40 * time.Minute, 30 * time.Minute} {
		f, err := s.Take(t.Context(), string(rune('a'+i)), "", 10, gives("x"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(f.Path, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	s.Expire(t.Context(), now)
	if left, _ := os.ReadDir(filepath.Join(s.Dir, "inbound")); len(left) != 2 {
		t.Errorf("%d files are left, want 2", len(left))
	}
}

func FuzzSniff(f *testing.F) {
	f.Add([]byte("PK\x03\x04"), "a.docx")
	f.Add([]byte("\x00\x00\x00\x20ftypqt"), "..")
	f.Fuzz(func(t *testing.T, head []byte, name string) {
		m, e := media.Sniff(head, name)
		if m == "" || len(e) < 2 || e[0] != '.' || strings.ContainsAny(e, "/\\") {
			t.Errorf("Sniff = %q %q", m, e)
		}
	})
}
