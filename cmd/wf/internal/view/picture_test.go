package view

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/planner"
)

// foreign is text as somebody would write it who wants to leave its place.
var foreign = []string{
	`</text><script>alert(1)</script>`, `"]; evil -> x; "`, "a\nb\r\u2028c", `\N \G \" \\`, "x\"] --> y; click n0 href \"javascript:1\"",
	"%%{init: {}}%%", "`**bold**`", "\x1b[31m\u202e", "&lt;b&gt; &#65;", "名前 🦊 e\u0301", "end", "", "--><!--", "]]>", "{{ }} (( ))",
}

func foreignSketch() planner.Sketch {
	s := planner.Sketch{Format: 1, Cyclic: true, Workflow: foreign[0] + foreign[1], Run: foreign[3]}
	for i, text := range foreign {
		s.Nodes = append(s.Nodes, planner.SketchNode{ID: "T-00" + string(rune('0'+i)), Address: text, Title: foreign[len(foreign)-1-i], Kind: "work", Stages: []string{text}, Gates: []string{text}, FanOut: i%2 == 0, Max: text, Status: "parked", Reason: text})
		s.Edges = append(s.Edges, planner.SketchEdge{From: s.Nodes[i].ID, To: s.Nodes[0].ID, Until: "done", Cycle: i%3 == 0})
	}
	return s
}

// Whatever stands in a workflow, the picture is one SVG of known elements, with
// words for who cannot see it. POL-25
func TestSVGHoldsNoForeignMarkup(t *testing.T) {
	var out bytes.Buffer
	s := foreignSketch()
	SVG(&out, s)
	known := map[string]bool{"svg": true, "title": true, "desc": true, "style": true, "rect": true, "text": true, "g": true, "path": true}
	titles := 0
	for dec := xml.NewDecoder(bytes.NewReader(out.Bytes())); ; {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		switch e := token.(type) {
		case xml.StartElement:
			require.True(t, known[e.Name.Local], e.Name.Local)
			if e.Name.Local == "title" {
				titles++
			}
			for _, a := range e.Attr {
				require.NotContains(t, strings.ToLower(a.Name.Local), "on")
				require.NotContains(t, strings.ToLower(a.Name.Local), "href")
			}
		case xml.Comment, xml.ProcInst, xml.Directive:
			require.Fail(t, "no such thing is written", "%v", e)
		}
	}
	require.Equal(t, 1+len(s.Nodes), titles)
	require.Contains(t, out.String(), "prefers-color-scheme: dark")
	require.Contains(t, out.String(), "Some tickets wait")
}

func TestDOTQuotesWhatItIsGiven(t *testing.T) {
	var out bytes.Buffer
	DOT(&out, foreignSketch())
	line := regexp.MustCompile(`^(digraph "([^"\\]|\\.)*" \{|\}|  rankdir.*|  "([^"\\]|\\.)*" (-> "([^"\\]|\\.)*"( \[[a-z=0-9, ]+\])?|\[label="([^"\\]|\\[\\n"])*"[a-z0-9=", ]*\]);)$`)
	for _, l := range strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n") {
		require.Regexp(t, line, l)
	}
}

func TestMermaidHoldsNoForeignSyntax(t *testing.T) {
	var out bytes.Buffer
	Mermaid(&out, foreignSketch())
	line := regexp.MustCompile(`^(flowchart LR|  n\d+\[\[?"([A-Za-z0-9 .,/:\-]|[^\x00-\x7f]|#\d+;|<br/>)*"\]\]?|  n\d+ -\.?->? n\d+|  n\d+ --> n\d+|  class n\d+ [a-z]+|  classDef [a-z]+ [a-z0-9#:,\- ]+|  linkStyle \d+ [a-z0-9#:,\-]+)$`)
	for _, l := range strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n") {
		require.Regexp(t, line, l)
	}
}

func TestSmallPictures(t *testing.T) {
	for _, s := range []planner.Sketch{{Workflow: "none"}, {Workflow: "one", Nodes: []planner.SketchNode{{ID: "a", Address: "a", Kind: "review"}}, Edges: []planner.SketchEdge{{From: "a", To: "a", Until: "done", Cycle: true}}, Cyclic: true}} {
		var out bytes.Buffer
		SVG(&out, s)
		require.NotContains(t, out.String(), "NaN")
		require.NotContains(t, out.String(), "Inf")
	}
}
