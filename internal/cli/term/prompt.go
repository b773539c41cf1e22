package term

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	xterm "github.com/charmbracelet/x/term"
)

// ErrEnded says that the input ended before the answer.
var ErrEnded = errors.New("the input ended")

// Prompt asks questions.
type Prompt struct {
	in    *bufio.Reader
	file  *os.File // nil when the input isn't a terminal
	out   io.Writer
	style Style
}

// NewPrompt returns a prompt that reads in and writes out.
func NewPrompt(in io.Reader, out io.Writer, s Style) *Prompt {
	p := &Prompt{in: bufio.NewReader(in), out: out, style: s}
	if Terminal(in) {
		p.file, _ = in.(*os.File)
	}
	return p
}

// Ask asks for a line; an empty one is def.
func (p *Prompt) Ask(question, def string) (string, error) {
	fmt.Fprint(p.out, p.style.Bold(question))
	if def != "" {
		fmt.Fprint(p.out, p.style.Dim(" ["+def+"]"))
	}
	fmt.Fprint(p.out, ": ")
	line, err := p.line()
	if line == "" {
		line = def
	}
	return line, err
}

// Secret asks for a line that isn't shown.
func (p *Prompt) Secret(question string) (string, error) {
	if p.file == nil {
		return p.Ask(question, "")
	}
	restore := hush(p.file.Fd())
	fmt.Fprint(p.out, p.style.Bold(question)+p.style.Dim(" (not shown)")+": ")
	raw, err := xterm.ReadPassword(p.file.Fd())
	restore()
	fmt.Fprintln(p.out)
	return strings.TrimSpace(string(raw)), err
}

// Confirm asks yes or no; an empty answer is def.
func (p *Prompt) Confirm(question string, def bool) (bool, error) {
	choice := "y/N"
	if def {
		choice = "Y/n"
	}
	for {
		answer, err := p.Ask(question+" ("+choice+")", "")
		if err != nil {
			return false, err
		}
		switch strings.ToLower(answer) {
		case "":
			return def, nil
		case "y", "yes":
			return true, nil
		case "n", "no":
			return false, nil
		}
	}
}

// Choose asks for one of choices and returns its index; an empty answer is the
// first.
func (p *Prompt) Choose(question string, choices []string) (int, error) {
	fmt.Fprintln(p.out, p.style.Bold(question))
	for i, c := range choices {
		fmt.Fprintf(p.out, "  %s %s\n", p.style.Accent(strconv.Itoa(i+1)+"."), c)
	}
	for {
		answer, err := p.Ask("Number", "1")
		if err != nil {
			return 0, err
		}
		if n, err := strconv.Atoi(answer); err == nil && n >= 1 && n <= len(choices) {
			return n - 1, nil
		}
		fmt.Fprintf(p.out, "  a number from 1 to %d, please\n", len(choices))
	}
}

func (p *Prompt) line() (string, error) {
	line, err := p.in.ReadString('\n')
	if errors.Is(err, io.EOF) {
		if line == "" {
			return "", ErrEnded
		}
		err = nil
	}
	return strings.TrimSpace(line), err
}
