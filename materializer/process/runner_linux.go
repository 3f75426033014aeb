package process

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// runnerName is the name of a process that carries out a run, at most 15 bytes.
const runnerName = "wf-runner"

// MarkRunner gives this process the name by which IsRunner knows it. Only the
// process itself can change it.
func MarkRunner() {
	// Where /proc is not writable the other signs of a unit have to do.
	_ = os.WriteFile(filepath.Join("/proc", strconv.Itoa(os.Getpid()), "comm"), []byte(runnerName), 0)
}

// IsRunner reports whether a process said of itself that it carries out a run,
// or began with the marker of a unit. It needs no state folder, so that a unit
// which works in another clone is known too.
func IsRunner(i Identity) bool {
	folder := filepath.Join("/proc", strconv.Itoa(i.PID))
	if name, err := os.ReadFile(filepath.Join(folder, "comm")); err == nil && strings.TrimSpace(string(name)) == runnerName {
		return true
	}
	environ, err := os.ReadFile(filepath.Join(folder, "environ"))
	return err == nil && strings.Contains("\x00"+string(environ), "\x00"+MarkerVariable+"=")
}
