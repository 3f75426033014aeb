package dsl

import (
	"fmt"
	"regexp"
	"sync"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/syntax"
)

func (d *decoder) limits(o object) Limits {
	n := o.get("limits")
	if n == nil {
		return Limits{Range: o.key}
	}
	lo := d.object(ownerLimits, "`limits`", o.keyRange("limits"), n)
	return Limits{
		Budget: lo.scalar("budget", d.base), Units: lo.scalar("units", d.base), Concurrency: lo.scalar("concurrency", d.base),
		Depth: lo.scalar("depth", d.base), Children: lo.scalar("children", d.base), Bounces: lo.scalar("bounces", d.base),
		Retries: lo.scalar("retries", d.base), Width: lo.scalar("width", d.base), Timeout: lo.scalar("timeout", d.base),
		Range: o.keyRange("limits"),
	}
}

func (d *decoder) roles(o object) []Role {
	var out []Role
	for _, n := range d.names(o.get("roles"), "`roles`", "role", false) {
		out = append(out, d.role(n))
	}
	return out
}

func (d *decoder) role(n namedNode) Role {
	o := d.object(ownerRole, "role `"+n.name+"`", n.at, n.node)
	r := Role{Name: n.name, Range: n.at, Mode: Chat, ModeSet: o.node == nil}
	if mode := o.word("mode"); o.get("mode") != nil {
		r.ModeSet = true
		if mode.text != "" {
			r.Mode = Mode(mode.text)
		}
	}
	r.Agent = o.scalar("agent", d.base)
	if !r.Agent.Set && d.settings.Agent != "" {
		r.Agent = constantScalar(d.settings.Agent, r.Agent.Type)
	}
	r.Model, r.Fallback = o.scalar("model", d.base), o.scalars("fallback", d.base)
	r.Network = o.oneOrMore("network", d.base)
	r.Reads, r.Env = o.scalars("reads", d.base), d.variables(o.words("env"))
	r.Budget, r.Children = o.scalar("budget", d.base), o.scalar("children", d.base)
	r.Sandbox = o.word("sandbox").text
	d.grants(&r, o)
	inspector := o.word("inspector")
	r.Inspector, r.InspectorRange = inspector.text, inspector.at
	if tools := o.get("tools"); tools != nil {
		d.toolsOf(&r, o, tools)
	}
	if w := o.word("uses"); w.text != "" {
		d.definition(&r, w)
	}
	if w := o.word("instructions"); w.text != "" {
		d.instructions(&r, w)
	}
	return r
}

func (d *decoder) toolsOf(r *Role, o object, n *syntax.Node) {
	if n.Kind == syntax.Sequence || n.Kind == syntax.Scalar {
		f := d.wrongShape(n, "`tools`", "a mapping with `allow` and `deny`")
		f.Hint = "Write `tools: {allow: […]}`."
		return
	}
	to := d.object(ownerTools, "`tools`", o.keyRange("tools"), n)
	r.Allow, r.Deny = to.scalars("allow", d.base), to.scalars("deny", d.base)
	r.AllowSet = to.get("allow") != nil
}

// instructions loads the file that a role names.
func (d *decoder) instructions(r *Role, w word) {
	file, ok := d.resolve(w, "instructions")
	if !ok {
		return
	}
	if data, ok := d.read(w.at, file, "instructions", maxInstructions); ok {
		r.Instructions, r.Text = file, string(data)
	}
}

var variableName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) })

// variables checks names of environment variables; WF_ is wf's own.
func (d *decoder) variables(words []word) []string {
	var out []string
	for _, w := range words {
		if d.variable(w) {
			out = append(out, w.text)
		}
	}
	return out
}

func (d *decoder) variable(w word) bool {
	switch {
	case !variableName().MatchString(w.text):
		d.add(codeVariable, w.at, fmt.Sprintf("`%s` is not the name of an environment variable: letters, digits and `_`, no digit first.", w.text), "")
	case len(w.text) >= 3 && w.text[:3] == "WF_":
		d.add(codeVariable, w.at, fmt.Sprintf("`%s` begins with WF_, which wf sets itself.", w.text), "Choose another name.")
	default:
		return true
	}
	return false
}

func (d *decoder) pipelines(o object) []Pipeline {
	var out []Pipeline
	for _, n := range d.names(o.get("pipelines"), "`pipelines`", "pipeline", false) {
		p := Pipeline{Name: n.name, Range: n.at}
		items := d.items(n.node, "pipeline `"+n.name+"`", false)
		for _, item := range items {
			p.Stages = append(p.Stages, d.stage(item))
		}
		if len(items) == 0 && (n.node.Kind == syntax.Sequence || n.node.Kind == syntax.Null) {
			d.add(codeEmpty, n.at, fmt.Sprintf("pipeline `%s` has no stages.", n.name), "Add one, as in `- {stage: implement, role: builder, writes: scope}`.")
		}
		out = append(out, p)
	}
	return out
}

