package journal

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// Visit takes one event. n is its line's number. The bytes are only good during
// the call. An error ends the reading and is given back.
type Visit func(n int, event json.RawMessage) error

// Notice tells what opening had to do. The zero Notice means nothing.
type Notice struct {
	CutBytes int64 // length of a torn last line
	Line     int   // its number
}

// String gives the notice as one sentence; empty for the zero Notice.
func (n Notice) String() string {
	if n.CutBytes == 0 {
		return ""
	}
	return fmt.Sprintf("journal: line %d was torn (%d bytes without an end) and was cut; nothing had been built on it", n.Line, n.CutBytes)
}

// Damage is a journal that cannot be trusted from a line on. It is an error of
// Open and Read, and a value in a Report.
type Damage struct {
	Path   string `json:"path"`
	Line   int    `json:"line"`   // 1-based; the first line not to be trusted
	Offset int64  `json:"offset"` // where that line begins, in bytes
	Why    string `json:"why"`
}

// Error names the line and the two ways on.
func (d *Damage) Error() string {
	return fmt.Sprintf("journal %s is damaged at line %d: %s (wf journal verify shows it; wf journal repair keeps the lines before it)", d.Path, d.Line, d.Why)
}

// Open opens a journal to go on with. It checks every line and gives each event
// to visit, in order, holding one line at a time. A torn last line is cut and
// the cut is made durable. It answers *Damage for anything else; what visit got
// until then must not be used.
func Open(path string, visit Visit, opts ...Option) (*Journal, Header, Notice, error) {
	s, err := scanFile(path, visit)
	if err != nil {
		return nil, Header{}, Notice{}, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, Header{}, Notice{}, fmt.Errorf("open the journal: %w", err)
	}
	j := newJournal(path, f, opts)
	j.size, j.lines, j.head = s.good, s.lines, s.head
	notice := s.notice()
	if s.torn > 0 {
		if err := errors.Join(j.file.Truncate(s.good), j.file.Sync()); err != nil {
			return nil, Header{}, Notice{}, errors.Join(fmt.Errorf("cut the journal's torn line: %w", err), j.Close())
		}
	}
	return j, s.header, notice, nil
}

// Read gives each event to visit and changes nothing; a run may be writing. A
// torn last line is left out. It gives the header and the head it read up to.
func Read(path string, visit Visit) (Header, string, Notice, error) {
	s, err := scanFile(path, visit)
	if err != nil {
		return Header{}, "", Notice{}, err
	}
	return s.header, s.head, s.notice(), nil
}

// scan is one pass over a journal.
type scan struct {
	path   string
	visit  Visit
	header Header
	lines  int    // lines that are confirmed or whole
	head   string // hash of the last of them
	good   int64  // bytes of them
	torn   int64  // bytes after them without a newline
	held   []byte // the last line's event: given to visit once the next line, or the end, confirms it
	start  int64  // where the held line begins
	before string // hash of the line before it
}

func (s *scan) notice() Notice {
	if s.torn == 0 {
		return Notice{}
	}
	return Notice{CutBytes: s.torn, Line: s.lines + 1}
}

func scanFile(path string, visit Visit) (*scan, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("open the journal: %w", err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("open the journal: %s is not a regular file", path)
	}
	s := &scan{path: path, visit: visit, head: genesis}
	return s, s.all(bufio.NewReaderSize(f, 256<<10))
}

func (s *scan) all(r *bufio.Reader) error {
	var line []byte
	for {
		var err error
		line, err = readLine(r, line[:0])
		if err == io.EOF {
			if s.torn = int64(len(line)); s.lines == 0 {
				return s.damage(1, 0, "there is no whole first line")
			}
			return s.release()
		}
		if err == errLong {
			return s.damage(s.lines+1, s.good, fmt.Sprintf("the line is longer than %d bytes", maxLine))
		}
		if err != nil {
			return fmt.Errorf("read the journal %s: %w", s.path, err)
		}
		if err := s.take(line); err != nil {
			return err
		}
	}
}

// take checks one whole line and then gives the one before it to visit.
func (s *scan) take(line []byte) error {
	body, why := s.open(line)
	if why == rewritten {
		// Both lines are whole: one was written anew. Neither is to be trusted.
		s.lines, s.good, s.head = s.lines-1, s.start, s.before
	}
	if why != "" {
		return s.damage(s.lines+1, s.good, why)
	}
	if err := s.release(); err != nil {
		return err
	}
	if s.lines == 0 {
		if err := s.readHeader(body); err != nil {
			return err
		}
	} else {
		s.held = append(s.held, body...)
	}
	sum := sha256.Sum256(line)
	s.before = s.head
	s.head = hex.EncodeToString(sum[:])
	s.start, s.good = s.good, s.good+int64(len(line))
	s.lines++
	return nil
}

func (s *scan) release() error {
	if len(s.held) == 0 {
		return nil
	}
	event := s.held
	s.held = s.held[:0]
	if s.visit == nil {
		return nil
	}
	return s.visit(s.lines, event)
}

// open checks a line against its CRC, number and predecessor, and gives what is
// in it. why is empty for a good line.
func (s *scan) open(line []byte) (body []byte, why string) {
	text, ok := summed(line)
	if !ok {
		return nil, "its checksum does not fit its bytes"
	}
	key := "event"
	if s.lines == 0 {
		key = "header"
	}
	want := lead(s.lines+1, s.head, key)
	if !bytes.HasPrefix(text, []byte(want)) {
		if number := want[:strings.IndexByte(want, ',')+1]; s.lines > 0 && bytes.HasPrefix(text, []byte(number)) {
			return nil, rewritten
		}
		return nil, "it does not follow the lines before it"
	}
	if body = text[len(want):]; !json.Valid(body) {
		return nil, "it is not JSON"
	}
	return body, ""
}

// summed gives a line without its checksum, and whether that fits.
func summed(line []byte) ([]byte, bool) {
	const tail = len(`,"crc":"00000000"}` + "\n")
	if len(line) <= tail {
		return nil, false
	}
	text, end := line[:len(line)-tail], line[len(line)-tail:]
	return text, string(end) == fmt.Sprintf(`,"crc":"%08x"}`+"\n", crc32.Checksum(text, castagnoli))
}

const rewritten = "the next line was written after another line than this"

func (s *scan) readHeader(body []byte) error {
	if err := json.Unmarshal(body, &s.header); err != nil {
		return s.damage(1, 0, "the header is not readable")
	}
	if s.header.Format != Format {
		return fmt.Errorf("open the journal %s: it has format %d, this wf reads format %d", s.path, s.header.Format, Format)
	}
	return nil
}

func (s *scan) damage(line int, offset int64, why string) error {
	return &Damage{Path: s.path, Line: line, Offset: offset, Why: why}
}

var errLong = errors.New("line too long")

// readLine gives the next line with its newline, in buf; at the end of the file
// io.EOF together with what follows the last newline.
func readLine(r *bufio.Reader, buf []byte) ([]byte, error) {
	for {
		part, err := r.ReadSlice('\n')
		if len(buf)+len(part) > maxLine {
			return buf, errLong
		}
		buf = append(buf, part...)
		if err != bufio.ErrBufferFull {
			return buf, err
		}
	}
}
