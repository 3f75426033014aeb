package worktree

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// survey is what lies in a worktree, ignored files left out.
type survey struct {
	tree    string   // hash of the tree object the files come to
	tracked []string // paths of the base commit, whether the file is there or not
	others  []string // untracked, not ignored; a nested repository ends in a slash
	modules []string // paths of the base commit that are submodules
	recent  []string // tracked paths whose content must be read again
}

// WriteTree writes the worktree's files, without the ignored ones, as a tree
// object and gives its hash. base is the commit whose tracked files count as
// tracked even where .gitignore names them. Nested repositories are left out;
// Snapshot reports them.
func (r *Repo) WriteTree(ctx context.Context, w Worktree, base string) (string, error) {
	files, err := r.survey(ctx, w, base)
	return files.tree, err
}

// survey brings wf's own index of the tree to what is on disk, and writes it.
func (r *Repo) survey(ctx context.Context, w Worktree, base string) (survey, error) {
	since := indexTime(w.index)
	if _, err := r.in(ctx, w, "", "read-tree", "--reset", base); err != nil {
		return survey{}, err
	}
	s, err := r.list(ctx, w)
	if err != nil {
		return survey{}, err
	}
	if s.recent = recent(w.Path, s.tracked, since); len(s.recent) > manyRecent {
		// Taking many entries out one by one is quadratic in git.
		if err := os.Remove(w.index); err != nil {
			return survey{}, ioError("renew the index of "+w.Path, err)
		}
		if _, err := r.in(ctx, w, "", "read-tree", "--reset", base); err != nil {
			return survey{}, err
		}
		s.recent = nil
	}
	if err := r.gather(ctx, w, s); err != nil {
		return survey{}, err
	}
	out, err := r.in(ctx, w, "", "write-tree")
	s.tree = line(out)
	return s, err
}

const manyRecent = 1000

// indexTime is when wf last wrote its index of a tree, in seconds since 1970.
func indexTime(index string) int64 {
	info, err := os.Lstat(index)
	if err != nil {
		return 0
	}
	return info.ModTime().Unix()
}

// recent gives the tracked files that were touched since a second before the
// given one: their content is read again, whatever the index remembers of them.
// git trusts a file of the same size whose times are the same to the second; the
// modification time is the unit's to set, and a second holds more than one write.
// The change time (ctime) nobody sets, so what is older is as it was.
func recent(root string, paths []string, since int64) []string {
	var found []string
	for _, p := range paths {
		var st unix.Stat_t
		if unix.Lstat(filepath.Join(root, p), &st) == nil && st.Mode&unix.S_IFMT != unix.S_IFDIR && int64(st.Ctim.Sec) >= since-1 {
			found = append(found, p)
		}
	}
	return found
}

// in runs a command on the worktree's files with wf's index of them.
func (r *Repo) in(ctx context.Context, w Worktree, stdin string, args ...string) ([]byte, error) {
	return r.must(ctx, call{args: args, index: w.index, tree: w.Path, dir: w.Path, stdin: []byte(stdin)})
}

func (r *Repo) list(ctx context.Context, w Worktree) (survey, error) {
	var s survey
	out, err := r.in(ctx, w, "", "ls-files", "-z", "--stage")
	if err != nil {
		return s, err
	}
	for _, f := range fields(out) {
		meta, p, _ := strings.Cut(f, "\t")
		s.tracked = append(s.tracked, p)
		if strings.HasPrefix(meta, string(Submodule)) {
			s.modules = append(s.modules, p)
		}
	}
	s.others, err = r.others(ctx, w, "--exclude-per-directory=.gitignore")
	return s, err
}

func (r *Repo) others(ctx context.Context, w Worktree, flags ...string) ([]string, error) {
	out, err := r.in(ctx, w, "", append([]string{"ls-files", "-z", "--others"}, flags...)...)
	return fields(out), err
}

// gather puts the files into the index. update-index rather than add: add runs
// `git status` inside nested repositories, with their configuration.
func (r *Repo) gather(ctx context.Context, w Worktree, s survey) error {
	here, gone := split(w.Path, s)
	for _, p := range s.recent {
		gone += p + "\x00"
	}
	if gone != "" {
		if _, err := r.in(ctx, w, gone, "update-index", "--force-remove", "-z", "--stdin"); err != nil {
			return err
		}
	}
	_, err := r.in(ctx, w, here, "update-index", "--add", "--remove", "--replace", "-z", "--stdin")
	return err
}

// split tells the paths that git may look at from those below what is no folder
// any more: a link put in a folder's place would lead git out of the tree. A
// submodule stays what the base commit says: what lies in its folder is not ours.
func split(root string, s survey) (here, gone string) {
	var h, g strings.Builder
	real := map[string]bool{".": true}
	for _, p := range s.tracked {
		if slices.Contains(s.modules, p) && !replaced(root, p) {
			continue
		}
		to := &h
		if !isFolder(root, path.Dir(p), real) {
			to = &g
		}
		to.WriteString(p + "\x00")
	}
	for _, p := range s.others {
		if !strings.HasSuffix(p, "/") {
			h.WriteString(p + "\x00")
		}
	}
	return h.String(), g.String()
}

// replaced reports whether a submodule's folder became something else. An empty
// or missing one is how wf leaves it.
func replaced(root, p string) bool {
	info, err := os.Lstat(filepath.Join(root, p))
	return err == nil && !info.IsDir()
}

// isFolder reports whether dir and all above it, below root, are folders and no
// links. known keeps the answers.
func isFolder(root, dir string, known map[string]bool) bool {
	answer, ok := known[dir]
	if ok {
		return answer
	}
	if isFolder(root, path.Dir(dir), known) {
		info, err := os.Lstat(filepath.Join(root, dir))
		answer = err == nil && info.IsDir()
	}
	known[dir] = answer
	return answer
}

// nested gives the folders that are repositories of their own, sorted: those git
// lists so, submodules that somebody filled, and any .git in a folder that holds
// listed files.
func (s survey) nested(root string) []string {
	var found []string
	seen := map[string]bool{".": true} // the tree's own .git
	look := func(dir string) {
		for ; !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			if exists(filepath.Join(root, dir, ".git")) {
				found = append(found, dir)
			}
		}
	}
	for _, p := range s.others {
		if dir, ok := strings.CutSuffix(p, "/"); ok && !seen[dir] {
			found, seen[dir] = append(found, dir), true
		}
		look(path.Dir(p))
	}
	for _, p := range s.modules {
		look(p)
	}
	for _, p := range s.tracked {
		look(path.Dir(p))
	}
	slices.Sort(found)
	return found
}
