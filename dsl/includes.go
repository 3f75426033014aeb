package dsl

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/expr"
	"github.com/seed9cc7a46e/wf/dsl/syntax"
)

// MaxIncludes is how many levels of included workflows may stand below the one
// that is planned.
const MaxIncludes = 5

// included is a workflow that others of this load include.
type included struct {
	workflow *Workflow // nil where it has errors, which are told in its own file
	height   int       // levels of includes below it
}

// learnInclude reads the workflow that a ticket includes, so that its outputs
// are known before any expression is read.
func (d *decoder) learnInclude(ticket string, uses *syntax.Node) []expr.Field {
	in := d.include(uses)
	if d.includes == nil {
		d.includes = map[string]*included{}
	}
	d.includes[ticket] = in
	if in == nil || in.workflow == nil {
		d.vague[ticket] = true
		return nil
	}
	d.height = max(d.height, in.height+1)
	return in.workflow.outputFields()
}

// outputFields are what others see of an included workflow.
func (w *Workflow) outputFields() []expr.Field {
	var out []expr.Field
	for _, o := range w.Outputs {
		out = append(out, expr.Field{Name: o.Name, Type: o.Value.Checked.Type})
	}
	return out
}

// include loads a workflow once for the whole load; nil where there is none to load.
func (d *decoder) include(uses *syntax.Node) *included {
	w, ok := d.constant(uses, "`uses`")
	if !ok {
		return nil
	}
	file, ok := d.beside(w)
	if !ok || d.circle(file, w) || d.deep(0, w) {
		return nil
	}
	chain := append(slices.Clone(d.above), d.file)
	key := file + "\x00" + strings.Join(folders(chain), "\x00") // the settings of every folder on the way hold for it
	in, known := d.included[key]
	if known {
		if in.workflow != nil && d.deep(in.height, w) {
			return nil
		}
		return in
	}
	if _, ok := d.read(w.at, file, "include", maxWorkflow); !ok {
		return nil
	}
	in = &included{}
	d.included[key] = in
	settings, wrong := LoadSettings(file, d.files)
	sub := &decoder{file: file, folder: Folder(file), files: d.files, settings: d.settings.Tightened(settings), vague: map[string]bool{}, above: chain, included: d.included}
	found, more := sub.load(file)
	d.found = slices.Concat(d.found, wrong, more)
	in.height = sub.height
	if found == nil || wrong.HasErrors() || more.HasErrors() {
		return in
	}
	in.workflow = found
	for _, s := range found.Sources {
		if s.Kind != "workflow" && s.Kind != "script" {
			d.keep(s)
		}
	}
	d.features = append(d.features, found.Features...)
	return in
}

