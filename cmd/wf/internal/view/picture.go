package view

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/seed9cc7a46e/wf/planner"
	"github.com/seed9cc7a46e/wf/planner/graph/layout"
)

// MaxDrawn is the most tickets that SVG draws.
const MaxDrawn = layout.MaxVertices

// Of a box, in pixels. Letters are monospaced: a box must fit its text on any host.
const (
	letter    = 7.3 // width of a column at 12 px
	lineHigh  = 17.0
	boxPad    = 12.0
	mostWide  = 32 // columns of text in a box
	leastWide = 14
	margin    = 24.0
)

// box is a ticket as it is drawn.
type box struct {
	planner.SketchNode
	lines []string // the first in bold
	notes string   // last line, dim
	class string
}

// SVG draws a sketch: tickets as boxes from left to right, in light and dark, with
// a text alternative for the picture and for every ticket.
func SVG(w io.Writer, s planner.Sketch) {
	boxes := make([]box, len(s.Nodes))
	sizes := make([]layout.Size, len(s.Nodes))
	at := make(map[string]int, len(s.Nodes))
	wide := 0.0
	for i, n := range s.Nodes {
		boxes[i], at[n.ID] = drawnBox(n, s.Run != ""), i
		sizes[i] = boxes[i].size()
		wide = math.Max(wide, sizes[i].W)
	}
	for i := range sizes {
		sizes[i].W = wide // of one width, columns are columns
	}
	edges := make([]layout.Edge, len(s.Edges))
	for i, e := range s.Edges {
		edges[i] = layout.Edge{From: at[e.From], To: at[e.To]}
	}
	l := layout.Of(sizes, edges)
	keys := legend(s)
	width := math.Max(l.W, 7*letter*float64(len(keys))) + 2*margin
	height := l.H + 2*margin + 3*lineHigh
	if len(keys) > 0 {
		height += 2 * lineHigh
	}
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" role="img" aria-labelledby="wf-title wf-desc">`+"\n", width, height, width, height)
	fmt.Fprintf(w, "<title id=\"wf-title\">%s</title>\n<desc id=\"wf-desc\">%s</desc>\n%s", markup(pictureTitle(s)), markup(pictureText(s)), pictureStyle)
	fmt.Fprintf(w, "<rect class=\"page\" width=\"%.0f\" height=\"%.0f\"/>\n<text class=\"name\" x=\"%.0f\" y=\"%.0f\">%s</text>\n", width, height, margin, margin+6, markup(pictureTitle(s)))
	fmt.Fprintf(w, "<g transform=\"translate(%.0f %.0f)\">\n", margin, margin+2*lineHigh)
	for i, e := range s.Edges {
		drawEdge(w, e, l.Routes[i])
	}
	for i, b := range boxes {
		b.draw(w, l.Centre[i], sizes[i])
	}
	fmt.Fprint(w, "</g>\n")
	drawLegend(w, keys, height-margin)
	fmt.Fprint(w, "</svg>\n")
}

func pictureTitle(s planner.Sketch) string {
	switch {
	case s.Run != "":
		return "Run " + Text(s.Run) + " of " + Text(s.Workflow)
	case s.Plan != "":
		return "Plan of " + Text(s.Workflow)
	}
	return "Workflow " + Text(s.Workflow)
}

