//go:build linux || darwin

package process

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"sort"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// patience is how long we wait for killed processes to be gone. Only one that
// hangs inside the kernel, or belongs to another user, lasts longer.
const patience = 10 * time.Second

// children keeps the search for ended orphans away from a start: a program
// that ended at once must not be taken for an orphan before it is in live.
var children sync.RWMutex

// live holds the programs that Start started and nobody waited for yet.
var live registry

type registry struct {
	mu  sync.Mutex
	all map[int]Identity
}

func (r *registry) add(id Identity) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all == nil {
		r.all = map[int]Identity{}
	}
	r.all[id.PID] = id
}

func (r *registry) remove(id Identity) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.all, id.PID)
}

func (r *registry) has(pid int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, ok := r.all[pid]
	return ok
}

func (r *registry) copy() map[int]Identity {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.all)
}

// view is the process table together with the programs that were live when it
// was read.
type view struct {
	all  []entry
	live map[int]Identity
}

// look reads both while no start is under way. The live programs come first:
// one that ends meanwhile still owns what the table shows, and one that starts
// must not have a child in the table without being live.
func look() (view, error) {
	children.Lock()
	defer children.Unlock()
	v := view{live: live.copy()}
	var err error
	v.all, err = table()
	return v, err
}

// shared tells whether a process that started at start can belong to another
// live program than own.
func (v view) shared(own Identity, start uint64) bool {
	for _, id := range v.live {
		if id.PID != own.PID && id.Start <= start {
			return true
		}
	}
	return false
}

func sortEntries(all []entry) {
	sort.Slice(all, func(i, j int) bool { return all[i].id.PID < all[j].id.PID })
}

// familyOf gives the rows that descend from the seeds, or are in a group or a
// session that a member leads; the seeds themselves are not among them.
func familyOf(all []entry, seeds map[int]bool) []entry {
	in := map[int]bool{}
	for pid := range seeds {
		in[pid] = true
	}
	var found []entry
	for grown := true; grown; {
		grown = false
		for _, e := range all {
			if !in[e.id.PID] && (in[e.parent] || in[e.group] || in[e.session]) {
				in[e.id.PID], grown = true, true
				found = append(found, e)
			}
		}
	}
	return found
}

// endFamily kills what the program left running, and gives it.
func (h *Handle) endFamily() []Identity {
	if h.spec.Marker == "" && len(h.known) == 0 {
		return h.endGroup()
	}
	killed, survivors, err := endAll(h.members)
	h.blame(survivors, err)
	buryOrphans()
	return killed
}

// endGroup is the short way for wf's own tools: an empty group needs no look
// at the process table.
func (h *Handle) endGroup() []Identity {
	_ = h.cmd.Wait()
	if unix.Kill(-h.id.PID, 0) != nil {
		return nil
	}
	killed, survivors, err := endAll(func(v view) []entry {
		var found []entry
		for _, e := range v.all {
			if e.group == h.id.PID && e.id.Start >= h.id.Start {
				found = append(found, e)
			}
		}
		return found
	})
	h.blame(survivors, err)
	return killed
}

func (h *Handle) blame(survivors []Identity, err error) {
	h.result.Survivors = survivors
	if err != nil && h.result.OutputErr == nil {
		h.result.OutputErr = err
	}
}

// members gives everything in the table that belongs to the handle.
func (h *Handle) members(v view) []entry {
	seeds := map[int]bool{h.id.PID: true}
	me := os.Getpid()
	for _, e := range v.all {
		known, ok := h.known[e.id.PID]
		_, program := v.live[e.id.PID]
		switch {
		case e.id.PID == me || e.id.Start < h.id.Start || program:
		case ok && known == e.id,
			h.spec.Marker != "" && marked(e.id.PID, h.spec.Marker),
			e.parent == me && subreaper.Load() && !v.shared(h.id, e.id.Start):
			seeds[e.id.PID] = true
		}
	}
	return pick(v.all, seeds, h.id.PID)
}

