package exec

import (
	"path"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/text"
)

// describe says in one line what a command does, for people who watch.
func describe(command string) string {
	return verb(command) + ", `" + strings.ReplaceAll(text.Preview(command, 120), "`", "'") + "`"
}

func verb(command string) string {
	words := strings.Fields(command)
	for len(words) > 1 && (strings.Contains(words[0], "=") || words[0] == "sudo" || words[0] == "env" || words[0] == "time" || words[0] == "nohup") {
		words = words[1:]
	}
	if len(words) > 3 && words[0] == "cd" && words[2] == "&&" {
		words = words[3:]
	}
	if len(words) == 0 {
		return "run a command"
	}
	prog := path.Base(words[0])
	switch prog {
	case "echo", "printf":
		return "print text"
	case "ls", "tree", "dir":
		return "list files"
	case "cat", "head", "tail", "less", "bat":
		return "show a file"
	case "grep", "rg", "ag", "ack":
		return "search text"
	case "find", "fd", "locate":
		return "find files"
	case "cp":
		return "copy files"
	case "mv":
		return "move files"
	case "rm", "rmdir":
		return "remove files"
	case "mkdir", "touch":
		return "make files"
	case "sed", "awk", "sort", "uniq", "cut", "jq", "wc", "tr":
		return "process text"
	case "curl", "wget":
		return "fetch an address"
	case "date":
		return "tell the time"
	case "pwd":
		return "show the directory"
	case "ps", "top", "htop", "pgrep":
		return "list processes"
	case "kill", "pkill", "killall":
		return "end processes"
	case "df", "du":
		return "measure disk space"
	case "git", "docker", "npm", "pnpm", "yarn", "go", "cargo", "pip", "apt", "apt-get", "brew", "systemctl", "kubectl", "make":
		if len(words) > 1 && !strings.HasPrefix(words[1], "-") {
			return "run " + prog + " " + text.Preview(words[1], 30)
		}
	}
	return "run " + text.Preview(prog, 40)
}
