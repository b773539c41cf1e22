package openai

import (
	"bytes"
	"context"
	"io"
	"os/exec"
	"strconv"
	"time"
)

// pdfText reads the text of a PDF's first pages with pdftotext of poppler, as a program of
// its own: a file made to hurt its reader hurts that one.
func pdfText(ctx context.Context, pdf []byte, pages int) ([]byte, error) {
	const patience, most = 20 * time.Second, 4 << 20
	program, err := exec.LookPath("pdftotext")
	if err != nil {
		return nil, problem("PDF files need the program pdftotext on the gateway's host (package poppler-utils); or send the text.")
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "-q", "-enc", "UTF-8", "-l", strconv.Itoa(pages), "-", "-") //nolint:gosec // a program of the host, a number
	cmd.Env, cmd.Dir = []string{"LC_ALL=C.UTF-8"}, "/"
	cmd.Stdin = bytes.NewReader(pdf)
	cmd.WaitDelay = time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, problem("The PDF can't be read.")
	}
	if err := cmd.Start(); err != nil {
		return nil, problem("The PDF can't be read.")
	}
	said, rerr := io.ReadAll(io.LimitReader(out, most))
	_, _ = io.Copy(io.Discard, out)
	if err := cmd.Wait(); err != nil || rerr != nil {
		return nil, problem("The PDF can't be read.")
	}
	if len(bytes.TrimSpace(said)) == 0 {
		return nil, problem("The PDF holds no text, only pictures; send them as images.")
	}
	return said, nil
}
