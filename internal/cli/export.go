package cli

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/cli/term"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/store"
)

type exportFlags struct {
	output               string
	secrets, noWorkspace bool
	dry                  bool
}

// exportReply is what export --json prints.
type exportReply struct {
	Created   string   `json:"createdAt"`
	Path      string   `json:"archivePath"`
	Files     int      `json:"files"`
	Bytes     int64    `json:"bytes"`
	Secrets   bool     `json:"includeSecrets"`
	Workspace bool     `json:"includeWorkspace"`
	DryRun    bool     `json:"dryRun"`
	Skipped   []string `json:"skipped"`
}

// export is openclaw export: the state in one archive. Without --include-secrets
// keys, logins and tokens stay behind, so that it may be given away.
func (sh *shell) export() *cobra.Command {
	var f exportFlags
	cmd := sh.command(spec{
		name: "export", short: "Pack config, sessions and workspaces into an archive, without secrets",
		example: "openclaw export --output ~/openclaw.tar.gz",
		run:     func(ctx context.Context, _ []string) error { return sh.runExport(ctx, f) },
	})
	cmd.Flags().StringVar(&f.output, "output", "", "the archive, or a directory for it (`path`)")
	cmd.Flags().BoolVar(&f.secrets, "include-secrets", false, "with keys, logins and tokens: enough to move to another host")
	cmd.Flags().BoolVar(&f.noWorkspace, "no-include-workspace", false, "without the workspaces")
	cmd.Flags().BoolVar(&f.dry, "dry-run", false, "only show what would be packed")
	sh.jsonFlag(cmd)
	return cmd
}

func (sh *shell) runExport(ctx context.Context, f exportFlags) error {
	l, err := sh.load(ctx)
	if l == nil || l.Config == nil {
		return err
	}
	sh.loaded = l // an invalid file is packed as it is
	if pid, held, err := store.Holder(l.Config.Paths.State); f.secrets && err == nil && held {
		return say("a gateway writes to this state (pid %d), and a copy of its database would be torn; stop it first: openclaw gateway stop", pid)
	}
	p := &packer{c: l.Config, loaded: l, f: f}
	now := time.Now().UTC()
	p.root = now.Format("2006-01-02T15-04-05.000Z") + "-openclaw-export"
	p.reply = exportReply{Created: now.Format("2006-01-02T15:04:05.000Z"), Secrets: f.secrets, Workspace: !f.noWorkspace, DryRun: f.dry, Skipped: []string{}}
	if p.reply.Path, err = archivePath(f.output, p.root); err != nil {
		return err
	}
	end := term.Progress(sh.Stderr, sh.err, "Packing")
	err = p.run(ctx)
	end()
	if err != nil {
		return err
	}
	if sh.json {
		sh.printJSON(p.reply)
		return nil
	}
	word := "Packed"
	if f.dry {
		word = "[dry-run] would pack"
	}
	sh.line("%s %s (%d KB) into %s", word, plural(p.reply.Files, "file", "files"), p.reply.Bytes/1024, sh.short(p.reply.Path))
	if len(p.reply.Skipped) > 0 {
		sh.line("Left out: %s", strings.Join(p.reply.Skipped, ", "))
	}
	return nil
}

