package term

import (
	"fmt"
	"io"
)

// Card is a short list of facts under a title.
type Card struct {
	Title string
	Rows  [][2]string // name and value; rows without a value are left out
}

// Add appends a fact.
func (c *Card) Add(name, value string) { c.Rows = append(c.Rows, [2]string{name, value}) }

// Write prints c.
func (c Card) Write(w io.Writer, s Style) {
	if c.Title != "" {
		fmt.Fprintln(w, s.Bold(c.Title))
	}
	var rows [][]string
	for _, r := range c.Rows {
		if r[1] != "" {
			rows = append(rows, []string{"  " + s.Dim(r[0]), Clean(r[1])})
		}
	}
	for _, line := range align(rows) {
		fmt.Fprintln(w, line)
	}
}
