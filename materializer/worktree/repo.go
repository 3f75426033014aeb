package worktree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// Options say which git runs and where wf keeps what it needs beside the
// repository. The zero Scratch and Program are filled in; Path is the caller's
// PATH, since nothing below cmd reads the environment.
type Options struct {
	Program string   // git, or an absolute path
	Path    string   // PATH for git and the programs git is made of
	TempDir string   // TMPDIR for git; may be empty
	Scratch string   // wf's private git folder; empty: <common>/wf/git
	Trusted []string // folders owned by another user that the operator vouches for (safe.directory)
}

// Repo is one repository, as recorded when it was opened: later calls never
// search for it again.
type Repo struct {
	opts    Options
	root    string // absolute, links resolved: the main checkout
	gitDir  string
	common  string
	scratch string
	format  string
	mu      sync.Mutex // guards the making of scratch
}

// Open finds the repository that holds path. It fails with NoGit,
// NotRepository, Dubious or Bare; every other state is Inspect's to tell.
func Open(ctx context.Context, path string, o Options) (*Repo, error) {
	if o.Program == "" {
		o.Program = "git"
	}
	abs, err := resolve(path)
	if err != nil {
		return nil, &Error{Kind: NotRepository, What: path, Why: "there is no such folder", Err: err}
	}
	r := &Repo{opts: o, common: abs}
	if err := r.discover(ctx, abs); err != nil {
		return nil, err
	}
	r.scratch = o.Scratch
	if r.scratch == "" {
		r.scratch = filepath.Join(r.common, "wf", "git")
	}
	return r, nil
}

// Root is the top folder of the checkout Open was given.
func (r *Repo) Root() string { return r.root }

// GitDir is that checkout's git folder.
func (r *Repo) GitDir() string { return r.gitDir }

// CommonDir is the git folder all worktrees share; wf's state lies below it.
func (r *Repo) CommonDir() string { return r.common }

// ObjectFormat is "sha1" or "sha256".
func (r *Repo) ObjectFormat() string { return r.format }

func (r *Repo) discover(ctx context.Context, dir string) error {
	flags, err := r.ask(ctx, dir, "--is-bare-repository", "--is-inside-work-tree", "--show-object-format")
	if err != nil {
		return err
	}
	words := strings.Fields(flags)
	if len(words) != 3 {
		return &Error{Kind: Failed, What: "ask git about " + dir, Why: fmt.Sprintf("unexpected answer %q", flags)}
	}
	if words[1] != "true" {
		return noTree(dir, words[0] == "true")
	}
	r.format = words[2]
	for _, q := range []struct {
		flag string
		into *string
	}{{"--show-toplevel", &r.root}, {"--absolute-git-dir", &r.gitDir}, {"--git-common-dir", &r.common}} {
		got, err := r.ask(ctx, dir, q.flag)
		if err != nil {
			return err
		}
		if !filepath.IsAbs(got) {
			got = filepath.Join(dir, got)
		}
		if *q.into, err = resolve(got); err != nil {
			return ioError("find the repository of "+dir, err)
		}
	}
	return nil
}

func noTree(dir string, bare bool) error {
	if bare {
		return &Error{Kind: Bare, What: dir, Why: "the repository has no working tree, and units need one to start from", Hint: "run wf in an ordinary clone of it"}
	}
	return &Error{Kind: NotRepository, What: dir, Why: "the folder is inside a git folder, not in a working tree", Hint: "run wf in the checkout"}
}

// ask runs the only discovery wf does: in the folder the operator named. rev-parse
// reads configuration and starts nothing.
func (r *Repo) ask(ctx context.Context, dir string, flags ...string) (string, error) {
	argv := append([]string{r.opts.Program}, switches...)
	for _, t := range r.opts.Trusted {
		argv = append(argv, "-c", "safe.directory="+t)
	}
	argv = append(argv, "rev-parse")
	got, err := runGit(ctx, call{dir: dir}, append(argv, flags...), environment(r.opts))
	if err != nil {
		return "", err
	}
	if got.exit != 0 {
		return "", undiscovered(dir, got.err)
	}
	return line(got.out), nil
}

// undiscovered tells three refusals apart by looking at the files.
func undiscovered(dir, words string) error {
	for at := dir; ; at = filepath.Dir(at) {
		var st unix.Stat_t
		if unix.Lstat(filepath.Join(at, ".git"), &st) == nil {
			if int(st.Uid) != os.Geteuid() || !ownedBy(at) {
				return &Error{Kind: Dubious, What: at, Why: "git does not read a repository that another user owns, since its configuration can name programs to run", Hint: "check who owns it; to vouch for it: git config --global --add safe.directory " + quoteArg(at)}
			}
			return &Error{Kind: NotRepository, What: at, Why: "there is a .git, and git cannot read it: " + words}
		}
		if at == filepath.Dir(at) {
			return &Error{Kind: NotRepository, What: dir, Why: "neither the folder nor one above it is a git repository", Hint: "run: git init"}
		}
	}
}

func ownedBy(dir string) bool {
	var st unix.Stat_t
	return unix.Lstat(dir, &st) == nil && int(st.Uid) == os.Geteuid()
}

func resolve(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

func quoteArg(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
