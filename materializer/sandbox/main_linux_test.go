package sandbox

import (
	"os"
	"testing"
)

// TestMain plays the wf binary when a test starts itself as the helper, and
// the program inside the sandbox.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == Subcommand {
		os.Exit(Main(os.Args[2:], os.Environ(), os.Stdout, os.Stderr))
	}
	if len(os.Args) > 2 && os.Args[1] == insideArg {
		os.Exit(program(os.Args[2], os.Args[3:]))
	}
	os.Exit(m.Run())
}
