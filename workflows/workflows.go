// Package workflows defines the workflows that ship with wf: files that people
// use as they are, embedded in the binary.
//
// Enter with Names and Files, what `wf init` lists and writes.
package workflows

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

//go:embed starter shipped
var files embed.FS

// StarterName is the name of the first workflow, which brings a policy of its own.
const StarterName = "first-steps"

const (
	shipped = "shipped"
	folder  = "workflows"
	suffix  = ".wf.yaml"
)

// File is one file to be laid into a repository; Path is slash-separated.
type File struct {
	Path string
	Data []byte
}

// Names gives the workflows that ship, the first workflow first and the others
// in the order of the alphabet.
func Names() ([]string, error) {
	entries, err := files.ReadDir(path.Join(shipped, folder))
	if err != nil {
		return nil, fmt.Errorf("workflows that ship: %w", err)
	}
	out := []string{StarterName}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), suffix); ok {
			out = append(out, name)
		}
	}
	return out, nil
}

// Files gives what belongs to a workflow that ships: it, its replay script where
// it has one, and the instructions of its roles; and of the first workflow all
// that it brings. Their order is that of their paths.
func Files(name string) ([]File, error) {
	if name == StarterName {
		return read("starter", func(string) bool { return true })
	}
	main := path.Join(folder, name+suffix)
	text, err := files.ReadFile(path.Join(shipped, main))
	if err != nil {
		return nil, fmt.Errorf("workflow %s: %w", name, err)
	}
	return read(shipped, func(file string) bool {
		script := file == path.Join(folder, name+".replay.yaml")
		return file == main || script || strings.Contains(string(text), "instructions: "+file)
	})
}

func read(root string, wanted func(file string) bool) ([]File, error) {
	tree, err := fs.Sub(files, root)
	if err != nil {
		return nil, err
	}
	var out []File
	err = fs.WalkDir(tree, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !wanted(file) {
			return err
		}
		data, err := fs.ReadFile(tree, file)
		out = append(out, File{file, data})
		return err
	})
	return out, err
}

// Description gives what a workflow that ships says of itself, in a line.
func Description(name string) (string, error) {
	all, err := Files(name)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(all, func(f File) bool { return strings.HasSuffix(f.Path, suffix) })
	if i < 0 {
		return "", fmt.Errorf("workflow %s: it has no %s", name, suffix)
	}
	for line := range strings.Lines(string(all[i].Data)) {
		if text, ok := strings.CutPrefix(line, "description: "); ok {
			return strings.TrimSpace(text), nil
		}
	}
	return "", nil
}

// IgnoreLines are what a repository that uses wf should not commit.
func IgnoreLines() []string {
	return []string{"# saved plans and approvals of wf", "*.wfplan", "*.wfsig"}
}