func archivePath(output, root string) (string, error) {
	path := output
	if info, err := os.Stat(output); output == "" || err == nil && info.IsDir() {
		path = filepath.Join(output, root+".tar.gz")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if exists(path) {
		return "", say("%s is there already; choose another --output", path)
	}
	return path, nil
}

// packer writes one archive.
type packer struct {
	c      *config.Config
	loaded *config.Loaded
	f      exportFlags
	root   string
	reply  exportReply
	tw     *tar.Writer
}

func (p *packer) run(ctx context.Context) (err error) {
	if p.f.dry {
		p.tw = tar.NewWriter(io.Discard)
		return p.pack(ctx)
	}
	// A half-written archive has another name.
	tmp := p.reply.Path + ".part"
	f, err := os.OpenFile(tmp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return &fault.Error{Kind: fault.Unavailable, Op: "cli.export", Err: err, Hint: "can't write " + tmp + ": " + cause(err)}
	}
	defer func() {
		if err != nil {
			_ = os.Remove(tmp)
		}
	}()
	gz := gzip.NewWriter(f)
	p.tw = tar.NewWriter(gz)
	err = p.pack(ctx)
	for _, c := range []io.Closer{p.tw, gz, f} {
		if cerr := c.Close(); err == nil {
			err = cerr
		}
	}
	if err != nil {
		return err
	}
	return os.Rename(tmp, p.reply.Path)
}

func (p *packer) pack(ctx context.Context) error {
	if err := p.config(); err != nil {
		return err
	}
	if err := p.tree(ctx, p.c.Paths.State, "state"); err != nil {
		return err
	}
	if p.f.noWorkspace {
		return nil
	}
	for _, a := range p.c.AgentIDs() {
		if dir := p.c.Workspace(a); !within(p.c.Paths.State, dir) && exists(dir) {
			if err := p.tree(ctx, dir, "workspace-"+string(a)); err != nil {
				return err
			}
		}
	}
	return nil
}

// config packs the file, its secrets marked as in config get.
func (p *packer) config() error {
	raw := p.loaded.Raw
	if !p.loaded.Exists {
		return nil
	}
	if !p.f.secrets {
		if p.loaded.Doc == nil {
			p.skip("openclaw.json (can't be read, so its secrets can't be taken out)")
			return nil
		}
		var err error
		if raw, err = config.RedactSource(p.loaded.Doc); err != nil {
			return err
		}
	}
	return p.bytes("openclaw.json", raw)
}

func (p *packer) bytes(name string, raw []byte) error {
	p.reply.Files++
	p.reply.Bytes += int64(len(raw))
	h := &tar.Header{Name: p.root + "/" + name, Mode: 0o600, Size: int64(len(raw)), ModTime: time.Now(), Format: tar.FormatPAX}
	if err := p.tw.WriteHeader(h); err != nil {
		return err
	}
	_, err := p.tw.Write(raw)
	return err
}

func (p *packer) skip(what string) { p.reply.Skipped = append(p.reply.Skipped, what) }

// tree packs the regular files below dir. Links are not followed.
func (p *packer) tree(ctx context.Context, dir, name string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // gone meanwhile, or never there
			}
			return errors.Join(err, ctx.Err())
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		out, why := p.leaveOut(path, rel)
		switch {
		case out && d.IsDir() && rel != ".":
			if why != "" {
				p.skip(rel + "/ (" + why + ")")
			}
			return fs.SkipDir
		case out:
			if why != "" && !d.IsDir() {
				p.skip(rel + " (" + why + ")")
			}
			return nil
		case !d.Type().IsRegular():
			return nil
		}
		return p.file(path, name+"/"+rel, d)
	})
}

// leaveOut decides about a file or directory of the state, with the reason
// when it is worth telling.
func (p *packer) leaveOut(path, rel string) (out bool, why string) {
	if path == p.c.Paths.Config || path == p.reply.Path || path == p.reply.Path+".part" {
		return true, ""
	}
	if !within(p.c.Paths.State, path) {
		return false, ""
	}
	first, _, _ := strings.Cut(rel, "/")
	base := filepath.Base(rel)
	switch {
	case first == "trash" || first == "logs" || base == store.LockName || strings.HasSuffix(base, ".lock"):
		return true, ""
	case p.f.noWorkspace && (first == "workspace" || strings.HasPrefix(first, "workspace-")):
		return true, ""
	case p.f.secrets:
		return false, ""
	case first == "identity" || first == "devices" || first == "nodes" || first == "credentials" || first == "browser":
		return true, "secrets"
	case base == "auth-profiles.json" || base == "models.json" || base == ".env" || base == "exec-approvals.json" ||
		strings.HasPrefix(base, "openclaw.json") || strings.HasPrefix(base, "openclaw.last-good"):
		return true, "secrets"
	case strings.HasPrefix(base, store.FileName):
		return true, "device tokens; sessions and jobs are in the files beside it"
	}
	return false, ""
}

// file packs one file with the size that it has now: a transcript may grow
// meanwhile, and its last line may be cut.
func (p *packer) file(path, name string, d fs.DirEntry) error {
	info, err := d.Info()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			p.skip(name + " (" + cause(err) + ")")
			return nil
		}
		return err
	}
	defer f.Close()
	size := info.Size()
	h := &tar.Header{Name: p.root + "/" + name, Mode: int64(info.Mode().Perm()), Size: size, ModTime: info.ModTime(), Format: tar.FormatPAX}
	if err := p.tw.WriteHeader(h); err != nil {
		return err
	}
	n, err := io.Copy(p.tw, io.LimitReader(f, size))
	if err != nil {
		return err
	}
	p.reply.Files++
	p.reply.Bytes += size
	_, err = io.CopyN(p.tw, zeros{}, size-n) // it shrank
	return err
}

// zeros fills up a file that became shorter while it was packed.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}
