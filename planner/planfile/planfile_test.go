package planfile

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/expr"
	"github.com/seed9cc7a46e/wf/planner"
)

var update = flag.Bool("update", false, "write the generated schemas")

// full gives a plan in which every field of every type is set to something.
func full(t testing.TB) *planner.Plan {
	t.Helper()
	p := &planner.Plan{}
	set(reflect.ValueOf(p).Elem(), 0)
	p.Format = planner.Format
	p.Inputs[0].Value = value(t, `{"b":[1,2.5,"<&>\u2028 ü"],"a":null}`)
	p.Tickets[0].Brief = "line one\nline \"two\"\t<b>&amp;</b> \u2028 \x01 \\ é e\u0301"
	return p
}

func value(t testing.TB, raw string) expr.Value {
	t.Helper()
	v, err := expr.FromJSON([]byte(raw))
	require.NoError(t, err)
	return v
}

func set(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[expr.Value]() {
			v.Set(reflect.ValueOf(expr.Of("text")))
			return
		}
		if v.Type() == reflect.TypeFor[expr.Type]() {
			v.Set(reflect.ValueOf(someType()))
			return
		}
		for i := range v.NumField() {
			set(v.Field(i), depth+1)
		}
	case reflect.Slice:
		if depth < 12 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			set(v.Index(0), depth+1)
		}
	case reflect.Pointer:
		if depth < 12 {
			v.Set(reflect.New(v.Type().Elem()))
			set(v.Elem(), depth+1)
		}
	case reflect.String:
		v.SetString("none")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Float64:
		v.SetFloat(0.5)
	}
}

// someType is a type that holds a type, with limits of every kind.
func someType() expr.Type {
	half, three := 0.5, 3
	record := expr.Type{Kind: expr.Record, Name: "area", Fields: []expr.Field{{Name: "e", Type: expr.Type{Kind: expr.Enum, Enum: []string{"A", "B"}}}}}
	return expr.Type{Kind: expr.List, Elem: &record, Limits: expr.Constraints{Min: &half, MaxItems: &three, Unique: true}}
}

func codes(found diag.Findings) (out []string) {
	for _, f := range found {
		out = append(out, f.Code)
	}
	return out
}

func TestWhatIsWrittenIsRead(t *testing.T) { // PLAN-08
	for name, p := range map[string]*planner.Plan{"full": full(t), "empty": {Format: planner.Format}} {
		t.Run(name, func(t *testing.T) {
			data, err := Encode(p)
			require.NoError(t, err)
			file, found := Read("p.wfplan", data)
			require.Empty(t, found)
			again, err := Encode(file.Plan)
			require.NoError(t, err)
			require.Equal(t, string(data), string(again))
			digest, err := Digest(p)
			require.NoError(t, err)
			require.Equal(t, digest, file.Digest)
			require.Equal(t, digest, DigestOf(data))
			require.True(t, IsDigest(digest))
			require.True(t, bytes.HasSuffix(data, []byte("}\n")))
			require.Equal(t, 1, bytes.Count(data, []byte("\n")))
		})
	}
}

func TestFullPlanSurvives(t *testing.T) {
	p := full(t)
	data, err := Encode(p)
	require.NoError(t, err)
	file, found := Read("p.wfplan", data)
	require.Empty(t, found)
	require.Equal(t, p, file.Plan)
}

func TestCanonicalForm(t *testing.T) {
	data, err := Document(full(t))
	require.NoError(t, err)
	text := string(data)
	require.NotContains(t, text, `\u003c`, "HTML is not escaped")
	require.Contains(t, text, "é e\u0301", "text is not normalised")
	require.Contains(t, text, `line one\nline \"two\"\t<b>&amp;</b>`)
	require.Contains(t, text, `\u0001`)
	sortedKeys(t, json.NewDecoder(bytes.NewReader(data)))
	empty, err := Document(&planner.Plan{})
	require.NoError(t, err)
	require.NotContains(t, string(empty), "null")
}

