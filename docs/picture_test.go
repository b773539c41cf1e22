//go:build unix

package docs_test

import (
	"encoding/xml"
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestPicture draws the conversation of the README from what the program
// really prints, and wants the committed drawing to be that one.
func TestPicture(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hasCurl())
	w.startGateway()
	var screen []string
	for _, say := range []string{"list the files in your workspace", "write buy milk to todo.txt", "run wc -w todo.txt", "my name is Ada", "what is my name?"} {
		command := fmt.Sprintf("openclaw agent -m %q", say)
		got, code := w.sh("picture", command)
		if code != 0 {
			t.Fatalf("$ %s: exit code %d\n%s", command, code, got)
		}
		screen = append(screen, "$ "+command)
		for _, l := range lines(got) {
			if l != "```" {
				screen = append(screen, wrap(l, 84)...)
			}
		}
		screen = append(screen, "")
	}
	const file = "img/conversation.svg"
	svg := draw(t, screen[:len(screen)-1])
	if *update {
		if err := os.WriteFile(file, []byte(svg), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(old) != svg {
		t.Errorf("%s shows what the program doesn't print any more: go test ./docs -run TestPicture -update, and look at it", file)
	}
}

// wrap breaks a line at spaces.
func wrap(l string, width int) []string {
	var out []string
	for len(l) > width {
		at := strings.LastIndexByte(l[:width], ' ')
		if at < 1 {
			break
		}
		out, l = append(out, l[:at]), l[at+1:]
	}
	return append(out, l)
}

// draw is a terminal window with lines in it.
func draw(t *testing.T, screen []string) string {
	t.Helper()
	const width, step, top, left = 760, 18, 58, 20
	var sb strings.Builder
	fmt.Fprintf(&sb, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13" role="img" aria-label="A conversation with the demo model in a terminal">`+"\n",
		width, top+step*len(screen)+4)
	sb.WriteString(`<rect width="100%" height="100%" rx="8" fill="#12161c"/>` + "\n")
	sb.WriteString(`<rect width="100%" height="34" rx="8" fill="#232a33"/>` + "\n")
	for i, colour := range []string{"#ff5f57", "#febc2e", "#28c840"} {
		fmt.Fprintf(&sb, `<circle cx="%d" cy="17" r="6" fill="%s"/>`+"\n", 20+20*i, colour)
	}
	for i, l := range screen {
		if l == "" {
			continue
		}
		colour := "#c9d3de"
		if strings.HasPrefix(l, "$ ") {
			colour = "#7ee0b5"
		}
		var text strings.Builder
		if err := xml.EscapeText(&text, []byte(l)); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&sb, `<text x="%d" y="%d" fill="%s" xml:space="preserve">%s</text>`+"\n", left, top+step*i, colour, text.String())
	}
	sb.WriteString("</svg>\n")
	return sb.String()
}
