package term

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// Progress shows on a terminal that work goes on, from half a second after it
// began. The function that it returns ends and wipes it; call it once, before
// anything else is printed. Where w isn't a terminal, nothing is shown.
func Progress(w io.Writer, s Style, what string) (end func()) {
	if !Terminal(w) {
		return func() {}
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() { spin(w, s, what, stop) })
	return func() {
		close(stop)
		wg.Wait()
	}
}

func spin(w io.Writer, s Style, what string, stop <-chan struct{}) {
	frames := []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
	began := time.Now()
	tick := time.NewTicker(120 * time.Millisecond)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-stop:
			if n > 4 {
				fmt.Fprint(w, "\r\x1b[K")
			}
			return
		case <-tick.C:
			if n >= 4 {
				fmt.Fprintf(w, "\r\x1b[K%s %s %s", s.Accent(string(frames[n%len(frames)])), what,
					s.Dim(time.Since(began).Truncate(time.Second).String()))
			}
		}
	}
}
