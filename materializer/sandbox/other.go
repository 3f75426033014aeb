//go:build !linux

package sandbox

import (
	"context"
	"errors"
	"io"

	"github.com/seed9cc7a46e/wf/materializer/process"
)

var errNotHere = errors.New("sandbox: no backend is built for this platform")

// Probe says what this host can enforce: here, nothing yet.
func Probe(context.Context, string) Facts {
	return Facts{Backend: Unconfined, Floor: FloorNone, Notes: []string{
		"No sandbox backend is built for this platform: units and gates run with all your rights.",
	}}
}

func probe(io.Writer, string) error { return errNotHere }

func run([]string) (int, error) { return ExitNotConfined, errNotHere }

func (f Facts) launch(string, order) (process.Spec, error) { return process.Spec{}, errNotHere }
