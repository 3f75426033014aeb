package planner

import (
	"path"

	"github.com/seed9cc7a46e/wf/dsl/glob"
)

// An author's paths and globs are relative to the folder that holds workflows/;
// a plan's are relative to the repository's root, so that no later stage needs
// to know where the workflow lay.

// base is the folder of the workflow whose part is under way: an included one
// has its own.
func (m *maker) base() string {
	if m.folder != nil {
		return *m.folder
	}
	return m.wf.Folder
}

// place gives a path of the repository: the workflow's folder where nothing is named.
func (m *maker) place(p string) string {
	full := path.Join(m.base(), p)
	if full == "." {
		return ""
	}
	return full
}

func (m *maker) places(list []string) []string {
	for i := range list {
		list[i] = m.place(list[i])
	}
	return list
}

// globs prefixes globs, or templates of them, with the workflow's folder.
func (m *maker) globs(list []string) []string {
	folder := m.base()
	if folder == "" {
		return list
	}
	for i := range list {
		list[i] = glob.Escape(folder) + "/" + list[i]
	}
	return list
}
