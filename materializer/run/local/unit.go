package local

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed9cc7a46e/wf/materializer/agent"
	"github.com/seed9cc7a46e/wf/materializer/guard"
	"github.com/seed9cc7a46e/wf/materializer/guard/hook"
	"github.com/seed9cc7a46e/wf/materializer/process"
	"github.com/seed9cc7a46e/wf/materializer/run"
	"github.com/seed9cc7a46e/wf/materializer/sandbox"
	"github.com/seed9cc7a46e/wf/materializer/ticket"
	"github.com/seed9cc7a46e/wf/materializer/worktree"
	"github.com/seed9cc7a46e/wf/planner"
)

// Deadlines that no workflow sets.
const (
	firstEvent = 2 * time.Minute  // a unit that says nothing by then never began
	unitGrace  = 10 * time.Second // between asking a unit to end and ending it
)

var (
	errTimeout = errors.New("the stage's timeout passed")
	errSilent  = errors.New("no first event came")
	errBudget  = errors.New("the unit spent more than its reserve")
)

// session is one unit from its start to its end, with everything that was read
// from the state for it.
type session struct {
	e       *engine
	cmd     run.StartUnit
	id      string // T-003/implement/1
	agent   agent.Unit
	adapter agent.Adapter
	launch  agent.Launch
	ticket  []byte // the ticket file it gets
	owned   []string
	limit   time.Duration
	places  places
	stream  *stream
	guard   *guarding // nil where the program does not ask
	secrets redactor
}

// places are a unit's folders: its exchange folder and private home and temp
// beside it, and where the state keeps what is left of it.
type places struct{ tree, root, exchange, home, temp, kept string }

func (e *engine) placesOf(id run.UnitID) places {
	slug := Slug(id)
	root := filepath.Join(e.Trees, "units", slug)
	return places{
		tree: filepath.Join(e.Trees, id.Ticket), root: root,
		exchange: filepath.Join(root, "x"), home: filepath.Join(root, "home"), temp: filepath.Join(root, "tmp"),
		kept: filepath.Join(e.Store, "units", slug),
	}
}

// Slug is a unit's name as a folder.
func Slug(id run.UnitID) string { return strings.ReplaceAll(id.String(), "/", "-") }

// Marker is the token by which every process of a unit can be found. It is the
// same after a crash, and another for the same run in another clone: run IDs
// follow from content, so that two clones on one host can have one ID.
func Marker(store string, id run.UnitID) string {
	sum := sha256.Sum256([]byte(store))
	return "wf:" + hex.EncodeToString(sum[:8]) + ":" + id.String()
}

// unit prepares a session while the state may be read.
func (e *engine) unit(c run.StartUnit) (worker, error) {
	s, err := e.session(c)
	if err != nil {
		return nil, err
	}
	return s.run, nil
}

// session reads everything a unit needs from the state.
func (e *engine) session(c run.StartUnit) (*session, error) {
	role, ok := e.role(c.Role)
	if !ok {
		return nil, fmt.Errorf("unit %s: the plan has no role %s", c.Unit, c.Role)
	}
	adapter, ok := e.Adapters[role.Adapter]
	if !ok {
		return nil, fmt.Errorf("unit %s: no adapter %s", c.Unit, role.Adapter)
	}
	s := &session{e: e, cmd: c, id: c.Unit.String(), adapter: adapter, places: e.placesOf(c.Unit), limit: run.Timeout(e.State, c.Unit)}
	s.ticket, s.owned = run.TicketFile(e.State, c.Unit)
	s.agent = agent.Unit{
		ID: s.id, Ticket: run.Address(e.State, c.Unit.Ticket), Stage: c.Unit.Stage, Purpose: c.Unit.Purpose, Round: c.Unit.Round, Try: c.Unit.Try,
		Role: role, Reserve: c.Reserve, Prompt: []byte(run.Prompt(e.State, c.Unit)), Exchange: s.places.exchange, Worktree: s.places.tree,
		Script: e.source(role.Script), Program: e.Program, Self: e.Self, Home: s.places.home,
	}
	if s.gated() {
		s.agent.Guard = filepath.Join(e.guardDir(s.places), guard.SocketName)
	}
	return s, nil
}

func (e *engine) role(name string) (planner.Role, bool) {
	for _, r := range e.Plan.Roles {
		if r.Name == name {
			return r, true
		}
	}
	return planner.Role{}, false
}

