package dsl

// builtinCheck is one built-in check with the arguments it takes.
type builtinCheck struct {
	name     string
	args     []string
	required []string
	state    State
	runs     bool // a `run` of its own writes the report that the check reads
}

var checks = []builtinCheck{
	{name: "files_exist", args: []string{"paths"}, required: []string{"paths"}, state: Built},
	{name: "added_lines_must_not_match", args: []string{"pattern", "paths"}, required: []string{"pattern"}, state: Built},
	{name: "tests_not_weakened", args: []string{"paths"}, state: Built},
	{name: "max_diff_lines", args: []string{"max", "paths"}, required: []string{"max"}, state: Built},
	{name: "clean_tree", state: Built},
	{name: "no_hedging", state: Built},
	{name: "json_schema", args: []string{"schema", "paths"}, required: []string{"schema", "paths"}, state: Planned},
	{name: "no_new_dependencies", args: []string{"paths"}, state: Planned},
	{name: "coverage_not_lower", args: []string{"paths"}, required: []string{"paths"}, state: Planned, runs: true},
	{name: "http", args: []string{"url", "status", "pattern"}, required: []string{"url"}, state: Planned},
	{name: "sarif", args: []string{"paths", "max", "level"}, required: []string{"paths"}, state: Planned, runs: true},
}

// checkArgs are the keys of a gate that only checks read.
var checkArgs = []string{"pattern", "paths", "max", "schema", "url", "status", "level"}

func checkNames() []string {
	names := make([]string, 0, len(checks))
	for _, c := range checks {
		names = append(names, c.name)
	}
	return names
}

func plannedChecks() []string {
	var names []string
	for _, c := range checks {
		if c.state == Planned {
			names = append(names, c.name)
		}
	}
	return names
}

// checkNamed returns a built-in check; ok is false for an unknown name.
func checkNamed(name string) (builtinCheck, bool) {
	for _, c := range checks {
		if c.name == name {
			return c, true
		}
	}
	return builtinCheck{}, false
}
