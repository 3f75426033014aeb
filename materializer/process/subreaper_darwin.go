package process

import (
	"errors"
	"fmt"
	"sync/atomic"
)

var subreaper atomic.Bool // stays false

// BecomeSubreaper is Linux only: macOS gives orphans to launchd. They are
// found by group, session and marker.
func BecomeSubreaper() error { return fmt.Errorf("become child subreaper: %w", errors.ErrUnsupported) }

func buryOrphans() {}
