// Package gocache defines a build cache of Go in three layers: the operator's
// own, which only a fill may read; a run's, which only fills write; and a
// gate's, which is thrown away. (EVID-08)
//
// A fill compiles with Program as its GOCACHEPROG, which is wf itself and enters
// with Main: what the run's cache lacks is copied from the operator's. A gate
// gets its cache by Lend, and no program of wf: its go reads plain files.
//
// The rejected design gave each gate a copy of the run's cache, and each run an
// empty one: the standard library was compiled anew in every run, and a thousand
// files were copied for every gate.
package gocache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// dir is a cache as go lays it out: XX/<action>-a says which output an action
// came to, XX/<output>-d holds it. The layout is the same since Go 1.10; a go
// that used another would find nothing and compile.
type dir string

// entry is what is known of an action.
type entry struct {
	output []byte // SHA-256 of the content
	size   int64  // bytes
	at     time.Time
}

const idSize = sha256.Size

func (d dir) file(id []byte, kind string) string {
	name := hex.EncodeToString(id)
	return filepath.Join(string(d), name[:2], name+"-"+kind)
}

// entry reads what an action came to; ok is false where the cache does not know.
func (d dir) entry(action []byte) (e entry, ok bool) {
	data, err := os.ReadFile(d.file(action, "a"))
	if err != nil {
		return e, false
	}
	return parseEntry(data, action)
}

// parseEntry reads "v1 <action> <output> <size> <time in ns>\n".
func parseEntry(data, action []byte) (e entry, ok bool) {
	f := bytes.Fields(data)
	if len(f) != 5 || string(f[0]) != "v1" || string(f[1]) != hex.EncodeToString(action) {
		return e, false
	}
	output, err := hex.DecodeString(string(f[2]))
	size, errSize := strconv.ParseInt(string(f[3]), 10, 64)
	at, errTime := strconv.ParseInt(string(f[4]), 10, 64)
	if err != nil || errSize != nil || errTime != nil || len(output) != idSize || size < 0 || at < 0 {
		return e, false
	}
	return entry{output, size, time.Unix(0, at)}, true
}

func (e entry) line(action []byte) []byte {
	return fmt.Appendf(nil, "v1 %x %x %20d %20d\n", action, e.output, e.size, e.at.UnixNano())
}

// holds reports whether the content of an entry is there, by its length.
func (d dir) holds(e entry) bool {
	info, err := os.Lstat(d.file(e.output, "d"))
	return err == nil && info.Mode().IsRegular() && info.Size() == e.size
}

// put stores content under its own hash, then the entry that names it. Both are
// renamed into place: whoever reads sees all or nothing.
func (d dir) put(action []byte, e entry, content io.Reader) error {
	if !d.holds(e) {
		if err := d.store(e, content); err != nil {
			return err
		}
	}
	return d.write(d.file(action, "a"), func(f *os.File) error {
		_, err := f.Write(e.line(action))
		return err
	})
}

var errContent = errors.New("the content is not what its name says")

func (d dir) store(e entry, content io.Reader) error {
	return d.write(d.file(e.output, "d"), func(f *os.File) error {
		sum := sha256.New()
		n, err := io.Copy(io.MultiWriter(f, sum), io.LimitReader(content, e.size+1))
		if err == nil && (n != e.size || !bytes.Equal(sum.Sum(nil), e.output)) {
			err = errContent
		}
		return err
	})
}

func (d dir) write(name string, fill func(*os.File) error) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".new-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := errors.Join(fill(f), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// take copies an action from another cache; ok is false where that does not
// hold it whole.
func (d dir) take(from dir, action []byte) (e entry, ok bool) {
	e, ok = from.entry(action)
	if !ok || !from.holds(e) {
		return e, false
	}
	f, err := os.Open(from.file(e.output, "d"))
	if err != nil {
		return e, false
	}
	defer f.Close()
	return e, d.put(action, e, f) == nil
}
