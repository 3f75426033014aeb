package dsl

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/syntax"
)

// object is a mapping whose keys are the fields of one owner.
type object struct {
	d     *decoder
	owner string
	label string // as messages name it: ticket `change`
	node  *syntax.Node
	key   diag.Range              // of the name or key that leads to it
	meant map[string]*syntax.Node // fields whose keys are misspelt: they are read all the same
}

// object opens a mapping and tells of keys that are unknown, later or missing.
// Whatever the node is, the result can be read: what is not there is nil.
func (d *decoder) object(owner, label string, key diag.Range, n *syntax.Node, extra ...string) object {
	o := object{d: d, owner: owner, label: label, node: n, key: key}
	if n == nil || n.Kind == syntax.Null {
		o.node = &syntax.Node{Kind: syntax.Mapping, Range: key}
	} else if n.Kind != syntax.Mapping {
		d.wrongShape(n, label, "a mapping of its fields").Hint = fieldsHint(owner)
		o.node = nil
		return o
	}
	o.checkKeys(extra)
	o.missing()
	return o
}

// fieldsHint shows how the fields of an owner are written: the required ones,
// or else the first two.
func fieldsHint(owner string) string {
	var required, all []string
	for _, name := range builtOf(owner, fieldNames(owner)) {
		all = append(all, name+": …")
		if field(owner, name).Required {
			required = append(required, name+": …")
		}
	}
	if len(required) == 0 {
		required = all[:min(2, len(all))]
	}
	return "Write its fields, as in `{" + strings.Join(required, ", ") + "}`."
}

// partial opens a mapping in which every field may be left out.
func (d *decoder) partial(owner, label string, key diag.Range, n *syntax.Node) object {
	o := object{d: d, owner: owner, label: label, node: n, key: key}
	if n.Kind != syntax.Mapping {
		d.wrongShape(n, label, "a mapping of its fields").Hint = fieldsHint(owner)
		o.node = nil
		return o
	}
	o.checkKeys(nil)
	return o
}

// missing tells of required fields that are neither there nor meant by a misspelt key.
func (o object) missing() {
	for _, name := range fieldNames(o.owner) {
		f := field(o.owner, name)
		if f.Required && o.node.Get(name) == nil && o.meant[name] == nil {
			o.d.add(codeMissing, o.key, fmt.Sprintf("%s has no `%s`. %s", o.label, name, f.Doc), missingHint(f)).Edit = o.missingEdit(name)
		}
	}
}

// missingEdit writes what can only be written in one way: the version of the
// language, and the name of a workflow, which its file has already.
func (o object) missingEdit(name string) *diag.Edit {
	if o.owner != ownerWorkflow || o.node == nil || len(o.node.Entries) == 0 || o.node.Range.Start.Column != 1 || o.node.Entries[0].Key.Range.Start.Offset != o.node.Range.Start.Offset {
		return nil
	}
	text := ""
	switch file := strings.TrimSuffix(path.Base(o.d.file), Suffix); {
	case name == "wf":
		text = fmt.Sprintf("wf: %d\n", Format)
	case name == "name" && slugName().MatchString(file) && o.node.Get("wf") != nil && len(o.node.Entries) > 1 && o.node.Entries[0].Key.Value == "wf":
		at := o.node.Entries[1].Key.Range
		at.End = at.Start
		return &diag.Edit{Range: at, NewText: "name: " + file + "\n"}
	default:
		return nil
	}
	at := o.node.Range
	at.End = at.Start
	return &diag.Edit{Range: at, NewText: text}
}

func missingHint(f FieldDoc) string {
	example := map[string]string{
		"budget": "5 USD", "type": "string", "brief": "What to do.", "wf": "1",
		"limits": "{budget: 5 USD}", "name": "the-name", "what": "What must be true.",
	}[f.Name]
	if example == "" {
		return fmt.Sprintf("Add `%s:`.", f.Name)
	}
	return fmt.Sprintf("Add `%s: %s`.", f.Name, example)
}

