//go:build !linux

package process

// MarkRunner does nothing here: a process has no name that only it can change.
func MarkRunner() {}

// IsRunner knows no runner here; the state folder and the marker tell.
func IsRunner(Identity) bool { return false }
