package dsl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/expr"
	"github.com/seed9cc7a46e/wf/dsl/syntax"
)

// kindOf reads what only one kind of ticket has, and tells of what another has.
func (d *decoder) kindOf(t *Ticket, o object, sc *scopes) {
	if o.node == nil {
		return
	}
	d.strayKeys(t.Kind, o)
	switch t.Kind {
	case KindReview:
		t.Review = d.review(o, sc)
	case KindProposal:
		t.Within = d.within(o, sc)
	}
}

// strayKeys tells of fields that another kind of ticket has.
func (d *decoder) strayKeys(kind string, o object) {
	if kind == "" {
		kind = "work"
	}
	for _, e := range o.node.Entries {
		f := fieldIndex()[fieldKey{ownerTicket, e.Key.Value}]
		if len(f.Kinds) == 0 || slices.Contains(f.Kinds, kind) || f.State == Later {
			continue
		}
		hint := "Remove it, or write `kind: " + f.Kinds[0] + "`."
		if kind != "work" && slices.Contains(f.Kinds, "work") {
			hint = "Remove it, or make it a ticket of its own without `kind`."
		}
		d.add(codeStrayKind, e.Key.Range, fmt.Sprintf("`%s` belongs to a ticket of kind %s; %s is of kind %s.", f.Name, strings.Join(f.Kinds, " or "), o.label, kind), hint)
	}
}

func (o object) roleUse(name string) RoleUse {
	w := o.word(name)
	return RoleUse{Name: w.text, Range: w.at}
}

func (o object) roleUses(name string) []RoleUse {
	var out []RoleUse
	for _, w := range o.words(name) {
		out = append(out, RoleUse{Name: w.text, Range: w.at})
	}
	return out
}

func (d *decoder) review(o object, sc *scopes) *ReviewParts {
	r := &ReviewParts{Reviewers: o.roleUses("reviewers"), MaxFindings: o.scalar("max_findings", sc)}
	switch n := o.get("reviewers"); {
	case n == nil:
		d.add(codeMissing, o.key, o.label+" is a review and has no `reviewers`.", "Add `reviewers: [security, correctness]`, with roles of `mode: review`.")
	case len(r.Reviewers) == 0 && n.Kind != syntax.Mapping:
		d.add(codeEmpty, o.keyRange("reviewers"), o.label+" has no reviewers.", "Name roles with `mode: review`.")
	}
	for _, n := range d.names(o.get("axes"), "`axes`", "axis", false) {
		ao := d.object(ownerAxis, "axis `"+n.name+"`", n.at, n.node)
		r.Axes = append(r.Axes, ReviewAxis{Gate: d.gateOf(ao, n.name, sc), Gated: ao.get("gated") == nil || ao.flag("gated")})
	}
	if n := o.get("confirm"); n != nil {
		co := d.object(ownerConfirm, "`confirm`", o.keyRange("confirm"), n)
		r.Confirm = &Confirm{By: wordOr(co, "by"), AtLeast: wordOr(co, "at_least"), Range: co.key}
	}
	return r
}

// wordOr reads a word; the default of its field where it is not written or wrong.
func wordOr(o object, name string) string {
	if w := o.word(name); w.text != "" {
		return w.text
	}
	return field(o.owner, name).Default
}

func (d *decoder) within(o object, sc *scopes) *Within {
	n := o.get("within")
	if n == nil {
		d.add(codeMissing, o.key, o.label+" is a proposal and has no `within`; what it proposes would have no bounds.", "Add `within: {roles: [writer], budget: 4 USD, units: 12}`.")
		return &Within{Range: o.key}
	}
	wo := d.object(ownerWithin, "`within`", o.keyRange("within"), n)
	return &Within{
		Roles: wo.roleUses("roles"), Pipelines: wo.roleUses("pipelines"), Scope: wo.scalars("scope", sc),
		Effects: texts(wo.words("effects")), EffectsSet: wo.get("effects") != nil,
		Budget: wo.scalar("budget", sc), Units: wo.scalar("units", sc), Range: wo.key,
	}
}

