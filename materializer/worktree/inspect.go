package worktree

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Facts is the state a repository is in, as a plan needs to know it.
type Facts struct {
	ID           string   `json:"id"`   // digest over the root commits: the same in every clone; empty without commits or with cut history
	Head         string   `json:"head"` // commit; empty without commits
	Branch       string   `json:"branch,omitempty"`
	ObjectFormat string   `json:"object_format"`
	NoCommits    bool     `json:"no_commits,omitempty"`
	Shallow      bool     `json:"shallow,omitempty"`
	Partial      bool     `json:"partial,omitempty"` // some objects are only on the remote
	Submodules   []string `json:"submodules,omitempty"`
	LFS          bool     `json:"lfs,omitempty"`       // .gitattributes at HEAD names the lfs filter
	Dirty        []string `json:"dirty,omitempty"`     // tracked paths that differ from HEAD, staged or not
	Untracked    []string `json:"untracked,omitempty"` // not ignored; a nested repository ends in a slash
	Upstream     string   `json:"upstream,omitempty"`  // full ref name
	Unpushed     int      `json:"unpushed"`            // commits of HEAD that upstream lacks; 0 without an upstream
}

// Inspect tells what state the repository and the main checkout are in. It
// writes nothing the repository can see.
func (r *Repo) Inspect(ctx context.Context) (Facts, error) {
	f := Facts{ObjectFormat: r.format, Shallow: exists(filepath.Join(r.common, "shallow"))}
	var err error
	if f.Branch, f.Head, err = r.head(ctx, r.gitDir, "HEAD"); err != nil {
		return Facts{}, err
	}
	if f.Partial, err = r.partial(ctx); err != nil {
		return Facts{}, err
	}
	if f.NoCommits = f.Head == ""; !f.NoCommits {
		if err := r.inspectHead(ctx, &f); err != nil {
			return Facts{}, err
		}
	}
	f.Dirty, f.Untracked, err = r.status(ctx, f.Head)
	return f, err
}

func (r *Repo) inspectHead(ctx context.Context, f *Facts) error {
	entries, err := r.ListTree(ctx, f.Head)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Mode == Submodule {
			f.Submodules = append(f.Submodules, e.Path)
		}
		if !f.LFS && e.Mode == Regular && filepath.Base(e.Path) == ".gitattributes" {
			text, err := r.ReadFile(ctx, f.Head, e.Path)
			if err != nil {
				return err
			}
			f.LFS = bytes.Contains(text, []byte("filter=lfs"))
		}
	}
	if !f.Shallow {
		if f.ID, err = r.identity(ctx, f.Head); err != nil {
			return err
		}
	}
	return r.inspectUpstream(ctx, f)
}

// identity names a repository by where its history begins: no path, host or
// remote, so that a plan made in one clone fits another.
func (r *Repo) identity(ctx context.Context, head string) (string, error) {
	out, err := r.must(ctx, call{args: []string{"rev-list", "--max-parents=0", "--end-of-options", head}})
	if err != nil {
		return "", err
	}
	roots := strings.Fields(string(out))
	slices.Sort(roots)
	return digest([]byte(strings.Join(roots, "\n"))), nil
}

func (r *Repo) inspectUpstream(ctx context.Context, f *Facts) error {
	if f.Branch == "" {
		return nil
	}
	c := r.real(r.gitDir, "for-each-ref", "--format=%(upstream)", "refs/heads/"+f.Branch)
	out, err := r.must(ctx, c)
	if err != nil {
		return err
	}
	at, err := r.ReadRef(ctx, line(out))
	if err != nil || line(out) == "" || at == "" {
		return err
	}
	f.Upstream = line(out)
	f.Unpushed, err = r.CountCommits(ctx, at, f.Head)
	return err
}

// partial asks the repository's configuration as data, from the file.
func (r *Repo) partial(ctx context.Context) (bool, error) {
	got, err := r.git(ctx, call{args: []string{"config", "--file", filepath.Join(r.common, "config"), "--get-regexp", `^remote\..*\.promisor$`}})
	return got.exit == 0 && len(got.out) > 0, err
}

// eol gives the operator's settings that decide how their files are compared
// with git's: the only ones of the repository's configuration that wf applies,
// to the main checkout alone, since they start nothing.
func (r *Repo) eol(ctx context.Context) ([]string, error) {
	var args []string
	for _, key := range []string{"core.autocrlf", "core.eol", "core.fileMode", "core.symlinks", "core.ignoreCase", "core.precomposeUnicode"} {
		got, err := r.git(ctx, call{args: []string{"config", "--file", filepath.Join(r.common, "config"), "--get", key}})
		if err != nil {
			return nil, err
		}
		if got.exit == 0 {
			args = append(args, "-c", key+"="+line(got.out))
		}
	}
	return args, nil
}

// status compares the main checkout with HEAD by a copy of its index, so that
// not even the index's time stamps change. The copy keeps the file's own time,
// by which git tells entries it must not trust.
func (r *Repo) status(ctx context.Context, head string) (dirty, untracked []string, err error) {
	index, done, err := r.borrowIndex(ctx, head)
	if err != nil {
		return nil, nil, err
	}
	defer done()
	set, err := r.eol(ctx)
	if err != nil {
		return nil, nil, err
	}
	look := func(args ...string) ([]string, error) {
		out, err := r.must(ctx, call{args: append(slices.Clone(set), args...), index: index, tree: r.root, dir: r.root})
		return fields(out), err
	}
	// Refreshing first lets diff-files answer from content where only times differ.
	if _, err := r.git(ctx, call{args: append(slices.Clone(set), "update-index", "-q", "--refresh", "--ignore-submodules"), index: index, tree: r.root, dir: r.root}); err != nil {
		return nil, nil, err
	}
	unstaged, err := look("diff-files", "--name-only", "-z", "--ignore-submodules=dirty", "--no-ext-diff", "--no-textconv")
	if err != nil {
		return nil, nil, err
	}
	var staged []string
	if head != "" {
		staged, err = look("diff-index", "--cached", "--name-only", "-z", "--no-renames", "--ignore-submodules=dirty", head)
	} else {
		staged, err = look("ls-files", "--cached", "-z")
	}
	if err != nil {
		return nil, nil, err
	}
	dirty = append(unstaged, staged...)
	slices.Sort(dirty)
	untracked, err = look("ls-files", "--others", "-z", "--exclude-per-directory=.gitignore", "--exclude-from="+r.exclude())
	return slices.Compact(dirty), untracked, err
}

