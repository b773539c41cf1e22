package plugin

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Settings are the plugins section, as far as it tells which run.
type Settings struct {
	Enabled *bool    `json:"enabled"`
	Allow   []string `json:"allow"`
	Deny    []string `json:"deny"`
	Load    struct {
		Paths []string `json:"paths"`
	} `json:"load"`
	Entries map[string]struct {
		Enabled *bool `json:"enabled"`
	} `json:"entries"`
}

// On tells whether the plugin named id may run.
func (s Settings) On(id string) bool {
	if s.Enabled != nil && !*s.Enabled || slices.Contains(s.Deny, id) {
		return false
	}
	if e := s.Entries[id].Enabled; e != nil && !*e {
		return false
	}
	return len(s.Allow) == 0 || slices.Contains(s.Allow, id)
}

// Problem is a directory that holds a plugin which can't be used.
type Problem struct {
	Dir string
	Err error
}

// found is how many plugins are looked at.
const foundMax = 256

// Find reads the manifests below the directories of places, and those of
// Load.Paths, which are plugins themselves or hold some. The first one of an id
// counts. It runs nothing.
func Find(places []string, s Settings) (found []Manifest, problems []Problem) {
	seen := map[string]bool{}
	add := func(dir string) bool {
		if len(found)+len(problems) >= foundMax {
			return false
		}
		if _, err := os.Lstat(filepath.Join(dir, manifestName)); errors.Is(err, fs.ErrNotExist) {
			return false
		}
		m, err := Load(dir)
		switch {
		case err != nil:
			problems = append(problems, Problem{dir, err})
		case !seen[m.ID]:
			seen[m.ID] = true
			found = append(found, m)
		}
		return true
	}
	for _, p := range slices.Concat(s.Load.Paths, places) {
		if p == "" || add(p) {
			continue
		}
		entries, err := os.ReadDir(p)
		if err != nil {
			continue // most places aren't there
		}
		for _, e := range entries {
			add(filepath.Join(p, e.Name()))
		}
	}
	return found, problems
}
