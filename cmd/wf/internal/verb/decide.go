package verb

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/seed9cc7a46e/wf/cmd/wf/internal/statedir"
	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/materializer/run"
	"github.com/seed9cc7a46e/wf/materializer/run/journal"
	"github.com/seed9cc7a46e/wf/planner"
	"github.com/seed9cc7a46e/wf/planner/approval"
)

// Names below a run's folder.
const (
	approvalFile = "approval.json"
	decisionsDir = "decisions"
)

// DecideRequest is a person's word during a run.
type DecideRequest struct {
	Run      string
	Kind     string // one of run's decisions
	Ticket   string
	Question string
	Text     string
	Stage    string
	Amount   planner.Money
	Signer   Signer
	Terminal bool // a person is at the controlling terminal
	User     string
}

// Decision is what became of it.
type Decision struct {
	Run     string
	Decided run.Decided
	Live    bool // another process carries the run out and was told
}

// Decide records a decision: in the journal, or, where another process carries
// the run out, in its inbox, with a signal to look there.
func Decide(ctx context.Context, e Env, req DecideRequest) (Decision, error) {
	return withRun(ctx, e, req.Run, func(p *project, d *statedir.Dir, o *opened) (Decision, error) {
		if err := p.outside(); err != nil {
			return Decision{}, err
		}
		return p.decide(ctx, o, req)
	})
}

func (p *project) decide(ctx context.Context, o *opened, req DecideRequest) (Decision, error) {
	if req.Ticket != "" {
		t, err := o.ticketOf(req.Ticket)
		if err != nil {
			return Decision{}, err
		}
		req.Ticket = t.ID
	}
	if req.Question != "" && !asked(o.state, req.Question) {
		return Decision{}, refuse(ExitFailure, codeNoQuestion, fmt.Sprintf("Run %s has no question %s.", o.dir.ID, req.Question), "`wf inbox` shows the open ones")
	}
	word := run.Decided{Kind: req.Kind, Ticket: req.Ticket, Question: req.Question, Text: req.Text, Stage: req.Stage, Amount: req.Amount, At: p.now()}
	if why, ok := run.Admissible(o.state, word); !ok {
		return Decision{}, refuse(ExitFailure, codeNotNow, diag.Capital(why)+".", "see `wf status` for what each ticket waits for")
	}
	if err := p.sign(ctx, o, req, &word); err != nil {
		return Decision{}, err
	}
	lock, err := o.dir.Lock()
	var held *statedir.LockedBy
	if errors.As(err, &held) {
		return Decision{Run: o.dir.ID, Decided: word, Live: true}, p.handOver(o, word, held)
	}
	if err != nil {
		return Decision{}, stateRefusal(err)
	}
	defer lock.Release()
	return Decision{Run: o.dir.ID, Decided: word}, p.write(o, word)
}

// asked reports whether a run has a question of this number.
func asked(s *run.State, question string) bool {
	for t := range s.Tickets() {
		for _, q := range t.Asked {
			if q.ID == question {
				return true
			}
		}
	}
	return false
}

// sign makes the decision a signed record where the base commit names
// operators; elsewhere it takes the controlling terminal.
func (p *project) sign(ctx context.Context, o *opened, req DecideRequest, word *run.Decided) error {
	ops, err := p.operators(ctx, o.plan.Base.Commit)
	if err != nil {
		return err
	}
	if ops.Empty() {
		if !req.Terminal && o.state.Run().Approval != string(approval.Auto) {
			return refuse(ExitWaiting, codeNobody, "No person is at a terminal, and the base commit names no operators who could sign.", "type the command at a terminal; for decisions from scripts and CI, commit "+operatorsFile+" and name a key with --key")
		}
		word.By, word.How = req.User, string(approval.TTY)
		if req.Terminal {
			return p.aloneAtTerminal()
		}
		word.How = string(approval.Auto) // the run was begun without a person too
		return nil
	}
	signer, operator, err := p.env.signer(req.Signer, ops, approval.DecisionNamespace)
	if err != nil {
		return err
	}
	nonce, err := newNonce()
	if err != nil {
		return err
	}
	text, err := approval.SignDecision(approval.Decision{
		Format: approval.Format, Run: o.dir.ID, Head: o.head, Choice: word.Kind, Target: target(*word), Text: bound(*word), Nonce: nonce, Signer: operator.Names[0],
	}, signer)
	if err != nil {
		return refuse(ExitFailure, codeKey, fmt.Sprintf("Signing failed: %v.", err), "try another key with --key")
	}
	word.By, word.How, word.Signature = operator.Names[0], string(approval.SSH), string(text)
	return nil
}

