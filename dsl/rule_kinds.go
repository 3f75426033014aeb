package dsl

import (
	"fmt"
	"slices"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// ruleProposals: who proposes plans, and what may be proposed is declared.
func ruleProposals(f *facts) diag.Findings {
	var out diag.Findings
	for i := range f.w.Tickets {
		t := &f.w.Tickets[i]
		if t.Kind != KindProposal || t.Within == nil {
			continue
		}
		if r, ok := f.role(t.Role); ok && r.Mode != PlanMode && r.Mode != Orchestrate {
			out = append(out, related(codeProposerMode.At(t.RoleRange, fmt.Sprintf("role `%s` proposes tickets and has mode `%s`.", r.Name, r.Mode), "Use a role with `mode: plan` or `mode: orchestrate`."), r.Range, "the role"))
		}
		out = append(out, f.withinRoles(t.Within)...)
		out = append(out, f.withinPipelines(t.Within)...)
	}
	return out
}

// withinRoles: proposed tickets have declared roles, and none proposes in turn.
func (f *facts) withinRoles(w *Within) diag.Findings {
	var out diag.Findings
	for _, u := range w.Roles {
		out = append(out, f.unknownRole(u.Name, u.Range)...)
		if r, ok := f.role(u.Name); ok && r.Mode == Orchestrate {
			out = append(out, related(codeOrchestrate.At(u.Range, fmt.Sprintf("role `%s` has mode `orchestrate`; a proposed ticket does not propose in turn.", u.Name), "Remove it from `within`."), r.Range, "the role"))
		}
	}
	return out
}

// withinPipelines: a pipeline brings no role that was not named.
func (f *facts) withinPipelines(w *Within) diag.Findings {
	var out diag.Findings
	for _, u := range w.Pipelines {
		i, ok := f.pipelines[u.Name]
		if !ok {
			out = append(out, f.unknownPipeline(u.Name, u.Range)...)
			continue
		}
		for _, s := range f.w.Pipelines[i].Stages {
			for _, name := range append(slices.Clone(s.Workers()), s.First) {
				if name == "" || slices.ContainsFunc(w.Roles, func(r RoleUse) bool { return r.Name == name }) {
					continue
				}
				out = append(out, related(codeOutsideWithin.At(u.Range, fmt.Sprintf("stage `%s` of pipeline `%s` hires `%s`, which is not among the roles of `within`.", s.Name, u.Name, name), "Add `"+name+"` to `roles`, or remove the pipeline."), s.Range, "the stage"))
			}
		}
	}
	return out
}

func (f *facts) unknownPipeline(name string, at diag.Range) diag.Findings {
	var known []string
	for _, p := range f.w.Pipelines {
		known = append(known, p.Name)
	}
	return diag.Findings{f.mixedUp(unknownWord(codeUnknownPipeline, name, at, fmt.Sprintf("No pipeline `%s` is declared under `pipelines:`.", name), known), name, "pipeline")}
}

// ruleHelpers: roles beside the stages exist, and do only what they are there for.
func ruleHelpers(f *facts) diag.Findings {
	var out diag.Findings
	for i := range f.w.Roles {
		r := &f.w.Roles[i]
		u := RoleUse{r.Inspector, r.InspectorRange}
		out = append(out, f.unknownRole(u.Name, u.Range)...)
		out = append(out, f.mustRead(u, "", "inspects units of `"+r.Name+"`")...)
	}
	for i := range f.w.Tickets {
		t := &f.w.Tickets[i]
		for _, u := range []RoleUse{t.Escalate, t.OnConflict, t.Inspector} {
			out = append(out, f.unknownRole(u.Name, u.Range)...)
		}
		out = append(out, f.mustRead(t.Escalate, "", "is asked by units of `"+t.Name+"`")...)
		out = append(out, f.mustRead(t.Inspector, "", "inspects units of `"+t.Name+"`")...)
		if r, ok := f.role(t.OnConflict.Name); ok && readOnly(r.Mode) {
			out = append(out, related(codeResolverMode.At(t.OnConflict.Range, fmt.Sprintf("role `%s` resolves conflicts of ticket `%s` and has mode `%s`, which changes no file.", r.Name, t.Name, r.Mode), "Use a role with `mode: chat`."), r.Range, "the role"))
		}
	}
	return out
}

// ruleStageOutputs: what a stage owes is an output of every ticket of its
// pipeline; where one stage lists its own, each output is due at some stage.
func ruleStageOutputs(f *facts) diag.Findings {
	var out diag.Findings
	for i := range f.w.Tickets {
		t := &f.w.Tickets[i]
		stages := f.listed(t)
		var due []string
		before := len(out)
		for _, s := range stages {
			due = append(due, s.Outputs...)
			for k, name := range s.Outputs {
				if !slices.ContainsFunc(t.Outputs, func(o OutputField) bool { return o.Name == name }) {
					out = append(out, related(unknownWord(codeUnknownOutput, name, s.OutputRanges[k], fmt.Sprintf("stage `%s` owes `%s`, which is no output of ticket `%s`.", s.Name, name, t.Name), outputNames(t)), t.Range, "the ticket"))
				}
			}
		}
		if len(out) > before || !slices.ContainsFunc(stages, func(s Stage) bool { return s.OutputsSet }) {
			continue
		}
		for _, o := range t.Outputs {
			if !slices.Contains(due, o.Name) {
				out = append(out, codeOutputNowhere.At(o.Range, fmt.Sprintf("stages of ticket `%s` list the outputs they owe, and none owes `%s`; nobody would deliver it.", t.Name, o.Name), "Add it to the `outputs` of a stage."))
			}
		}
	}
	return out
}

func outputNames(t *Ticket) []string {
	var out []string
	for _, o := range t.Outputs {
		out = append(out, o.Name)
	}
	return out
}

// ruleConstantStageWhen: a stage that is never entered is a leftover.
func ruleConstantStageWhen(f *facts) diag.Findings {
	return eachStage(f, func(p Pipeline, i int, s Stage) diag.Findings {
		v, ok := s.When.Value.Bool()
		switch {
		case !s.When.Set || !s.When.Known || !ok:
			return nil
		case v:
			return diag.Findings{codeConstantWhen.At(s.When.Range, fmt.Sprintf("the `when` of stage `%s` is always true.", s.Name), "Remove it.")}
		}
		return diag.Findings{codeAlwaysSkipped.At(s.When.Range, fmt.Sprintf("the `when` of stage `%s` is always false; no ticket enters it.", s.Name), "Remove the stage, or mend the condition.")}
	})
}

// ruleReports: a check that reads a report has a `run` which writes it.
func ruleReports(f *facts) diag.Findings {
	return eachGate(f, func(t *Ticket, i int, g *Gate) diag.Findings {
		c, ok := checkNamed(g.Check)
		if !ok || !c.runs || len(g.Argv) > 0 || g.Script != "" {
			return nil
		}
		return diag.Findings{codeStrayRun.At(g.CheckRange, fmt.Sprintf("`check: %s` reads a report, and gate `%s` has no `run` that writes one; a gate starts from the commit alone.", c.name, g.Name), "Add `run:` with the command that writes the files under `paths`.")}
	})
}
