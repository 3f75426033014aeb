package verb

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl"
	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/syntax"
	"github.com/seed9cc7a46e/wf/materializer/agent/replay"
)

// Files are the files of a repository: read below its root, through no link
// that leads out of it. Paths are slash-separated and relative to the root.
type Files interface {
	dsl.Files
	ReadDir(path string) ([]fs.DirEntry, error)
}

// OpenFiles opens the files below a folder, without asking git.
func OpenFiles(root string) (Files, error) {
	r, err := os.OpenRoot(root)
	if err != nil {
		return nil, fmt.Errorf("open the folder %s: %w", root, err)
	}
	return tree{root: r}, nil
}

// Read is what there is to say about one file that a person is writing. The
// Workflow is nil where the file is none, or nothing of it can be read.
type Read struct {
	Workflow *dsl.Workflow
	Findings diag.Findings // also about the files that it names
}

const scriptSuffix = ".replay.yaml"

// Check reads a file as Validate does, as far as that needs no repository: a
// workflow with its settings and script, settings, a script, or any other YAML.
func Check(file string, files dsl.Files) Read {
	switch {
	case strings.HasSuffix(file, dsl.Suffix):
		l := loadFrom(file, files)
		return Read{l.workflow, l.findings.Sorted()}
	case path.Base(file) == dsl.SettingsFile:
		_, found := dsl.LoadSettings(path.Join(path.Dir(file), "workflows", "any"+dsl.Suffix), files)
		return Read{nil, found.Sorted()}
	}
	return Read{nil, checkText(file, files).Sorted()}
}

// checkText is about scripts, with the workflow they belong to where it is
// there, and about other files, of which only the YAML is known.
func checkText(file string, files dsl.Files) diag.Findings {
	data, err := files.ReadFile(file)
	if err != nil {
		return diag.Findings{codeBadFile.At(diag.Range{File: file}, sentence(whyNot(err)), "save it inside the repository")}
	}
	base, isScript := strings.CutSuffix(file, scriptSuffix)
	if !isScript {
		_, found := syntax.Parse(file, data)
		return found
	}
	if _, err := files.ReadFile(base + dsl.Suffix); err == nil {
		return loadFrom(base+dsl.Suffix, files).findings
	}
	_, found := replay.ParseScript(file, data)
	return found
}
