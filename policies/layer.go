package policies

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/util"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/planner"
)

// The entry points: what wf asks a policy. Any other rule must be read by one of them.
const (
	entryDeny   = "deny"
	entryWarn   = "warn"
	entryAsk    = "ask"
	entryGuard  = "guard"
	entryExcept = "except"
)

var entryPoints = []string{entryDeny, entryWarn, entryAsk, entryGuard, entryExcept}

// layer is a LayerSource that has been parsed and compiled.
type layer struct {
	name     string
	base     bool
	files    []File // those that take part, by path
	digest   string
	modules  map[string]*ast.Module
	data     map[string]any
	entries  []entry
	rules    int
	compiler *ast.Compiler
	query    ast.Body
	findings diag.Findings
}

// entry is one rule that wf asks. rule is the author's; asked is the name of
// its copy, so that each answer is known by the line that gave it.
type entry struct {
	kind  string // deny, warn, ask, guard, except
	pkg   string // wf.width
	file  string
	line  int
	words map[string]string // what its element says whatever the plan: level, code, rule …; "" where the plan decides
	asked ast.Ref
}

func (e entry) name() string { return e.pkg + "." + e.kind }

// parse reads the files of a source. What is wrong is in the findings.
func parse(src LayerSource) *layer {
	l := &layer{name: src.Name, base: src.Base, modules: map[string]*ast.Module{}, data: map[string]any{}}
	for _, f := range slices.SortedFunc(slices.Values(src.Files), func(a, b File) int { return strings.Compare(a.Path, b.Path) }) {
		l.read(f)
	}
	l.digest = digest(l.files)
	l.requireRules()
	return l
}

func (l *layer) read(f File) {
	switch {
	case strings.HasSuffix(f.Path, "_test.rego"):
	case path.Ext(f.Path) == ".rego":
		l.files = append(l.files, f)
		l.readRules(f)
	case path.Ext(f.Path) == ".json":
		l.files = append(l.files, f)
		l.readData(f)
	}
}

func (l *layer) readRules(f File) {
	m, err := parseModule(f)
	if err != nil {
		l.findings = append(l.findings, parseFindings(f, err)...)
		return
	}
	if m == nil {
		l.found(codeNoRule.At(diag.Range{File: f.Path}, "The file holds no package and no rule.", "Write `package wf.<name>` and a rule, or remove the file."))
		return
	}
	l.modules[f.Path] = m
	l.checkPackage(f.Path, m)
}

func parseModule(f File) (*ast.Module, error) {
	if !bytes.ContainsFunc(f.Data, func(r rune) bool { return r > ' ' }) {
		return nil, nil
	}
	return ast.ParseModuleWithOpts(f.Path, string(f.Data), ast.ParserOptions{
		RegoVersion: ast.RegoV1, ProcessAnnotation: true, Capabilities: pureCapabilities(),
	})
}

var packageName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^data\.wf\.[a-z][a-z0-9_]*$`) })

func (l *layer) checkPackage(file string, m *ast.Module) {
	if got := m.Package.Path.String(); !packageName().MatchString(got) {
		l.found(codePackage.At(rangeOf(m.Package.Location), fmt.Sprintf("Package %s is never asked: wf asks only packages named wf.<name>, with one lower-case word.", strings.TrimPrefix(got, "data.")),
			"Name it `package wf."+path.Base(strings.TrimSuffix(file, ".rego"))+"`."))
	}
	if len(m.Rules) == 0 {
		l.found(codeNoRule.At(rangeOf(m.Package.Location), "The file holds a package and no rule.", "Write a rule: deny, warn, ask, guard or except."))
	}
}

var dataName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9_]*$`) })

func (l *layer) readData(f File) {
	name := strings.TrimSuffix(path.Base(f.Path), ".json")
	r := diag.Range{File: f.Path}
	if !dataName().MatchString(name) || name == "wf" {
		l.found(codeData.At(r, fmt.Sprintf("A data file is read as data.<name>, and %q is no such name.", name), "Use lower-case letters, digits and _, and not `wf`."))
		return
	}
	if _, twice := l.data[name]; twice {
		l.found(codeData.At(r, fmt.Sprintf("Another file of this layer is already read as data.%s.", name), "Rename one of them."))
		return
	}
	var v any
	if err := util.UnmarshalJSON(f.Data, &v); err != nil {
		l.found(codeData.At(r, "It is not JSON: "+err.Error()+".", "Mend the file; a policy without its data would decide on nothing."))
		return
	}
	l.data[name] = v
}

// requireRules refuses a folder of rule files from which no rule came, and a
// layer that is there and has none.
func (l *layer) requireRules() {
	if l.findings.HasErrors() {
		return
	}
	if len(l.modules) == 0 {
		l.found(codeNoRule.At(diag.Range{File: l.place()}, fmt.Sprintf("The %s layer holds %d files and no rule.", l.name, len(l.files)),
			"Add a *.rego file with a rule, or do not name this layer."))
	}
}

func (l *layer) place() string {
	if len(l.files) > 0 {
		return path.Dir(l.files[0].Path)
	}
	return "policies"
}

func (l *layer) found(f diag.Finding) { l.findings = append(l.findings, f) }

// digest covers names and bytes of the files, each with its length before it.
func digest(files []File) string {
	h := sha256.New()
	put := func(b []byte) {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(b))))
		h.Write(b)
	}
	for _, f := range files {
		put([]byte(f.Path))
		put(f.Data)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

func (l *layer) summary() planner.Layer {
	out := planner.Layer{Name: l.name, Files: []string{}, Digest: l.digest, Rules: l.rules}
	for _, f := range l.files {
		out.Files = append(out.Files, f.Path)
	}
	return out
}