func (e *engine) source(path string) []byte {
	for _, s := range e.Plan.Sources {
		if s.Path == path && path != "" {
			return []byte(s.Text)
		}
	}
	return nil
}

// run is steps 2 to 8 of a unit: its tree brought to the commit, the snapshot,
// the start, the wait, the answer, the end.
func (s *session) run(ctx context.Context, send func(...run.Event)) ([]run.Event, error) {
	// What a stop interrupts is the unit; git and files are brought to an end.
	work := context.WithoutCancel(ctx)
	tree, ok, err := s.e.Repo.Find(s.places.tree)
	if err != nil || !ok {
		return nil, errors.Join(err, fmt.Errorf("unit %s: its worktree is not there", s.id))
	}
	if err := s.e.Repo.Reset(work, tree, s.cmd.Commit, nil); err != nil {
		return nil, err
	}
	if err := s.folders(); err != nil {
		return nil, err
	}
	if s.launch, err = s.adapter.Prepare(s.agent); err != nil {
		return s.notStarted(err), nil
	}
	if err := s.files(); err != nil {
		return nil, err
	}
	if err := s.guardUp(); err != nil {
		return nil, err // this host's fault, such as a full disk: it uses no retry up
	}
	defer s.guardDown(nil) // where something fails before it is asked for its records
	before, err := s.e.Repo.Snapshot(work, tree, s.cmd.Commit, nil)
	if err != nil {
		return nil, err
	}
	checkout, err := s.checkout(work)
	if err != nil {
		return nil, err
	}
	ended, err := s.wait(ctx, send)
	if err != nil {
		return nil, err
	}
	if err := s.guardDown(&ended); err != nil {
		return nil, err
	}
	if err := s.look(work, tree, before, &ended); err != nil {
		return nil, err
	}
	after, err := s.checkout(work)
	if err != nil {
		return nil, err
	}
	if after != checkout {
		ended.Observed.Tampered = append(ended.Observed.Tampered, "the main checkout changed while the unit ran")
	}
	return []run.Event{ended}, s.keep()
}

func (s *session) notStarted(err error) []run.Event {
	return []run.Event{run.Ended{Unit: s.cmd.Unit, Outcome: run.NotStarted, Detail: clean(err.Error()), CostKnown: true, At: s.e.now()}}
}

// folders makes the unit's folders anew.
func (s *session) folders() error {
	if err := os.RemoveAll(s.places.root); err != nil {
		return fmt.Errorf("unit %s: %w", s.id, err)
	}
	for _, dir := range []string{s.places.exchange, s.places.home, s.places.temp, filepath.Join(s.places.exchange, agent.NotesDir), filepath.Join(s.places.exchange, agent.ArtifactDir)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("unit %s: %w", s.id, err)
		}
	}
	return nil
}

func (s *session) files() error {
	root, err := os.OpenRoot(s.places.exchange)
	if err != nil {
		return fmt.Errorf("unit %s: %w", s.id, err)
	}
	defer root.Close()
	files := append([]agent.File{{Path: ticket.FileName, Data: s.ticket}, {Path: agent.PromptFile, Data: s.agent.Prompt}}, s.launch.Files...)
	for _, f := range files {
		if err := root.WriteFile(filepath.FromSlash(f.Path), f.Data, 0o600); err != nil {
			return fmt.Errorf("unit %s: %w", s.id, err)
		}
	}
	return nil
}

// wait starts the program and waits for its end.
func (s *session) wait(ctx context.Context, send func(...run.Event)) (run.Ended, error) {
	ended := run.Ended{Unit: s.cmd.Unit}
	spec, err := s.confined()
	if err != nil {
		ended.Outcome, ended.Detail, ended.CostKnown, ended.At = run.NotStarted, clean(err.Error()), true, s.e.now()
		return ended, nil
	}
	out, err := s.open(&spec)
	if err != nil {
		return ended, err
	}
	defer out.Close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.stream.over = func() { cancel(errBudget) }
	stage := time.AfterFunc(s.limit, func() { cancel(errTimeout) })
	defer stage.Stop()
	first := time.AfterFunc(firstEvent, func() {
		if !s.stream.begun() {
			cancel(errSilent)
		}
	})
	defer first.Stop()

	h, err := process.Start(ctx, spec)
	if err != nil {
		ended.Outcome, ended.Detail, ended.CostKnown, ended.At = run.NotStarted, clean(err.Error()), true, s.e.now()
		if ctx.Err() != nil { // a stop came first: that uses no retry up
			ended.Outcome, ended.Detail = run.Interrupted, "wf was stopped"
		}
		return ended, nil
	}
	s.guard.launched(h.Identity())
	identity, err := json.Marshal(h.Identity())
	if err != nil {
		return ended, fmt.Errorf("unit %s: %w", s.id, err)
	}
	send(run.Launched{Unit: s.cmd.Unit, Process: identity, Commit: s.cmd.Commit, At: s.e.now()})
	stop := context.AfterFunc(s.e.Hard, func() { h.Stop(0) })
	defer stop()
	result := h.Wait()
	s.stream.flush()
	s.outcome(ctx, result, &ended)
	return ended, nil
}