// checkKeys tells of unknown and later keys.
func (o *object) checkKeys(extra []string) {
	o.meant = map[string]*syntax.Node{}
	known := append(fieldNames(o.owner), extra...)
	for _, e := range o.node.Entries {
		name := e.Key.Value
		if !slices.Contains(known, name) {
			if near := o.unknownKey(e.Key, known); near != "" {
				o.meant[near] = e.Value
			}
			continue
		}
		switch f := fieldIndex()[fieldKey{o.owner, name}]; f.State {
		case Later:
			o.d.laterField(f, e.Key.Range)
		case Planned:
			o.d.unrun(f.Feature, "`"+name+"`", e.Key.Range)
		}
	}
}

func (d *decoder) laterField(f FieldDoc, at diag.Range) {
	d.add(codeLaterField, at, fmt.Sprintf("`%s` is part of the language, but this version of wf does not carry it out. %s", f.Name, f.Doc), "Remove it, or wait for a version that has it.")
}

// unrun notes a use of what wf plans and does not carry out yet.
func (d *decoder) unrun(feature, what string, at diag.Range) {
	d.features = append(d.features, Feature{Name: feature, Range: at})
	d.add(codeUnrun, at, fmt.Sprintf("%s is checked and planned; this version of wf does not carry it out, and `wf apply` will refuse the plan.", what), "Plan and review with it today; remove it to run.")
}

// unknownKey says what the author probably meant, and returns it.
func (o object) unknownKey(key *syntax.Node, known []string) string {
	name := key.Value
	detail := fmt.Sprintf("%s has no field `%s`.", o.label, name)
	if near := nearestKey(o.node, name, known); near != "" && o.meant[near] == nil {
		f := o.d.add(codeUnknownKey, key.Range, detail, fmt.Sprintf("Did you mean `%s`?", near))
		f.Edit = &diag.Edit{Range: key.Range, NewText: near}
		return near
	}
	if hint, ok := foreign[strings.ToLower(name)]; ok {
		o.d.add(codeUnknownKey, key.Range, detail, hint)
		return ""
	}
	if owners := ownersOf(name); len(owners) > 0 {
		o.d.add(codeUnknownKey, key.Range, detail, fmt.Sprintf("`%s` belongs to %s; move it there.", name, joinOwners(owners)))
		return ""
	}
	o.d.add(codeUnknownKey, key.Range, detail, "Its fields are "+strings.Join(quoted(o.telling(known)), ", ")+".")
	return ""
}

// maxTold is how many fields a hint names: what a line or two hold.
const maxTold = 16

// telling are the fields that a hint names: the first ones, which are those
// people need most, and all where there are few.
func (o object) telling(known []string) []string {
	built := builtOf(o.owner, known)
	return built[:min(len(built), maxTold)]
}

// get returns the node of a field, nil where it is not written or not built.
func (o object) get(name string) *syntax.Node {
	if field(o.owner, name).State == Later {
		return nil
	}
	if n := o.node.Get(name); n != nil {
		return n
	}
	return o.meant[name]
}

// keyRange is the place of a key, or of the object where the key is not written.
func (o object) keyRange(name string) diag.Range {
	if o.node != nil {
		for _, e := range o.node.Entries {
			if e.Key.Value == name {
				return e.Key.Range
			}
		}
	}
	return o.key
}

// word is a constant with its place.
type word struct {
	text string
	at   diag.Range
	node *syntax.Node
}

// word reads a field that takes a constant; "" where there is none or it is wrong.
func (o object) word(name string) word {
	f, n := field(o.owner, name), o.get(name)
	if n == nil {
		return word{at: o.key}
	}
	w, ok := o.d.constant(n, "`"+name+"`")
	if !ok || !o.d.oneOf(f, w) {
		return word{at: n.Range}
	}
	return w
}

