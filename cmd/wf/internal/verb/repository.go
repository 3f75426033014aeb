package verb

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/materializer/worktree"
)

// open finds the repository the user stands in.
func (e Env) open(ctx context.Context) (*worktree.Repo, error) {
	if info, err := os.Stat(e.Dir); err != nil {
		return nil, refuseIn(ExitFailure, codeNoRepo, e.Dir, sentence(strings.Replace(whyNot(err), "file", "folder", 1)), "go to a repository, or name one with -C FOLDER")
	} else if !info.IsDir() {
		return nil, refuseIn(ExitFailure, codeNoRepo, e.Dir, "It is a file and no folder.", "go to a repository, or name one with -C FOLDER")
	}
	repo, err := worktree.Open(ctx, e.Dir, worktree.Options{Path: e.Getenv("PATH"), TempDir: e.TempDir})
	return repo, repositoryRefusal(err)
}

// repositoryCodes says under which finding a refusal of git reaches the user.
var repositoryCodes = map[worktree.Kind]struct {
	code diag.Code
	hint string
}{
	worktree.NoGit:         {codeNoGit, "install git 2.38 or newer and have it in PATH"},
	worktree.NotRepository: {codeNoRepo, "go to a repository, or make one with `git init` and commit something"},
	worktree.Bare:          {codeBare, "run wf in a clone that has a working tree"},
	worktree.NoCommits:     {codeNoCommits, "commit something first: `git add -A && git commit`"},
	worktree.Shallow:       {codeShallow, "fetch the history with `git fetch --unshallow`"},
	worktree.Dubious:       {codeDubious, "run wf as the repository's owner"},
	worktree.DiskFull:      {codeDiskFull, "make room and run the command again; nothing recorded was lost"},
	worktree.Permission:    {codePermission, "give yourself the right to write there and run the command again"},
}

// repositoryRefusal turns what git refuses into a finding; any other error
// passes through.
func repositoryRefusal(err error) error {
	var e *worktree.Error
	if !errors.As(err, &e) {
		return systemRefusal(err)
	}
	entry, ok := repositoryCodes[e.Kind]
	if !ok {
		entry.code = codeGitRefused
	}
	if e.Hint != "" {
		entry.hint = e.Hint
	}
	detail := e.What
	if why := strings.TrimPrefix(e.Why, e.What+": "); why != "" {
		detail += ": " + why
	}
	return refuse(ExitFailure, entry.code, sentence(detail), entry.hint)
}

// tree reads the repository's files as they are in the working tree, below the
// root and through no link that leads out of it.
type tree struct {
	root *os.Root
	over map[string][]byte // read in place of what lies on disk; nil where nothing is
}

func openTree(repo *worktree.Repo) (tree, error) {
	root, err := os.OpenRoot(repo.Root())
	return tree{root: root}, err
}

// ReadFile gives the bytes of a regular file by its slash-separated path.
func (t tree) ReadFile(path string) ([]byte, error) {
	if data, ok := t.over[path]; ok {
		return data, nil
	}
	name := filepath.FromSlash(path)
	info, err := t.root.Stat(name)
	if err != nil {
		return nil, t.inWords(name, err)
	}
	switch {
	case !info.Mode().IsRegular():
		return nil, &unreadable{why: kindOf(info.Mode())}
	case info.Size() > maxFile:
		return nil, &unreadable{why: tooLarge()}
	}
	data, err := t.root.ReadFile(name)
	if err != nil {
		return nil, t.inWords(name, err)
	}
	return data, nil
}

// inWords keeps "there is no such file" as it is, for callers that look
// elsewhere then; a link to nowhere is there, and cannot be read.
func (t tree) inWords(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		if info, e := t.root.Lstat(name); e == nil && info.Mode()&fs.ModeSymlink != 0 {
			return &unreadable{why: "it is a link to something that is not there"}
		}
		return err
	}
	return &unreadable{why: whyNot(err), err: err}
}

// ReadDir lists a folder by its slash-separated path.
func (t tree) ReadDir(path string) ([]fs.DirEntry, error) {
	f, err := t.root.Open(filepath.FromSlash(path))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadDir(-1)
}