// outcome says how the session ended. An exit other than 0 is never success.
func (s *session) outcome(ctx context.Context, r process.Result, ended *run.Ended) {
	ended.Exit, ended.Signal, ended.At = r.Exit, r.Signal, s.e.now()
	ended.Observed.Leftover = len(r.Leftover)
	ended.Detail = s.stream.last()
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, errBudget):
		ended.Outcome, ended.Detail = run.Failed, errBudget.Error()
	case errors.Is(cause, errTimeout):
		ended.Outcome, ended.Detail = run.TimedOut, errTimeout.Error()
	case errors.Is(cause, errSilent):
		ended.Outcome, ended.Detail = run.Stalled, errSilent.Error()
	case cause != nil || s.e.Hard.Err() != nil:
		ended.Outcome, ended.Detail = run.Interrupted, "wf was stopped"
	case s.stream.vendor != "":
		ended.Outcome, ended.Detail = run.VendorError, s.stream.vendor
	case r.Exit == 0 && r.Signal == "" && !s.stream.failed:
		ended.Outcome, ended.Detail = run.Exited, ""
	default:
		ended.Outcome = run.Failed
	}
	s.stream.fill(ended)
}

// confined puts the launch into the sandbox: the unit's posture, its own
// folders, and of git the parts that reading needs.
func (s *session) confined() (process.Spec, error) {
	posture := sandbox.Read
	if len(s.cmd.Writes) > 0 {
		posture = sandbox.Write
	}
	spec := sandbox.Spec{
		Posture: posture, Argv: s.launch.Argv, Env: s.environment(), WorkDir: s.places.tree,
		Home: s.places.home, Temp: s.places.temp, ReadWrite: []string{s.places.exchange},
		ReadOnly: slices.Concat(s.gitParts(), s.e.Host.Reads, s.guardPlace()),
		Hidden:   []string{s.e.Store},
		Network:  sandbox.Network{Reach: s.reach()},
		Floor:    sandbox.Floor(s.agent.Role.Sandbox),
	}
	p, err := sandbox.Wrap(s.e.Self, s.e.Sandbox, spec)
	if err != nil {
		return p, err
	}
	p.Stdin = strings.NewReader(string(s.launch.Stdin))
	p.Grace, p.Marker, p.Interrupt = unitGrace, Marker(s.e.Store, s.cmd.Unit), os.Interrupt
	return p, nil
}

// reach is how far the unit's network goes: only a role that says open has one.
// There is no gateway yet, so that model and names of hosts reach nothing.
func (s *session) reach() sandbox.Reach {
	if slices.Contains(s.agent.Role.Network, "open") {
		return sandbox.Open
	}
	return sandbox.None
}

// gitParts are what a unit's git may read: objects, refs, the admin folder of
// its own worktree. State and other worktrees' folders stay out of reach.
func (s *session) gitParts() []string {
	common := s.e.Repo.CommonDir()
	var out []string
	for _, name := range []string{"objects", "refs", "packed-refs", "HEAD", "info"} {
		if path := filepath.Join(common, name); exists(path) {
			out = append(out, path)
		}
	}
	if tree, ok, err := s.e.Repo.Find(s.places.tree); err == nil && ok && exists(tree.Admin()) {
		out = append(out, tree.Admin())
	}
	return out
}

