package dsl

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/expr"
	"github.com/seed9cc7a46e/wf/dsl/syntax"
)

// decoder turns one tree into a Workflow. It first learns the shapes (types,
// inputs, tickets' outputs), so that every expression is checked once, in file order.
type decoder struct {
	file     string
	folder   string // that holds workflows/, "" at the root
	files    Files
	settings Settings
	types    map[string]expr.Type
	inputs   []expr.Field
	secrets  []string // names of inputs that are secrets
	shapes   []expr.TicketShape
	shapeAt  map[string]int
	vague    map[string]bool // names whose shape is broken: what uses them is not judged
	unread   map[string]bool // labels of fields that could not be read
	literals bool            // no expressions at all: settings
	noEach   bool            // the list of the ticket under way is broken: what uses each is not judged
	base     *scopes
	sources  []Source
	features []Feature
	found    diag.Findings
	above    []string             // the files that include this one, outermost first
	included map[string]*included // every included file of one load, each read once
	includes map[string]*included // by ticket of this file
	height   int                  // levels of includes below this file
}

// Format is the version of the language that this package reads.
const Format = 1

// Load reads a workflow and everything it names. path and the paths that Files
// takes are slash-separated and relative to the repository's root. The Workflow
// is nil where the file holds nothing usable; with errors among the findings it
// is good for tools of authors and not for planning.
func Load(path string, files Files, settings Settings) (*Workflow, diag.Findings) {
	d := &decoder{file: path, folder: Folder(path), files: files, settings: settings, vague: map[string]bool{}, included: map[string]*included{}}
	return d.load(path)
}

// load reads the decoder's file.
func (d *decoder) load(path string) (*Workflow, diag.Findings) {
	data, ok := d.read(diag.Range{File: path}, path, "workflow", maxWorkflow)
	if !ok {
		return nil, sentences(d.found)
	}
	root, found := syntax.Parse(path, data)
	d.found = append(d.found, found...)
	if root == nil {
		return nil, d.found.Sorted()
	}
	w := d.workflow(root)
	if w != nil && !torn(found) {
		d.found = append(d.found, check(w, d.settings, d.found.HasErrors() || namesAsText(d.found))...)
	} else if w != nil {
		d.found = withoutFollowers(d.found)
	}
	return w, sentences(d.withoutLost(withoutEchoes(found, d.found))).Sorted()
}

// sentences begins each detail of this package with a capital letter; labels
// such as "role `dev`" are written once and stand first in many.
func sentences(found diag.Findings) diag.Findings {
	for i, f := range found {
		if f.Detail != "" && f.Code > "WF1" && (f.Code < "WF2" || f.Code > "WF3") {
			found[i].Detail = diag.Capital(f.Detail)
		}
	}
	return found
}

// namesAsText reports whether an expression stands somewhere as plain text: what
// it names is then used, though not yet.
func namesAsText(found diag.Findings) bool {
	return slices.ContainsFunc(found, func(f diag.Finding) bool { return f.Code == codeBareExpression.ID || f.Code == "WF213" })
}

// lossy are the findings of syntax behind which lines are left out, also where
// an edit mends them: a tab, an indentation that fits nothing, a line that is
// neither key nor item.
var lossy = []string{"WF008", "WF009", "WF027"}

// torn reports whether parts of the file may be missing from the tree. An error
// that one edit mends was read as mended, but for the lossy ones.
func torn(found diag.Findings) bool {
	return slices.ContainsFunc(found, func(f diag.Finding) bool {
		return f.Severity == diag.Error && (f.Edit == nil || slices.Contains(lossy, f.Code))
	})
}

// withoutEchoes leaves out what is said a second time of a stretch whose
// writing is already refused: mended, it may well be right.
func withoutEchoes(syntax, all diag.Findings) diag.Findings {
	refused := map[int]diag.Findings{}
	for _, f := range syntax {
		if f.Severity == diag.Error && f.Range.Start.Line == f.Range.End.Line {
			refused[f.Range.Start.Line] = append(refused[f.Range.Start.Line], f)
		}
	}
	if len(refused) == 0 {
		return all
	}
	return slices.DeleteFunc(all, func(f diag.Finding) bool {
		return slices.ContainsFunc(refused[f.Range.Start.Line], func(r diag.Finding) bool {
			return r.Code[:3] != f.Code[:3] && f.Range.Start.Offset < r.Range.End.Offset && r.Range.Start.Offset < f.Range.End.Offset
		})
	})
}

// withoutFollowers leaves out what a broken file makes look missing.
func withoutFollowers(found diag.Findings) diag.Findings {
	var out diag.Findings
	for _, f := range found {
		if f.Code != codeMissing.ID && f.Code != codeEmpty.ID && f.Code != codeWrongShape.ID && !strings.HasPrefix(f.Code, "WF3") && !strings.HasPrefix(f.Code, "WF2") {
			out = append(out, f)
		}
	}
	return out
}

// Folder is the folder that holds workflows/, against which a workflow's paths
// are read; "" at the root.
func Folder(file string) string {
	dir := path.Dir(file)
	if path.Base(dir) == "workflows" {
		dir = path.Dir(dir)
	}
	if dir == "." {
		return ""
	}
	return dir
}

func (d *decoder) add(code diag.Code, at diag.Range, detail, hint string) *diag.Finding {
	return d.report(code.At(at, detail, hint))
}

