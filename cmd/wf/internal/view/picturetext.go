package view

import (
	"fmt"
	"io"
	"strings"

	"github.com/seed9cc7a46e/wf/planner"
)

// DOT writes a sketch for Graphviz. Every text stands in quotes that it cannot
// leave, and its backslashes are no escapes of Graphviz.
func DOT(w io.Writer, s planner.Sketch) {
	fmt.Fprintf(w, "digraph %s {\n", dotText(s.Workflow))
	fmt.Fprint(w, "  rankdir=LR; node [shape=box, style=rounded, fontname=\"monospace\", fontsize=11]; edge [color=gray40];\n")
	for _, n := range s.Nodes {
		var more []string
		if n.FanOut {
			more = append(more, "peripheries=2")
		}
		if n.Skipped {
			more = append(more, `style="rounded,dashed"`)
		}
		if n.Held {
			more = append(more, "color=orange")
		}
		fmt.Fprintf(w, "  %s [label=%s%s];\n", dotText(n.ID), dotLines(drawnBox(n, s.Run != "").all()), joined(more))
	}
	for _, e := range s.Edges {
		var more []string
		switch e.Until {
		case "settled":
			more = append(more, "style=dashed")
		case "done or skipped":
			more = append(more, "style=dotted")
		}
		if e.Cycle {
			more = append(more, "color=red", "penwidth=2")
		}
		attributes := ""
		if len(more) > 0 {
			attributes = " [" + strings.Join(more, ", ") + "]"
		}
		fmt.Fprintf(w, "  %s -> %s%s;\n", dotText(e.From), dotText(e.To), attributes)
	}
	fmt.Fprint(w, "}\n")
}

// all are the lines of a box.
func (b box) all() []string {
	if b.notes == "" {
		return b.lines
	}
	return append(append([]string{}, b.lines...), b.notes)
}

func joined(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return ", " + strings.Join(list, ", ")
}

func dotText(text string) string { return dotLines([]string{text}) }

func dotLines(lines []string) string {
	var out []string
	for _, line := range lines {
		// Graphviz also reads entities of HTML in a label.
		out = append(out, strings.NewReplacer(`\`, `\\`, `"`, `\"`, "&", "&amp;").Replace(Text(line)))
	}
	return `"` + strings.Join(out, `\n`) + `"`
}

// mermaidEdges is what Mermaid draws unless its page is configured otherwise.
const mermaidEdges = 500

// Mermaid writes a sketch for a page that draws Mermaid, as GitHub does. Names
// are made here, and text is letters, digits and entities, so that none of it is
// Mermaid.
func Mermaid(w io.Writer, s planner.Sketch) {
	fmt.Fprint(w, "flowchart LR\n")
	if len(s.Edges) > mermaidEdges {
		fmt.Fprintf(w, "  %%%% %d edges: many pages draw no more than %d\n", len(s.Edges), mermaidEdges)
	}
	at := make(map[string]int, len(s.Nodes))
	for i, n := range s.Nodes {
		at[n.ID] = i
		b := drawnBox(n, s.Run != "")
		var lines []string
		for _, line := range b.all() {
			lines = append(lines, mermaidText(line))
		}
		open, shut := `["`, `"]`
		if n.FanOut {
			open, shut = `[["`, `"]]`
		}
		fmt.Fprintf(w, "  n%d%s%s%s\n", i, open, strings.Join(lines, "<br/>"), shut)
		if state, ok := strings.CutPrefix(b.class, "ticket "); ok {
			fmt.Fprintf(w, "  class n%d %s\n", i, state)
		}
	}
	for i, e := range s.Edges {
		arrow := "-->"
		if e.Until != "done" {
			arrow = "-.->"
		}
		fmt.Fprintf(w, "  n%d %s n%d\n", at[e.From], arrow, at[e.To])
		if e.Cycle {
			fmt.Fprintf(w, "  linkStyle %d stroke:#cf222e,stroke-width:3px\n", i)
		}
	}
	for _, c := range []struct{ name, style string }{
		{"held", "stroke:#bf8700,stroke-width:2px"}, {"blocked", "stroke:#bf8700,stroke-width:2px"}, {"parked", "stroke:#cf222e,stroke-width:2px"},
		{"running", "stroke:#0969da,stroke-width:2px"}, {"done", "stroke:#1a7f37,stroke-width:2px"}, {"skipped", "stroke-dasharray:4 3"}, {"cancelled", "stroke-dasharray:4 3"},
	} {
		fmt.Fprintf(w, "  classDef %s %s\n", c.name, c.style)
	}
}

func mermaidText(text string) string {
	var b strings.Builder
	for _, r := range Text(text) {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == ' ', r == '-', r == '.', r == ',', r == '/', r == ':', r > 0x7f:
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}
