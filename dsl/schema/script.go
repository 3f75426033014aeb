package schema

// Key is a field of a replay script's step. Kind says what it holds: text,
// texts (a list, or one text), files (names to texts), duration, money, int,
// flag, or value (anything).
type Key struct{ Name, Kind, Doc string }

// selectorForm is ADDRESS[.PART][#ROUND[.TRY]], loosely: what a key in quotes
// may hold is any text.
const selectorForm = `^[^.#\[\]]+(\[(\*|".*")\])?(\.[^#]+)?(#[1-9][0-9]*(\.[1-9][0-9]*)?)?$`

// Script is the schema of NAME.replay.yaml, whose steps have these keys.
func Script(keys []Key) ([]byte, error) {
	defs := basics()
	step := &node{Type: kinds{"object"}, Properties: map[string]*node{}, Additional: closed}
	for _, k := range keys {
		n := keyNode(k.Kind)
		if n.Ref != "" {
			n = &node{AllOf: []*node{n}}
		}
		n.Description = k.Doc
		step.Properties[k.Name] = n
	}
	defs["step"] = step
	agents := &node{Type: kinds{"object"}, Description: "What the scripted agents do: names of units, each with its steps.",
		PropertyNames: &node{Pattern: selectorForm}, Additional: &additional{either(ref("step"), listOf(ref("step")))}}
	return encode(&node{
		Schema: draft, Title: "A replay script of wf: what scripted agents do.", Type: kinds{"object"},
		Properties: map[string]*node{"agents": agents}, Required: []string{"agents"}, Additional: closed, Definitions: defs,
	})
}

func keyNode(kind string) *node {
	switch kind {
	case "texts":
		return either(ref("text"), listOf(ref("text")))
	case "files":
		return orNull(&node{Type: kinds{"object"}, Additional: &additional{ref("text")}})
	case "duration":
		return ref("duration")
	case "money":
		return &node{Type: kinds{"string", "number"}}
	case "int":
		return &node{Type: kinds{"integer"}}
	case "flag":
		return ref("flag")
	case "value":
		return &node{}
	}
	return ref("text")
}
