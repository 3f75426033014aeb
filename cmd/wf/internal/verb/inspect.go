package verb

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/cmd/wf/internal/statedir"
	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/materializer/evidence"
	"github.com/seed9cc7a46e/wf/materializer/run"
	"github.com/seed9cc7a46e/wf/materializer/run/local"
	"github.com/seed9cc7a46e/wf/materializer/run/report"
	"github.com/seed9cc7a46e/wf/materializer/worktree"
)

func digestHex(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

var planRange = diag.Range{}

// Status is a run for a reader.
type Status struct {
	Report report.Report
	Live   bool     // a process carries it out now
	Others []string // IDs of other open runs
	Drift  []string // what was taken away behind wf's back
	Notice string   // what reading the journal had to pass over
	Key    string   // what the command of a decision needs to be signed
}

// Statuses gives the run a person means.
func Statuses(ctx context.Context, e Env, id string) (Status, error) {
	return withRun(ctx, e, id, func(p *project, d *statedir.Dir, o *opened) (Status, error) {
		out := Status{Report: report.Of(o.state), Notice: o.notice.String()}
		if h, ok, err := o.dir.Holder(); err == nil && ok {
			out.Live = h.Alive
		}
		var err error
		if out.Others, err = p.othersOpen(d, o.dir.ID); err != nil {
			return out, err
		}
		if out.Key, err = p.keyFlag(ctx, o.plan.Base.Commit); err != nil {
			return out, err
		}
		out.Drift, err = p.drift(ctx, o)
		return out, err
	})
}

// othersOpen names the open runs beside one.
func (p *project) othersOpen(d *statedir.Dir, id string) ([]string, error) {
	open, _, err := p.openRuns(d)
	var out []string
	for _, o := range open {
		if o.dir.ID != id {
			out = append(out, o.dir.ID)
		}
	}
	return out, err
}

// drift names branches and worktrees of a run that are not as the journal says.
func (p *project) drift(ctx context.Context, o *opened) ([]string, error) {
	var out []string
	for t := range o.state.Tickets() {
		if !t.Branched || slices.Contains(t.Removed, "worktree") {
			continue
		}
		if _, ok, err := p.repo.Find(filepath.Join(p.treesOf(o.dir.ID), t.ID)); err == nil && !ok {
			out = append(out, fmt.Sprintf("%s: its worktree is gone; `wf apply` makes it again when it is needed", t.ID))
		}
		if t.Branch == "" || slices.Contains(t.Removed, "branch") {
			continue
		}
		at, err := p.repo.ReadRef(ctx, "refs/heads/"+t.Branch)
		if err != nil {
			return nil, repositoryRefusal(err)
		}
		if at != t.Head {
			out = append(out, fmt.Sprintf("%s: branch %s is at %s, the journal says %s", t.ID, t.Branch, orNone(at), short(t.Head)))
		}
	}
	return out, nil
}

func orNone(commit string) string {
	if commit == "" {
		return "no commit"
	}
	return short(commit)
}

// Inbox gives what waits for a person: blocked, held and parked tickets of all runs.
func Inbox(ctx context.Context, e Env) ([]Status, error) {
	p, err := e.project(ctx)
	if err != nil {
		return nil, err
	}
	d, err := p.state()
	if err != nil {
		return nil, err
	}
	defer d.Close()
	_, all, err := p.openRuns(d)
	if err != nil {
		return nil, err
	}
	out := []Status{}
	for _, o := range all {
		r := report.Of(o.state)
		r.Tickets = slices.DeleteFunc(r.Tickets, func(t report.Ticket) bool {
			return t.Status != run.Blocks && t.Status != run.Held && t.Status != run.Parks
		})
		if len(r.Tickets)+len(r.Alarms) == 0 {
			continue
		}
		st := Status{Report: r}
		if st.Others, err = p.othersOpen(d, o.dir.ID); err != nil {
			return nil, err
		}
		if st.Key, err = p.keyFlag(ctx, o.plan.Base.Commit); err != nil {
			return nil, err
		}
		out = append(out, st)
	}
	return out, nil
}

// Log is what was told of a run, or of one ticket of it.
type Log struct {
	Run    string
	Ticket string
	Lines  []LogLine
	Units  []UnitLog // with a ticket: what each unit left
}

// LogLine is one event.
type LogLine struct {
	N     int             `json:"n"`
	Event json.RawMessage `json:"event"`
	Value run.Event       `json:"-"`
}

// UnitLog is one unit of a ticket.
type UnitLog struct {
	Unit       string
	Transcript string // redacted
	Folder     string
}

// Logs gives the events of a run; of one ticket, with its units' transcripts.
func Logs(ctx context.Context, e Env, id, ticket string) (Log, error) {
	return withRun(ctx, e, id, func(p *project, _ *statedir.Dir, o *opened) (Log, error) {
		out := Log{Run: o.dir.ID}
		if ticket != "" {
			t, err := o.ticketOf(ticket)
			if err != nil {
				return out, err
			}
			out.Ticket = t.ID
		}
		for i, ev := range o.events {
			raw, err := run.Marshal(ev)
			if err != nil {
				return out, err
			}
			if out.Ticket == "" || concerns(raw, out.Ticket) {
				out.Lines = append(out.Lines, LogLine{N: i + 2, Event: raw, Value: ev})
			}
			if u, ok := ev.(run.Ended); ok && u.Unit.Ticket == out.Ticket && out.Ticket != "" {
				out.Units = append(out.Units, o.unitLog(u.Unit))
			}
		}
		return out, nil
	})
}

// concerns reports whether an event is about a ticket.
func concerns(raw []byte, ticket string) bool {
	var about struct {
		Ticket string `json:"ticket"`
		Unit   struct {
			Ticket string `json:"ticket"`
		} `json:"unit"`
	}
	return json.Unmarshal(raw, &about) == nil && (about.Ticket == ticket || about.Unit.Ticket == ticket)
}

func (o *opened) unitLog(id run.UnitID) UnitLog {
	name := "units/" + local.Slug(id)
	data, err := o.dir.ReadFile(name + "/transcript")
	if err != nil {
		data = nil // the unit never wrote one
	}
	return UnitLog{Unit: id.String(), Transcript: string(data), Folder: filepath.Join(o.dir.Path(), filepath.FromSlash(name))}
}

// Change is a ticket's work against its start commit.
type Change struct {
	Ticket string
	From   string
	To     string
	Stat   []worktree.FileStat
	Patch  string
	Cut    bool
}

// maxPatch bounds what `wf diff` reads at once.
const maxPatch = 4 << 20

// Diff gives what a ticket's accepted commits changed.
func Diff(ctx context.Context, e Env, id, ticket string) (Change, error) {
	return withRun(ctx, e, id, func(p *project, _ *statedir.Dir, o *opened) (Change, error) {
		t, err := o.ticketOf(ticket)
		if err != nil {
			return Change{}, err
		}
		out := Change{Ticket: t.ID, From: t.Start, To: t.Head}
		if t.Start == "" || t.Start == t.Head {
			return out, nil
		}
		if out.Stat, err = p.repo.DiffStat(ctx, t.Start, t.Head); err != nil {
			return out, repositoryRefusal(err)
		}
		out.Patch, out.Cut, err = p.repo.Diff(ctx, t.Start, t.Head, maxPatch)
		return out, repositoryRefusal(err)
	})
}

// Evidence is what the runner saw of a run's tickets.
type Evidence struct {
	Run     string
	Tickets []report.Ticket
	Records map[string]evidence.Record // by name
	Folder  string
}

// Evidences gives the records of a run, or of one ticket.
func Evidences(ctx context.Context, e Env, id, ticket string) (Evidence, error) {
	return withRun(ctx, e, id, func(p *project, _ *statedir.Dir, o *opened) (Evidence, error) {
		out := Evidence{Run: o.dir.ID, Records: map[string]evidence.Record{}, Folder: filepath.Join(o.dir.Path(), "evidence")}
		want := ""
		if ticket != "" {
			t, err := o.ticketOf(ticket)
			if err != nil {
				return out, err
			}
			want = t.ID
		}
		for _, t := range report.Of(o.state).Tickets {
			if want != "" && t.ID != want {
				continue
			}
			for _, g := range t.Evidence {
				if data, err := o.dir.ReadFile(recordFile(g.Record)); err == nil {
					if rec, err := evidence.Decode(data); err == nil {
						out.Records[g.Record] = rec
					}
				}
			}
			out.Tickets = append(out.Tickets, t)
		}
		return out, nil
	})
}

func recordFile(name string) string {
	return path.Join("evidence", strings.ReplaceAll(name, "/", "-")+".json")
}

// Verified says what of a run's evidence still fits.
type Verified struct {
	Run       string
	Approvals int // signatures that still fit
	Records   int
	Commits   int
	Wrong     []string
}

// Verify holds the approval and every record against their digests in the
// journal, signatures against the operators, and every commit's journal head
// against the journal. (law 4)
func Verify(ctx context.Context, e Env, id string) (Verified, error) {
	return withRun(ctx, e, id, func(p *project, _ *statedir.Dir, o *opened) (Verified, error) {
		out := Verified{Run: o.dir.ID}
		text, err := o.dir.ReadFile("journal.jsonl")
		if err != nil {
			return out, stateRefusal(err)
		}
		out.Approvals, out.Wrong = p.approvalFits(ctx, o)
		for _, ev := range o.events {
			switch ev := ev.(type) {
			case run.Gated:
				out.Records++
				if data, err := o.dir.ReadFile(recordFile(ev.Record)); err != nil {
					out.Wrong = append(out.Wrong, ev.Record+": the record is gone")
				} else if got := "sha256:" + digestHex(data); got != ev.Digest {
					out.Wrong = append(out.Wrong, ev.Record+": the record is not the one in the journal")
				}
			case run.Built:
				out.Commits++
				if why := p.headFits(ctx, text, ev.Commit); why != "" {
					out.Wrong = append(out.Wrong, ev.Unit.String()+": "+why)
				}
			}
		}
		moved, err := p.moved(ctx, o)
		out.Wrong = append(out.Wrong, moved...)
		return out, err
	})
}

// moved names branches of done tickets that are not at the commit that counts.
func (p *project) moved(ctx context.Context, o *opened) ([]string, error) {
	var out []string
	for t := range o.state.Tickets() {
		if t.Branch == "" || t.Status != run.Done || slices.Contains(t.Removed, "branch") {
			continue
		}
		at, err := p.repo.ReadRef(ctx, "refs/heads/"+t.Branch)
		if err != nil {
			return nil, repositoryRefusal(err)
		}
		if at != t.Head {
			out = append(out, fmt.Sprintf("%s: branch %s is at %s, what was accepted is %s", t.ID, t.Branch, orNone(at), short(t.Head)))
		}
	}
	return out, nil
}

// headFits checks the trailer of a commit against the journal.
func (p *project) headFits(ctx context.Context, journalText []byte, commit string) string {
	message, err := p.repo.CommitMessage(ctx, commit)
	if err != nil {
		return "commit " + short(commit) + " is gone"
	}
	const trailer = "Wf-Journal-Head: "
	i := strings.LastIndex(message, trailer)
	if i < 0 {
		return "commit " + short(commit) + " names no journal head"
	}
	head, _, _ := strings.Cut(message[i+len(trailer):], "\n")
	if !p.wasHead(journalText, strings.TrimSpace(head)) {
		return "commit " + short(commit) + " was made under another journal than this one"
	}
	return ""
}

// Preview is the next unit of a ticket, byte for byte as apply would send it.
type Preview struct {
	Unit   string
	Role   string
	Argv   []string
	Env    []string
	Prompt string
	Ticket string // the ticket file it gets
}

// PreviewUnit gives the command, environment and prompt of a ticket's next unit
// and starts nothing. (PLAN-12)
func PreviewUnit(ctx context.Context, e Env, id, ticket string) (Preview, error) {
	return withRun(ctx, e, id, func(p *project, _ *statedir.Dir, o *opened) (Preview, error) {
		t, err := o.ticketOf(ticket)
		if err != nil {
			return Preview{}, err
		}
		next, ok := o.state.NextUnit(t.ID)
		if !ok {
			return Preview{}, refuse(ExitFailure, codeNotNow, fmt.Sprintf("%s is %s and has no next unit.", t.ID, t.Status), "see `wf status`")
		}
		config, err := p.env.userConfig()
		if err != nil {
			return Preview{}, err
		}
		c := p.localConfig(ctx, o, nil, preflight{}, config)
		shown, err := local.Preview(c, next)
		if err != nil {
			return Preview{}, refuse(ExitFailure, codeHost, fmt.Sprintf("%s: %v.", next, err), "mend it, and look again")
		}
		return Preview{Unit: next.String(), Role: shown.Role, Argv: shown.Argv, Env: shown.Env, Prompt: shown.Prompt, Ticket: shown.Ticket}, nil
	})
}