func (d *decoder) stage(n *syntax.Node) Stage {
	label, at := "stage", n.Range
	if name := n.Get("stage"); name != nil && name.Kind == syntax.Scalar {
		label, at = "stage `"+name.Value+"`", name.Range
	}
	o := d.object(ownerStage, label, at, n)
	s := Stage{Range: at, Name: d.part(o.word("stage"), "stage"), Mode: Mode(o.word("mode").text)}
	role := o.word("role")
	s.Role, s.RoleRange = role.text, role.at
	s.Writes, s.WriteGlobs = d.writes(o)
	s.Verdict = d.verdicts(o)
	if g := o.get("gates"); g != nil {
		s.GatesSet = true
		words := o.words("gates")
		s.Gates, s.GateRanges = texts(words), places(words)
	}
	s.ExpectFail = o.word("expect").text == "fail"
	s.Timeout = o.scalar("timeout", d.base)
	s.When = o.scalar("when", d.base)
	d.stageWorkers(&s, o)
	if b := o.get("on_bounce"); b != nil {
		first := d.object(ownerBounce, "`on_bounce`", o.keyRange("on_bounce"), b).word("first")
		s.First, s.FirstRange = first.text, first.at
	}
	return s
}

// stageWorkers reads who works here, and what is due of them.
func (d *decoder) stageWorkers(s *Stage, o object) {
	reviewers, outputs := o.words("reviewers"), o.words("outputs")
	s.Reviewers, s.ReviewerRanges = texts(reviewers), places(reviewers)
	s.Outputs, s.OutputRanges, s.OutputsSet = texts(outputs), places(outputs), o.get("outputs") != nil
	switch {
	case o.node == nil:
	case o.get("role") == nil && o.get("reviewers") == nil:
		d.add(codeMissing, o.key, o.label+" has neither `role` nor `reviewers`; nobody would work here.", "Add `role:`.")
	case o.get("role") != nil && o.get("reviewers") != nil:
		d.add(codeExclusive, o.keyRange("reviewers"), o.label+" has `role` and `reviewers`; a stage has one of them.", "Remove one.")
	case o.get("reviewers") != nil && len(reviewers) == 0 && o.get("reviewers").Kind != syntax.Mapping:
		d.add(codeEmpty, o.keyRange("reviewers"), o.label+" has no reviewers.", "Name roles with `mode: review`, as in `reviewers: [security, correctness]`.")
	}
}

func places(words []word) []diag.Range {
	var out []diag.Range
	for _, w := range words {
		out = append(out, w.at)
	}
	return out
}

// writes reads none, scope, or globs.
func (d *decoder) writes(o object) (Writes, []Scalar) {
	n := o.get("writes")
	if n == nil {
		return WritesNone, nil
	}
	if n.Kind == syntax.Sequence {
		globs := o.scalars("writes", d.base)
		if len(globs) == 0 {
			return WritesNone, nil
		}
		return WritesGlobs, globs
	}
	w, ok := d.constant(n, "`writes`")
	switch {
	case !ok:
		return WritesNone, nil
	case w.text == string(WritesNone) || w.text == string(WritesScope):
		return Writes(w.text), nil
	}
	f := d.report(unknownWord(codeUnknownWord, w.text, w.at, fmt.Sprintf("`writes: %s` is neither `none` nor `scope`.", w.text), []string{"none", "scope"}))
	if f.Edit == nil {
		f.Hint = "Globs within the scope stand in a list: `writes: [\"test/**\"]`."
	}
	return WritesScope, nil
}

// verdicts reads the routes in the order written.
func (d *decoder) verdicts(o object) []Route {
	n := o.get("verdict")
	if n != nil && n.Kind == syntax.Mapping && len(n.Entries) == 0 {
		d.add(codeEmpty, n.Range, "`verdict` names no verdict.", "Write `verdict: {PASS: next, FAIL: the-stage}`.")
	}
	if n != nil && n.Kind != syntax.Mapping && n.Kind != syntax.Null {
		f := d.wrongShape(n, "`verdict`", "a mapping of verdicts to where they lead")
		f.Hint = "Write `verdict: {PASS: next, FAIL: the-stage}`."
		return nil
	}
	var out []Route
	for _, e := range d.entries(n, "`verdict`") {
		if !verdictName().MatchString(e.Key.Value) {
			d.add(codeVerdictName, e.Key.Range, fmt.Sprintf("The verdict `%s` is not written in capital letters, digits and `_`, as PASS or CANNOT_VERIFY.", e.Key.Value), "Write it in capitals.")
		}
		if w, ok := d.constant(e.Value, "verdict `"+e.Key.Value+"`"); ok {
			out = append(out, Route{Verdict: e.Key.Value, To: w.text, Range: w.at})
		}
	}
	return out
}

var verdictName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`) })
