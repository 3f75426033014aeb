package worktree

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Snapshot is what wf knows of a worktree at one moment. Two of them, before and
// after a unit, are compared by Tampered.
type Snapshot struct {
	Head     string     `json:"head"`             // commit; empty when HEAD does not resolve
	Branch   string     `json:"branch,omitempty"` // short name HEAD points to; empty: detached
	DotGit   string     `json:"dot_git"`          // digest of the .git file's bytes; "missing", "link" or "folder" otherwise
	Admin    string     `json:"admin"`            // digest of the admin files that say where the repository is
	Refs     string     `json:"refs"`             // digest of all refs but wf's own
	Config   string     `json:"config"`           // digest of configuration, info/* and alternates
	Hooks    string     `json:"hooks"`            // digest of the hooks folder
	Dirty    []Change   `json:"dirty,omitempty"`  // against the base given
	LinksOut []string   `json:"links_out,omitempty"`
	HardLink []string   `json:"hard_links,omitempty"` // changed files that have another name
	Nested   []string   `json:"nested,omitempty"`     // folders with a .git of their own
	Files    []FileHash `json:"files,omitempty"`      // the protected files asked for
}

// FileHash is a file's content by digest; empty when the file is not there.
type FileHash struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256,omitempty"`
}

// Snapshot looks at a worktree. base is the commit its files are compared with;
// protected are the paths whose content is to be held against a later snapshot.
//
// The .git file is compared before git is started, and git is started with
// recorded folders in any case.
func (r *Repo) Snapshot(ctx context.Context, w Worktree, base string, protected []string) (Snapshot, error) {
	s := Snapshot{DotGit: w.dotGitDigest(), Admin: w.adminDigest()}
	var err error
	if s.Branch, s.Head, err = r.head(ctx, r.common, w.headRef()); err != nil {
		return Snapshot{}, err
	}
	if s.Refs, err = r.refsDigest(ctx); err != nil {
		return Snapshot{}, err
	}
	s.Config, s.Hooks = r.configDigest(w.admin), digestTree(filepath.Join(r.common, "hooks"))
	files, err := r.survey(ctx, w, base)
	if err != nil {
		return Snapshot{}, err
	}
	if s.Dirty, err = r.changesTo(ctx, base, files.tree); err != nil {
		return Snapshot{}, err
	}
	s.Nested = files.nested(w.Path)
	s.lookAtLinks(w)
	for _, p := range protected {
		s.Files = append(s.Files, FileHash{Path: p, SHA256: fileDigest(w.Path, p)})
	}
	return s, nil
}

// headRef names the worktree's HEAD as seen from the common folder. The admin
// folder is not made git's folder for it: its commondir file is the unit's.
func (w Worktree) headRef() string { return "worktrees/" + filepath.Base(w.admin) + "/HEAD" }

// head reads a HEAD: the branch it names, and the commit it comes to.
func (r *Repo) head(ctx context.Context, gitd, name string) (branch, commit string, err error) {
	got, err := r.git(ctx, r.real(gitd, "symbolic-ref", "--quiet", name))
	if err != nil {
		return "", "", err
	}
	if got.exit == 0 {
		branch = strings.TrimPrefix(line(got.out), "refs/heads/")
	}
	got, err = r.git(ctx, r.real(gitd, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}"))
	if err != nil {
		return "", "", err
	}
	if got.exit == 0 {
		commit = line(got.out)
	}
	return branch, commit, nil
}

func (w Worktree) dotGitDigest() string {
	p := filepath.Join(w.Path, ".git")
	info, err := os.Lstat(p)
	switch {
	case err != nil:
		return "missing"
	case info.IsDir():
		return "folder"
	case info.Mode()&os.ModeSymlink != 0:
		return "link"
	}
	data, err := readNoFollow(p)
	if err != nil {
		return "unreadable"
	}
	return digest(data)
}

func (w Worktree) adminDigest() string {
	h := sha256.New()
	for _, name := range []string{"commondir", "gitdir", ownerFile} {
		hashFile(h, filepath.Join(w.admin, name))
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (r *Repo) refsDigest(ctx context.Context) (string, error) {
	refs, err := r.Refs(ctx)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, ref := range refs {
		if !strings.HasPrefix(ref.Name, BranchSpace) && !strings.HasPrefix(ref.Name, "refs/wf/") {
			b.WriteString(ref.Name + " " + ref.Commit + "\n")
		}
	}
	return digest([]byte(b.String())), nil
}

// configDigest covers every file of the git folder that can change what git does.
func (r *Repo) configDigest(admin string) string {
	h := sha256.New()
	for _, name := range []string{"config", "config.worktree", "info/attributes", "info/exclude", "info/grafts", "info/sparse-checkout", "objects/info/alternates", "shallow"} {
		hashFile(h, filepath.Join(r.common, name))
	}
	for _, name := range []string{"config.worktree", "info/sparse-checkout", "config", "hooks"} {
		hashFile(h, filepath.Join(admin, name))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// lookAtLinks finds changed links that lead out and changed files that share
// their bytes with another name, through which a write would leave the tree.
func (s *Snapshot) lookAtLinks(w Worktree) {
	for _, c := range s.Dirty {
		if c.Mode == Link && leadsOut(w.Path, c.Path, c.Target) {
			s.LinksOut = append(s.LinksOut, c.Path)
		}
		var st unix.Stat_t
		if c.Mode != NoFile && c.Mode != Link && unix.Lstat(filepath.Join(w.Path, c.Path), &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFREG && st.Nlink > 1 {
			s.HardLink = append(s.HardLink, c.Path)
		}
	}
}

// fileDigest hashes a file below root; a link by its target's name, never by
// what it points at.
func fileDigest(root, rel string) string {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return ""
	}
	defer dir.Close()
	if text, err := dir.Readlink(rel); err == nil {
		return digest([]byte("link " + text))
	}
	f, err := dir.Open(rel)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}

// hashFile adds a file's name, length and content; a link by its target, a
// missing file by its absence.
func hashFile(h hash.Hash, file string) {
	if text, err := os.Readlink(file); err == nil {
		fmt.Fprintf(h, "%s link %q\n", filepath.Base(file), text)
		return
	}
	data, err := readNoFollow(file)
	if err != nil {
		fmt.Fprintf(h, "%s none\n", filepath.Base(file))
		return
	}
	fmt.Fprintf(h, "%s %d\n", filepath.Base(file), len(data))
	_, _ = io.Copy(h, bytes.NewReader(data))
}

// digestTree hashes a folder: names, modes and contents, by name.
func digestTree(dir string) string {
	h := sha256.New()
	_ = filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		fmt.Fprintf(h, "%q %v\n", p, info.Mode())
		if !d.IsDir() {
			hashFile(h, p)
		}
		return nil
	})
	return hex.EncodeToString(h.Sum(nil))
}