// pictureText is the picture in words, for who cannot see it.
func pictureText(s planner.Sketch) string {
	before := map[string][]string{}
	for _, e := range s.Edges {
		before[e.To] = append(before[e.To], e.From)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s.", count(len(s.Nodes), "ticket"), count(len(s.Edges), "edge"))
	for i, n := range s.Nodes {
		if i == 200 {
			fmt.Fprintf(&b, " And %d more.", len(s.Nodes)-i)
			break
		}
		fmt.Fprintf(&b, " %s", nodeText(n))
		if list := before[n.ID]; len(list) > 0 {
			fmt.Fprintf(&b, " waits for %s", few(list))
		}
		b.WriteByte('.')
	}
	if s.Cyclic {
		b.WriteString(" Some tickets wait for each other in a circle.")
	}
	return b.String()
}

func nodeText(n planner.SketchNode) string {
	out := Text(n.Address)
	if n.ID != n.Address {
		out = n.ID + " " + out
	}
	if n.Status != "" {
		out += " is " + n.Status
	}
	if n.Reason != "" {
		out += " (" + Text(n.Reason) + ")"
	}
	return out
}

func drawnBox(n planner.SketchNode, run bool) box {
	b := box{SketchNode: n, class: "ticket"}
	head := Text(n.Address)
	if n.ID != n.Address {
		head = n.ID + " " + head
	}
	b.lines = []string{shortened(head, mostWide)}
	if title := Text(n.Title); title != "" && title != n.Address {
		b.lines = append(b.lines, shortened(title, mostWide))
	}
	if n.Kind != "work" {
		b.lines = append(b.lines, n.Kind)
	}
	if len(n.Stages) > 0 && n.Kind == "work" {
		b.lines = append(b.lines, shortened(strings.Join(texts(n.Stages), " → "), mostWide))
	}
	var notes []string
	for _, note := range []struct {
		on   bool
		text string
	}{
		{run && n.Status != "", n.Status}, {n.FanOut, "for each" + upTo(n.Max)}, {n.Writes, "writes"}, {n.Held && !run, "held"},
		{n.Skipped && !run, "skipped"}, {len(n.Gates) > 0, count(len(n.Gates), "gate")},
	} {
		if note.on {
			notes = append(notes, note.text)
		}
	}
	b.notes = shortened(strings.Join(notes, ", "), mostWide+4)
	switch {
	case n.Status != "":
		b.class += " " + n.Status
	case n.Skipped:
		b.class += " skipped"
	case n.Held:
		b.class += " held"
	}
	return b
}

func upTo(most string) string {
	if most == "" {
		return ""
	}
	return ", up to " + shortened(Text(most), 12)
}

func (b box) size() layout.Size {
	wide, high := leastWide, len(b.lines)
	for _, line := range b.lines {
		wide = max(wide, columns(line)+1)
	}
	if b.notes != "" {
		wide, high = max(wide, columns(b.notes)), high+1
	}
	return layout.Size{W: float64(wide)*letter + 2*boxPad, H: float64(high)*lineHigh + boxPad}
}

func (b box) draw(w io.Writer, c layout.Point, size layout.Size) {
	x, y := c.X-size.W/2, c.Y-size.H/2
	fmt.Fprintf(w, "<g class=\"%s\"><title>%s</title>", b.class, markup(b.told()))
	if b.FanOut {
		fmt.Fprintf(w, `<rect class="box" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="6"/>`, x+5, y+5, size.W, size.H)
	}
	fmt.Fprintf(w, `<rect class="box" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="6"/>`, x, y, size.W, size.H)
	fmt.Fprintf(w, `<rect class="mark" x="%.1f" y="%.1f" width="4" height="%.1f" rx="2"/>`, x, y, size.H)
	y += boxPad/2 + lineHigh*0.72
	for i, line := range b.lines {
		class := "text"
		if i == 0 {
			class = "head"
		}
		fmt.Fprintf(w, `<text class="%s" x="%.1f" y="%.1f">%s</text>`, class, x+boxPad, y, markup(line))
		y += lineHigh
	}
	if b.notes != "" {
		fmt.Fprintf(w, `<text class="note" x="%.1f" y="%.1f">%s</text>`, x+boxPad, y, markup(b.notes))
	}
	fmt.Fprint(w, "</g>\n")
}

// told is what a reader is shown who points at a box.
func (b box) told() string {
	out := nodeText(b.SketchNode)
	if b.Title != "" && b.Title != b.Address {
		out += ": " + Text(b.Title)
	}
	if len(b.Gates) > 0 {
		out += "; gates " + strings.Join(texts(b.Gates), ", ")
	}
	return out
}

// drawEdge draws the way of an edge as one curve that leaves and enters level.
func drawEdge(w io.Writer, e planner.SketchEdge, points []layout.Point) {
	class := "edge"
	switch {
	case e.Cycle:
		class += " cycle"
	case e.Critical:
		class += " longest"
	}
	switch e.Until {
	case "settled":
		class += " settled"
	case "done or skipped":
		class += " optional"
	}
	fmt.Fprintf(w, `<path class="%s" d="M%.1f %.1f`, class, points[0].X, points[0].Y)
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		if math.Abs(a.Y-b.Y) < 0.05 {
			fmt.Fprintf(w, " L%.1f %.1f", b.X, b.Y)
			continue
		}
		bend := (b.X - a.X) / 2
		fmt.Fprintf(w, " C%.1f %.1f %.1f %.1f %.1f %.1f", a.X+bend, a.Y, b.X-bend, b.Y, b.X, b.Y)
	}
	fmt.Fprintf(w, "\"/>\n")
	end, before := points[len(points)-1], points[len(points)-2]
	way := 1.0
	if before.X > end.X {
		way = -1
	}
	fmt.Fprintf(w, `<path class="tip %s" d="M%.1f %.1f l%.1f -4 v8 z"/>`+"\n", strings.TrimPrefix(class, "edge "), end.X, end.Y, -8*way)
}

