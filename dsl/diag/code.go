package diag

// Code is a kind of finding. Each package declares its codes as package-level
// variables with Define, in its own block:
//
//	WF0xx dsl/syntax      bytes and YAML
//	WF1xx dsl             keys, values, required fields
//	WF2xx dsl/expr        expressions: types, phases, taint
//	WF3xx dsl             roles, pipelines, tickets, gates: what a typed workflow must keep
//	WF4xx planner         graph, bounds, scopes, money
//	WF5xx policies        layers, rules, verdicts
//	WF6xx verb, worktree  repository, plan file, approval, host
//	WF7xx dsl             in the language, not built or not run yet
type Code struct {
	ID       string
	Severity Severity
	Summary  string
}

// Define declares a code. It keeps no registry: a code exists where it is
// declared and explained by its page, pages/<ID>.md beside this file.
func Define(id string, severity Severity, summary string) Code {
	return Code{ID: id, Severity: severity, Summary: summary}
}

// At makes a finding of this code. detail says why in the words of this case;
// hint says what to do and may be empty.
func (c Code) At(r Range, detail, hint string) Finding {
	return Finding{Code: c.ID, Severity: c.Severity, Summary: c.Summary, Detail: brief(detail), Range: r, Hint: brief(hint)}
}