func folders(files []string) []string {
	var out []string
	for _, f := range files {
		out = append(out, Folder(f))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// beside resolves the path of an include: `./` and `../` begin at the folder of
// the file that says it, anything else at the folder that holds workflows/.
func (d *decoder) beside(w word) (string, bool) {
	if !strings.HasSuffix(w.text, Suffix) {
		d.add(codeValue, w.at, fmt.Sprintf("`uses: %s` of a ticket names no workflow file.", w.text), fmt.Sprintf("Write its path, as in `uses: ./%s%s`. An agent is hired through a role.", strings.TrimSuffix(path.Base(w.text), path.Ext(w.text)), Suffix))
		return "", false
	}
	if !strings.HasPrefix(w.text, "./") && !strings.HasPrefix(w.text, "../") {
		return d.resolve(w, "uses")
	}
	at := &decoder{folder: path.Dir(d.file)}
	if at.folder == "." {
		at.folder = ""
	}
	file, ok := at.resolve(w, "uses")
	d.found = append(d.found, at.found...)
	return file, ok
}

// circle tells of a workflow that includes itself, with the way there.
func (d *decoder) circle(file string, w word) bool {
	chain := append(slices.Clone(d.above), d.file)
	i := slices.Index(chain, file)
	if i < 0 {
		return false
	}
	d.add(codeIncludeCycle, w.at, "The way round is "+strings.Join(append(chain[i:], file), " → ")+"; its tickets would have no end.", "Take one of these includes out.")
	return true
}

// deep tells of includes below the last level; height are those below the file.
func (d *decoder) deep(height int, w word) bool {
	if len(d.above)+1+height <= MaxIncludes {
		return false
	}
	d.add(codeIncludeDepth, w.at, fmt.Sprintf("the way is %s → %s; at most %d levels of includes stand below a workflow.", strings.Join(append(slices.Clone(d.above), d.file), " → "), w.text, MaxIncludes), "Include it further up.")
	return true
}

// includeFields are what a ticket that includes a workflow may say; the rest is
// the included tickets' own.
var includeFields = []string{"uses", "with", "needs", "when", "for_each", "key", "max", "matrix", "hold", "budget"}

func (d *decoder) includeTicket(n namedNode) Ticket {
	label := "ticket `" + n.name + "`"
	o := d.partial(ownerTicket, label, n.at, n.node)
	t := Ticket{Name: n.name, Kind: KindWorkflow, Range: n.at, RoleRange: n.at, PipelineRange: n.at}
	for _, e := range n.node.Entries {
		if name := e.Key.Value; !slices.Contains(includeFields, name) && slices.Contains(fieldNames(ownerTicket), name) {
			d.add(codeIncludeField, e.Key.Range, fmt.Sprintf("%s stands for another workflow, whose tickets have `%s` of their own.", label, name), "Remove it, or make it a ticket without `uses:`.")
		}
	}
	t.Needs, d.noEach = d.needs(o), false
	sc := d.ticketScopes(n, t.Needs)
	d.fanOut(&t, o, sc)
	t.When, t.Budget = o.scalar("when", sc), o.scalar("budget", sc)
	t.Hold = o.word("hold").text == "operator"
	t.Include = &Include{Range: o.keyRange("uses")}
	if in := d.includes[n.name]; in != nil && in.workflow != nil {
		t.Include.Workflow = in.workflow
		t.Include.With = d.with(o, in.workflow, sc)
	}
	if t.Each != nil && t.Each.AtRun {
		d.add(codeIncludeAtRun, t.ForEach.Range, fmt.Sprintf("%s would stand for workflows that nobody has seen: the entries of `for_each` are known only during the run.", label), "Loop over an input or a constant, or let the included workflow have the fan-out.")
		t.Each = nil // told: no rule asks for its max
	}
	if t.ForEach.Set || t.Matrix != nil {
		d.eachAtRun(label, t.When)
	}
	return t
}

// eachAtRun refuses a condition that waits for tickets and looks at the entry:
// once the entries are expanded, the one is known now and the other later.
func (d *decoder) eachAtRun(label string, when Scalar) {
	if c := when.Checked; len(c.Refs) > 0 && (c.UsesEach || c.UsesMatrix) {
		d.add(codeIncludeAtRun, when.Range, fmt.Sprintf("the `when` of %s looks at its entry and at what another ticket delivers.", label), "Ask for one of them; the other may stand in a `when` of the included workflow.")
	}
}

// with reads the inputs of an included workflow, each as its type says.
func (d *decoder) with(o object, w *Workflow, sc *scopes) []EnvVar {
	var out []EnvVar
	var names []string
	for _, in := range w.Inputs {
		names = append(names, in.Name)
	}
	for _, e := range d.entries(o.get("with"), "`with`") {
		i := slices.Index(names, e.Key.Value)
		if i < 0 {
			d.report(unknownWord(codeIncludeInput, e.Key.Value, e.Key.Range, fmt.Sprintf("`%s` has no input `%s`.", w.File, e.Key.Value), names))
			continue
		}
		out = append(out, EnvVar{Name: e.Key.Value, Value: d.withValue(e.Value, w.Inputs[i], sc), Range: e.Key.Range})
	}
	for _, in := range w.Inputs {
		given := slices.ContainsFunc(out, func(v EnvVar) bool { return v.Name == in.Name })
		if given || in.HasDefault || in.Type.Optional || o.get("with") != nil && o.get("with").Get(in.Name) != nil {
			continue
		}
		f := d.add(codeIncludeMissing, o.keyRange("uses"), fmt.Sprintf("`%s` wants `%s`, of type %s.", w.File, in.Name, in.Type), fmt.Sprintf("Add `with: {%s: …}`.", in.Name))
		f.Related = []diag.Related{{Range: in.Range, Message: "the input"}}
	}
	return out
}

func (d *decoder) withValue(n *syntax.Node, in Input, sc *scopes) Scalar {
	f := field(ownerTicket, "with")
	f.Name = "with." + in.Name
	if in.Untrusted {
		f.Taint = TaintUntrusted
	}
	if n.Kind != syntax.Sequence && n.Kind != syntax.Mapping {
		return d.scalar(n, f, in.Type, sc)
	}
	v, ok := d.value(n, in.Type, f.Name)
	return Scalar{Type: in.Type, Checked: expr.Checked{Type: in.Type}, Range: n.Range, Set: true, Scope: sc.of(f), Known: ok, Value: v}
}
