package session

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// damaged keeps what load couldn't read beside the transcript. The torn end is
// then cut off, so that the next line starts afresh; damaged lines further up
// stay where they are and are skipped, since a transcript isn't rewritten.
func (t *transcript) damaged(l *loaded) {
	lost := l.bad
	if l.torn != "" {
		lost = append(lost, l.torn)
	}
	aside, err := setAside(t.path, lost, time.Now())
	if err == nil && l.torn != "" {
		if err = os.Truncate(t.path, l.good); err == nil {
			t.size = l.good
		}
	}
	if err != nil {
		t.unended = l.torn != "" // at least nothing gets glued to it
		t.log.Error("a damaged transcript could not be mended", "session", string(t.id), "err", err)
		return
	}
	if aside != "" {
		t.log.Error("a transcript was damaged; what could not be read is kept aside",
			"session", string(t.id), "lines", len(lost), "aside", filepath.Base(aside))
	}
}

// setAside writes lines to <path>.torn.<time>, once: lines that such a file
// holds already are not written again.
func setAside(path string, lines []string, now time.Time) (aside string, err error) {
	dir, base := filepath.Split(path)
	entries, err := os.ReadDir(filepath.Clean(dir))
	if err != nil {
		return "", err
	}
	var held []byte
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), base+".torn.") {
			b, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return "", err
			}
			held = append(held, b...)
		}
	}
	var b []byte
	for _, line := range lines {
		if !bytes.Contains(held, []byte(line)) {
			b = append(append(b, line...), '\n')
		}
	}
	if len(b) == 0 {
		return "", nil
	}
	aside = path + ".torn." + fileTime(now)
	f, err := os.OpenFile(aside, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return "", err
	}
	_, err = f.Write(b)
	return aside, errors.Join(err, f.Sync(), f.Close())
}
