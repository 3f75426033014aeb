package evidence

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
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

// Decode reads what Encode wrote.
func Decode(data []byte) (Record, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var r Record
	if err := d.Decode(&r); err != nil {
		return Record{}, fmt.Errorf("evidence record: %w", err)
	}
	return r, nil
}

// Digest names bytes.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}
