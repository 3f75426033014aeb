package worktree

import "slices"

// FactKind is a way in which a unit reached beyond its files.
type FactKind string

// The facts Tampered tells. The first group is git's own ground; links and
// nested repositories are ways out of the tree.
const (
	DotGitChanged   FactKind = "dot_git_changed"
	AdminChanged    FactKind = "worktree_link_changed"
	HeadMoved       FactKind = "head_moved"
	BranchSwitched  FactKind = "branch_switched"
	RefsChanged     FactKind = "refs_changed"
	ConfigChanged   FactKind = "config_changed"
	HooksChanged    FactKind = "hooks_changed"
	LinkLeadsOut    FactKind = "link_leads_out"
	HardLinked      FactKind = "hard_link"
	NestedGit       FactKind = "nested_git"
	ProtectedEdited FactKind = "protected_file_changed"
)

// Fact is one thing found by comparing two snapshots.
type Fact struct {
	Kind   FactKind `json:"kind"`
	Path   string   `json:"path,omitempty"` // for facts about one path
	Before string   `json:"before,omitempty"`
	After  string   `json:"after,omitempty"`
}

// Tampered compares the snapshots before and after a unit and tells what it
// touched that is not its to touch, in a fixed order. Refs, configuration and
// hooks are shared with the operator, who may have changed them meanwhile: the
// caller weighs, this function only tells.
func Tampered(before, after Snapshot) []Fact {
	var facts []Fact
	differ := func(kind FactKind, a, b string) {
		if a != b {
			facts = append(facts, Fact{Kind: kind, Before: a, After: b})
		}
	}
	differ(DotGitChanged, before.DotGit, after.DotGit)
	differ(AdminChanged, before.Admin, after.Admin)
	differ(BranchSwitched, before.Branch, after.Branch)
	differ(HeadMoved, before.Head, after.Head)
	differ(RefsChanged, before.Refs, after.Refs)
	differ(ConfigChanged, before.Config, after.Config)
	differ(HooksChanged, before.Hooks, after.Hooks)
	fresh := func(kind FactKind, a, b []string) {
		for _, p := range b {
			if !slices.Contains(a, p) {
				facts = append(facts, Fact{Kind: kind, Path: p})
			}
		}
	}
	fresh(LinkLeadsOut, before.LinksOut, after.LinksOut)
	fresh(HardLinked, before.HardLink, after.HardLink)
	fresh(NestedGit, before.Nested, after.Nested)
	for _, f := range after.Files {
		i := slices.IndexFunc(before.Files, func(b FileHash) bool { return b.Path == f.Path })
		if i >= 0 && before.Files[i].SHA256 != f.SHA256 {
			facts = append(facts, Fact{Kind: ProtectedEdited, Path: f.Path, Before: before.Files[i].SHA256, After: f.SHA256})
		}
	}
	return facts
}
