package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// Watcher keeps a [Store] up to date with the file. A half-written file is read
// again before anyone is told; an invalid one changes nothing, is reported
// through the log and onProblem, and stays on record until it is mended.
type Watcher struct {
	Paths Paths
	Load  LoadOptions
	Log   *slog.Logger // nil is silent

	Debounce time.Duration // quiet time before reading; 0 is 300 ms
	Grace    time.Duration // how long a file may stay invalid before it is reported; 0 is 700 ms
	Poll     time.Duration // how often to look without being told; 0 is 5 s
	Remind   time.Duration // how often to log a lasting problem; 0 is 10 min

	mu       sync.Mutex
	problems []Problem
}

// Problems are what is wrong with the file on disk now, while an older version
// runs. Status and doctor show them.
func (w *Watcher) Problems() []Problem {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.problems)
}

// Watch runs until ctx ends. onChange is called after a new version has become
// current; onProblem when the problems of the file change, with none when they
// are mended. Both are called from one goroutine; the last write wins.
func (w *Watcher) Watch(ctx context.Context, store *Store, onChange func(old, now *Config), onProblem func([]Problem)) error {
	s := &watching{
		w: w, store: store, onChange: onChange, onProblem: onProblem, log: w.Log,
		debounce: orElse(w.Debounce, 300*time.Millisecond), grace: orElse(w.Grace, 700*time.Millisecond),
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	var events chan string
	var failures chan error
	notify, err := newNotifier()
	if err == nil {
		defer func() { _ = notify.Close() }()
		events, failures = notify.names, notify.errs
		s.notify = notify
	} else {
		s.log.WarnContext(ctx, "file notifications are unavailable, polling instead", "err", err)
	}
	s.files = []string{w.Paths.Config}
	s.follow()
	poll := time.NewTicker(orElse(w.Poll, 5*time.Second))
	defer poll.Stop()
	remind := time.NewTicker(orElse(w.Remind, 10*time.Minute))
	defer remind.Stop()
	timer := time.NewTimer(0) // look once: the file may have changed since it was loaded
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case name := <-events:
			if s.concerns(name) {
				timer.Reset(s.debounce)
			}
		case err, ok := <-failures:
			if !ok {
				failures = nil
				break
			}
			s.log.WarnContext(ctx, "file notifications failed", "err", err)
			timer.Reset(s.debounce) // something may have been missed
		case <-poll.C:
			s.follow() // a directory that was replaced
			if s.moved() {
				timer.Reset(s.debounce)
			}
		case <-remind.C:
			s.remind()
		case <-timer.C:
			if again := s.read(ctx); again > 0 {
				timer.Reset(again)
			}
		}
	}
}

func orElse(d, fallback time.Duration) time.Duration {
	if d <= 0 {
		return fallback
	}
	return d
}

// watching is the state of one Watch.
type watching struct {
	w         *Watcher
	store     *Store
	onChange  func(old, now *Config)
	onProblem func([]Problem)
	log       *slog.Logger
	notify    *notifier
	debounce  time.Duration
	grace     time.Duration

	files   []string        // the main file and what it includes
	names   map[string]bool // of files, and of what links among them point to
	stamps  []stamp         // their state when last read
	invalid time.Time       // since when the file is invalid, unreported
	lastBad []byte          // what the invalid file held
}

type stamp struct {
	size int64
	when time.Time
	gone bool
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{gone: true}
	}
	return stamp{size: info.Size(), when: info.ModTime()}
}

func (s *watching) stampAll() []stamp {
	out := make([]stamp, 0, len(s.files)+1)
	for _, f := range append(slices.Clone(s.files), s.dotenv()) {
		out = append(out, stampOf(f))
	}
	return out
}

func (s *watching) moved() bool { return !slices.Equal(s.stamps, s.stampAll()) }

func (s *watching) dotenv() string { return filepath.Join(s.w.Paths.State, ".env") }

