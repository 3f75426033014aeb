// Package workflows defines the workflows that ship with wf: files that people
// use as they are, embedded in the binary.
//
// Enter with Starter, what `wf init` writes.
package workflows

import (
	"embed"
	"io/fs"
)

//go:embed starter
var files embed.FS

// StarterName is the name of the workflow in Starter.
const StarterName = "first-steps"

// Starter is a first workflow with its roles, its replay script and a policy,
// as a tree to be laid into a repository.
func Starter() (fs.FS, error) { return fs.Sub(files, "starter") }

// IgnoreLines are what a repository that uses wf should not commit.
func IgnoreLines() []string {
	return []string{"# saved plans and approvals of wf", "*.wfplan", "*.wfsig"}
}
