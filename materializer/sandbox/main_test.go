package sandbox

import (
	"os"
	"testing"
)

// TestMain plays the wf binary when a test starts itself as the helper.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == Subcommand {
		os.Exit(Main(os.Args[2:], os.Environ(), os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}
