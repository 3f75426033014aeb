package verb

import (
	"os"
	"path/filepath"
	"time"

	"github.com/seed9cc7a46e/wf/materializer/run"
	"github.com/seed9cc7a46e/wf/materializer/sandbox"
	"github.com/seed9cc7a46e/wf/planner"
)

// floorOf is the least confinement the plan asks of a host.
func floorOf(plan *planner.Plan) sandbox.Floor {
	for _, r := range plan.Requirements {
		if r.Kind == "sandbox" {
			return sandbox.Floor(r.Name)
		}
	}
	return sandbox.FloorNone
}

// elapsed is the time that processes have spent on a run: of each, from its
// first event that carries a time to its last.
func elapsed(events []run.Event) time.Duration {
	var total time.Duration
	var from, to time.Time
	for _, ev := range events {
		at, begins := moment(ev)
		if at.IsZero() {
			continue
		}
		if begins {
			total += to.Sub(from)
			from = at
		}
		to = at
	}
	return total + to.Sub(from)
}

// moment is when an event happened, where it says so, and whether a process began with it.
func moment(ev run.Event) (at time.Time, begins bool) {
	text := ""
	switch ev := ev.(type) {
	case run.Started:
		text, begins = ev.At, true
	case run.Resumed:
		text, begins = ev.At, true
	case run.Launched:
		text = ev.At
	case run.Ended:
		text = ev.At
	case run.Stopped:
		text = ev.At
	case run.Closed:
		text = ev.At
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, false
	}
	return at, begins
}

// tidy removes what only a run under way needs.
func (p *project) tidy(trees string) {
	for _, name := range []string{"cache", "gates", "units"} {
		// What cannot be removed takes space and does no harm; `wf clean` tries again.
		_ = os.RemoveAll(filepath.Join(trees, name))
	}
}
