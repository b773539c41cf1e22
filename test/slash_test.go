package test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/test/harness"
)

// Every command of the record is answered to those who may use it, by the
// gateway and not by the model; to those who may not it stays silent. The file
// is recorded (cli/slash-commands.json).
func TestEverySlashCommand(t *testing.T) {
	t.Parallel()
	var record struct {
		Commands []struct {
			Command string
			Aliases []string
		}
	}
	if err := json.Unmarshal([]byte(read(t, "testdata/slash-commands.json")), &record); err != nil {
		t.Fatal(err)
	}
	p := newPhone(t, object{
		"allowFrom": []any{7}, "groupPolicy": "open", "groups": object{"*": object{"requireMention": false}},
	})
	p.Edit(func(cfg object) {
		cfg["commands"] = object{"allowFrom": object{"telegram": []any{7}}, "ownerAllowFrom": []any{"telegram:7"}, "restart": false, "config": true, "debug": true}
	})
	p.online(t)
	p.answers(t, func() string { p.text(7, 7, "first words", nil); return "first words" }())
	var names []string
	for _, c := range record.Commands {
		for _, name := range append([]string{c.Command}, c.Aliases...) {
			name = strings.ReplaceAll(name, "<channel>", "telegram")
			if strings.HasPrefix(name, "/") && !strings.Contains(name, " ") {
				names = append(names, name)
			}
		}
	}
	if len(names) < 45 {
		t.Fatalf("only %d names: %q", len(names), names)
	}
	for i, name := range names {
		// A stranger to commands, in a group where anybody may talk.
		before := len(p.to(-100))
		p.text(8, -100, name, nil)
		word := fmt.Sprint("after", i, "x")
		p.text(8, -100, word, nil)
		p.answers(t, word)
		for _, s := range p.to(-100)[before:] {
			if !strings.Contains(s, word) {
				t.Errorf("%s was answered to somebody who may not use it: %q", name, s)
			}
		}
		// Somebody who may.
		before = len(p.to(7))
		p.text(7, 7, name, nil)
		harness.Until(t, within, name+" is answered", func() bool { return len(p.to(7)) > before })
		for _, s := range p.to(7)[before:] {
			if strings.HasPrefix(s, "echo:") {
				t.Errorf("%s went to the model: %q", name, s)
			}
		}
	}
	for _, c := range p.model.Calls("/") {
		for _, name := range names {
			if strings.TrimSpace(c.User) == name {
				t.Errorf("the model was asked %q", c.User)
			}
		}
	}
}

// The owner changes who may write, over the file and the store; nobody else.
func TestAllowlistCommand(t *testing.T) {
	t.Parallel()
	p := newPhone(t, object{"allowFrom": []any{7, 8}, "groupAllowFrom": []any{"123456789012345678901"}})
	p.Edit(func(cfg object) {
		cfg["commands"] = object{"config": true, "ownerAllowFrom": []any{"telegram:7"}}
	})
	p.online(t)
	ask := func(who int, text, want string) {
		t.Helper()
		n := len(p.to(who))
		p.text(who, who, text, nil)
		harness.Until(t, within, text+" is answered", func() bool { return len(p.to(who)) > n })
		if got := p.to(who)[n]; !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %s", text, got, want)
		}
	}
	ask(7, "/allowlist", "123456789012345678901")
	p.text(8, 8, "/allowlist add 9", nil) // with owners named, commands are theirs
	ask(7, "/allowlist add 9", "added to the DM allowlist (config, store)")
	ask(7, "/allowlist add tg:9", "already on")
	ask(7, "/allowlist add group 9007199254740993", "(config)")
	ask(7, "/allowlist add dm @nobody!", "can't be anybody")
	ask(7, "/allowlist frobnicate", "Usage")
	raw, err := os.ReadFile(filepath.Join(p.Dir, "openclaw.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"9"`, "123456789012345678901", "9007199254740993"} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("the file lacks %s: %s", want, raw)
		}
	}
	for _, s := range p.to(8) {
		t.Errorf("somebody else was answered: %q", s)
	}
	p.text(9, 9, "hello from nine", nil)
	p.answers(t, "hello from nine")
	ask(7, "/allowlist remove 9", "removed from the DM allowlist (config, store)")
	p.text(9, 9, "nine again", nil)
	p.settled(t)
	if n := p.shows("nine again"); n != 0 {
		t.Error("one who was taken off is heard")
	}
}

// /debug holds until a restart and never touches the file; /export-session
// writes a page and nothing over a file that is there.
func TestDebugAndExport(t *testing.T) {
	t.Parallel()
	p := newPhone(t, nil)
	p.Edit(func(cfg object) {
		cfg["commands"] = object{"debug": true, "ownerAllowFrom": []any{"telegram:7"}}
	})
	p.online(t)
	file := read(t, p.ConfigPath())
	say := func(text, want string) string {
		t.Helper()
		n := len(p.to(7))
		p.text(7, 7, text, nil)
		harness.Until(t, within, text+" is answered", func() bool { return len(p.to(7)) > n })
		got := p.to(7)[n]
		if !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %s", text, got, want)
		}
		return got
	}
	say("/debug set messages.responsePrefix=\"[dbg]\"", "override set")
	say("words", "[dbg]")
	say("/debug show", "responsePrefix")
	say("/debug set gateway.port=\"x\"", "Nothing was changed")
	if now := read(t, p.ConfigPath()); now != file {
		t.Error("/debug changed the file")
	}
	say("/debug reset", "cleared")
	if got := say("more words", "more words"); strings.Contains(got, "[dbg]") {
		t.Errorf("after the reset: %q", got)
	}
	say("<b>not bold</b>", "not bold")
	say("/export-session talk.html", "Exported")
	page := read(t, filepath.Join(p.Work, "talk.html"))
	for _, want := range []string{"more words", "&lt;b&gt;not bold&lt;/b&gt;", "You are a personal assistant", "System prompt"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	say("/export-session talk.html", "is there already")
	say("/export-session ../talk.html", "must be in the workspace")
	say("/export-session AGENTS.md", "something.html")
}
