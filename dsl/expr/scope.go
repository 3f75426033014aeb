package expr

// Phase is when a field is evaluated.
type Phase int

// Plan-phase fields decide the plan; run-phase fields may also use tickets.
const (
	PlanPhase Phase = iota + 1
	RunPhase
)

// String gives the word a reader sees.
func (p Phase) String() string {
	if p == RunPhase {
		return "run-phase"
	}
	return "plan-phase"
}

// Taint is what a field lets in.
type Taint int

// The zero Taint lets in clean values alone.
const (
	Clean     Taint = iota // no untrusted words: commands, flags, gates, everything of the plan
	CleanPath              // also a validated path: key and narrow
	Untrusted              // anything: briefs, outputs, env values
)

// Statuses are the members of `tickets.NAME.status`.
var Statuses = []string{"waiting", "ready", "running", "held", "blocked", "parked", "done", "skipped", "cancelled"}

// Scope says what names a field's expressions may use. It is plain data: the
// same Scope that checked a template compiles it again for a run.
type Scope struct {
	Field string `json:"field,omitempty"` // the field's path, for messages: "tickets.change.when"
	Phase Phase  `json:"phase"`
	Taint Taint  `json:"taint,omitempty"`
	// EscapeGlobs escapes the glob signs (\ * ? [ ] { } !) of what expressions
	// put into the field, except of values whose type is glob. For `scope`,
	// `narrow` and other lists of globs.
	EscapeGlobs bool `json:"escape_globs,omitempty"`

	Inputs  []Field       `json:"inputs,omitempty"`
	Secrets []string      `json:"secrets,omitempty"` // inputs that exist but may not stand in this field
	Tickets []TicketShape `json:"tickets,omitempty"`
	Each    *EachShape    `json:"each,omitempty"`
	Matrix  []Field       `json:"matrix,omitempty"`

	index *scopeIndex
}

// TicketShape is what other tickets see of one.
type TicketShape struct {
	Name     string  `json:"name"`
	List     bool    `json:"list,omitempty"`     // for_each or matrix: a list of {key, status, outputs}
	Optional bool    `json:"optional,omitempty"` // it may end without outputs: it has `when`, or is awaited with `until: settled`
	Outputs  []Field `json:"outputs,omitempty"`
	Key      Type    `json:"key,omitzero"` // of a List; the zero Type means untrusted text

	unknown bool // inferred from a ticket without outputs: any output is a missing value
}

// EachShape is the element of a fan-out: each.key, each.value, each.index.
type EachShape struct {
	Key   Type `json:"key"`
	Value Type `json:"value"`
	Index bool `json:"index,omitempty"`
	// AtRun says that the elements are known only during the run, so that
	// plan-phase fields may not use them.
	AtRun bool `json:"at_run,omitempty"`
}

// Vars are the values behind the names of a scope. Inputs and Matrix are records;
// Tickets maps a name to {"status": …, "outputs": {…}|null}, or of a List to a
// list of {"key": …, "status": …, "outputs": {…}|null}. Absent is null.
type Vars struct {
	Inputs    Value `json:"inputs,omitzero"`
	Tickets   Value `json:"tickets,omitzero"`
	EachKey   Value `json:"each_key,omitzero"`
	EachValue Value `json:"each_value,omitzero"`
	EachIndex int   `json:"each_index,omitempty"` // 0-based
	Matrix    Value `json:"matrix,omitzero"`
}

// scopeIndex finds names of a large scope in constant time.
type scopeIndex struct {
	inputs, tickets map[string]int
	types           []ticketType // of the tickets
}

// ticketType is the type of a ticket's shape, and what it was made from.
type ticketType struct {
	typ            Type
	optional, list bool
}

// Indexed gives the same scope with its inputs and tickets indexed. Call it once
// where many templates share them; Field, Phase, Taint, Each and Matrix may still
// be changed on copies, and Optional of a ticket; names and outputs may not.
func (s Scope) Indexed() Scope {
	ix := &scopeIndex{inputs: make(map[string]int, len(s.Inputs)), tickets: make(map[string]int, len(s.Tickets))}
	for i, f := range s.Inputs {
		ix.inputs[f.Name] = i
	}
	for i, t := range s.Tickets {
		ix.tickets[t.Name] = i
		ix.types = append(ix.types, ticketType{t.typ(), t.Optional, t.List})
	}
	s.index = ix
	return s
}

func (s Scope) input(name string) (Type, bool) {
	if s.index != nil {
		i, ok := s.index.inputs[name]
		if !ok {
			return Type{}, false
		}
		return s.Inputs[i].Type, true
	}
	return Type{Fields: s.Inputs}.Field(name)
}

func (s Scope) ticket(name string) (TicketShape, bool) {
	if s.index != nil {
		i, ok := s.index.tickets[name]
		if !ok {
			return TicketShape{}, false
		}
		return s.Tickets[i], true
	}
	for _, t := range s.Tickets {
		if t.Name == name {
			return t, true
		}
	}
	return TicketShape{}, false
}

// ticketType gives the type of tickets.NAME for a ticket of the scope.
func (s Scope) ticketType(t TicketShape) Type {
	if s.index != nil {
		known := s.index.types[s.index.tickets[t.Name]]
		if known.optional == t.Optional && known.list == t.List {
			return known.typ
		}
	}
	return t.typ()
}

// typ gives the type of the whole `tickets.NAME`.
func (t TicketShape) typ() Type {
	one := t.one(t.Optional)
	if t.List {
		return ListOf(one)
	}
	return one
}

// one gives the record of one ticket or child. Where it may have ended without
// outputs, each output is optional.
func (t TicketShape) one(optional bool) Type {
	outputs := Type{Kind: Record, Name: "outputs of " + t.Name, Fields: make([]Field, len(t.Outputs))}
	for i, f := range t.Outputs {
		f.Type = f.Type.AsUntrusted()
		f.Type.Optional = f.Type.Optional || optional
		outputs.Fields[i] = f
	}
	if t.unknown {
		outputs = Type{Kind: Map, Elem: &Type{Kind: Null}}
	}
	record := Type{Kind: Record, Name: "ticket " + t.Name}
	if t.List {
		key := t.Key
		if key.Kind == 0 {
			key = Type{Kind: String, Untrusted: true}
		}
		record.Fields = append(record.Fields, Field{"key", key})
	}
	record.Fields = append(record.Fields,
		Field{"status", Type{Kind: Enum, Enum: Statuses}}, Field{"outputs", outputs})
	return record
}

func (e EachShape) fields() []Field {
	fields := []Field{{"key", e.Key}, {"value", e.Value}}
	if e.Key.Kind == 0 {
		fields = fields[1:]
	}
	if e.Index {
		fields = append(fields, Field{"index", Type{Kind: Int}})
	}
	return fields
}