// exclude is the operator's own ignore file; /dev/null when there is none.
func (r *Repo) exclude() string {
	if p := filepath.Join(r.common, "info", "exclude"); exists(p) {
		return p
	}
	return os.DevNull
}

func (r *Repo) borrowIndex(ctx context.Context, head string) (string, func(), error) {
	index, done, err := r.tempIndex()
	if err != nil {
		return "", nil, err
	}
	from := filepath.Join(r.gitDir, "index")
	info, err := os.Stat(from)
	if os.IsNotExist(err) { // a fresh repository, or one made with --no-checkout
		return index, done, nil
	}
	if err == nil {
		err = copyWithTime(from, index, info)
	}
	// A split index keeps most entries in a second file beside the first.
	shared, _ := filepath.Glob(filepath.Join(r.gitDir, "sharedindex.*"))
	for _, s := range shared {
		if err == nil {
			err = r.lendShared(s)
		}
	}
	if err != nil {
		done()
		return "", nil, ioError("read the index of "+r.root, err)
	}
	return index, done, nil
}

func (r *Repo) lendShared(from string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	to := filepath.Join(r.scratch, filepath.Base(from))
	if exists(to) {
		return nil
	}
	return copyWithTime(from, to, info)
}

func copyWithTime(from, to string, info os.FileInfo) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := writeFile(to, data); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

// WorkingFile is a file of the main checkout as git would store it.
type WorkingFile struct {
	Path    string
	Mode    Mode   // NoFile when it is not there
	Hash    string // empty when it is not there
	InHead  string // its hash in the commit compared with; empty when that has none
	Differs bool   // content or mode
}

// Working compares files of the main checkout with a commit, after the line-end
// conversions the repository asks for. Paths are slash-separated, from the root.
func (r *Repo) Working(ctx context.Context, commit string, paths []string) ([]WorkingFile, error) {
	index, done, err := r.tempIndex()
	if err != nil {
		return nil, err
	}
	defer done()
	set, err := r.eol(ctx)
	if err != nil {
		return nil, err
	}
	run := func(stdin string, args ...string) ([]byte, error) {
		return r.must(ctx, call{args: append(slices.Clone(set), args...), index: index, tree: r.root, dir: r.root, stdin: []byte(stdin)})
	}
	if _, err := run("", "read-tree", commit); err != nil {
		return nil, err
	}
	before, err := run("", "ls-files", "--stage", "-z")
	if err != nil {
		return nil, err
	}
	list := strings.Join(paths, "\x00")
	if _, err := run(list, "update-index", "--add", "--remove", "--replace", "-z", "--stdin"); err != nil {
		return nil, err
	}
	after, err := run("", "ls-files", "--stage", "-z")
	if err != nil {
		return nil, err
	}
	old, now := staged(before), staged(after)
	files := make([]WorkingFile, len(paths))
	for i, p := range paths {
		o, n := old[p], now[p]
		files[i] = WorkingFile{Path: p, Mode: NoFile, Hash: n.Hash, InHead: o.Hash, Differs: o != n}
		if n.Mode != "" {
			files[i].Mode = n.Mode
		}
	}
	return files, nil
}

// staged reads `ls-files --stage -z`: "100644 <hash> 0\t<path>".
func staged(out []byte) map[string]Entry {
	entries := map[string]Entry{}
	for _, f := range fields(out) {
		meta, path, _ := strings.Cut(f, "\t")
		if w := strings.Fields(meta); len(w) == 3 {
			entries[path] = Entry{Path: path, Mode: Mode(w[0]), Hash: w[1]}
		}
	}
	return entries
}

// Fingerprint is a digest of the main checkout: HEAD, every ref of the operator's
// (not wf's), the index's bytes, and the content of each dirty or untracked
// file. Equal before and after means that nothing there changed.
func (r *Repo) Fingerprint(ctx context.Context) (string, error) {
	branch, head, err := r.head(ctx, r.gitDir, "HEAD")
	if err != nil {
		return "", err
	}
	refs, err := r.refsDigest(ctx)
	if err != nil {
		return "", err
	}
	dirty, untracked, err := r.status(ctx, head)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(branch + "\x00" + head + "\x00" + refs + "\x00")
	b.WriteString(fileDigest(r.gitDir, "index") + "\x00" + r.configDigest(r.gitDir) + "\x00")
	for _, p := range append(dirty, untracked...) {
		b.WriteString(strconv.Quote(p) + " " + workingDigest(r.root, p) + "\n")
	}
	return digest([]byte(b.String())), nil
}

// workingDigest covers type, executable bit and content of one file.
func workingDigest(root, rel string) string {
	info, err := os.Lstat(filepath.Join(root, rel))
	if err != nil {
		return "none"
	}
	if info.IsDir() {
		return "folder"
	}
	return info.Mode().String() + " " + fileDigest(root, rel)
}
