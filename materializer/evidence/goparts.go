package evidence

import (
	"bytes"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"path"
	"slices"
	"strings"
)

// part is a function of a Go test file.
type part struct {
	name string
	strength
}

// goParts takes a Go file apart; ok is false when it does not parse.
func goParts(name string, data []byte) (parts []part, ok bool) {
	file, err := parser.ParseFile(token.NewFileSet(), "", data, parser.SkipObjectResolution)
	if err != nil {
		return nil, false
	}
	where := builtOn(path.Base(name), data)
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		p := part{name: f.Name.Name, strength: functionStrength(f)}
		if f.Recv != nil && len(f.Recv.List) == 1 {
			p.name = receiver(f.Recv.List[0].Type) + "." + p.name
		}
		p.built = where
		parts = append(parts, p)
	}
	return parts, true
}

func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return "?"
}

// builtOn tells on which systems a file is compiled, by name and constraints.
func builtOn(name string, data []byte) string {
	var b strings.Builder
	for _, system := range [][2]string{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "arm64"}, {"windows", "amd64"}} {
		c := build.Context{GOOS: system[0], GOARCH: system[1], Compiler: "gc", CgoEnabled: true, ReleaseTags: build.Default.ReleaseTags,
			OpenFile: func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }}
		if match, err := c.MatchFile("", name); err == nil && match {
			b.WriteByte('1')
		} else {
			b.WriteByte('0')
		}
	}
	return b.String()
}

var (
	failing = []string{"Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"}
	passing = []string{"Helper", "Parallel", "Cleanup", "Log", "Logf", "TempDir", "Setenv", "Chdir", "Context", "Name", "Run", "Deadline"}
)

func functionStrength(f *ast.FuncDecl) strength {
	s := strength{}
	if isTest(f) {
		s.tests = 1
	}
	if f.Name.Name == "TestMain" {
		s.tests = 0 // its m.Run counts
	}
	handles := testHandles(f)
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			handles = append(handles, handlesOf(n.Type)...)
		case *ast.CompositeLit:
			s.cases += len(n.Elts)
		case *ast.CallExpr:
			s = s.plus(callStrength(n, handles))
		}
		return true
	})
	s.exits += deadEnds(f.Body)
	return s
}

func isTest(f *ast.FuncDecl) bool {
	if f.Recv != nil {
		return false
	}
	return slices.ContainsFunc([]string{"Test", "Fuzz", "Example"}, func(p string) bool { return strings.HasPrefix(f.Name.Name, p) })
}

func testHandles(f *ast.FuncDecl) []string { return handlesOf(f.Type) }

// handlesOf names the parameters by which a function tells of failures.
func handlesOf(t *ast.FuncType) []string {
	var out []string
	for _, field := range t.Params.List {
		x := field.Type
		if star, ok := x.(*ast.StarExpr); ok {
			x = star.X
		}
		if sel, ok := x.(*ast.SelectorExpr); ok && slices.Contains([]string{"T", "B", "F", "M", "TB", "TestingT"}, sel.Sel.Name) {
			for _, name := range field.Names {
				out = append(out, name.Name)
			}
		}
	}
	return out
}

// callStrength reads one call. What is handed a *testing.T may check something.
func callStrength(call *ast.CallExpr, handles []string) (s strength) {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if ok {
		on, _ := sel.X.(*ast.Ident)
		switch {
		case strings.HasPrefix(sel.Sel.Name, "Skip") && sel.Sel.Name != "Skipped":
			s.skips++
			return s
		case on != nil && slices.Contains(handles, on.Name) && (sel.Sel.Name == "Run" || sel.Sel.Name == "Fuzz"):
			s.tests++
			return s
		case on != nil && slices.Contains(handles, on.Name) && slices.Contains(passing, sel.Sel.Name):
			return s
		case on != nil && on.Name == "os" && sel.Sel.Name == "Exit", on != nil && on.Name == "runtime" && sel.Sel.Name == "Goexit":
			s.exits++
			return s
		case slices.Contains(failing, sel.Sel.Name), on != nil && (on.Name == "require" || on.Name == "assert"):
			s.assertions++
			return s
		}
	}
	if slices.ContainsFunc(call.Args, func(a ast.Expr) bool {
		id, ok := a.(*ast.Ident)
		return ok && slices.Contains(handles, id.Name)
	}) {
		s.assertions++
	}
	return s
}

// deadEnds counts returns after which statements stand that never run.
func deadEnds(body *ast.BlockStmt) int {
	n := 0
	ast.Inspect(body, func(node ast.Node) bool {
		if block, ok := node.(*ast.BlockStmt); ok {
			for i, st := range block.List {
				if _, ok := st.(*ast.ReturnStmt); ok && i < len(block.List)-1 {
					n++
				}
			}
		}
		return true
	})
	return n
}
