package dsl

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/syntax"
)

// Files gives the bytes of files of the repository. Paths are slash-separated
// and relative to its root. A missing file is an error that is fs.ErrNotExist.
// The caller confines it: links that lead out of the repository are errors.
// fstest.MapFS and os.Root's FS are Files.
type Files interface {
	ReadFile(path string) ([]byte, error)
}

// The most bytes of the files that take part in a plan.
const (
	maxWorkflow     = syntax.MaxBytes
	maxInstructions = 256 << 10
	maxSettings     = 1 << 20
)

// read takes a file in as a source; at is where the file is named.
func (d *decoder) read(at diag.Range, file, kind string, most int) ([]byte, bool) {
	data, err := d.files.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.add(codeNoFile, at, fmt.Sprintf("There is no file `%s`.", file), "Create it, or mend the path; it is relative to the folder that holds `workflows/`.")
		return nil, false
	case err != nil:
		d.add(codeNoFile, at, fmt.Sprintf("`%s` cannot be read: %v.", file, err), "It must be a regular file inside the repository.")
		return nil, false
	case len(data) > most:
		d.add(codeFileTooLarge, at, fmt.Sprintf("`%s` has %d bytes; at most %d are read.", file, len(data), most), "Shorten it.")
		return nil, false
	}
	d.keep(Source{Path: file, Kind: kind, Data: data})
	return data, true
}

// keep adds a source once.
func (d *decoder) keep(s Source) {
	for _, have := range d.sources {
		if have.Path == s.Path {
			return
		}
	}
	d.sources = append(d.sources, s)
}

// resolve turns a path of the workflow into one of the repository.
func (d *decoder) resolve(w word, label string) (string, bool) {
	clean := path.Clean(w.text)
	if w.text == "" || path.IsAbs(clean) || strings.HasPrefix(w.text, "~") || strings.Contains(w.text, `\`) {
		d.add(codeOutside, w.at, fmt.Sprintf("%s `%s` is not a relative path with `/` between its parts.", label, w.text), "Write it relative to the folder that holds `workflows/`.")
		return "", false
	}
	full := path.Join(d.folder, clean)
	if full == ".." || strings.HasPrefix(full, "../") {
		d.add(codeOutside, w.at, fmt.Sprintf("%s `%s` leaves the repository.", label, w.text), "Name a file of the repository.")
		return "", false
	}
	return full, true
}

// script takes in NAME.replay.yaml beside NAME.wf.yaml, where there is one.
func (d *decoder) script() []Source {
	file := strings.TrimSuffix(d.file, ".wf.yaml") + ".replay.yaml"
	data, err := d.files.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	whole := diag.Range{File: file}
	if err != nil {
		d.add(codeNoFile, whole, fmt.Sprintf("`%s` cannot be read: %v.", file, err), "It must be a regular file inside the repository.")
		return nil
	}
	if len(data) > maxSettings {
		d.add(codeFileTooLarge, whole, fmt.Sprintf("`%s` has %d bytes; at most %d are read.", file, len(data), maxSettings), "Shorten it.")
		return nil
	}
	return []Source{{Path: file, Kind: "script", Data: data}}
}
