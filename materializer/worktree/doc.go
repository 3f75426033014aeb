// Package worktree defines the repository as wf sees it: commits, branches, and
// the working trees in which units write. It is the only place that runs git.
//
// Enter with Open, which gives a Repo. Repo.Inspect says what state it is in,
// Repo.Add makes a worktree for a ticket, Repo.Snapshot and Repo.Changes tell
// what a unit did in it, Repo.WriteTree and Repo.CommitObject build a commit
// from it, Repo.UpdateRef moves a branch by compare-and-swap.
//
// # Why git cannot be made to run a program here
//
// A unit may rewrite anything it can write: its tree's .git file, a nested
// repository, .gitattributes, and, without a sandbox, the repository's own
// configuration. git runs programs named by configuration: hooks, fsmonitor,
// filters, textconv, merge drivers, credential helpers, transports, and it runs
// itself again inside nested repositories with their configuration. So
//
//   - everything that touches file content (index, checkout, merge, diff) runs
//     with a private git folder of wf's own, whose configuration wf writes and
//     compares before each call, with the object store lent to it through
//     GIT_OBJECT_DIRECTORY. The repository's configuration is not read at all;
//     a filter named in .gitattributes has no program behind it.
//   - what needs the real git folder (refs, the list of worktrees) runs with
//     recorded --git-dir and GIT_COMMON_DIR, and touches no file content.
//   - commands that start git inside nested repositories (add, status, diff with
//     submodules) are not used; the index is filled with update-index.
//   - the environment is built, not inherited; no transport is allowed.
//
// The rejected design was the list of switches alone (-c filter.NAME.clean= for
// each driver found in the configuration): what is listed can change between the
// listing and the call. The switches are kept as a second fence.
package worktree