// key is one entry of the legend: only what occurs is explained.
type key struct{ class, text string }

func legend(s planner.Sketch) []key {
	on := map[string]bool{}
	for _, e := range s.Edges {
		on[e.Until], on["cycle"], on["longest"] = true, on["cycle"] || e.Cycle, on["longest"] || e.Critical
	}
	var out []key
	for _, k := range []struct{ when, class, text string }{
		{"done", "edge", "waits until done"}, {"done or skipped", "edge optional", "done or skipped"},
		{"settled", "edge settled", "settled: also parked or skipped"}, {"longest", "edge longest", "longest way"}, {"cycle", "edge cycle", "a circle"},
	} {
		if on[k.when] {
			out = append(out, key{k.class, k.text})
		}
	}
	return out
}

func drawLegend(w io.Writer, keys []key, y float64) {
	x := margin
	for _, k := range keys {
		fmt.Fprintf(w, `<path class="%s" d="M%.1f %.1f h32"/><text class="note" x="%.1f" y="%.1f">%s</text>`+"\n", k.class, x, y-4, x+40, y, markup(k.text))
		x += 40 + float64(uniseg.StringWidth(k.text))*letter + 30
	}
}

// markup makes text safe inside XML. Text has written out what XML cannot hold.
func markup(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;").Replace(Text(text))
}

// pictureStyle follows the reader's light or dark; a viewer that knows no media
// query shows the light one, whole, since it has a ground of its own.
const pictureStyle = `<style>
text { font: 12px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace; fill: #1f2328 }
.page { fill: #ffffff } .name { font-size: 15px; font-weight: 600 }
.head { font-weight: 600 } .note { fill: #59636e; font-size: 11px }
.box { fill: #f6f8fa; stroke: #8c959f } .mark { fill: #8c959f }
.skipped .box, .cancelled .box { stroke-dasharray: 4 3; fill: #ffffff } .skipped text, .cancelled text { fill: #818b98 }
.held .box, .blocked .box { fill: #fff8c5; stroke: #bf8700 } .held .mark, .blocked .mark { fill: #bf8700 }
.parked .box { fill: #ffebe9; stroke: #cf222e } .parked .mark { fill: #cf222e }
.running .box { fill: #ddf4ff; stroke: #0969da } .running .mark { fill: #0969da }
.done .box { fill: #dafbe1; stroke: #1a7f37 } .done .mark { fill: #1a7f37 }
.edge { fill: none; stroke: #6e7781; stroke-width: 1.3 } .tip { fill: #6e7781; stroke: none }
.longest { stroke: #1f2328; stroke-width: 2 } .tip.longest { fill: #1f2328; stroke: none }
.settled { stroke-dasharray: 7 4 } .optional { stroke-dasharray: 2 3 }
.cycle { stroke: #cf222e; stroke-width: 2.4 } .tip.cycle { fill: #cf222e; stroke: none }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .page { fill: #0d1117 } .note { fill: #9198a1 }
.box { fill: #161b22; stroke: #656c76 } .mark { fill: #656c76 }
.skipped .box, .cancelled .box { fill: #0d1117 } .skipped text, .cancelled text { fill: #7d8590 }
.held .box, .blocked .box { fill: #2b2411; stroke: #d29922 } .held .mark, .blocked .mark { fill: #d29922 }
.parked .box { fill: #34191c; stroke: #f85149 } .parked .mark { fill: #f85149 }
.running .box { fill: #10243e; stroke: #4493f8 } .running .mark { fill: #4493f8 }
.done .box { fill: #12261a; stroke: #3fb950 } .done .mark { fill: #3fb950 }
.edge { stroke: #8b949e } .tip { fill: #8b949e } .longest { stroke: #e6edf3 } .tip.longest { fill: #e6edf3 }
.cycle { stroke: #f85149 } .tip.cycle { fill: #f85149 }
}
</style>
`
