package worktree

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Owner says for whom a worktree was made. Two owners are the same when all fields are.
type Owner struct {
	Run    string `json:"run"`    // run ID
	Ticket string `json:"ticket"` // ticket ID
}

// record is the owner record. It lies twice: in the worktree's admin folder, where
// it dies with the worktree, and in wf's own git folder, where a unit cannot
// write. They must agree before wf adopts anything.
//
// The copy in wf's folder is also the intent: it is written before the first
// effect, so that what a killed run half made can be told from what others own.
type record struct {
	Version   int    `json:"version"`
	Owner     Owner  `json:"owner"`
	Path      string `json:"path"`
	Branch    string `json:"branch,omitempty"`     // short name; empty: detached
	Commit    string `json:"commit"`               // the commit it was made at
	Admin     string `json:"admin,omitempty"`      // name of the admin folder, once known
	NewBranch bool   `json:"new_branch,omitempty"` // wf made the branch for this worktree
	Ready     bool   `json:"ready"`                // everything is in place
}

const (
	recordVersion = 1
	ownerFile     = "wf-owner.json"
	recordsDir    = "trees"
)

func (r *Repo) recordPath(path string) string {
	return filepath.Join(r.scratch, recordsDir, digest([]byte(path))[:16]+".json")
}

func (r *Repo) saveRecord(rec record) error {
	data, err := json.MarshalIndent(rec, "", "  ")
	if err != nil {
		return err
	}
	dir := filepath.Join(r.scratch, recordsDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return ioError("record a worktree", err)
	}
	if err := writeFile(r.recordPath(rec.Path), append(data, '\n')); err != nil {
		return ioError("record a worktree", err)
	}
	if rec.Admin != "" {
		if err := writeFile(filepath.Join(r.adminDir(rec.Admin), ownerFile), append(data, '\n')); err != nil {
			return ioError("record the owner of a worktree", err)
		}
	}
	return syncDir(dir)
}

func (r *Repo) dropRecord(path string) error {
	if err := os.Remove(r.recordPath(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return ioError("drop a worktree's record", err)
	}
	return syncDir(filepath.Join(r.scratch, recordsDir))
}

// loadRecord gives wf's record of a path; ok is false when there is none.
func (r *Repo) loadRecord(path string) (rec record, ok bool, err error) {
	data, err := os.ReadFile(r.recordPath(path))
	if errors.Is(err, fs.ErrNotExist) {
		return record{}, false, nil
	}
	if err != nil {
		return record{}, false, ioError("read a worktree's record", err)
	}
	if err := json.Unmarshal(data, &rec); err != nil || rec.Version != recordVersion || rec.Path != path {
		return record{}, false, fmt.Errorf("read a worktree's record %s: not a record of %q", r.recordPath(path), path)
	}
	return rec, true, nil
}

// agrees reports whether the record in the admin folder is the same as wf's own.
func (r *Repo) agrees(rec record) bool {
	var theirs record
	data, err := os.ReadFile(filepath.Join(r.adminDir(rec.Admin), ownerFile))
	return err == nil && json.Unmarshal(data, &theirs) == nil && theirs == rec
}

func (r *Repo) adminDir(name string) string { return filepath.Join(r.common, "worktrees", name) }
