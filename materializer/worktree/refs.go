package worktree

import (
	"context"
	"path/filepath"
	"strings"
)

// The private name spaces of wf's refs.
const (
	BranchSpace    = "refs/heads/wf/"     // tickets' branches
	CandidateSpace = "refs/wf/candidate/" // commits that gates judge before a branch moves
	SalvageSpace   = "refs/wf/salvage/"   // work of interrupted units
)

// Ref is a name and the object it points at.
type Ref struct {
	Name   string // full: refs/heads/main
	Commit string
}

// Candidate names the private ref of a unit's candidate commit.
func Candidate(run, unit string) string { return CandidateSpace + run + "/" + unit }

// Salvage names the private ref that keeps the work of an interrupted unit.
func Salvage(run, unit string) string { return SalvageSpace + run + "/" + unit }

// Refs lists the refs below the given prefixes, by name; all of them without any.
func (r *Repo) Refs(ctx context.Context, prefixes ...string) ([]Ref, error) {
	args := append([]string{"for-each-ref", "--format=%(objectname) %(refname)"}, prefixes...)
	out, err := r.must(ctx, r.real(r.gitDir, args...))
	if err != nil {
		return nil, err
	}
	var refs []Ref
	for l := range strings.Lines(string(out)) { // a ref name holds no newline
		hash, name, _ := strings.Cut(strings.TrimSuffix(l, "\n"), " ")
		refs = append(refs, Ref{Name: name, Commit: hash})
	}
	return refs, nil
}

// ReadRef gives the object a ref points at, or "" when there is no such ref.
func (r *Repo) ReadRef(ctx context.Context, name string) (string, error) {
	refs, err := r.Refs(ctx, name)
	if err != nil {
		return "", err
	}
	for _, ref := range refs {
		if ref.Name == name {
			return ref.Commit, nil
		}
	}
	return "", nil
}

// UpdateRef moves a ref by compare-and-swap: it holds old before and new after.
// An empty old means that it must not exist, an empty new that it is deleted.
// It answers Moved when the ref holds something else; moving to where it
// already is succeeds, so that a replay repeats nothing.
func (r *Repo) UpdateRef(ctx context.Context, name, old, new string) error {
	return r.writing(ctx, func() error { return r.updateRef(ctx, name, old, new) })
}

func (r *Repo) updateRef(ctx context.Context, name, old, new string) error {
	if old == new {
		now, err := r.ReadRef(ctx, name)
		if err != nil || now == new {
			return err
		}
		return moved(name, now, old)
	}
	c := r.real(r.gitDir, "update-ref", "--no-deref", "-z", "--stdin")
	c.stdin = []byte(refCommand(name, old, new))
	got, err := r.git(ctx, c)
	if err != nil || got.exit == 0 {
		return err
	}
	return r.refused(ctx, c, got, name, old, new)
}

// refused finds out why git did not move a ref, by looking at what is there.
func (r *Repo) refused(ctx context.Context, c call, got reply, name, old, new string) error {
	now, err := r.ReadRef(ctx, name)
	if err != nil {
		return err
	}
	if now == new {
		return nil
	}
	if now != old {
		return moved(name, now, old)
	}
	other, err := r.Collision(ctx, name)
	if err != nil {
		return err
	}
	if other != "" {
		return beside(name, other)
	}
	if exists(filepath.Join(r.common, name+".lock")) {
		return &Error{Kind: Locked, What: name, Why: "another git holds " + name + ".lock", Hint: "wait for it; if none runs, remove the file"}
	}
	return r.failed(c, got)
}

func moved(name, now, old string) error {
	return &Error{Kind: Moved, What: name, Why: "it is at " + said(now) + ", expected " + said(old)}
}

func beside(name, other string) error {
	return &Error{Kind: Occupied, What: name, Why: "git cannot keep it beside " + other + ": one would be a file and a folder", Hint: "rename one of them"}
}

func refCommand(name, old, new string) string {
	switch {
	case old == "":
		return "create " + name + "\x00" + new + "\x00"
	case new == "":
		return "delete " + name + "\x00" + old + "\x00"
	}
	return "update " + name + "\x00" + new + "\x00" + old + "\x00"
}

func said(commit string) string {
	if commit == "" {
		return "nothing"
	}
	return short(commit)
}

// Collision gives the existing ref that keeps name from being made: git stores
// refs as files, so that feat and feat/x exclude each other. Empty when free.
// The ref itself does not collide with itself.
func (r *Repo) Collision(ctx context.Context, name string) (string, error) {
	refs, err := r.Refs(ctx)
	if err != nil {
		return "", err
	}
	return collision(refs, name), nil
}

func collision(refs []Ref, name string) string {
	for _, ref := range refs {
		if strings.HasPrefix(ref.Name, name+"/") || strings.HasPrefix(name, ref.Name+"/") {
			return ref.Name
		}
	}
	return ""
}