func (s *session) environment() []string {
	env := append([]string{}, s.e.Env...)
	for _, name := range s.agent.Role.Env {
		if value, ok := s.e.Lookup(name); ok {
			env = append(env, name+"="+value)
			s.secrets.add(value)
		}
	}
	env = append(env, s.launch.Env...)
	if s.agent.Guard != "" {
		env = append(env, hook.Variable+"="+s.agent.Guard)
	}
	return append(env,
		"HOME="+s.places.home, "TMPDIR="+s.places.temp,
		"WF_UNIT="+s.places.exchange, "WF_UNIT_ID="+s.id, "WF_RUN="+s.e.Run,
		"GIT_OPTIONAL_LOCKS=0",
	)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// look measures what the unit did, and takes what it submitted.
func (s *session) look(ctx context.Context, tree worktree.Worktree, before worktree.Snapshot, ended *run.Ended) error {
	after, err := s.e.Repo.Snapshot(ctx, tree, s.cmd.Commit, nil)
	if err != nil {
		return err
	}
	o := &ended.Observed
	o.Changes = []run.Change{}
	for _, c := range after.Dirty {
		o.Changes = append(o.Changes, run.Change{Path: c.Path, Kind: string(c.Kind)})
	}
	s.weigh(worktree.Tampered(before, after), o)
	s.submission(ended)
	if ended.Outcome == run.Interrupted && len(o.Changes) > 0 {
		return s.salvage(ctx, tree, ended)
	}
	return nil
}

// checkout is the main checkout's fingerprint where nothing confines the unit.
// A confined one cannot reach it, and what changes there is the operator's work.
func (s *session) checkout(ctx context.Context) (string, error) {
	if s.e.confined() {
		return "", nil
	}
	return s.e.Repo.Fingerprint(ctx)
}

func (e *engine) confined() bool {
	return e.Sandbox.Backend != sandbox.Unconfined && e.Sandbox.Backend != ""
}

// weigh sorts facts: what only the operator could have changed while the unit
// was confined is not the unit's doing.
func (s *session) weigh(facts []worktree.Fact, o *run.Observed) {
	for _, f := range facts {
		text := string(f.Kind)
		if f.Path != "" {
			text += " " + f.Path
		}
		switch f.Kind {
		case worktree.LinkLeadsOut, worktree.HardLinked, worktree.NestedGit:
			o.Outside = append(o.Outside, clean(text))
		case worktree.RefsChanged, worktree.ConfigChanged, worktree.HooksChanged:
			if !s.e.confined() {
				o.Tampered = append(o.Tampered, text)
			}
		default:
			o.Tampered = append(o.Tampered, clean(text))
		}
	}
}

// salvage keeps interrupted work on a private ref before the tree is reset.
func (s *session) salvage(ctx context.Context, tree worktree.Worktree, ended *run.Ended) error {
	hash, err := s.e.Repo.WriteTree(ctx, tree, s.cmd.Commit)
	if err != nil {
		return err
	}
	commit, err := s.e.Repo.CommitObject(ctx, worktree.Draft{Tree: hash, Parents: []string{s.cmd.Commit}, Date: s.e.Now(), Message: "Interrupted work of " + s.id + "\n"})
	if err != nil {
		return err
	}
	ref := worktree.Salvage(s.e.Run, s.id)
	old, err := s.e.Repo.ReadRef(ctx, ref)
	if err != nil {
		return err
	}
	ended.Salvage = ref
	return s.e.Repo.UpdateRef(ctx, ref, old, commit)
}

// Shown is a unit as it would be started.
type Shown struct {
	Role, Prompt, Ticket string
	Argv, Env            []string
}

// Preview gives the command, environment and prompt of a unit, as Run would
// start it, and starts nothing. The error says why it could not be started.
func Preview(c Config, id run.UnitID) (Shown, error) {
	e := &engine{Config: c}
	cmd := run.StartUnit{Unit: id, Role: roleOf(c.State, id), Commit: run.CommitOf(c.State, id)}
	s, err := e.session(cmd)
	if err != nil {
		return Shown{}, err
	}
	if s.launch, err = s.adapter.Prepare(s.agent); err != nil {
		return Shown{}, err
	}
	return Shown{Role: cmd.Role, Prompt: string(s.agent.Prompt), Ticket: string(s.ticket), Argv: s.launch.Argv, Env: s.environment()}, nil
}

// roleOf is the role of a unit's stage, or of the unit that diagnoses before it.
func roleOf(s *run.State, id run.UnitID) string {
	planned, ok := s.Planned(id.Ticket)
	if !ok {
		return ""
	}
	for _, stage := range planned.Stages {
		if stage.Name == id.Stage && id.Purpose == run.PurposeFirst {
			return stage.First
		}
		if stage.Name == id.Stage {
			return stage.Role
		}
	}
	return ""
}