// report keeps a finding; the pointer is good until the next one.
func (d *decoder) report(f diag.Finding) *diag.Finding {
	d.found = append(d.found, f)
	return &d.found[len(d.found)-1]
}

func (d *decoder) workflow(root *syntax.Node) *Workflow {
	if root.Kind != syntax.Mapping {
		d.wrongShape(root, "the workflow", "a mapping of its fields")
		return nil
	}
	whole := diag.Range{File: d.file}
	whole.Start, whole.End = root.Range.Start, root.Range.Start
	if n := root.Get("wf"); n != nil && (n.Kind != syntax.Scalar || n.Value != "1") {
		f := d.add(codeFormat, n.Range, fmt.Sprintf("This version of wf reads `wf: %d`.", Format), "Write `wf: 1`, or use a version of wf that reads this file.")
		f.Edit = &diag.Edit{Range: n.Range, NewText: "1"}
		return nil
	}
	if tool := foreignFile(root); tool != "" {
		d.add(codeForeignFile, root.Entries[0].Key.Range, fmt.Sprintf("This has the look of a file of %s, and this folder holds workflows of wf.", tool), "Move it away; `wf init` writes a first workflow, with a ticket for each piece of work.")
		return nil
	}
	o := d.object(ownerWorkflow, "the workflow", whole, root)
	w := &Workflow{File: d.file, Folder: d.folder, Format: Format, Settings: d.settings, Range: root.Range}
	w.Name = d.slug(o.word("name"), "workflow")
	w.Description = o.word("description").text
	w.Types = d.namedTypes(o)
	w.Inputs = d.inputsOf(o)
	d.learnTickets(o)
	d.base = d.workflowScopes()
	w.Limits = d.limits(o)
	w.Protect = o.scalars("protect", d.base)
	w.Roles = d.roles(o)
	w.Pipelines = d.pipelines(o)
	w.Tickets, w.Shapes = d.tickets(o), d.shapes
	w.Outputs = d.outputs(o)
	w.Rules = d.standingRules(w.Roles)
	w.Sources = append(d.sources, d.script()...)
	w.Sources = append(w.Sources, d.settings.Sources...)
	w.Features = d.features
	return w
}

var (
	plainName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) })
	partName  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`) })
	slugName  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9]+([._-][a-z0-9]+)*$`) })
)

const maxName = 64

// slug checks a name that becomes part of files and branches.
func (d *decoder) slug(w word, what string) string {
	if w.text == "" || len(w.text) <= maxName && slugName().MatchString(w.text) {
		return w.text
	}
	f := d.add(codeName, w.at, fmt.Sprintf("The %s's name `%s` becomes part of branches and files: small letters and digits, joined by `-`, at most %d.", what, w.text, maxName), "")
	if fixed := strings.Trim(notSlug().ReplaceAllString(strings.ToLower(w.text), "-"), "-"); fixed != "" && len(fixed) <= maxName {
		f.Hint = fmt.Sprintf("Write `%s`.", fixed)
		f.Edit = &diag.Edit{Range: w.at, NewText: fixed}
	}
	return w.text
}

var notSlug = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^a-z0-9]+`) })

// identifier checks a name that expressions use: inputs.NAME, tickets.NAME.
func (d *decoder) identifier(n *syntax.Node, what string) bool {
	if len(n.Value) <= maxName && plainName().MatchString(n.Value) {
		return true
	}
	f := d.add(codeName, n.Range, fmt.Sprintf("Expressions name the %s `%s`: a letter, then letters, digits and `_`, at most %d.", what, n.Value, maxName), "")
	if fixed := notPlain().ReplaceAllString(n.Value, "_"); plainName().MatchString(fixed) {
		f.Hint = fmt.Sprintf("Write `%s`.", fixed)
		f.Edit = &diag.Edit{Range: n.Range, NewText: fixed}
	}
	return false
}

var notPlain = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^A-Za-z0-9_]`) })

// part checks the name of a role, pipeline, stage or gate.
func (d *decoder) part(w word, what string) string {
	if w.text != "" && (len(w.text) > maxName || !partName().MatchString(w.text)) {
		d.add(codeName, w.at, fmt.Sprintf("The %s's name `%s` has a letter first, then letters, digits, `_` and `-`, at most %d in all.", what, w.text, maxName), "Choose a simpler name.")
	}
	return w.text
}

// named is an entry of a mapping whose keys are names.
type namedNode struct {
	name string
	at   diag.Range
	node *syntax.Node
}

// names opens a mapping of identifiers; what cannot be named is left out.
func (d *decoder) names(n *syntax.Node, label, what string, plain bool) []namedNode {
	var out []namedNode
	for _, e := range d.entries(n, label) {
		if plain && !d.identifier(e.Key, what) {
			d.vague[e.Key.Value] = true
			if f := d.found[len(d.found)-1]; f.Edit != nil {
				e.Key = &syntax.Node{Kind: syntax.Scalar, Value: f.Edit.NewText, Range: e.Key.Range} // as others may name it already
			}
		} else if !plain {
			d.part(word{e.Key.Value, e.Key.Range, e.Key}, what)
		}
		out = append(out, namedNode{e.Key.Value, e.Key.Range, e.Value})
	}
	return out
}
