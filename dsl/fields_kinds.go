package dsl

import "slices"

// axisFields are a gate's, but for the name, which is the axis' key.
var axisFields = axisTable()

func axisTable() []FieldDoc {
	out := []FieldDoc{shaped(ownerAxis, "gated", ShapeFlag, "bool", "Whether a failure blocks and a check that could not run holds; where not, the result is only told.").byDefault("true")}
	for _, f := range gateFields {
		if f.Name != "name" {
			f.Owner = ownerAxis
			out = append(out, f)
		}
	}
	return slices.Clip(out)
}

var confirmFields = []FieldDoc{
	named(ownerConfirm, "by", "Who confirms a finding: any reviewer but its author.", "any_other").byDefault("any_other"),
	named(ownerConfirm, "at_least", "The lowest priority that needs a confirmation.", priorities...).byDefault("P1"),
}

var withinFields = []FieldDoc{
	shaped(ownerWithin, "roles", ShapeNames, "string", "The roles that proposed tickets may have.").required(),
	shaped(ownerWithin, "pipelines", ShapeNames, "string", "The pipelines that proposed tickets may go through."),
	planned(ownerWithin, "scope", "glob", "", "What proposed tickets may change: a ceiling that is approved.").list(),
	shaped(ownerWithin, "effects", ShapeNames, "string", "The effects that proposed tickets may have; those of its roles where left out.").words(Effects),
	planned(ownerWithin, "budget", "money", "", "What all proposed tickets cost at most.").required(),
	planned(ownerWithin, "units", "int", "", "Sessions that proposed tickets start in all.").required(),
}

var notifyFields = []FieldDoc{
	planned(ownerNotify, "run", "string", "", "The command, split into words without a shell.").required(),
	shaped(ownerNotify, "on", ShapeNames, "string", "The statuses that call it.").words(notifyWords),
	planned(ownerNotify, "timeout", "duration", "30s", "Time of one call."),
	planned(ownerNotify, "network", "string", "none", "none, open, or host names.").list(),
}

var checkoutFields = []FieldDoc{
	planned(ownerCheckout, "ref", "ref", "", "The branch, tag or commit, resolved when the plan is made.").required(),
	shaped(ownerCheckout, "submodules", ShapeFlag, "bool", "Whether submodules are checked out.").byDefault("false"),
	shaped(ownerCheckout, "lfs", ShapeFlag, "bool", "Whether files of Git LFS are fetched.").byDefault("false"),
	planned(ownerCheckout, "sparse", "glob", "", "The only paths that are checked out.").list(),
}

var provesFields = []FieldDoc{
	planned(ownerProves, "tests", "glob", "", "The tests, which the gate runs against the base's sources.").list().required(),
}

var notifyWords = []string{"blocked", "parked", "held", "done"}

// priorities of findings, the gravest first.
var priorities = []string{"P0", "P1", "P2", "P3"}

// Effects names every class of change to the world. The planner gives each its
// tier and meaning; a proposal may be kept to some of them.
var Effects = []string{
	"fs.write", "process.exec", "fs.delete", "git.commit", "workspace.restructure", "package.install", "secret.read", "audit.writable",
	"fs.write_outside", "git.push", "pr.create", "pr.publish", "sync.write", "rig.control", "network.egress", "model.call",
}