// target is what a decision is about, as it is signed.
func target(d run.Decided) string {
	if d.Question != "" {
		return d.Question
	}
	return d.Ticket
}

// bound is everything else a decision says, as it is signed.
func bound(d run.Decided) string {
	text := d.Text
	if d.Stage != "" {
		text += "\nstage: " + d.Stage
	}
	if d.Amount != 0 {
		text += "\namount: " + d.Amount.String()
	}
	return text
}

// write appends the decision to the journal of a run nobody carries out.
func (p *project) write(o *opened, word run.Decided) error {
	fresh, err := p.begin(o.dir)
	if err != nil {
		return err
	}
	j, _, _, err := journal.Open(o.dir.JournalPath(), fresh.visit)
	if err != nil {
		return journalRefusal(o.dir.ID, err)
	}
	defer j.Close()
	if why, ok := run.Admissible(fresh.state, word); !ok {
		return refuse(ExitFailure, codeNotNow, why+".", "see `wf status`")
	}
	return p.append(j, fresh, word)
}

// handOver leaves the decision for the process that carries the run out.
func (p *project) handOver(o *opened, word run.Decided, held *statedir.LockedBy) error {
	nonce, err := newNonce()
	if err != nil {
		return err
	}
	raw, err := run.Marshal(word)
	if err != nil {
		return err
	}
	if err := o.dir.WriteFile(decisionsDir+"/"+nonce+".json", raw); err != nil {
		return stateRefusal(err)
	}
	if held.Holder.Alive {
		if proc, err := os.FindProcess(held.Holder.Process.PID); err == nil {
			// A process that ended meanwhile left the run; the decision is taken up by the next apply.
			_ = proc.Signal(syscall.SIGUSR1)
		}
	}
	return nil
}

// takeDecisions reads the inbox of a run that this process carries out. A
// signature must be about this run and a state it has been in.
func (p *project) takeDecisions(o *opened) ([]run.Decided, error) {
	dir := filepath.Join(o.dir.Path(), decisionsDir)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []run.Decided
	for _, entry := range entries {
		name := decisionsDir + "/" + entry.Name()
		raw, err := o.dir.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if word, ok := p.genuine(o, raw); ok {
			out = append(out, word)
		}
		if err := os.Remove(filepath.Join(dir, entry.Name())); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out, func(a, b run.Decided) int { return strings.Compare(a.At+a.Ticket+a.Kind, b.At+b.Ticket+b.Kind) })
	return out, nil
}

func (p *project) genuine(o *opened, raw []byte) (run.Decided, bool) {
	ev, err := run.Unmarshal(raw)
	if err != nil {
		return run.Decided{}, false
	}
	word, ok := ev.(run.Decided)
	if !ok {
		return run.Decided{}, false
	}
	ops, err := p.operators(context.Background(), o.plan.Base.Commit)
	if err != nil {
		return run.Decided{}, false
	}
	if ops.Empty() {
		return word, word.Signature == ""
	}
	return word, p.counts(o, word, ops)
}

// counts checks a signed decision against the words it is to sign.
func (p *project) counts(o *opened, word run.Decided, ops approval.Operators) bool {
	head := claimedHead(word.Signature)
	text, err := os.ReadFile(o.dir.JournalPath())
	if err != nil || head == "" || !p.wasHead(text, head) {
		return false
	}
	signed, refusal := approval.VerifyDecision([]byte(word.Signature), ops, approval.WantDecision{Run: o.dir.ID, Head: head, Now: p.env.Now()})
	return refusal.OK() && signed.Choice == word.Kind && signed.Target == target(word) && signed.Text == bound(word) && signed.Signer == word.By
}

// wasHead reports whether the journal has had this head: some line names it as
// the one before, or it is the last line's.
func (p *project) wasHead(text []byte, head string) bool {
	if bytes.Contains(text, []byte(`"prev":"`+head+`"`)) {
		return true
	}
	lines := bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	last := append(bytes.Clone(lines[len(lines)-1]), '\n')
	return digestHex(last) == head
}

// claimedHead reads which head a signed record speaks of; the signature is
// checked afterwards.
func claimedHead(record string) string {
	i := strings.Index(record, `"head": "`)
	if i < 0 {
		return ""
	}
	rest := record[i+len(`"head": "`):]
	head, _, _ := strings.Cut(rest, `"`)
	return head
}

// encodeApproval and decodeApproval keep an approval beside its run.
func encodeApproval(a approval.Approval) ([]byte, error) {
	data, err := json.MarshalIndent(a, "", "  ")
	return append(data, '\n'), err
}

func decodeApproval(data []byte) (approval.Approval, error) {
	var a approval.Approval
	err := json.Unmarshal(data, &a)
	return a, err
}
