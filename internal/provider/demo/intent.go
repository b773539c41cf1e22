package demo

import (
	"fmt"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/text"
)

// plain takes away what the gateway puts around a person's words: blocks of
// metadata before them and a time stamp in brackets.
func plain(s string) string {
	for {
		s = strings.TrimSpace(s)
		head, rest, ok := strings.Cut(s, "\n```json\n")
		if !ok || strings.Contains(head, "\n") || !strings.HasSuffix(strings.TrimSpace(head), ":") {
			break
		}
		_, after, ok := strings.Cut(rest, "\n```")
		if !ok {
			break
		}
		s = after
	}
	if strings.HasPrefix(s, "[") {
		if end := strings.IndexByte(s, ']'); end > 0 && end < 200 && !strings.Contains(s[:end], "\n") {
			s = strings.TrimSpace(s[end+1:])
		}
	}
	return s
}

// want finds the tool that said asks for.
func want(said string) (name string, args map[string]any, ok bool) {
	s := strings.TrimSpace(strings.TrimRight(said, "?!. "))
	s = cutPolite(s)
	l := strings.ToLower(s)
	after := func(prefixes ...string) (string, bool) {
		for _, p := range prefixes {
			if strings.HasPrefix(l, p) && len(s) > len(p) {
				return strings.TrimSpace(s[len(p):]), true
			}
		}
		return "", false
	}
	switch l {
	case "ls", "list", "list files", "list my files", "list the files", "list all files", "show files", "show the files", "show me the files",
		"what files are there", "which files are there", "what files do you have":
		return "ls", map[string]any{"path": "."}, true
	case "status", "session status", "show status", "what time is it", "time", "what is the time", "what's the time", "what day is it", "which model are you":
		return "session_status", map[string]any{}, true
	}
	if dir, ok := after("list files in ", "list the files in ", "list all files in ", "show the files in ", "show files in ", "what files are in ", "which files are in ", "list the directory ", "ls "); ok {
		return "ls", map[string]any{"path": directory(dir)}, true
	}
	if cmd, ok := after("run the command ", "run command ", "run ", "execute ", "exec ", "$ "); ok {
		return "exec", map[string]any{"command": unquote(cmd)}, true
	}
	if file, ok := after("read the file ", "read file ", "read ", "show me the file ", "show the file ", "cat ", "open the file "); ok && !strings.Contains(unquote(file), "\n") {
		return "read", map[string]any{"path": unquote(file)}, true
	}
	if rest, ok := after("write ", "save ", "put "); ok {
		if content, path, ok := target(rest); ok {
			return "write", map[string]any{"path": path, "content": content}, true
		}
	}
	return "", nil, false
}

func cutPolite(s string) string {
	for range 3 {
		cut := false
		for _, p := range []string{"please ", "can you ", "could you ", "would you ", "now ", "then ", "hey, ", "ok, "} {
			if len(s) > len(p) && strings.EqualFold(s[:len(p)], p) {
				s, cut = strings.TrimSpace(s[len(p):]), true
			}
		}
		if !cut {
			break
		}
	}
	if l := len(s) - len(" please"); l > 0 && strings.EqualFold(s[l:], " please") {
		s = strings.TrimRight(s[:l], " ,")
	}
	return s
}

// directory reads the end of "list the files in …".
func directory(s string) string {
	s = unquote(s)
	switch strings.ToLower(s) {
	case "your workspace", "the workspace", "my workspace", "workspace", "here", "this directory", "the current directory", "this folder":
		return "."
	}
	for _, p := range []string{"the directory ", "the folder ", "directory ", "folder "} {
		if len(s) > len(p) && strings.EqualFold(s[:len(p)], p) {
			return unquote(s[len(p):])
		}
	}
	return s
}

// target splits "TEXT to FILE" at the last "to", "into" or "in" before one
// word.
func target(s string) (content, path string, ok bool) {
	best := -1
	for _, sep := range []string{" to ", " into ", " in "} {
		if i := strings.LastIndex(s, sep); i > best {
			best, path = i, s[i+len(sep):]
		}
	}
	if best <= 0 {
		return "", "", false
	}
	for _, p := range []string{"the file ", "a file called ", "a file named ", "file "} {
		path = strings.TrimPrefix(path, p)
	}
	path = unquote(path)
	if path == "" || strings.ContainsAny(path, "\n") {
		return "", "", false
	}
	return unquote(s[:best]), path, true
}

