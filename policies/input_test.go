package policies

import (
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/util"
	"github.com/stretchr/testify/require"
)

// sameAsOPA holds that valueOf reads what OPA's own way reads, and refuses what it refuses.
func sameAsOPA(t *testing.T, data []byte) {
	t.Helper()
	got, err := valueOf(data)
	var v any
	if e := util.UnmarshalJSON(data, &v); e != nil {
		require.Error(t, err, "%q", data)
		return
	}
	if err != nil {
		return // OPA passes over what follows a value, and over a field that is there twice
	}
	want, err := ast.InterfaceToValue(v)
	require.NoError(t, err)
	require.Zero(t, want.Compare(got), "%q: %s and %s", data, want, got)
}

func TestValueOf(t *testing.T) {
	for _, text := range []string{
		`{}`, `[]`, ` {"a" : [1, -2.5e3, true, false, null, "x"], "b":{"a":{"a":""}}} `, `"a\"b\\c\u00e9\n"`, `"é\ud83d\ude00"`, "\"\xff\"", `{"a":1,"a":2}`,
		`{"a\u0062":1,"ab":2}`, `12345678901234567890`, `1e400`, ``, `{`, `[1,]`, `{"a"}`, `nul`, "[[[[1]]]]", `{"":0}`, `-0`,
	} {
		sameAsOPA(t, []byte(text))
	}
	for _, text := range []string{`{"a":1,"a":2}`, `{"a\u0062":1,"ab":2}`, `{} x`} {
		_, err := valueOf([]byte(text))
		require.Error(t, err, text)
	}
	sameAsOPA(t, unjudged(t, testPlan()))
	sameAsOPA(t, InputSchema())
}

func FuzzValueOf(f *testing.F) {
	f.Add([]byte(`{"a": [1, "x\n", {"b": null}]}`))
	f.Fuzz(func(t *testing.T, data []byte) { sameAsOPA(t, data) })
}
