package sandbox

import (
	"fmt"
	"io"
)

// Main is the body of the hidden subcommand: args are what follows its name,
// environ is the process's own environment. "run" carries out the order on
// descriptor 3 and does not return when it succeeds, since the process becomes
// the program. "probe" tries to confine itself and writes what worked. The
// result is the exit status; complaints go to stderr.
func Main(args, environ []string, stdout, stderr io.Writer) int {
	var err error
	status := ExitNotConfined
	switch {
	case len(args) == 1 && args[0] == "run":
		status, err = run(environ)
	case len(args) == 2 && args[0] == "probe":
		status, err = 0, probe(stdout, args[1])
	default:
		err = fmt.Errorf("this subcommand is wf's own")
	}
	if err == nil {
		return status
	}
	fmt.Fprintf(stderr, "wf sandbox: %v\n", err)
	if status == 0 {
		status = ExitNotConfined
	}
	return status
}
