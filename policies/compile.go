package policies

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// compileAll parses and compiles the sources, outermost first. Sources of the
// same name and bytes are one.
func compileAll(sources []LayerSource, schema []byte) ([]*layer, diag.Findings, error) {
	tree, err := schemaTree(schema)
	if err != nil {
		return nil, nil, err
	}
	var layers []*layer
	var findings diag.Findings
	seen := map[string]bool{}
	for _, src := range sources {
		if !slices.Contains(layerOrder, src.Name) {
			return nil, nil, fmt.Errorf("compiling policies: there is no layer %q", src.Name)
		}
		l := parse(src)
		if key := l.name + l.digest; !seen[key] {
			seen[key] = true
			layers = append(layers, l)
		}
	}
	slices.SortStableFunc(layers, func(a, b *layer) int { return slices.Index(layerOrder, a.name) - slices.Index(layerOrder, b.name) })
	lendData(layers)
	for _, l := range layers {
		l.compile(tree)
		findings = append(findings, l.findings...)
	}
	return layers, findings, nil
}

// lendData lets every layer read the built-in layer's data (profiles, tiers),
// under names it cannot take for itself.
func lendData(layers []*layer) {
	for _, outer := range layers {
		if outer.name != LayerBuiltIn {
			continue
		}
		for _, l := range layers {
			if l.name == LayerBuiltIn {
				continue
			}
			for _, name := range slices.Sorted(maps.Keys(outer.data)) {
				if own, taken := l.data[name]; taken && (name == autoApproveName || reflect.DeepEqual(own, outer.data[name])) {
					continue // an amount every layer may state for itself (AutoApprove takes the right one), or the same again
				} else if taken {
					l.found(codeData.At(diag.Range{File: l.place()}, fmt.Sprintf("data.%s belongs to the built-in layer; the %s layer cannot replace it.", name, l.name), "Rename the data file."))
					continue
				}
				l.data[name] = outer.data[name]
			}
		}
	}
}

func newCompiler(tree any) *ast.Compiler {
	schemas := ast.NewSchemaSet()
	schemas.Put(ast.SchemaRootRef, tree)
	return ast.NewCompiler().SetErrorLimit(0).WithStrict(true).WithCapabilities(pureCapabilities()).WithSchemas(schemas).
		WithUseTypeCheckAnnotations(false).WithDefaultRegoVersion(ast.RegoV1)
}

func (l *layer) compile(tree any) {
	if l.findings.HasErrors() {
		return
	}
	l.takeEntries()
	l.compiler = newCompiler(tree)
	l.compiler.Compile(l.modules)
	if l.compiler.Failed() {
		for _, f := range compileFindings(l.compiler.Errors) {
			f.Range = withFile(f.Range, l.place())
			l.found(f)
		}
		return
	}
	l.modules = l.compiler.Modules // as the compiler rewrote them: names resolved, locals unique
	l.checkReadings()
	c := comparer{layer: l, schema: tree}
	c.check()
	l.checkData()
	l.query = l.buildQuery()
}

// takeEntries counts the rules and gives each entry rule a copy with a name of
// its own. Asking the copies tells which line of the file spoke; the rule
// itself stays for other rules to read.
func (l *layer) takeEntries() {
	for _, file := range slices.Sorted(maps.Keys(l.modules)) {
		m := l.modules[file]
		var copies []*ast.Rule
		for _, r := range m.Rules {
			l.rules++
			kind := r.Head.Ref()[0].Value.String()
			if unquoted, err := strconv.Unquote(kind); err == nil {
				kind = unquoted
			}
			if !slices.Contains(entryPoints, kind) {
				continue
			}
			if !isSet(r) {
				l.found(codeEntry.At(rangeOf(r.Location), fmt.Sprintf("%s is asked as a set of decisions.", kind), fmt.Sprintf("Write `%s contains {\"msg\": …} if …`.", kind)))
				continue
			}
			copies = append(copies, l.entryCopy(m, r, kind, file))
		}
		m.Rules = append(m.Rules, copies...)
	}
}

func isSet(r *ast.Rule) bool {
	return r.Head.RuleKind() == ast.MultiValue && r.Head.Key != nil && len(r.Head.Ref()) == 1 && len(r.Head.Args) == 0
}

func (l *layer) entryCopy(m *ast.Module, r *ast.Rule, kind, file string) *ast.Rule {
	name := "wf_entry_" + strconv.Itoa(len(l.entries))
	c := r.Copy()
	c.Module = m
	c.Annotations = nil
	c.Head.SetRef(ast.Ref{ast.VarTerm(name).SetLocation(r.Head.Location)})
	asked := append(slices.Clone(m.Package.Path), ast.StringTerm(name))
	l.entries = append(l.entries, entry{kind: kind, pkg: packageOf(m), file: file, line: r.Location.Row, words: wordsOf(r), asked: asked})
	return c
}

// wordsOf gives the strings that stand in the rule's head. A key whose value the
// plan decides is there and empty; nil where the whole element is computed.
func wordsOf(r *ast.Rule) map[string]string {
	element, ok := r.Head.Key.Value.(ast.Object)
	if !ok {
		return nil // the body makes the element
	}
	out := map[string]string{}
	element.Foreach(func(key, value *ast.Term) {
		text, _ := value.Value.(ast.String)
		out[nameOf(key.Value)] = string(text)
	})
	return out
}

func packageOf(m *ast.Module) string {
	return m.Package.Path[1:].String()
}

// buildQuery asks all entry copies at once: result = [data.wf.a.wf_entry_0, …].
func (l *layer) buildQuery() ast.Body {
	terms := make([]*ast.Term, len(l.entries))
	for i, e := range l.entries {
		terms[i] = ast.NewTerm(e.asked)
	}
	return ast.NewBody(ast.Equality.Expr(ast.VarTerm(resultVar), ast.ArrayTerm(terms...)))
}

const resultVar = "result"

// checkReadings refuses rules that nobody asks: a misspelt `denies` would
// otherwise load and never speak.
func (l *layer) checkReadings() {
	own := map[string]bool{}
	for _, e := range l.entries {
		own[e.asked.String()] = true
	}
	for _, file := range slices.Sorted(maps.Keys(l.modules)) {
		for _, r := range l.modules[file].Rules {
			name := r.Head.Ref()[0].Value
			if slices.Contains(entryPoints, nameOf(name)) || own[append(slices.Clone(l.modules[file].Package.Path), ast.StringTerm(nameOf(name))).String()] {
				continue
			}
			if len(l.compiler.Graph.Dependents(r)) == 0 {
				l.found(codeUnread.At(rangeOf(r.Location), fmt.Sprintf("wf asks deny, warn, ask, guard and except; %s is none of them and no rule reads it, so it would never speak.", nameOf(name)),
					"Rename it to the entry point that was meant, or remove it."))
			}
		}
	}
}

func nameOf(v ast.Value) string {
	switch x := v.(type) {
	case ast.Var:
		return string(x)
	case ast.String:
		return string(x)
	}
	return v.String()
}