// follow watches the directories of all files. A directory, not the file:
// editors and our own writes replace the file.
func (s *watching) follow() {
	if s.notify == nil {
		return
	}
	s.names = map[string]bool{}
	for _, f := range append(slices.Clone(s.files), s.dotenv()) {
		for _, p := range []string{f, realPath(f)} {
			s.names[filepath.Base(p)] = true
			_ = s.notify.Add(filepath.Dir(p)) // polling covers what can't be watched
		}
	}
}

// concerns must be cheap: the database lies in a directory that is watched, and
// on some systems each of its writes is an event.
func (s *watching) concerns(name string) bool { return name == "" || s.names[name] }

// read looks at the file and takes it over when it is valid. It returns after
// which time to look again, 0 for not before something happens.
func (s *watching) read(ctx context.Context) time.Duration {
	stamps := s.stampAll()
	opts := s.w.Load
	opts.LastGood = false
	l, err := Load(ctx, s.w.Paths, opts)
	if ctx.Err() != nil {
		return 0
	}
	s.stamps = stamps
	bad, raw := s.judge(l, err)
	if len(bad) > 0 {
		return s.refuse(bad, raw)
	}
	s.invalid = time.Time{}
	s.files = l.Files()
	s.follow()
	s.stamps = s.stampAll()
	s.record(nil)
	old := s.store.Current()
	if old != nil && bytes.Equal(old.source, l.Config.source) {
		return 0
	}
	s.store.Replace(l.Config)
	if s.w.Load.LastGood {
		if err := l.Remember(); err != nil {
			s.log.WarnContext(ctx, "the last good copy can't be kept", "err", err)
		}
	}
	s.log.InfoContext(ctx, "configuration reloaded", "hash", l.Hash)
	if s.onChange != nil {
		s.onChange(old, l.Config)
	}
	return 0
}

// judge returns what is wrong with what was loaded.
func (s *watching) judge(l *Loaded, err error) (bad []Problem, raw []byte) {
	var invalid *Invalid
	switch {
	case errors.As(err, &invalid):
		return invalid.Problems, l.Raw
	case err != nil:
		return []Problem{{Message: err.Error(), File: s.w.Paths.Config, Mend: "make the file readable"}}, nil
	case !l.Exists:
		if old := s.store.Current(); old != nil && len(old.source) > len("{}") {
			return []Problem{{
				Message: "the file is gone; the version in memory stays in force", File: s.w.Paths.Config,
				Mend: fmt.Sprintf("restore it, for example from %s.bak", s.w.Paths.Config),
			}}, nil
		}
	}
	return nil, l.Raw
}

// refuse waits for a half-written file to be finished, then reports it.
func (s *watching) refuse(bad []Problem, raw []byte) time.Duration {
	now := time.Now()
	if s.invalid.IsZero() || !bytes.Equal(raw, s.lastBad) {
		s.invalid, s.lastBad = now, bytes.Clone(raw)
	}
	if wait := s.grace - now.Sub(s.invalid); wait > 0 {
		return wait
	}
	s.record(bad)
	return 0
}

// record keeps the problems and tells of them when they changed.
func (s *watching) record(ps []Problem) {
	s.w.mu.Lock()
	same := slices.EqualFunc(s.w.problems, ps, func(a, b Problem) bool { return a.String() == b.String() })
	s.w.problems = slices.Clone(ps)
	s.w.mu.Unlock()
	if same {
		return
	}
	if len(ps) == 0 {
		s.log.Info("the configuration file is valid again")
	}
	for _, p := range ps {
		s.log.Error("the configuration file is invalid; the version in memory stays in force", "problem", p.String())
	}
	if s.onProblem != nil {
		s.onProblem(slices.Clone(ps))
	}
}

func (s *watching) remind() {
	for _, p := range s.w.Problems() {
		s.log.Error("the configuration file is still invalid; the version in memory stays in force", "problem", p.String())
	}
}
