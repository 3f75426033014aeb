package evidence

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
)

// Encode gives a record's canonical bytes and their digest, "sha256:" and 64 hex digits.
func Encode(r Record) (data []byte, digest string, err error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(r); err != nil {
		return nil, "", fmt.Errorf("record %s: %w", r.Name, err)
	}
	return b.Bytes(), Digest(b.Bytes()), nil
}

// Decode reads what Encode wrote, and nothing else: another format, an unknown
// field or outcome, or bytes after the record are errors.
func Decode(data []byte) (Record, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var r Record
	if err := d.Decode(&r); err != nil {
		return Record{}, fmt.Errorf("evidence record: %w", err)
	}
	switch {
	case r.Format != 1:
		return Record{}, fmt.Errorf("evidence record: format %d, this wf reads 1", r.Format)
	case r.Outcome != Pass && r.Outcome != Fail && r.Outcome != Broken:
		return Record{}, fmt.Errorf("evidence record: unknown outcome %q", r.Outcome)
	case d.More():
		return Record{}, errors.New("evidence record: something follows it")
	}
	return r, nil
}

// Digest names bytes.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}
