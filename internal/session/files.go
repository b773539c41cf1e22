package session

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// readEntries parses the last n lines at path, all when n is 0.
func readEntries(path string, n int) ([]Entry, error) {
	text, part, err := readTail(path, n)
	if err != nil {
		return nil, err
	}
	l := parse(text, part)
	from := 0
	if n > 0 {
		from = max(0, len(l.records)-n)
	}
	es := make([]Entry, 0, len(l.records)-from)
	for i := from; i < len(l.records); i++ {
		es = append(es, l.records[i].entry())
	}
	return es, nil
}

// readTail returns the end of the file that has at least n lines, the whole
// file when n is 0; part says that it begins within a line.
func readTail(path string, n int) (text string, part bool, err error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return "", false, err
	}
	size := min(st.Size(), maxTranscript)
	for want := int64(64 << 10); ; want *= 4 {
		if n == 0 || want > size {
			want = size
		}
		var b strings.Builder
		b.Grow(int(want))
		if _, err := io.Copy(&b, io.NewSectionReader(f, st.Size()-want, want)); err != nil {
			return "", false, err
		}
		text = b.String()
		if want == size || strings.Count(text, "\n") > n+1 {
			return text, want < st.Size(), nil
		}
	}
}

// readLines returns the lines of a file that have something in them.
func readLines(path string) ([][]byte, error) {
	text, _, err := readTail(path, 0)
	if err != nil {
		return nil, err
	}
	var lines [][]byte
	for line := range bytes.Lines([]byte(text)) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			lines = append(lines, line)
		}
	}
	return lines, nil
}

func isHeader(line []byte) bool {
	var d decoder
	var r record
	return d.decode(string(line), &r) && r.typ == "session"
}

// replaceFile puts text in the place of path, whole or not at all.
func replaceFile(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return syncDir(filepath.Dir(path))
}

func copyFile(from, to string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return replaceFile(to, b)
}

// headBytes is where the first question stands.
const headBytes = 64 << 10

// readHead parses the beginning of the file.
func readHead(path string) (*loaded, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return &loaded{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, headBytes))
	if err != nil {
		return nil, err
	}
	return parse(string(b), false), nil
}