// words reads a list of constants, or one constant as a list of one.
func (o object) words(name string) []word {
	f, n := field(o.owner, name), o.get(name)
	var out []word
	for _, item := range o.d.items(n, "`"+name+"`", true) {
		if w, ok := o.d.constant(item, "`"+name+"`"); ok && o.d.oneOf(f, w) {
			out = append(out, w)
		}
	}
	return out
}

func (o object) flag(name string) bool {
	w := o.word(name)
	switch w.text {
	case "", "false":
		return false
	case "true":
		return true
	}
	f := o.d.add(codeUnknownWord, w.at, fmt.Sprintf("`%s` is neither true nor false.", w.text), fmt.Sprintf("Write `%s: true` or leave it out.", name))
	if meant := meantBool(w.text); meant != "" {
		f.Hint, f.Edit = fmt.Sprintf("Write `%s`.", meant), &diag.Edit{Range: w.at, NewText: meant}
	}
	return false
}

func texts(words []word) []string {
	var out []string
	for _, w := range words {
		out = append(out, w.text)
	}
	return out
}

// constant reads a scalar without ${{ }}.
func (d *decoder) constant(n *syntax.Node, label string) (word, bool) {
	if n.Kind == syntax.Null {
		d.add(codeEmpty, n.Range, label+" has no value.", "Write one, or remove the key.")
		return word{}, false
	}
	if n.Kind != syntax.Scalar {
		d.wrongShape(n, label, "one word").Hint = "Write one value, without brackets or fields."
		return word{}, false
	}
	if strings.Contains(n.Value, "${{") {
		d.add(codeConstant, n.Range, label+" is known when the file is read; it takes no `${{ }}`.", "Write the value itself.")
		return word{}, false
	}
	return word{n.Value, n.Range, n}, true
}

// oneOf checks a word against the field's closed list.
func (d *decoder) oneOf(f FieldDoc, w word) bool {
	if slices.Contains(f.Later, w.text) {
		code := codeLaterValue
		if f.Owner == ownerTicket && f.Name == "kind" {
			code = codeLaterKind
		}
		d.add(code, w.at, fmt.Sprintf("`%s: %s` is part of the language, but this version of wf does not carry it out.", f.Name, w.text), useOneOf(builtWords(f)))
		return false
	}
	if slices.Contains(f.Planned, w.text) {
		what := f.Name + ": " + w.text
		d.unrun(what, "`"+what+"`", w.at)
	}
	if len(f.Words) == 0 || slices.Contains(f.Words, w.text) {
		return true
	}
	d.lost("`" + f.Name + "`")
	known := f.Words
	if nearest(w.text, known) == "" {
		known = builtWords(f)
	}
	if near, hint := meantWord(f, w.text); near != "" {
		finding := d.add(codeUnknownWord, w.at, fmt.Sprintf("`%s` is no value of `%s`.", w.text, f.Name), fmt.Sprintf("Write `%s`.", near))
		finding.Edit = &diag.Edit{Range: w.at, NewText: near}
		return false
	} else if hint != "" {
		d.add(codeUnknownWord, w.at, fmt.Sprintf("`%s` is no value of `%s`.", w.text, f.Name), hint)
		return false
	}
	d.report(unknownWord(codeUnknownWord, w.text, w.at, fmt.Sprintf("`%s` is no value of `%s`.", w.text, f.Name), known))
	return false
}

func useOneOf(words []string) string {
	if len(words) == 1 {
		return "Use `" + words[0] + "`."
	}
	return "Use one of " + joined(quoted(words)) + "."
}

func builtWords(f FieldDoc) []string {
	return slices.DeleteFunc(slices.Clone(f.Words), func(w string) bool { return slices.Contains(f.Later, w) })
}