// sortedKeys walks the tokens of a document and compares neighbouring keys.
func sortedKeys(t *testing.T, dec *json.Decoder) {
	t.Helper()
	type level struct {
		object bool
		last   string
		key    bool
	}
	var stack []level
	for {
		token, err := dec.Token()
		if err != nil {
			return
		}
		if d, ok := token.(json.Delim); ok && (d == '{' || d == '[') {
			stack = append(stack, level{object: d == '{', key: true})
			continue
		} else if ok {
			stack = stack[:len(stack)-1]
		} else if top := &stack[len(stack)-1]; top.object && top.key {
			require.Less(t, top.last, token.(string))
			top.last, top.key = token.(string), false
			continue
		}
		if len(stack) > 0 {
			stack[len(stack)-1].key = true
		}
	}
}

func TestInvalidUTF8IsRefused(t *testing.T) {
	p := &planner.Plan{Repository: "a\xff"}
	_, err := Encode(p)
	require.ErrorContains(t, err, "UTF-8")
	_, err = Unjudged(p)
	require.ErrorContains(t, err, "UTF-8")
	_, err = Digest(p)
	require.ErrorContains(t, err, "UTF-8")
}

func TestEveryCutIsNoticed(t *testing.T) {
	data, err := Encode(full(t))
	require.NoError(t, err)
	for n := range data {
		file, found := Read("p.wfplan", data[:n])
		require.True(t, found.HasErrors(), "cut at %d", n)
		require.NotNil(t, file.Plan)
		require.Equal(t, []string{"WF491"}, codes(found), "cut at %d", n)
	}
}

func TestEveryFlipIsNoticed(t *testing.T) {
	data, err := Encode(full(t))
	require.NoError(t, err)
	for i := range data {
		for _, bit := range []byte{0x01, 0x20} {
			changed := slices.Clone(data)
			changed[i] ^= bit
			file, found := Read("p.wfplan", changed)
			require.True(t, found.HasErrors(), "byte %d, bit %x", i, bit)
			require.NotNil(t, file.Plan)
		}
	}
}

func TestDamagedFilesStillShow(t *testing.T) { // PLAN-11
	p := full(t)
	data, err := Encode(p)
	require.NoError(t, err)
	file, found := Read("p.wfplan", data[:len(data)-40])
	require.Equal(t, []string{"WF491"}, codes(found))
	require.Equal(t, p.Tickets, file.Plan.Tickets)

	changed := bytes.Replace(data, []byte(`"repository":"none"`), []byte(`"repository":"evil"`), 1)
	file, found = Read("p.wfplan", changed)
	require.Equal(t, []string{"WF493"}, codes(found))
	require.Equal(t, "evil", file.Plan.Repository)
}

func sealed(body string) []byte {
	return []byte(head + sum([]byte(body)) + middle + body + tail)
}

func TestStrangeFiles(t *testing.T) {
	body, err := Document(&planner.Plan{Format: planner.Format})
	require.NoError(t, err)
	good := string(body)
	for name, c := range map[string]struct {
		data []byte
		code string
	}{
		"empty":                {nil, "WF491"},
		"another format":       {[]byte("PK\x03\x04"), "WF490"},
		"a workflow":           {[]byte("wf: 1\nname: x\n"), "WF490"},
		"no digest":            {[]byte(head + strings.Repeat("z", 64) + middle + good + tail), "WF490"},
		"capital digest":       {bytes.ToUpper(sealed(good)), "WF490"},
		"format 2":             {sealed(strings.Replace(good, `"plan":1`, `"plan":2`, 1)), "WF492"},
		"format as text":       {sealed(strings.Replace(good, `"plan":1`, `"plan":"x"`, 1)), "WF492"},
		"no format":            {sealed(`{}`), "WF492"},
		"unknown field":        {sealed(strings.Replace(good, `"repository"`, `"zzz":1,"repository"`, 1)), "WF495"},
		"white space":          {sealed(strings.Replace(good, `:`, `: `, 1)), "WF494"},
		"key in capitals":      {sealed(strings.Replace(good, `"repository"`, `"Repository"`, 1)), "WF494"},
		"a key twice":          {sealed(strings.Replace(good, `"repository"`, `"repository":"a","repository"`, 1)), "WF494"},
		"null for a list":      {sealed(strings.Replace(good, `"roles":[]`, `"roles":null`, 1)), "WF494"},
		"escape not needed":    {sealed(strings.Replace(good, `"repository":""`, `"repository":"\u0061"`, 1)), "WF494"},
		"wrong type":           {sealed(strings.Replace(good, `"roles":[]`, `"roles":3`, 1)), "WF494"},
		"unsorted":             {sealed(`{"plan":1,` + strings.Replace(good[1:], `"plan":1,`, ``, 1)), "WF494"},
		"text after the plan":  {append(sealed(good), '\n'), "WF491"},
		"two documents inside": {sealed(good + good), "WF492"},
	} {
		t.Run(name, func(t *testing.T) {
			file, found := Read("p.wfplan", c.data)
			require.Equal(t, []string{c.code}, codes(found))
			require.NotNil(t, file.Plan)
			require.Equal(t, "p.wfplan", found[0].Range.File)
			require.NotEmpty(t, found[0].Hint)
		})
	}
}

