package command

import (
	"bytes"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/seed9cc7a46e/wf/cmd/wf/internal/verb"
	"github.com/seed9cc7a46e/wf/cmd/wf/internal/view"
)

// pictureSuffixes are the formats that a file's name asks for.
var pictureSuffixes = map[string]string{".svg": "svg", ".dot": "dot", ".gv": "dot", ".mmd": "mermaid", ".mermaid": "mermaid", ".json": "json"}

func graphCommand(a *app) *cobra.Command {
	var format, output, runID string
	c := &cobra.Command{
		Use:   "graph [NAME | PLAN]",
		Short: "Draw a workflow, a plan, or a run with the status of its tickets",
		Long: `Graph draws what waits for what: of a workflow the tickets as they are written, of a plan
the tickets as they were planned, without either the run and how far it is. A workflow
whose tickets wait for each other in a circle is drawn with the circle marked.`,
		Example: "  wf graph ship-features -o ship.svg\n  wf graph p.wfplan --format dot\n  wf graph --run latest -o now.svg",
		Args:    atMostOne("a workflow or a plan file"), ValidArgsFunction: a.completeWorkflows,
		RunE: func(cmd *cobra.Command, args []string) error {
			if named, ok := pictureSuffixes[filepath.Ext(output)]; ok && !cmd.Flags().Changed("format") {
				format = named
			}
			if err := knownFormat(cmd, format); err != nil {
				return err
			}
			if len(args) == 1 && runID != "" {
				return usagef("a workflow or a plan, or --run: a run has its own plan")
			}
			got, err := a.graphed(cmd, args, runID)
			if err != nil {
				return err
			}
			var picture bytes.Buffer
			if err := drawn(&picture, got, format); err != nil {
				return err
			}
			if output != "" {
				err = verb.WriteFile(a.env(), output, picture.Bytes())
			} else {
				_, err = picture.WriteTo(a.Stdout)
			}
			if err == nil && len(got.Findings) > 0 {
				a.out().Refusal(a.Stderr, got.Findings, got.Sources)
				return exit(verb.ExitFailure)
			}
			return err
		},
	}
	c.Flags().StringVar(&format, "format", "svg", "svg, dot, mermaid, json; without it what the name of -o asks for")
	c.Flags().StringVarP(&output, "out", "o", "", "write the picture to this `file`")
	c.Flags().StringVar(&runID, "run", "", "the `run` to draw; \"latest\", as without any name, is the only open one, else the latest")
	return c
}

func (a *app) graphed(cmd *cobra.Command, args []string, runID string) (verb.Graphed, error) {
	if len(args) == 1 {
		return verb.Graph(cmd.Context(), a.env(), args[0])
	}
	if runID == "latest" {
		runID = ""
	}
	return verb.GraphRun(cmd.Context(), a.env(), runID)
}

func drawn(w io.Writer, got verb.Graphed, format string) error {
	switch format {
	case "dot":
		view.DOT(w, got.Sketch)
	case "mermaid":
		view.Mermaid(w, got.Sketch)
	case "json":
		return view.JSON(w, got.Sketch)
	default:
		if n := len(got.Sketch.Nodes); n > view.MaxDrawn || len(got.Sketch.Edges) > 4*view.MaxDrawn {
			return usagef("%d tickets and %d edges are more than a picture can show: take --format dot or json, or draw the workflow instead of the plan", n, len(got.Sketch.Edges))
		}
		view.SVG(w, got.Sketch)
	}
	return nil
}
