package chat_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/msg"
)

const pixel = "\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\x0d\x49\x44\x41\x54\x78\xda\x63\x64\xf8\xcf\x50\x0f\x00\x03\x86\x01\x80\x5a\x34\x7d\x6b\x00\x00\x00\x00\x49\x45\x4e\x44\xae\x42\x60\x82"

func TestFilesOfPeopleAreKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	net := &wire{files: map[string]string{"telegram:1": pixel, "telegram:2": "%PDF-1.7 x", "telegram:3": strings.Repeat("x", 2<<20)}}
	m := &teller{turns: []turnOf{{pieces: []string{"seen"}}}}
	p := furnish(t, dir, net, m, `{"streaming":"off","mediaMaxMb":1}`, "")
	defer p.crash()
	in := written1(1, "what is this?")
	in.Attachments = []msg.Attachment{
		{MIME: "text/plain", Name: "../../etc/passwd", Ref: "telegram:1"},
		{MIME: "image/png", Name: "a.pdf", Ref: "telegram:2"},
		{MIME: "video/mp4", Name: "big.mp4", Ref: "telegram:3"},
	}
	p.says(in)
	p.shows("seen")
	last := m.saw[len(m.saw)-1]
	text := last.Text()
	paths := regexp.MustCompile(`\[media attached (\d)/2: (\S+) \((\S+)\)\]`).FindAllStringSubmatch(text, -1)
	if !strings.Contains(text, "[media attached: 2 files]") || len(paths) != 2 || paths[0][3] != "image/png" || paths[1][3] != "application/pdf" {
		t.Fatalf("the model reads %q", text)
	}
	if !strings.Contains(text, "big.mp4 could not be fetched: it is larger than 1 MB") || !strings.Contains(text, "what is this?") {
		t.Errorf("the model reads %q", text)
	}
	for i, want := range []string{".png", ".pdf"} {
		path := paths[i][2]
		st, err := os.Stat(path)
		if err != nil || filepath.Dir(path) != filepath.Join(dir, "media", "inbound") || filepath.Ext(path) != want || st.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", path, st, err)
		}
	}
	pictures := 0
	for _, b := range last.Content {
		if b.Type == llm.ImageBlock {
			pictures++
		}
	}
	if pictures != 1 {
		t.Errorf("the model sees %d pictures, want 1", pictures)
	}
}

func TestFilesOfTheAgentAreSent(t *testing.T) {
	t.Parallel()
	dir, ws := t.TempDir(), t.TempDir()
	net := &wire{media: 1 << 20}
	p := furnish(t, dir, net, &teller{turns: []turnOf{{pieces: []string{
		"Here it is.\nMEDIA:cat.png\nMEDIA: `" + ws + "/sub/dog.png`\nMEDIA:/etc/passwd\nMEDIA:http://127.0.0.1:1/x.png\n```\nMEDIA:code.png\n```",
	}}}}, `{}`, "")
	defer p.crash()
	p.cfg.Agents.Defaults.Workspace = ws
	if err := os.MkdirAll(ws+"/sub", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{"/cat.png", "/sub/dog.png"} {
		if err := os.WriteFile(ws+f, []byte(pixel), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p.says(written1(1, "hi"))
	text := "Here it is.\n```\nMEDIA:code.png\n```\n\n" +
		"⚠️ passwd can't be sent: only files of the workspace and received files are sent\n\n⚠️ x.png can't be sent: the address is in a private network"
	p.shows(text, "", "")
	if d := cmp.Diff([][]string{nil, {"image/png"}, {"image/png"}}, [][]string{net.shown[0].files, net.shown[1].files, net.shown[2].files}); d != "" {
		t.Error(d)
	}
}

func TestFilesWhereNoneAreTaken(t *testing.T) {
	t.Parallel()
	net := &wire{}
	p := furnish(t, t.TempDir(), net, &teller{turns: []turnOf{{pieces: []string{"MEDIA:cat.png"}}}}, `{}`, "")
	defer p.crash()
	p.says(written1(1, "hi"))
	p.shows("⚠️ cat.png can't be sent: telegram takes no files")
}

// Where the network has albums, several files are one message.
func TestFilesAreAlbums(t *testing.T) {
	t.Parallel()
	ws := t.TempDir()
	net := &wire{media: 1 << 20, album: 2}
	p := furnish(t, t.TempDir(), net, &teller{turns: []turnOf{{pieces: []string{"Three.\nMEDIA:a.png\nMEDIA:b.png\nMEDIA:c.png"}}}}, `{}`, "")
	defer p.crash()
	p.cfg.Agents.Defaults.Workspace = ws
	for _, f := range []string{"/a.png", "/b.png", "/c.png"} {
		if err := os.WriteFile(ws+f, []byte(pixel), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p.says(written1(1, "hi"))
	p.shows("Three.", "", "")
	if d := cmp.Diff([][]string{nil, {"image/png", "image/png"}, {"image/png"}}, [][]string{net.shown[0].files, net.shown[1].files, net.shown[2].files}); d != "" {
		t.Error(d)
	}
}