func TestUnjudgedLeavesOutTheVerdicts(t *testing.T) {
	p := full(t)
	before, err := Unjudged(p)
	require.NoError(t, err)
	require.NotContains(t, string(before), `"policy":`)
	whole, err := Digest(p)
	require.NoError(t, err)
	p.Policy = planner.Judgement{}
	after, err := Unjudged(p)
	require.NoError(t, err)
	require.Equal(t, string(before), string(after))
	digest, err := Digest(p)
	require.NoError(t, err)
	require.NotEqual(t, whole, digest, "the digest covers what policies said")
}

func TestSchemasAreFresh(t *testing.T) {
	for name, make := range map[string]func() ([]byte, error){"plan.schema.json": Schema, "policy-input.schema.json": UnjudgedSchema} {
		want, err := make()
		require.NoError(t, err)
		path := filepath.Join("..", "..", "schema", name)
		if *update {
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			require.NoError(t, os.WriteFile(path, want, 0o644))
		}
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got), "stale: go test ./planner/planfile -update")
	}
}

func TestPlansFitTheirSchema(t *testing.T) {
	schema := compiled(t, Schema)
	p := full(t)
	for _, bad := range []func(){func() {}, func() { p.Change = nil }} {
		bad()
		body, err := Document(enumsRight(p))
		require.NoError(t, err)
		require.NoError(t, schema.Validate(instance(t, body)))
	}
	input, err := Unjudged(p)
	require.NoError(t, err)
	require.NoError(t, compiled(t, UnjudgedSchema).Validate(instance(t, input)))
	require.Error(t, schema.Validate(instance(t, input)))
	require.Error(t, schema.Validate(instance(t, []byte(strings.Replace(string(input), `"plan":1`, `"plan":2`, 1)))))
	wrong := strings.Replace(string(input), `"kept":"enforced"`, `"kept":"hoped"`, 1)
	require.Error(t, compiled(t, UnjudgedSchema).Validate(instance(t, []byte(wrong))))
	wrong = strings.Replace(string(input), `"repository":`, `"repositry":`, 1)
	require.Error(t, compiled(t, UnjudgedSchema).Validate(instance(t, []byte(wrong))))
}

func compiled(t *testing.T, make func() ([]byte, error)) *jsonschema.Schema {
	t.Helper()
	raw, err := make()
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("plan.json", instance(t, raw)))
	s, err := c.Compile("plan.json")
	require.NoError(t, err)
	return s
}

func instance(t *testing.T, raw []byte) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	require.NoError(t, err)
	return v
}

// enumsRight puts the first word of its enum into every field that has one.
func enumsRight(p *planner.Plan) *planner.Plan {
	words(reflect.ValueOf(p).Elem())
	return p
}

func words(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if enum := f.Tag.Get("enum"); enum != "" {
				v.Field(i).SetString(strings.Split(enum, ",")[0])
			} else if f.IsExported() {
				words(v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			words(v.Index(i))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			words(v.Elem())
		}
	}
}

func FuzzRead(f *testing.F) {
	data, err := Encode(full(f))
	require.NoError(f, err)
	f.Add(data)
	f.Add(data[:len(data)/2])
	f.Add([]byte(head))
	f.Add(sealed(`{"plan":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, d := range [][]byte{data, sealed(string(data))} { // past the digest as well
			file, found := Read("f", d)
			require.NotNil(t, file.Plan)
			if found.HasErrors() {
				continue
			}
			again, err := Encode(file.Plan)
			require.NoError(t, err)
			require.Equal(t, string(d), string(again))
		}
	})
}
