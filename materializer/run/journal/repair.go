package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// Report is what Verify found, or Repair did.
type Report struct {
	Header Header  `json:"header"`
	Lines  int     `json:"lines"` // good ones, the header included
	Head   string  `json:"head"`  // hash of the last good one
	Torn   int64   `json:"torn_bytes,omitempty"`
	Damage *Damage `json:"damage,omitempty"` // nil when there is none
	Aside  string  `json:"aside,omitempty"`  // where Repair put what it took away
	Moved  int64   `json:"moved_bytes,omitempty"`
}

// Verify checks every line and changes nothing. A damaged file is a Report, not
// an error.
func Verify(path string) (Report, error) {
	r, _, err := verify(path)
	return r, err
}

func verify(path string) (Report, int64, error) {
	s, err := scanFile(path, nil)
	damage, isDamage := errors.AsType[*Damage](err)
	if err != nil && !isDamage {
		return Report{}, 0, err
	}
	return Report{Header: s.header, Lines: s.lines, Head: s.head, Torn: s.torn, Damage: damage}, s.good, nil
}

// Repair keeps the lines before the damage and moves the rest, bytes unchanged,
// into a new file beside the journal; it deletes nothing. The rest is durable
// before the journal is cut, so that a kill in between loses nothing. An
// undamaged file stays as it is. When the first line is damaged there is nothing
// to keep, and Repair refuses.
//
// The caller must hold the run's lock.
func Repair(path string) (Report, error) {
	report, good, err := verify(path)
	if err != nil || report.Damage == nil && report.Torn == 0 {
		return report, err
	}
	if report.Lines == 0 {
		return report, report.Damage
	}
	f, err := os.OpenFile(path, os.O_RDWR|unix.O_NOFOLLOW, 0)
	if err != nil {
		return report, fmt.Errorf("repair the journal: %w", err)
	}
	defer f.Close()
	if report.Aside, report.Moved, err = moveAside(f, path, good); err != nil {
		return report, fmt.Errorf("repair the journal: %w", err)
	}
	if err := errors.Join(f.Truncate(good), f.Sync()); err != nil {
		return report, fmt.Errorf("repair the journal: %w", err)
	}
	return report, nil
}

// moveAside copies what follows offset into the first free name.
func moveAside(f *os.File, path string, offset int64) (name string, n int64, err error) {
	if _, err := f.Seek(offset, io.SeekStart); err != nil {
		return "", 0, err
	}
	var to *os.File
	for i := 1; to == nil; i++ {
		name = path + ".damaged-" + strconv.Itoa(i)
		to, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil && !errors.Is(err, os.ErrExist) {
			return "", 0, err
		}
	}
	n, err = io.Copy(to, f)
	if err := errors.Join(err, to.Sync(), to.Close()); err != nil {
		return name, n, err
	}
	return name, n, syncDir(filepath.Dir(path))
}

// leastEvent is the length of the shortest line that tells of a session or of a
// refusal, the shortest ticket and role names taken: so many bytes of a line
// that cannot be read can have been one such event.
const leastEvent = 200

// Aside reads the lines that Repair moved away as far as each can be read by
// itself: its checksum fits, whatever lines it once followed. unread is the most
// events that the other bytes can have been. The events are told in their order
// and are claims about the past, not facts to act on.
func Aside(path string, visit func(event json.RawMessage) error) (unread int, err error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return 0, fmt.Errorf("read what was moved aside: %w", err)
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 256<<10)
	for line := []byte(nil); ; {
		line, err = readLine(r, line[:0])
		if err == io.EOF {
			return unread + torn(line), nil
		}
		if err != nil && err != errLong {
			return unread, fmt.Errorf("read what was moved aside: %w", err)
		}
		event, ok := alone(line)
		if !ok {
			unread += 1 + len(line)/leastEvent
			continue
		}
		if err := visit(event); err != nil {
			return unread, err
		}
	}
}

// torn counts a last line without an end: nothing had been built on it, unless
// the newline itself was what got damaged.
func torn(line []byte) int {
	if len(line) == 0 {
		return 0
	}
	return 1 + len(line)/leastEvent
}

// alone gives the event of a line whose checksum fits.
func alone(line []byte) (json.RawMessage, bool) {
	var l struct {
		Event json.RawMessage `json:"event"`
	}
	text, ok := summed(line)
	if !ok || json.Unmarshal(append(bytes.Clone(text), '}'), &l) != nil || l.Event == nil {
		return nil, false
	}
	return l.Event, true
}
