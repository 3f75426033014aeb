package expr

// inferScope gives the scope that values would have come from.
func inferScope(vars Vars) Scope {
	s := Scope{Phase: RunPhase, Taint: Untrusted,
		Inputs: inferType(vars.Inputs.tree()).Fields,
		Matrix: inferType(vars.Matrix.tree()).Fields,
		Each:   &EachShape{Key: inferType(vars.EachKey.tree()), Value: inferType(vars.EachValue.tree()), Index: true},
	}
	tickets, _ := vars.Tickets.tree().(map[string]any)
	for _, name := range sortedKeys(tickets) {
		s.Tickets = append(s.Tickets, inferTicket(name, tickets[name]))
	}
	return s.Indexed()
}

func inferTicket(name string, tree any) TicketShape {
	t := TicketShape{Name: name}
	children, list := tree.([]any)
	if !list {
		children = []any{tree}
	}
	t.List = list
	outputs := Type{}
	for _, child := range children {
		m, _ := child.(map[string]any)
		if m["outputs"] == nil {
			t.Optional = true
			continue
		}
		got := inferType(m["outputs"])
		if both, ok := unify(outputs, got); ok {
			outputs = both
		}
	}
	t.Outputs, t.unknown = outputs.Fields, outputs.Kind == 0
	return t
}

func inferType(tree any) Type {
	switch x := tree.(type) {
	case nil:
		return Type{Kind: Null}
	case bool:
		return Type{Kind: Bool}
	case int64:
		return Type{Kind: Int}
	case float64:
		return Type{Kind: Number}
	case string:
		return Type{Kind: String}
	case []any:
		elem := Type{}
		for _, item := range x {
			both, ok := unify(elem, inferType(item))
			if !ok {
				both = Type{Kind: JSON}
			}
			elem = both
		}
		return ListOf(elem)
	case map[string]any:
		t := Type{Kind: Record, Fields: []Field{}}
		for _, k := range sortedKeys(x) {
			t.Fields = append(t.Fields, Field{k, inferType(x[k])})
		}
		return t
	}
	return Type{Kind: JSON}
}
