package verb

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2"

	"github.com/seed9cc7a46e/wf/dsl"
	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/format"
)

// Formatted is a file and its canonical form.
type Formatted struct {
	Name          string // as the user named it, or relative to the working folder
	Before, After []byte
}

// Changed reports whether the file is not in its canonical form.
func (f Formatted) Changed() bool { return !bytes.Equal(f.Before, f.After) }

// Layouts is what Format found. Files with errors are not among Files.
type Layouts struct {
	Files    []Formatted
	Findings diag.Findings
	Sources  Sources
}

// Format lays out files, and all files of wf below folders; below the working
// folder where nothing is named. It writes nothing.
func Format(e Env, names []string) (Layouts, error) {
	if len(names) == 0 {
		names = []string{"."}
	}
	out := Layouts{Sources: Sources{}}
	for _, name := range names {
		files := []string{name}
		if info, err := os.Stat(e.abs(name)); err == nil && info.IsDir() {
			files = filesOf(e, name)
		}
		for _, file := range files {
			data, err := e.readUser(codeBadFile, file, "name a workflow, settings or replay file, or a folder")
			if err != nil {
				return out, err
			}
			out.add(file, data)
		}
	}
	return out, nil
}

// FormatText lays out text that is in no file.
func FormatText(name string, data []byte) Layouts {
	out := Layouts{Sources: Sources{}}
	out.add(name, data)
	return out
}

func (l *Layouts) add(name string, data []byte) {
	after, found := format.Format(name, data)
	l.Findings = append(l.Findings, found...)
	l.Sources[name] = data
	if !found.HasErrors() {
		l.Files = append(l.Files, Formatted{Name: name, Before: data, After: after})
	}
}

// WriteFormatted puts the canonical form in the file's place, in one step and
// with the rights the file had. A link is never written through.
func WriteFormatted(e Env, f Formatted) error {
	path := e.abs(f.Name)
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return writeRefusal(f.Name, &unreadable{why: "it is a link, and nothing is written through it"})
	}
	return writeRefusal(f.Name, renameio.WriteFile(path, f.After, 0o644, renameio.WithExistingPermissions()))
}

// isLaidOut reports whether a file is one that wf reads and a person writes.
func isLaidOut(name string) bool {
	return name == dsl.SettingsFile || slices.ContainsFunc([]string{dsl.Suffix, ".replay.yaml", ".wftest.yaml"}, func(end string) bool { return strings.HasSuffix(name, end) })
}

// filesOf lists the files of wf below a folder, in order. What cannot be read is passed over.
func filesOf(e Env, folder string) []string {
	var out []string
	root := e.abs(folder)
	// A folder that cannot be read gives nothing; the walk itself never fails.
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
		case d.IsDir() && path != root && passedOver(d.Name()):
			return fs.SkipDir
		case d.Type().IsRegular() && isLaidOut(d.Name()):
			out = append(out, filepath.Join(folder, strings.TrimPrefix(path, root)))
		}
		return nil
	})
	return out
}

// MaxText bounds what is read of standard input, in bytes.
const MaxText = maxFile