// pick gives the rows of the seeds and their families, without the program and
// without the line from us upwards.
func pick(all []entry, seeds map[int]bool, program int) []entry {
	in := map[int]bool{}
	for _, e := range familyOf(all, seeds) {
		in[e.id.PID] = true
	}
	var found []entry
	for _, e := range all {
		if e.id.PID != program && (in[e.id.PID] || seeds[e.id.PID]) {
			found = append(found, e)
		}
	}
	return found
}

// endAll kills what find finds until it finds nothing that lives: a process
// may start others while we read the table. What was killed is waited for by
// its identity, since a process that is ending loses its environment, and so
// its marker, before it is gone.
func endAll(find func(view) []entry) (killed, survivors []Identity, err error) {
	protected := upwards()
	noted := map[Identity]bool{}
	limit := time.Now().Add(patience)
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		v, err := look()
		if err != nil {
			return killed, nil, err
		}
		for _, e := range find(v) {
			if !e.dead && !protected[e.id.PID] && !noted[e.id] {
				noted[e.id] = true
				killed = append(killed, e.id)
			}
		}
		survivors = alive(v.all, noted)
		if len(survivors) == 0 || time.Now().After(limit) {
			return killed, survivors, nil
		}
		for _, id := range survivors {
			kill(id)
		}
		time.Sleep(pause)
	}
}

func alive(all []entry, noted map[Identity]bool) []Identity {
	var ids []Identity
	for _, e := range all {
		if noted[e.id] && !e.dead {
			ids = append(ids, e.id)
		}
	}
	return ids
}

// upwards holds us and our ancestors, which no search may kill: wf may itself
// run under a marker that looks like the one it looks for.
func upwards() map[int]bool {
	in := map[int]bool{os.Getpid(): true}
	line, err := Ancestors(os.Getpid())
	if err != nil {
		return in
	}
	for _, id := range line {
		in[id.PID] = true
	}
	return in
}

// kill ends exactly this process. Where the system has process descriptors
// (FindProcess takes one) its number cannot pass to a stranger in between.
func kill(id Identity) {
	p, err := os.FindProcess(id.PID)
	if err != nil {
		return
	}
	defer func() { _ = p.Release() }()
	if now, err := lookup(id.PID); err == nil && now.id == id {
		_ = p.Signal(syscall.SIGKILL) // the next look at the table tells
	}
}

// Reap ends everything that an earlier wf left of one unit: the recorded
// processes where they still live, all that descends from them, and every
// process that carries the marker. It returns when none is left, and gives
// what it killed. The error names what could not be ended.
func Reap(marker string, ids []Identity) ([]Identity, error) {
	protected := upwards()
	recorded := map[Identity]bool{}
	for _, id := range ids {
		recorded[id] = true
	}
	killed, survivors, err := endAll(func(v view) []entry {
		seeds := map[int]bool{}
		for _, e := range v.all {
			if protected[e.id.PID] {
				continue // or all our children would be taken for its family
			}
			if recorded[e.id] || marker != "" && marked(e.id.PID, marker) {
				seeds[e.id.PID] = true
			}
		}
		return pick(v.all, seeds, 0)
	})
	buryOrphans()
	if err != nil {
		return killed, err
	}
	return killed, survived(survivors)
}

// EndWithMounts ends every process, but us and what we descend from, that has a
// mount at or below folder in a mount namespace other than ours: what a sandbox
// with mounts of its own held, also where it left its session, its parent and
// its environment behind. It gives what it killed; elsewhere than on Linux it
// finds nothing.
func EndWithMounts(folder string) ([]Identity, error) {
	killed, survivors, err := endAll(func(v view) []entry {
		var out []entry
		for _, e := range v.all {
			if holdsMount(e.id.PID, folder) {
				out = append(out, e)
			}
		}
		return out
	})
	buryOrphans()
	if err != nil {
		return killed, err
	}
	return killed, survived(survivors)
}

func survived(ids []Identity) error {
	if len(ids) == 0 {
		return nil
	}
	var errs []error
	for _, id := range ids {
		errs = append(errs, fmt.Errorf("process %d could not be ended", id.PID))
	}
	return errors.Join(errs...)
}