func (d *decoder) checkout(o object, sc *scopes) *Checkout {
	n := o.get("checkout")
	if n == nil {
		return nil
	}
	co := d.object(ownerCheckout, "`checkout`", o.keyRange("checkout"), n)
	return &Checkout{Ref: co.scalar("ref", sc), Submodules: co.flag("submodules"), LFS: co.flag("lfs"), Sparse: co.scalars("sparse", sc), Range: co.key}
}

func (d *decoder) notify(o object, sc *scopes) *Notify {
	n := o.get("notify")
	if n == nil {
		return nil
	}
	if n.Kind == syntax.Scalar {
		f := d.wrongShape(n, "`notify`", "a mapping with `run`")
		f.Hint = "Write `notify: {run: " + n.Value + "}`."
		f.Edit = &diag.Edit{Range: n.Range, NewText: "{run: " + n.Value + "}"}
		return nil
	}
	no := d.object(ownerNotify, "`notify`", o.keyRange("notify"), n)
	out := &Notify{On: texts(no.words("on")), Timeout: no.scalar("timeout", sc), Network: no.oneOrMore("network", sc), Range: no.key}
	if run := no.get("run"); run != nil && run.Kind == syntax.Scalar {
		out.Argv = d.command(run, sc)
	} else if run != nil {
		d.wrongShape(run, "`run`", "a command")
	}
	if no.get("on") == nil {
		out.On = slices.Clone(notifyWords)
	}
	return out
}

// Verdicts of a review, the mildest first. Axes and open findings only tighten it.
var reviewVerdicts = []string{"ship", "hold", "block"}

// FindingType is the record of one finding of a review. What reviewers wrote in
// it is untrusted; most is the most of them.
func FindingType() expr.Type {
	text := expr.Type{Kind: expr.String}
	whole := expr.Type{Kind: expr.Int}
	zero, one, first := 0.0, 1.0, 1.0
	whole.Limits.Min = &first
	last := whole
	last.Optional = true
	anchor := expr.Type{Kind: expr.Record, Name: "anchor", Optional: true, Fields: []expr.Field{
		{Name: "path", Type: expr.Type{Kind: expr.Path}}, {Name: "line", Type: whole}, {Name: "end_line", Type: last},
	}}
	return expr.Type{Kind: expr.Record, Name: "finding", Fields: []expr.Field{
		{Name: "kind", Type: expr.Type{Kind: expr.Enum, Enum: []string{"bug", "suggestion", "recommendation", "question", "ticket"}}},
		{Name: "priority", Type: expr.Type{Kind: expr.Enum, Enum: slices.Clone(priorities)}},
		{Name: "confidence", Type: expr.Type{Kind: expr.Number, Limits: expr.Constraints{Min: &zero, Max: &one}}},
		{Name: "text", Type: text},
		{Name: "anchor", Type: anchor},
		{Name: "status", Type: expr.Type{Kind: expr.Enum, Enum: []string{"open", "consensus_ready"}}},
		{Name: "by", Type: text},
		{Name: "confirmed_by", Type: expr.ListOf(text)},
	}}
}

// reviewOutputs are the outputs of every review.
func reviewOutputs(most *int) []OutputField {
	list := expr.ListOf(FindingType())
	list.Limits.MaxItems = most
	return []OutputField{
		{Name: "verdict", Type: expr.Type{Kind: expr.Enum, Enum: slices.Clone(reviewVerdicts)}},
		{Name: "findings", Type: list},
	}
}

// Delivers lists what others see of the ticket: its outputs as written, or those
// that its kind has.
func (t *Ticket) Delivers() []OutputField {
	if t.Kind != KindReview {
		return t.Outputs
	}
	var most *int
	if t.Review != nil && t.Review.MaxFindings.Known {
		if n, ok := t.Review.MaxFindings.Value.Int(); ok {
			whole := int(n)
			most = &whole
		}
	}
	return reviewOutputs(most)
}
