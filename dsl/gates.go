package dsl

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/syntax"
)

func (d *decoder) gates(o object, sc *scopes) []Gate {
	items := d.items(o.get("gates"), "`gates`", false)
	if len(items) == 0 {
		return nil
	}
	out := make([]Gate, 0, len(items))
	for _, item := range items {
		out = append(out, d.gate(item, sc))
	}
	return out
}

func (d *decoder) gate(n *syntax.Node, sc *scopes) Gate {
	label, at := "gate", n.Range
	if name := n.Get("name"); name != nil && name.Kind == syntax.Scalar {
		label, at = "gate `"+name.Value+"`", name.Range
	}
	if n.Kind == syntax.Scalar {
		d.wrongShape(n, label, "a mapping of its fields").Hint = fmt.Sprintf("Write `{name: NAME, run: %s}`.", n.Value)
		return Gate{Range: n.Range}
	}
	o := d.object(ownerGate, label, at, n)
	return d.gateOf(o, d.part(o.word("name"), "gate"), sc)
}

// gateOf reads what gates and axes have in common.
func (d *decoder) gateOf(o object, name string, sc *scopes) Gate {
	g := Gate{Range: o.key, Name: name, RunRange: o.keyRange("run")}
	check, shell, count := o.word("check"), o.word("shell"), o.word("count")
	g.Check, g.CheckRange, g.Shell = check.text, check.at, shell.text
	d.gateWork(&g, o, sc)
	g.Env = d.envOf(o, sc)
	g.Timeout, g.Workdir, g.MinTests = o.scalar("timeout", sc), o.scalar("workdir", sc), o.scalar("min_tests", sc)
	g.Count, g.CountRange = d.counting(count), count.at
	g.Network = o.oneOrMore("network", sc)
	g.Reused = o.get("fresh") != nil && !o.flag("fresh")
	if n := o.get("proves"); n != nil {
		g.Proves = d.object(ownerProves, "`proves`", o.keyRange("proves"), n).scalars("tests", sc)
	}
	for _, name := range checkArgs {
		if o.get(name) != nil {
			g.Args = append(g.Args, GateArg{Name: name, Values: o.oneOrMore(name, sc), Range: o.keyRange(name)})
		}
	}
	return g
}

// gateWork reads the one of run, shell script and check that the gate is.
func (d *decoder) gateWork(g *Gate, o object, sc *scopes) {
	run, check, label := o.get("run"), o.get("check"), o.label
	builtin, _ := checkNamed(g.Check)
	switch {
	case o.node == nil:
	case run == nil && check == nil && o.get("shell") != nil:
		d.add(codeMissing, o.key, label+" has `shell:` and no `run:`.", "Put the script under `run:`.")
	case run == nil && check == nil:
		d.add(codeMissing, o.key, label+" has neither `run:` nor `check:`; it would check nothing.", "Add one, as in `run: go test ./...`.")
	case run != nil && check != nil && !builtin.runs:
		d.add(codeExclusive, o.keyRange("check"), label+" has `run:` and `check:`; a gate is one of them.", "Make it two gates.")
	case run == nil:
	case run.Kind != syntax.Scalar:
		f := d.wrongShape(run, "`run`", "a command")
		f.Hint = "Write the words in one line, as in `run: go test ./...`."
	case o.get("shell") != nil:
		d.shellText(g, run, sc)
	default:
		g.Argv = d.command(run, sc)
	}
}

// shellText takes a script; no value may become part of its text.
func (d *decoder) shellText(g *Gate, n *syntax.Node, sc *scopes) {
	if i := strings.Index(n.Value, "${{"); i >= 0 {
		d.add(codeShellExpression, n.RangeAt(i, islandEnd(n.Value, i)), "A shell would run what the value says; quotes do not prevent it.", "Give the value through `env:`, as in `env: {NAME: ${{ … }}}`, and write \"$NAME\" in the script.")
		return
	}
	if strings.TrimSpace(n.Value) == "" {
		d.add(codeEmpty, n.Range, "`run` has no text.", "Write the script.")
	}
	g.Script = n.Value
}

// counting checks go, tap, junit:PATH, pattern:RE.
func (d *decoder) counting(w word) string {
	how, rest, given := strings.Cut(w.text, ":")
	switch {
	case w.text == "", w.text == "go", w.text == "tap":
		return w.text
	case how == "junit" && given && strings.TrimSpace(rest) != "":
		return w.text
	case how == "pattern" && given && rest != "":
		if _, err := regexp.Compile(rest); err != nil {
			d.add(codePattern, w.at, unreadablePattern(err), "Patterns are RE2, as in Go; `\\` before a sign takes it as it stands.")
		}
		return w.text
	}
	d.add(codeUnknownWord, w.at, fmt.Sprintf("`%s` is no way to count tests.", w.text), useOneOf([]string{"go", "tap", "junit:PATH", "pattern:RE"}))
	return ""
}

// CountsBy says how the gate's tests are counted: Count, or "go" where its
// command is `go test`; "" where they are not.
func (g Gate) CountsBy() string {
	if g.Count != "" || len(g.Argv) < 2 {
		return g.Count
	}
	if g.Argv[0].Template.Literal() == "go" && slices.ContainsFunc(g.Argv[1:2], func(s Scalar) bool { return s.Template.Literal() == "test" }) {
		return "go"
	}
	return ""
}
