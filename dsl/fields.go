package dsl

import (
	"slices"
	"strings"
	"sync"

	"github.com/seed9cc7a46e/wf/dsl/expr"
)

// Shape is how a field's value is written.
type Shape string

// The shapes. Constant ones hold no ${{ }}.
const (
	ShapeName    Shape = "name"    // one constant word: a name, a path, one of Words
	ShapeNames   Shape = "names"   // a list of constant words; a single word stands for a list of one
	ShapeText    Shape = "text"    // constant text
	ShapeFlag    Shape = "flag"    // constant true or false
	ShapeValue   Shape = "value"   // a constant of a type that another field gives
	ShapeScalar  Shape = "scalar"  // one value of Type, ${{ }} allowed in its phase
	ShapeScalars Shape = "scalars" // a list of values of Type
	ShapeVars    Shape = "vars"    // a mapping of free names to values of Type
	ShapeObject  Shape = "object"  // a mapping whose keys are the fields of the owner named by Type
	ShapeObjects Shape = "objects" // a list of such mappings
	ShapeMap     Shape = "map"     // a mapping of free names to such mappings
	ShapeLists   Shape = "lists"   // a mapping of free names to lists of such mappings
)

// Phase is when a field's value must be known.
type Phase string

// The phases. A constant field is known when the file is read.
const (
	PhaseConstant Phase = "constant"
	PhasePlan     Phase = "plan"
	PhaseRun      Phase = "run"
)

// State says whether this version of wf carries a field out.
type State string

// A later field is part of the language and refused until it is built.
const (
	Built   State = "built"
	Planned State = "planned" // checked and planned; a plan that uses it cannot be applied yet
	Later   State = "later"
)

// Taint says whose words may stand in a field.
type Taint string

// A clean field holds no words of agents and strangers; a path field also takes
// a path that the runner has validated; an untrusted one takes any.
const (
	TaintClean     Taint = "clean"
	TaintPath      Taint = "path"
	TaintUntrusted Taint = "untrusted"
)

// FieldDoc is one field of the language: the decoder, the suggestions, the
// schema and the reference page all read it here.
type FieldDoc struct {
	Owner    string
	Name     string
	Shape    Shape
	Type     string   // of scalars, in the language's own spelling; of objects, the owner of their fields
	Words    []string // the closed list, where there is one
	Later    []string // words of the list that are refused until built
	Planned  []string // words of the list that are planned and cannot be applied yet
	Feature  string   // where the field, or a word of Planned, cannot be applied yet: what a plan then requires of wf
	Kinds    []string // of a ticket's fields: the kinds of ticket that have it; all where empty
	Default  string   // as an author would write it, "" where there is none
	Phase    Phase
	Taint    Taint // what may stand in it
	Required bool
	State    State
	Doc      string // one sentence

	typ     expr.Type // of Type, parsed
	initial *Scalar   // what stands where the author left the field out
}

// The owners of fields.
const (
	ownerWorkflow     = "workflow"
	ownerInput        = "input"
	ownerType         = "type"
	ownerLimits       = "limits"
	ownerRole         = "role"
	ownerTools        = "tools"
	ownerStage        = "stage"
	ownerBounce       = "on_bounce"
	ownerTicket       = "ticket"
	ownerNeed         = "need"
	ownerAcceptance   = "acceptance"
	ownerGate         = "gate"
	ownerOutput       = "output"
	ownerSettings     = "settings"
	ownerOrganisation = "organisation"
	ownerDefinition   = "agent definition"
	ownerAxis         = "axis"
	ownerConfirm      = "confirm"
	ownerWithin       = "within"
	ownerNotify       = "notify"
	ownerMCP          = "mcp server"
	ownerService      = "service"
	ownerCheckout     = "checkout"
	ownerProves       = "proves"
)

// Fields returns the whole table, owner by owner, in the order people read it.
func Fields() []FieldDoc { return slices.Clone(fieldTable) }

var fieldTable = slices.Concat(
	workflowFields, inputFields, typeFields, outputFields, limitFields, roleFields, toolFields,
	stageFields, bounceFields, ticketFields, needFields, acceptanceFields, gateFields,
	axisFields, confirmFields, withinFields, notifyFields, checkoutFields, serviceFields, provesFields, mcpFields,
	settingsFields, organisationFields, definitionFields,
)

// fieldIndex maps owner and name to the field; built once, read only.
var fieldIndex = sync.OnceValue(indexFields)

