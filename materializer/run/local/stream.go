package local

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unicode"

	"github.com/seed9cc7a46e/wf/materializer/agent"
	"github.com/seed9cc7a46e/wf/materializer/guard"
	"github.com/seed9cc7a46e/wf/materializer/process"
	"github.com/seed9cc7a46e/wf/materializer/run"
	"github.com/seed9cc7a46e/wf/planner"
)

// Limits of what one unit can make wf keep.
const (
	maxLine       = 1 << 20  // bytes of one line of a stream; the rest of it is dropped
	maxTranscript = 64 << 20 // bytes of a transcript; what comes after is counted
	maxClaims     = 200      // uses, denials, questions that are kept by name
	maxUses       = 100_000  // uses that are held against the guard's records
	maxDetail     = 500      // bytes of a detail
)

// stream takes a unit's output: it writes the transcript, redacted, and reads
// the adapter's events. One goroutine of the process writes to it; begun and
// last may be asked from another.
type stream struct {
	mu         sync.Mutex
	adapter    agent.Stream
	reserve    planner.Money
	over       func() // the reserve is spent
	transcript io.Writer
	secrets    *redactor
	written    int64
	buf        []byte
	skipping   bool

	started bool
	cost    planner.Money
	known   bool
	failed  bool
	vendor  string
	said    string
	uses    int
	used    []guard.Used // of them, for reconciliation
	denied  []string
	asks    []run.Question
	stuck   string
}

// open makes the transcript and gives the process its streams.
func (s *session) open(spec *process.Spec) (io.Closer, error) {
	if err := os.MkdirAll(s.places.kept, 0o700); err != nil {
		return nil, fmt.Errorf("unit %s: %w", s.id, err)
	}
	f, err := os.OpenFile(filepath.Join(s.places.kept, "transcript"), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("unit %s: %w", s.id, err)
	}
	s.stream = &stream{adapter: s.adapter.Open(), reserve: s.cmd.Reserve, transcript: f, secrets: &s.secrets, over: func() {}}
	spec.Stdout = s.stream
	spec.Stderr = (*errorStream)(s.stream)
	return f, nil
}

// errorStream is the same transcript; its lines are no events.
type errorStream stream

// Write keeps standard error in the transcript.
func (e *errorStream) Write(p []byte) (int, error) {
	s := (*stream)(e)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keep(p)
	if text := strings.TrimSpace(string(p)); text != "" {
		s.said = clean(string(s.secrets.apply([]byte(text))))
	}
	return len(p), nil
}

// Write splits output into lines.
func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for rest := p; len(rest) > 0; {
		line, after, full := bytes.Cut(rest, []byte("\n"))
		rest = after
		if room := maxLine - len(s.buf); len(line) > room {
			line, s.skipping = line[:room], true
		}
		s.buf = append(s.buf, line...)
		if full {
			s.line()
		}
	}
	return len(p), nil
}

func (s *stream) flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.buf) > 0 {
		s.line()
	}
}

// line redacts before anything is stored or looked at. A line that was cut is
// kept as text and is no event.
func (s *stream) line() {
	line := s.secrets.apply(s.buf)
	s.keep(append(line[:len(line):len(line)], '\n'))
	if !s.skipping {
		for _, ev := range s.adapter.Line(line) {
			s.event(ev)
		}
	}
	s.buf, s.skipping = s.buf[:0], false
}

func (s *stream) keep(p []byte) {
	if room := maxTranscript - s.written; int64(len(p)) > room {
		p = p[:max(room, 0)]
	}
	n, err := s.transcript.Write(s.secrets.apply(p))
	if err == nil {
		s.written += int64(n)
	}
}

func (s *stream) event(ev agent.Event) {
	s.started = true
	switch ev.Kind {
	case agent.Says:
		s.said = clean(ev.Text)
	case agent.Use:
		s.uses++
		if len(s.used) < maxUses {
			s.used = append(s.used, guard.Used{ID: ev.ID, Tool: ev.Tool})
		}
	case agent.Denied:
		if len(s.denied) < maxClaims {
			s.denied = append(s.denied, clean(ev.Tool+": "+ev.Text))
		}
	case agent.Spent, agent.Ended:
		s.spent(ev)
		s.failed = s.failed || ev.Failed
		if ev.Failed && ev.Text != "" {
			s.said = clean(ev.Text)
		}
	case agent.Asks:
		if len(s.asks) < maxClaims {
			s.asks = append(s.asks, run.Question{Text: clean(ev.Text)})
		}
	case agent.Stuck:
		s.stuck = clean(ev.Text)
	case agent.Vendor:
		s.vendor = clean(ev.Text)
	}
}

func (s *stream) spent(ev agent.Event) {
	if !ev.Known {
		return
	}
	s.cost, s.known = max(s.cost, ev.Cost), true
	if s.reserve > 0 && s.cost > s.reserve {
		s.over()
	}
}

func (s *stream) begun() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.started
}

func (s *stream) last() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.said
}

// fill puts what the stream told into the end of the unit. Without a word about
// cost, the cost is unknown.
func (s *stream) fill(ended *run.Ended) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ended.Cost, ended.CostKnown = s.cost, s.known
	ended.Asked, ended.Blocked = s.asks, s.stuck
	ended.Observed.Uses, ended.Observed.Denied = s.uses, s.denied
}

// clean makes text from an agent fit to be shown on one line: control, bidirectional
// and zero-width characters are escaped, and it is bounded.
func clean(text string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(text, "\uFFFD") {
		if b.Len() > maxDetail {
			b.WriteString("…")
			break
		}
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			b.WriteByte(' ')
		case unicode.IsControl(r) || unicode.In(r, unicode.Cf):
			fmt.Fprintf(&b, "\\u%04x", r)
		default:
			b.WriteRune(r)
		}
	}
	return strings.TrimSpace(b.String())
}
