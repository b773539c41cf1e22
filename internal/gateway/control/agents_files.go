package control

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/rpc"
)

const (
	bootstrapName = "BOOTSTRAP.md"
	memoryName    = "MEMORY.md"
	memoryAltName = "memory.md"

	// maxFile is the largest workspace file that is read or written, as for
	// prompts.
	maxFile = 2 << 20
)

// fileNames are the files of an agent that clients may see, in order. Nothing
// else in the workspace can be reached this way.
func fileNames() []string {
	return []string{"AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", bootstrapName}
}

type fileRow struct {
	Name    string  `json:"name"`
	Path    string  `json:"path"`
	Missing bool    `json:"missing"`
	Size    *int64  `json:"size,omitempty"`
	Updated *int64  `json:"updatedAtMs,omitempty"`
	Content *string `json:"content,omitempty"`
}

type filesResult struct {
	Agent     id.Agent  `json:"agentId"`
	Workspace string    `json:"workspace"`
	Files     []fileRow `json:"files"`
}

type fileResult struct {
	OK        bool     `json:"ok,omitempty"`
	Agent     id.Agent `json:"agentId"`
	Workspace string   `json:"workspace"`
	File      fileRow  `json:"file"`
}

type filesParams struct {
	Agent string `json:"agentId" schema:"minLength=1"`
}

type fileParams struct {
	Agent string `json:"agentId" schema:"minLength=1"`
	Name  string `json:"name" schema:"minLength=1"`
}

type fileSetParams struct {
	Agent   string `json:"agentId" schema:"minLength=1"`
	Name    string `json:"name" schema:"minLength=1"`
	Content string `json:"content"`
}

func (c *Control) filesList(_ context.Context, _ *rpc.Caller, p filesParams) (filesResult, error) {
	cfg := c.Config()
	a, ok := knownAgent(cfg, p.Agent)
	if !ok {
		return filesResult{}, rpc.Invalid("unknown agent id")
	}
	r := filesResult{Agent: a, Workspace: cfg.Workspace(a)}
	root, err := os.OpenRoot(r.Workspace)
	if err == nil {
		defer root.Close()
	}
	stat := func(name string) fileRow { return statFile(root, r.Workspace, name) }
	for _, name := range fileNames() {
		if name == bootstrapName && onboarded(root) {
			continue
		}
		r.Files = append(r.Files, stat(name))
	}
	memory := stat(memoryName)
	if alt := stat(memoryAltName); memory.Missing && !alt.Missing {
		memory = alt
	}
	r.Files = append(r.Files, memory)
	return r, nil
}

func (c *Control) filesGet(_ context.Context, _ *rpc.Caller, p fileParams) (fileResult, error) {
	r, err := c.file(p.Agent, p.Name)
	if err != nil {
		return r, err
	}
	root, err := os.OpenRoot(r.Workspace)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, unsafe(p.Name)
	}
	defer root.Close()
	f, err := openRegular(root, p.Name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return r, nil
	case err != nil:
		return r, unsafe(p.Name)
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return r, unsafe(p.Name)
	}
	if len(raw) > maxFile {
		return r, rpc.Invalid("file \"%s\" is too large (at most %d bytes)", p.Name, maxFile)
	}
	info, err := f.Stat()
	if err != nil {
		return r, unsafe(p.Name)
	}
	r.File.found(info, new(strings.ToValidUTF8(string(raw), "\uFFFD")))
	return r, nil
}

func (c *Control) filesSet(_ context.Context, _ *rpc.Caller, p fileSetParams) (fileResult, error) {
	r, err := c.file(p.Agent, p.Name)
	if err != nil {
		return r, err
	}
	if len(p.Content) > maxFile {
		return r, rpc.Invalid("content is too large (%d bytes, at most %d)", len(p.Content), maxFile)
	}
	if err := os.MkdirAll(r.Workspace, 0o755); err != nil { //nolint:gosec // people open their workspace with other programs
		return r, rpc.Unavailable("the workspace can't be made; check %s", r.Workspace)
	}
	root, err := os.OpenRoot(r.Workspace)
	if err != nil {
		return r, unsafe(p.Name)
	}
	defer root.Close()
	info, err := replace(root, p.Name, []byte(p.Content), 0o644)
	if err != nil {
		return r, unsafe(p.Name)
	}
	r.OK = true
	r.File.found(info, &p.Content)
	return r, nil
}

// file checks what a client named and returns the answer for a missing file.
func (c *Control) file(agent, name string) (fileResult, error) {
	cfg := c.Config()
	a, ok := knownAgent(cfg, agent)
	if !ok {
		return fileResult{}, rpc.Invalid("unknown agent id")
	}
	if name != memoryName && name != memoryAltName && !slices.Contains(fileNames(), name) {
		return fileResult{}, rpc.Invalid("unsupported file \"%s\"", name)
	}
	ws := cfg.Workspace(a)
	return fileResult{Agent: a, Workspace: ws, File: fileRow{Name: name, Path: filepath.Join(ws, name), Missing: true}}, nil
}

func unsafe(name string) error { return rpc.Invalid("unsafe workspace file \"%s\"", name) }

func (f *fileRow) found(info fs.FileInfo, content *string) {
	f.Missing, f.Size, f.Updated, f.Content = false, new(info.Size()), new(info.ModTime().UnixMilli()), content
}

func statFile(root *os.Root, dir, name string) fileRow {
	row := fileRow{Name: name, Path: filepath.Join(dir, name), Missing: true}
	if root == nil {
		return row
	}
	if info, err := root.Stat(name); err == nil && info.Mode().IsRegular() {
		row.found(info, nil)
	}
	return row
}

// onboarded reports whether the first conversation of the workspace is over,
// after which BOOTSTRAP.md isn't wanted any more.
func onboarded(root *os.Root) bool {
	if root == nil {
		return false
	}
	f, err := openRegular(root, filepath.Join(".openclaw", "workspace-state.json"))
	if err != nil {
		return false
	}
	defer f.Close()
	var s struct {
		Completed string `json:"onboardingCompletedAt"`
	}
	return json.NewDecoder(io.LimitReader(f, maxIdentity)).Decode(&s) == nil && s.Completed != ""
}