// unknownWord is about a word that is none of the known ones, with the nearest as an edit.
func unknownWord(code diag.Code, text string, at diag.Range, detail string, known []string) diag.Finding {
	if near := nearest(text, known); near != "" {
		f := code.At(at, detail, fmt.Sprintf("Did you mean `%s`?", near))
		f.Edit = &diag.Edit{Range: at, NewText: near}
		return f
	}
	if len(known) == 0 {
		return code.At(at, detail, undeclared[code.ID])
	}
	return code.At(at, detail, useOneOf(known))
}

// undeclared is the way out where there is nothing that could have been meant.
var undeclared = map[string]string{
	codeUnknownRole.ID:     "Declare it: `roles: {NAME: {mode: review, agent: replay, budget: 1 USD}}`.",
	codeUnknownPipeline.ID: "Declare it: `pipelines: {NAME: [{stage: work, role: ROLE}]}`.",
	codeUnknownTicket.ID:   "Declare it under `tickets:`, or remove it here.",
	codeUnknownProof.ID:    "Add a gate of that name to the ticket, or a stage with `verdict:` to its pipeline.",
}

// items opens a list. single says whether one value may stand for a list of one.
func (d *decoder) items(n *syntax.Node, label string, single bool) []*syntax.Node {
	switch {
	case n == nil || n.Kind == syntax.Null:
		return nil
	case n.Kind == syntax.Sequence:
		return n.Items
	case single && n.Kind == syntax.Scalar && !severalWords(n):
		return []*syntax.Node{n}
	}
	f := d.wrongShape(n, label, "a list")
	if n.Kind == syntax.Scalar && n.Style <= syntax.DoubleQuoted && !strings.Contains(n.Value, "${{") {
		list := inBrackets(n.Value)
		f.Hint = fmt.Sprintf("Put it in brackets: `%s`.", list)
		f.Edit = &diag.Edit{Range: n.Range, NewText: list}
	} else if n.Kind == syntax.Scalar {
		f.Hint = "Put it in brackets: `[…]`."
	}
	if n.Kind == syntax.Mapping {
		f.Hint = listHint(n)
	}
	return nil
}

// severalWords reports whether a text was meant as a list: `a, b`.
func severalWords(n *syntax.Node) bool {
	return n.Style <= syntax.DoubleQuoted && strings.Contains(n.Value, ", ") && !strings.Contains(n.Value, "${{")
}

// stageHint is for stages written as a mapping of their names.
func stageHint(n *syntax.Node) string {
	for _, e := range n.Entries {
		if e.Value.Kind == syntax.Mapping && e.Value.Get("role") != nil {
			return fmt.Sprintf("Write each as an entry of a list, `- stage: %s` with its fields below.", e.Key.Value)
		}
	}
	return ""
}

// listHint is for a mapping where a list of mappings is read.
func listHint(n *syntax.Node) string {
	for _, word := range []string{"stages", "steps", "tasks", "jobs"} {
		if n.Get(word) != nil {
			return "Remove `" + word + ":`; the list stands directly below the name."
		}
	}
	if hint := stageHint(n); hint != "" {
		return hint
	}
	return "Begin each entry with `- `, and give it its name as a field."
}

// entries opens a mapping of free names.
func (d *decoder) entries(n *syntax.Node, label string) []syntax.Entry {
	switch {
	case n == nil || n.Kind == syntax.Null:
		return nil
	case n.Kind == syntax.Mapping:
		return n.Entries
	}
	if f := d.wrongShape(n, label, "a mapping of names"); n.Kind == syntax.Sequence {
		f.Hint = "Write each entry as `NAME:` with its fields below, without `-`."
	}
	return nil
}

func (d *decoder) wrongShape(n *syntax.Node, label, want string) *diag.Finding {
	d.lost(label)
	return d.add(codeWrongShape, n.Range, fmt.Sprintf("%s is %s; it must be %s.", label, articleOf(n.Kind), want), "")
}

func articleOf(k syntax.Kind) string {
	switch k {
	case syntax.Scalar:
		return "a single value"
	case syntax.Null:
		return "empty"
	}
	return "a " + k.String()
}
