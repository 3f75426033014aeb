package local

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/seed9cc7a46e/wf/materializer/agent"
	"github.com/seed9cc7a46e/wf/materializer/guard"
	"github.com/seed9cc7a46e/wf/materializer/guard/hook"
	"github.com/seed9cc7a46e/wf/materializer/process"
	"github.com/seed9cc7a46e/wf/materializer/run"
)

// Names of a unit's guard files in the state, beside its transcript.
const (
	guardTable   = "guard.json"
	guardRecords = "guard.jsonl"
)

// guarding is the guard of one unit under way.
type guarding struct {
	dir    string // of the socket
	server *guard.Server
	known  chan struct{} // closed when unit is set
	unit   process.Identity
}

// gated reports whether the unit's program asks before each tool use.
func (s *session) gated() bool { return s.adapter.Capabilities().GatesCalls == agent.Gated }

// guardDir is where the unit's socket lies: beside its exchange folder, or,
// where that path is too long for a socket, in the folder for sockets. It is
// the same each time, so that what a crash left is found.
func (e *engine) guardDir(p places) string {
	dir := filepath.Join(p.root, "g")
	if guard.Fits(dir) || e.Sockets == "" {
		return dir
	}
	sum := sha256.Sum256([]byte(p.root))
	return filepath.Join(e.Sockets, "wf-"+hex.EncodeToString(sum[:8]))
}

// table is the unit's guard table, from the plan.
func (s *session) table() (guard.Table, error) {
	role := s.agent.Role
	spec := guard.Spec{
		Unit: s.id, Mode: role.Mode, Worktree: s.places.tree, Own: []string{s.places.exchange, s.places.home, s.places.temp},
		Vars:  []guard.Var{{Name: "HOME", Value: s.places.home}, {Name: "TMPDIR", Value: s.places.temp}, {Name: "WF_UNIT", Value: s.places.exchange}},
		Allow: role.Allow, Deny: role.Deny, Writes: s.cmd.Writes, Models: append([]string{role.Model}, role.Fallback...),
	}
	spec.Models = slices.DeleteFunc(spec.Models, func(m string) bool { return m == "" })
	for _, g := range s.e.Plan.Policy.Guards {
		spec.Policies = append(spec.Policies, guard.Rule{Layer: g.Layer, Rule: g.Rule, Decision: guard.Decision(g.Decision), Reason: g.Reason})
	}
	return guard.Compile(spec)
}

// guardUp starts the unit's guard: without one a program that must ask is not
// started. What an earlier attempt of the unit recorded is replaced.
func (s *session) guardUp() error {
	if !s.gated() {
		return nil
	}
	table, err := s.table()
	if err != nil {
		return fmt.Errorf("unit %s: %w", s.id, err)
	}
	dir := filepath.Dir(s.agent.Guard)
	records, err := s.guardFiles(table, dir)
	if err != nil {
		return fmt.Errorf("unit %s: guard: %w", s.id, err)
	}
	g := &guarding{dir: dir, known: make(chan struct{})}
	g.server, err = guard.Serve(guard.Options{
		Table: table, Dir: dir, Records: records, Now: s.e.Now, Redact: s.secrets.apply, Resolve: followed, Admit: g.admits,
	})
	if err != nil {
		return fmt.Errorf("unit %s: %w", s.id, err)
	}
	s.guard = g
	return nil
}

// guardFiles makes the socket's folder and keeps the table in the state.
func (s *session) guardFiles(table guard.Table, dir string) (records string, err error) {
	data, err := table.Encode()
	if err != nil {
		return "", err
	}
	if err := errors.Join(os.MkdirAll(s.places.kept, 0o700), os.RemoveAll(dir)); err != nil {
		return "", err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	records = filepath.Join(s.places.kept, guardRecords)
	if err := os.Remove(records); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return records, os.WriteFile(filepath.Join(s.places.kept, guardTable), data, 0o600)
}

// guardPlace is what the sandbox must let the unit see to ask.
func (s *session) guardPlace() []string {
	if s.guard == nil {
		return nil
	}
	return []string{s.guard.dir}
}

// launched says which process the unit is: it and what it starts may ask.
func (g *guarding) launched(id process.Identity) {
	if g != nil {
		g.unit = id
		close(g.known)
	}
}

// admits reports whether a caller is of the unit: units share a host, and one
// must not answer for another.
func (g *guarding) admits(pid int) bool {
	select {
	case <-g.known:
	case <-time.After(hook.Timeout / 2):
		return false
	}
	if pid == g.unit.PID {
		return true
	}
	above, err := process.Ancestors(pid)
	return err == nil && slices.ContainsFunc(above, func(id process.Identity) bool { return id == g.unit })
}

// guardDown ends the guard and holds the unit's stream against its records.
func (s *session) guardDown(ended *run.Ended) error {
	if s.guard == nil {
		return nil
	}
	records := s.guard.server.Records()
	err := errors.Join(s.guard.server.Close(), os.RemoveAll(s.guard.dir))
	s.guard = nil
	if err != nil {
		return fmt.Errorf("unit %s: guard: %w", s.id, err)
	}
	if ended == nil || s.stream == nil {
		return nil
	}
	s.reconcile(records, ended)
	return nil
}

func (s *session) reconcile(records []guard.Record, ended *run.Ended) {
	s.stream.mu.Lock()
	used, all := s.stream.used, s.stream.uses
	s.stream.mu.Unlock()
	r := guard.Reconcile(records, used)
	if all > len(used) {
		r.Unguarded = append(r.Unguarded, fmt.Sprintf("%d uses beyond the %d that are looked at", all-len(used), maxUses))
	}
	o := &ended.Observed
	o.Unguarded, o.Denied = cleaned(r.Unguarded), cleaned(r.Denied)
	if len(r.Asks) > 0 && ended.Blocked == "" {
		ended.Blocked = clean("A policy wants a person to decide on " + r.Asks[0])
	}
}

// cleaned makes texts fit to be shown, and bounds their number.
func cleaned(texts []string) []string {
	var out []string
	for i, t := range texts {
		if i == maxClaims {
			return append(out, fmt.Sprintf("and %d more", len(texts)-i))
		}
		out = append(out, clean(t))
	}
	return out
}

// followed is a path with its links followed as far as it exists.
func followed(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	dir, name := filepath.Split(filepath.Clean(path))
	if dir = filepath.Clean(dir); dir == path {
		return path
	}
	return filepath.Join(followed(dir), name)
}
