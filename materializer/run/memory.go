package run

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/materializer/ticket"
)

// memory is what a unit is told of what was before: measured facts first, since
// a log line is one agent's opinion and a status is not. UNIT-16
func (p *prompter) memory() {
	p.line("## Memory", "", "### Facts", "")
	if p.verdict {
		p.judgeFacts()
		p.answers()
		p.line("")
		return
	}
	p.workFacts()
	p.answers()
	p.tail("### Log, its end", "earlier units of this ticket", p.n.written(ticket.Log))
	p.tail("### Plan", "earlier units of this ticket", p.n.written(ticket.Plan))
	p.tail("### JOURNAL.md, its end", "the runner; quotations in it by agents", p.journal())
	if p.stage.Mode == "plan" || p.stage.Mode == "orchestrate" {
		p.board()
	}
	p.line("")
}

func (p *prompter) tail(title, author, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	p.line("", title, "")
	p.fence(author, text, maxTail, true)
}

// judgeFacts are facts and evidence only: nothing that a writer planned, noted,
// said or named. Law 9
func (p *prompter) judgeFacts() {
	n := p.n
	p.linef("- bounces: %d of %d; commits on the branch: %d", n.Bounces, p.s.bounces(n), n.Commits)
	for _, r := range n.Records {
		if r.Commit != n.Head && (n.HeadTree == "" || r.Tree != n.HeadTree) {
			continue
		}
		tests := ""
		if r.Tests >= 0 {
			tests = fmt.Sprintf(", %d tests", r.Tests)
		}
		p.linef("- gate %s on this commit: %s, exit %d%s, record %s", r.Gate, r.Outcome, r.Exit, tests, r.Record)
	}
	for _, h := range p.earlierVerdicts() {
		p.linef("- %s said %s on commit %s", h.Unit, oneLine(h.Verdict, 40), h.Commit)
		if h.Reason != "" {
			p.fence("verdict unit "+h.Unit.String(), h.Reason, maxReasonText, false)
		}
	}
}

// earlierVerdicts are the last judgements that kept their contracts.
func (p *prompter) earlierVerdicts() []Handoff {
	var out []Handoff
	for _, h := range p.n.Handoffs {
		if p.s.judges(h.Unit) && h.Verdict != "" && (h.Status == "accepted" || h.Contract == ByVerdict) {
			out = append(out, h)
		}
	}
	return lastOf(out, maxLastHandoffs)
}

func lastOf[T any](list []T, k int) []T { return list[max(len(list)-k, 0):] }

func (p *prompter) workFacts() {
	n := p.n
	p.linef("- round %d, bounces: %d of %d; the bounce that reaches the limit parks the ticket", p.u.Round, n.Bounces, p.s.bounces(n))
	p.linef("- commits on the branch: %d", n.Commits)
	if n.Carry != nil {
		p.linef("- your worktree holds the work of the last round, which is not on the branch: %s", quoteList(n.Carry.Paths))
	}
	if files := n.files(); len(files) > 0 {
		p.linef("- files changed by this ticket: %s", strings.Join(clip(files, maxListed), ", "))
	}
	for _, h := range lastOf(n.Handoffs, maxLastHandoffs) {
		p.handoff(h)
	}
	if n.Diagnosis != "" && p.u.Purpose == "" {
		p.line("", "### Diagnosis of the refusal", "")
		p.fence("the unit that read it", n.Diagnosis, maxReasonText, false)
	}
}

func (p *prompter) handoff(h Handoff) {
	text := fmt.Sprintf("- %s: %s", h.Unit, h.Status)
	if h.Contract != "" && h.Contract != ByVerdict {
		text += " by the contract " + string(h.Contract)
	}
	if h.Verdict != "" {
		text += ", " + oneLine(h.Verdict, 40)
	}
	if h.Commit != "" {
		text += ", commit " + h.Commit
	}
	p.line(text)
	if h.Reason != "" {
		p.fence(h.author(), h.Reason, maxReasonText, false)
	}
}

func (h Handoff) author() string {
	if h.Status == "refused" && h.Contract != ByVerdict || h.Status == "rerun" || h.Status == "parked" {
		return "the runner, about unit " + h.Unit.String()
	}
	return "unit " + h.Unit.String()
}

// files are the paths that accepted rounds changed, as far as they are kept.
func (n *node) files() []string {
	var out []string
	for _, h := range n.Handoffs {
		if h.Status == "accepted" {
			for _, f := range h.Files {
				out = append(out, oneLine(f, 200))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// answers are a person's. A verdict unit sees those that its own stage asked for:
// another's question could be a writer's way to speak to it.
func (p *prompter) answers() {
	for _, q := range p.n.Asked {
		if !q.Answered || p.verdict && q.Unit.Stage != p.u.Stage {
			continue
		}
		p.line("", fmt.Sprintf("### Question %s", orElse(q.ID, "without a number")), "")
		p.fence("unit "+q.Unit.String(), q.Text, maxReasonText, false)
		p.line("", "The operator answered, and this is to be followed:", "")
		p.quote(q.Answer, maxReasonText, false)
	}
}

const journalLines = 20

func (p *prompter) journal() string {
	var b strings.Builder
	for _, h := range lastOf(p.s.handoffs(), journalLines) {
		b.WriteString(entry(h).String() + "\n")
	}
	return b.String()
}

// board lists the other tickets, for planning stages alone. UNIT-17
func (p *prompter) board() {
	p.line("", "### Board", "")
	shown := 0
	for t := range p.s.Tickets() {
		if t.ID == p.n.ID {
			continue
		}
		if shown++; shown > maxBoard {
			p.line("- and more")
			return
		}
		merged := ""
		if t.Branch != "" {
			merged = ", not merged to base"
		}
		p.linef("- %s: %s%s: %s", t.ID, t.Status, merged, oneLine(t.Title, 120))
	}
}
