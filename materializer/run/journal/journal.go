// Package journal defines the journal of a run: the append-only file of what
// happened, which is the run's only truth.
//
// Enter with Create for a new run and Open for one that goes on; both give a
// Journal, whose Append returns when its events are on disk. Read is for those
// who only look. Verify and Repair are for a damaged file. Claims, which agents
// write and nobody trusts, lie in inboxes: AppendClaim and ReadClaims.
//
// The package knows no event: an event is JSON that it keeps byte for byte.
package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// Journal is a file with one JSON object per line.
//
// Constraints:
//   - A fact is acted on only after it is durable. One write call and one fsync
//     carry all events of an Append (group commit): an fsync costs far more than
//     the bytes.
//   - The writer may be killed at any instruction, and the machine may lose power.
//   - Nobody can leave a line out, put one in or change one without it showing:
//     commits carry the head hash, so that a journal rewritten from the start no
//     longer fits the branches.
//   - People read it with cat, grep and jq.
//   - A run can have a million events; opening it must not hold them.
//
// The bytes:
//
//	{"n":1,"prev":"000…0","header":{"format":1,"run":"…","plan":"…","rules":"…"},"crc":"9ae1f0c2"}⏎
//	{"n":2,"prev":"<sha256 of line 1>","event":{…},"crc":"…"}⏎
//	{"n":3,"prev":"<sha256 of line 2>","event":{…},"crc":"…"}⏎
//
// n is the line's number. prev is the SHA-256 of the line before with its
// newline, in hex; 64 zeros in line 1. crc is CRC-32C, in hex, over the line's
// bytes before `,"crc"`. Keys, their order and the absence of spaces are fixed,
// so that a line is checked by comparing bytes. The head is the hash of the
// last line.
//
// Why both: prev protects every line but the last, since only the next line
// tells its hash. The CRC shows a flipped bit in the last line, and says which
// of two lines is the damaged one.
//
// What is wrong with a file is one of two things:
//   - Torn: the last line has no newline. A killed writer leaves that; Append had
//     not returned, so nothing was built on it. It is cut, durably, before the
//     next append, with a Notice.
//   - Damaged: anything else. It stops, with the line's number. Repair keeps the
//     lines before it and puts the rest in a file beside it.
//
// Rejected: length-prefixed binary records (not readable, and a flipped length
// loses everything after it); a database (fsync per row or a second file that
// must match, and a library's format to explain); one file per event (a
// directory of a million names, and no order but the names); resynchronising
// after a damaged line (what follows was decided on what is now unknown).
type Journal struct {
	file   File
	path   string
	size   int64
	lines  int
	head   string
	broken error
}

// Format is the version of the bytes described at Journal.
const Format = 1

// maxLine bounds a line, in bytes: what is longer is an artifact, and belongs in
// a file that the event names.
const maxLine = 8 << 20

const genesis = "0000000000000000000000000000000000000000000000000000000000000000"

// Header is line 1: what the events below it belong to.
type Header struct {
	Format int    `json:"format"` // filled in by Create
	Run    string `json:"run"`    // run ID
	Plan   string `json:"plan"`   // digest of the plan, hex
	Rules  string `json:"rules"`  // version of the rules that fold the events
}

// File is what a Journal does to its file. A test or a simulation wraps it to
// make the disk fail.
type File interface {
	io.Writer
	io.Closer
	Sync() error
	Truncate(size int64) error
	Stat() (os.FileInfo, error)
}

// Option changes how a journal is opened.
type Option func(*Journal)

// WithFile puts a wrapper between the journal and its file.
func WithFile(wrap func(File) File) Option {
	return func(j *Journal) { j.file = wrap(j.file) }
}

// Create makes a new journal with its header, durable with its name. It fails
// when the file exists.
func Create(path string, h Header, opts ...Option) (*Journal, error) {
	h.Format = Format
	header, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("create the journal: %w", err)
	}
	j := newJournal(path, f, opts)
	if err := j.write(j.frame(nil, "header", header)); err != nil {
		return nil, errors.Join(err, j.Close())
	}
	if err := syncDir(filepath.Dir(path)); err != nil {
		return nil, errors.Join(fmt.Errorf("create the journal: %w", err), j.Close())
	}
	return j, nil
}

func newJournal(path string, f File, opts []Option) *Journal {
	j := &Journal{file: f, path: path, head: genesis}
	for _, o := range opts {
		o(j)
	}
	return j
}

// Append writes the events in order, in one write, and returns when they are
// durable. After a failure the journal takes no more: what reached the disk is
// unknown, and only opening it again tells.
func (j *Journal) Append(events ...json.RawMessage) error {
	if j.broken != nil {
		return fmt.Errorf("append to the journal: refused after an earlier failure: %w", j.broken)
	}
	if len(events) == 0 {
		return nil
	}
	before := *j
	var buf []byte
	for i, e := range events {
		var compact bytes.Buffer
		if err := json.Compact(&compact, e); err != nil {
			*j = before
			return fmt.Errorf("append to the journal: event %d is not JSON: %w", i, err)
		}
		if compact.Len() > maxLine-256 {
			*j = before
			return fmt.Errorf("append to the journal: event %d has %d bytes, a line holds %d", i, compact.Len(), maxLine)
		}
		buf = j.frame(buf, "event", compact.Bytes())
	}
	return j.write(buf)
}

// frame adds a line to buf and moves number and head on.
func (j *Journal) frame(buf []byte, key string, body []byte) []byte {
	start := len(buf)
	buf = append(buf, lead(j.lines+1, j.head, key)...)
	buf = append(buf, body...)
	sum := crc32.Checksum(buf[start:], castagnoli)
	buf = fmt.Appendf(buf, `,"crc":"%08x"}`+"\n", sum)
	hash := sha256.Sum256(buf[start:])
	j.head = hex.EncodeToString(hash[:])
	j.lines++
	return buf
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// lead is how line n must begin.
func lead(n int, prev, key string) string {
	return `{"n":` + strconv.Itoa(n) + `,"prev":"` + prev + `","` + key + `":`
}

// write does the one write and the one fsync.
func (j *Journal) write(buf []byte) error {
	info, err := j.file.Stat()
	if err != nil {
		return j.fail(err)
	}
	if info.Size() != j.size {
		return j.fail(fmt.Errorf("%s has %d bytes, expected %d: another program writes to it", j.path, info.Size(), j.size))
	}
	n, err := j.file.Write(buf)
	if err == nil && n < len(buf) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return j.fail(err)
	}
	if err := j.file.Sync(); err != nil {
		return j.fail(err)
	}
	j.size += int64(len(buf))
	return nil
}

func (j *Journal) fail(err error) error {
	j.broken = err
	return fmt.Errorf("append to the journal: %w", err)
}

// Head is the SHA-256 of the last line, in hex: what commits carry.
func (j *Journal) Head() string { return j.head }

// N is the number of lines, the header included.
func (j *Journal) N() int { return j.lines }

// Close ends writing. It does not make anything durable: Append has.
func (j *Journal) Close() error { return j.file.Close() }

func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
