package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// MaxClaim is the longest claim, in bytes, newlines included. A single write of
// that length to a local file opened for appending is not interleaved.
const MaxClaim = 64 << 10

// Claims is what one reading of an inbox gave.
type Claims struct {
	Lines []json.RawMessage // in the order they lie in the file
	Bad   int               // lines that are not JSON, or too long
	Next  int64             // where the next reading begins, in bytes
}

// maxInbox bounds one reading: an inbox is written by whoever is being watched.
const maxInbox = 16 << 20

// AppendClaim adds one line to an inbox with one write, so that many processes
// can do it at once without a lock. The write begins with a newline: a claim
// torn by a kill then spoils no other.
func AppendClaim(path string, claim []byte) error {
	if !json.Valid(claim) || bytes.ContainsAny(claim, "\n\r") {
		return errors.New("append a claim: it must be one line of JSON")
	}
	if len(claim)+2 > MaxClaim {
		return fmt.Errorf("append a claim: it has %d bytes, at most %d are taken", len(claim), MaxClaim-2)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o600)
	if err != nil {
		return fmt.Errorf("append a claim: %w", err)
	}
	line := append(append([]byte{'\n'}, claim...), '\n')
	n, err := f.Write(line)
	if err == nil && n < len(line) {
		err = io.ErrShortWrite
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("append a claim: %w", err)
	}
	return nil
}

// ReadClaims reads an inbox from an offset on, at most 16 MiB at a time. A last
// line without a newline is left for the next reading: it may still be growing.
// A missing inbox holds nothing.
func ReadClaims(path string, from int64) (Claims, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if errors.Is(err, os.ErrNotExist) {
		return Claims{Next: from}, nil
	}
	if err != nil {
		return Claims{}, fmt.Errorf("read an inbox: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return Claims{}, fmt.Errorf("read an inbox: %s is not a regular file", path)
	}
	if info.Size() < from {
		return Claims{}, fmt.Errorf("read an inbox: %s was cut from %d to %d bytes", path, from, info.Size())
	}
	data, err := io.ReadAll(io.NewSectionReader(f, from, maxInbox))
	if err != nil {
		return Claims{}, fmt.Errorf("read an inbox: %w", err)
	}
	return split(data, from), nil
}

func split(data []byte, from int64) Claims {
	c := Claims{Next: from}
	for {
		i := bytes.IndexByte(data, '\n')
		if i < 0 {
			break
		}
		line := bytes.TrimSpace(data[:i])
		data, c.Next = data[i+1:], c.Next+int64(i)+1
		switch {
		case len(line) == 0:
		case len(line) > MaxClaim || !json.Valid(line):
			c.Bad++
		default:
			c.Lines = append(c.Lines, bytes.Clone(line))
		}
	}
	if len(data) == maxInbox || len(data) > MaxClaim { // an endless line holds nothing up
		c.Bad++
		c.Next += int64(len(data))
	}
	return c
}
