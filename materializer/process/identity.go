package process

import "errors"

// Identity names one process for as long as the machine runs, and after. The
// zero value names none. Its JSON form is what journals keep.
type Identity struct {
	PID int `json:"pid"`
	// Start is when it started: on Linux in clock ticks since the boot, on
	// macOS in microseconds since 1970.
	Start uint64 `json:"start"`
	// Boot names the boot of the machine: pid and start repeat after the next.
	Boot string `json:"boot"`
}

// ErrUnsupported is what Start, Of and Reap return where wf runs no units.
var ErrUnsupported = errors.New("process: this platform runs no units; use Linux, macOS or WSL")

// Self names the calling process. Where the system tells no start time it
// carries the pid alone, and Alive is then false.
func Self() Identity { return self() }

// Of names the process that has this pid now. The error wraps os.ErrNotExist
// when there is none.
func Of(pid int) (Identity, error) { return identify(pid) }

// Alive tells whether this very process still runs. A zombie does not: it can
// do nothing any more.
func (i Identity) Alive() bool {
	now, err := lookup(i.PID)
	return err == nil && now.id == i && !now.dead
}

// Ancestors names the process with this pid, its parent, and so on up to the
// first process that can be seen.
func Ancestors(pid int) ([]Identity, error) {
	first, err := lookup(pid)
	if err != nil {
		return nil, err
	}
	line := []Identity{first.id}
	for next := first.parent; next > 0; {
		p, err := lookup(next)
		if err != nil {
			break // it ended while we looked, or lies in another namespace
		}
		line = append(line, p.id)
		next = p.parent
	}
	return line, nil
}

// entry is one row of the system's process table.
type entry struct {
	id      Identity
	parent  int
	group   int
	session int
	dead    bool // a zombie: ended, not yet waited for
}
