package dsl

import (
	"fmt"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// eachStage calls a rule for the stages of every pipeline.
func eachStage(f *facts, judge func(p Pipeline, i int, s Stage) diag.Findings) diag.Findings {
	var out diag.Findings
	for _, p := range f.w.Pipelines {
		for i, s := range p.Stages {
			out = append(out, judge(p, i, s)...)
		}
	}
	return out
}

// ruleStageNames: a stage's name is its own, and no word of routing.
func ruleStageNames(f *facts) diag.Findings {
	return eachStage(f, func(p Pipeline, i int, s Stage) diag.Findings {
		switch s.Name {
		case "":
			return nil
		case ToNext, ToDone, ToPark:
			return diag.Findings{codeName.At(s.Range, fmt.Sprintf("`%s` is a word of verdicts; a verdict could not lead to this stage.", s.Name), "Choose another name.")}
		}
		for _, before := range p.Stages[:i] {
			if before.Name == s.Name {
				return diag.Findings{related(codeTwiceStage.At(s.Range, fmt.Sprintf("pipeline `%s` has two stages `%s`; a verdict could not say which it means.", p.Name, s.Name), "Rename one."), before.Range, "the first")}
			}
		}
		return nil
	})
}

// ruleStageRoles: the roles of stages exist.
func ruleStageRoles(f *facts) diag.Findings {
	return eachStage(f, func(p Pipeline, i int, s Stage) diag.Findings {
		return append(f.unknownRole(s.Role, s.RoleRange), f.unknownRole(s.First, s.FirstRange)...)
	})
}

func (f *facts) unknownRole(name string, at diag.Range) diag.Findings {
	if _, ok := f.role(name); ok || name == "" {
		return nil
	}
	unknown := unknownWord(codeUnknownRole, name, at, fmt.Sprintf("No role `%s` is declared under `roles:`.", name), f.roleNames())
	return diag.Findings{f.mixedUp(unknown, name, "role")}
}

// ruleStageModes: a stage only tightens its role's mode. chat is the loosest;
// the three read-only modes are none tighter than another.
func ruleStageModes(f *facts) diag.Findings {
	return eachStage(f, func(p Pipeline, i int, s Stage) diag.Findings {
		r, ok := f.role(s.Role)
		if !ok || s.Mode == "" || s.Mode == r.Mode || r.Mode == Chat {
			return nil
		}
		return diag.Findings{related(codeLooser.At(s.Range, fmt.Sprintf("stage `%s` has mode `%s`, its role `%s` only `%s`.", s.Name, s.Mode, r.Name, r.Mode), "Remove the stage's `mode`, or give the stage another role."), r.Range, "the role")}
	})
}

// ruleReadOnly: a mode that cannot write does not stand where something is to be written.
func ruleReadOnly(f *facts) diag.Findings {
	out := eachStage(f, func(p Pipeline, i int, s Stage) diag.Findings { return f.readOnlyWriter(s) })
	for at := range f.w.Tickets {
		t := &f.w.Tickets[at]
		if t.Pipeline == "" && t.Role != "" && t.Kind != KindProposal {
			out = append(out, f.readOnlyWriter(t.soleStage())...)
		}
	}
	return out
}

func (f *facts) readOnlyWriter(s Stage) diag.Findings {
	r, ok := f.role(s.Role)
	mode := r.Mode
	if s.Mode != "" {
		mode = s.Mode
	}
	switch {
	case !ok:
	case mode == Orchestrate:
		return diag.Findings{related(codeOrchestrate.At(s.RoleRange, fmt.Sprintf("role `%s` has mode `orchestrate`, which occurs only in proposals.", r.Name), "Use a role with mode `plan` or `review`."), r.Range, "the role")}
	case s.writing() && readOnly(mode):
		return diag.Findings{related(codeReadOnlyWriter.At(s.RoleRange, fmt.Sprintf("role `%s` has mode `%s` and cannot change files, but stage `%s` writes.", r.Name, mode, s.Name), "Use a role with mode `chat`, or remove what it would write."), r.Range, "the role")}
	}
	return nil
}

// ruleWriters: a stage works or judges; who judges does not write.
func ruleWriters(f *facts) diag.Findings {
	return eachStage(f, func(p Pipeline, i int, s Stage) diag.Findings {
		if s.writing() && s.judging() {
			return diag.Findings{codeJudgeWrites.At(s.Range, fmt.Sprintf("stage `%s` has `writes` and `verdict`; nobody would judge what it wrote.", s.Name), "Make it two stages.")}
		}
		return nil
	})
}
