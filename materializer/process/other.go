//go:build !linux && !darwin

package process

import (
	"context"
	"os"
	"time"
)

// Handle is one started process; on this platform there is none.
type Handle struct{}

// Run is refused on this platform with ErrUnsupported.
func Run(ctx context.Context, spec Spec) (Result, error) {
	_, err := Start(ctx, spec)
	return Result{}, err
}

// Start is refused on this platform with ErrUnsupported.
func Start(_ context.Context, spec Spec) (*Handle, error) {
	closeAll(spec.ExtraFiles)
	name := `""`
	if len(spec.Argv) > 0 {
		name = spec.Argv[0]
	}
	return nil, &StartError{Other, name, ErrUnsupported}
}

// Identity names nothing.
func (h *Handle) Identity() Identity { return Identity{} }

// Done gives a channel that is never closed.
func (h *Handle) Done() <-chan struct{} { return nil }

// Wait gives an empty result.
func (h *Handle) Wait() Result { return Result{} }

// Stop gives an empty result.
func (h *Handle) Stop(time.Duration) Result { return Result{} }

// Reap is refused on this platform with ErrUnsupported.
func Reap(string, []Identity) ([]Identity, error) { return nil, ErrUnsupported }

// BecomeSubreaper is refused on this platform with ErrUnsupported.
func BecomeSubreaper() error { return ErrUnsupported }

func self() Identity { return Identity{PID: os.Getpid()} }

func identify(int) (Identity, error) { return Identity{}, ErrUnsupported }

func lookup(int) (entry, error) { return entry{}, ErrUnsupported }

// EndWithMounts finds nothing: no unit runs here.
func EndWithMounts(string) ([]Identity, error) { return nil, nil }