// unquote takes one pair of quotes off.
func unquote(s string) string {
	s = strings.TrimSpace(s)
	for _, q := range []string{"`", `"`, "'"} {
		if len(s) > 1 && strings.HasPrefix(s, q) && strings.HasSuffix(s, q) {
			return s[1 : len(s)-1]
		}
	}
	return s
}

// talk answers what needs no tool; before is the conversation so far.
func talk(said string, before []llm.Message) string {
	l := strings.ToLower(strings.TrimRight(strings.TrimSpace(said), "?!. "))
	name := lookUp(before, nameIn)
	switch {
	case nameIn(said) != "":
		return fmt.Sprintf("Nice to meet you, %s. I will remember your name in this conversation.", nameIn(said))
	case strings.Contains(l, "my name") || l == "who am i":
		if name == "" {
			return "You haven't told me your name yet. Say \"my name is …\"."
		}
		return "Your name is " + name + "."
	case factIn(said) != "":
		return "I will remember that in this conversation."
	case strings.HasPrefix(l, "what do you remember"), strings.HasPrefix(l, "what did i tell you"), strings.HasPrefix(l, "what did i ask you to remember"):
		return recall(before)
	case l == "help", l == "what can you do", strings.HasPrefix(l, "what can i "), l == "commands":
		return helpText
	case greeting(l):
		if name != "" {
			return "Hello, " + name + ". What shall I do? \"help\" lists what I understand."
		}
		return "Hello! Say \"help\" to see what I can do."
	case strings.HasPrefix(l, "who are you"), strings.HasPrefix(l, "what are you"):
		return "I am the demo model of OpenClaw. I follow fixed rules and think nothing of my own."
	case strings.HasPrefix(l, "thank"), l == "thx":
		return "You are welcome."
	case l == "bye", strings.HasPrefix(l, "good night"), strings.HasPrefix(l, "goodbye"):
		return "Goodbye!"
	}
	return fmt.Sprintf("You said: %q. That is beyond my rules; \"help\" lists what I understand.", short(said))
}

func greeting(l string) bool {
	for _, g := range []string{"hi", "hello", "hey", "good morning", "good evening", "good afternoon", "hallo", "hola", "moin"} {
		if l == g || strings.HasPrefix(l, g+" ") || strings.HasPrefix(l, g+",") {
			return true
		}
	}
	return false
}

// nameIn finds the name in "my name is X" and its like.
func nameIn(said string) string {
	l := strings.ToLower(said)
	for _, p := range []string{"my name is ", "my name's ", "call me ", "i am called "} {
		i := strings.Index(l, p)
		if i < 0 || len(l) != len(said) {
			continue
		}
		name := said[i+len(p):]
		if end := strings.IndexAny(name, ".,!?\n;:"); end >= 0 {
			name = name[:end]
		}
		name, _, _ = strings.Cut(name, " and ")
		if name = strings.TrimSpace(name); name != "" && len(name) <= 60 {
			return name
		}
	}
	return ""
}

// factIn finds what to remember.
func factIn(said string) string {
	l := strings.ToLower(said)
	for _, p := range []string{"remember that ", "remember: ", "note that "} {
		if i := strings.Index(l, p); i >= 0 && len(l) == len(said) {
			return strings.TrimRight(strings.TrimSpace(said[i+len(p):]), ".")
		}
	}
	return ""
}

func recall(before []llm.Message) string {
	var facts []string
	for i := range before {
		if before[i].Role != llm.User {
			continue
		}
		said := plain(before[i].Text())
		if n := nameIn(said); n != "" {
			facts = append(facts, "your name is "+n)
		}
		if f := factIn(said); f != "" {
			facts = append(facts, f)
		}
	}
	if len(facts) == 0 {
		return "You haven't asked me to remember anything yet."
	}
	return "In this conversation you told me:\n- " + strings.Join(facts, "\n- ")
}

// lookUp returns the latest thing that find finds in a person's words.
func lookUp(before []llm.Message, find func(string) string) string {
	for i := len(before) - 1; i >= 0; i-- {
		if before[i].Role == llm.User {
			if s := find(plain(before[i].Text())); s != "" {
				return s
			}
		}
	}
	return ""
}

func short(s string) string {
	if c := text.CutRunes(s, 200); len(c) < len(s) {
		return c + "…"
	}
	return s
}
