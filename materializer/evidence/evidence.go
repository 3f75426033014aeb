// Package evidence defines the gate's record: a check that the runner executed
// itself, in the sandbox, on a candidate commit, and what came of it.
//
// Enter with Run. It gives facts and no verdict: what a record means for a
// ticket, and whether a failure was wanted, is materializer/run's to say. Key
// tells when an earlier record says the same.
package evidence

import (
	"context"
	"time"

	"github.com/seed9cc7a46e/wf/materializer/sandbox"
	"github.com/seed9cc7a46e/wf/materializer/worktree"
	"github.com/seed9cc7a46e/wf/planner"
)

// Host is what gates need of the machine they run on. Nothing of it is in a plan.
type Host struct {
	Self    string        // path of the wf binary, for the sandbox
	Sandbox sandbox.Facts // what confines here
	Floor   sandbox.Floor // the least that the plan asks for; below it a gate is Broken; "" asks for none
	Hidden  []string      // absolute folders no gate may see: wf's state; the repository is always hidden
	Path    string        // PATH of gates
	Reads   []string      // absolute folders that gates may read beyond the system's: toolchains, a module cache
	GoCache string        // the operator's own Go build cache, which no gate sees; "": none
	Env     []string      // fixed variables, as NAME=value: LANG, GOMODCACHE, GOPROXY=off …
	Scratch string        // absolute folder for throwaway checkouts; made and removed by Run below it
	Caches  *Caches       // nil: every gate starts with empty build caches, and none is run on the start commit
	Now     func() time.Time
}

// Job is one gate to be run.
type Job struct {
	Repo       *worktree.Repo
	Gate       planner.Gate // env values already evaluated
	Record     string       // T-003/implement/1/tests
	Commit     string       // the candidate
	Tree       string
	Start      string   // the ticket's start commit: baseline, and where definitions come from
	Protected  []string // globs whose files are taken from Start, unless MayChange lifts them
	MayChange  []string
	ExpectFail bool                // the stage wants it to fail: then the start commit is not asked
	Texts      []string            // what the unit said of its work, for no_hedging
	Redact     func([]byte) []byte // nil: nothing to redact
}

// Outcome is what a gate said.
type Outcome string

// Outcomes. An outcome is what happened, also where a failure was wanted.
// Broken means that it could not run, or ran too little to say anything.
const (
	Pass   Outcome = "pass"
	Fail   Outcome = "fail"
	Broken Outcome = "broken"
)

// Record is what was seen. It is stored as canonical JSON beside the bounded,
// redacted output; its digest is in the journal.
type Record struct {
	Format      int      `json:"evidence"` // 1
	Name        string   `json:"name"`
	Gate        string   `json:"gate"`
	Argv        []string `json:"argv,omitempty"`
	Check       string   `json:"check,omitempty"`
	Commit      string   `json:"commit"`
	Tree        string   `json:"tree"`
	Start       string   `json:"start"`
	Outcome     Outcome  `json:"outcome"`
	Exit        int      `json:"exit"`
	Signal      string   `json:"signal,omitempty"`
	TimedOut    bool     `json:"timedOut,omitempty"`
	Tests       int      `json:"tests"` // executed, leaf tests only; -1 where not counted
	MinTests    int      `json:"minTests"`
	Reason      string   `json:"reason"`           // one line for a reader, without control characters
	Places      []string `json:"places,omitempty"` // path:line of what a check found, bounded
	Millis      int64    `json:"millis"`
	Baseline    Outcome  `json:"baseline,omitempty"` // of the same gate on the start commit, asked when it failed
	Sandbox     string   `json:"sandbox"`            // backend
	Environment string   `json:"environment"`        // digest of sandbox, PATH, variables and the program's own bytes
	Key         string   `json:"key,omitempty"`      // as Key gives it
	Output      string   `json:"output"`             // digest of the output's file
	OutputCut   bool     `json:"outputCut,omitempty"`
}

// Run executes a gate on the candidate commit in a throwaway checkout. The
// error means that wf itself could not do its job (no space, no git); a gate
// that cannot run is a Broken record.
func Run(ctx context.Context, h Host, j Job) (Record, []byte, error) {
	return run(ctx, h, j)
}