type fieldKey struct{ owner, name string }

func indexFields() map[fieldKey]FieldDoc {
	index := make(map[fieldKey]FieldDoc, len(fieldTable))
	for _, f := range fieldTable {
		switch f.Shape {
		case ShapeScalar, ShapeScalars, ShapeVars:
			f.typ = mustType(f.Type)
		}
		if f.Shape == ShapeScalar {
			f.initial = initialScalar(f)
		}
		index[fieldKey{f.Owner, f.Name}] = f
	}
	return index
}

// field returns a field of the table; a name that is not in it is a mistake of this package.
func field(owner, name string) FieldDoc {
	f, ok := fieldIndex()[fieldKey{owner, name}]
	if !ok {
		panic("dsl: no field " + owner + "." + name)
	}
	return f
}

// fieldNames lists an owner's fields in table order.
func fieldNames(owner string) []string { return namesOfOwner()[owner] }

var namesOfOwner = sync.OnceValue(indexNames)

func indexNames() map[string][]string {
	index := map[string][]string{}
	for _, f := range fieldTable {
		index[f.Owner] = append(index[f.Owner], f.Name)
	}
	for owner, names := range index {
		index[owner] = slices.Clip(names)
	}
	return index
}

// ownersOf lists the owners that have a field of this name.
func ownersOf(name string) []string {
	var owners []string
	for _, f := range fieldTable {
		if f.Name == name && f.Owner != ownerSettings && f.Owner != ownerDefinition {
			owners = append(owners, f.Owner)
		}
	}
	return owners
}

// article gives an owner with its article: "a ticket", "an input".
func article(owner string) string {
	switch owner {
	case ownerLimits, ownerSettings, ownerTools, ownerBounce, ownerConfirm, ownerWithin, ownerNotify, ownerCheckout, ownerProves:
		return "`" + owner + ":`"
	}
	if strings.ContainsRune("aeiou", rune(owner[0])) {
		return "an " + owner
	}
	return "a " + owner
}

// Short constructors keep the table one line a field.

func named(owner, name, doc string, words ...string) FieldDoc {
	return FieldDoc{Owner: owner, Name: name, Shape: ShapeName, Type: "string", Words: words, Phase: PhaseConstant, Taint: TaintClean, State: Built, Doc: doc}
}

func shaped(owner, name string, shape Shape, typ, doc string) FieldDoc {
	return FieldDoc{Owner: owner, Name: name, Shape: shape, Type: typ, Phase: PhaseConstant, Taint: TaintClean, State: Built, Doc: doc}
}

func planned(owner, name, typ, def, doc string) FieldDoc {
	return FieldDoc{Owner: owner, Name: name, Shape: ShapeScalar, Type: typ, Default: def, Phase: PhasePlan, Taint: TaintClean, State: Built, Doc: doc}
}

func running(owner, name, typ, doc string) FieldDoc {
	return FieldDoc{Owner: owner, Name: name, Shape: ShapeScalar, Type: typ, Phase: PhaseRun, Taint: TaintUntrusted, State: Built, Doc: doc}
}

func later(owner, name, doc string) FieldDoc {
	return FieldDoc{Owner: owner, Name: name, Shape: ShapeValue, Phase: PhasePlan, Taint: TaintClean, State: Later, Doc: doc}
}

func (f FieldDoc) required() FieldDoc              { f.Required = true; return f }
func (f FieldDoc) of(kinds ...string) FieldDoc     { f.Kinds = kinds; return f }
func (f FieldDoc) words(list []string) FieldDoc    { f.Words = list; return f }
func (f FieldDoc) list() FieldDoc                  { f.Shape = ShapeScalars; return f }
func (f FieldDoc) vars() FieldDoc                  { f.Shape = ShapeVars; return f }
func (f FieldDoc) validated() FieldDoc             { f.Taint = TaintPath; return f }
func (f FieldDoc) byDefault(def string) FieldDoc   { f.Default = def; return f }
func (f FieldDoc) notYet(words ...string) FieldDoc { f.Later = words; return f }

// unrun marks a field, or some of its words, that wf plans and does not carry
// out yet. To build it is to remove the mark: nothing else refuses it.
func (f FieldDoc) unrun(feature string, words ...string) FieldDoc {
	f.Feature, f.Planned = feature, words
	if len(words) == 0 {
		f.State = Planned
	}
	return f
}
