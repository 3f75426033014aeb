package expr

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Names are replaced where they are used and nowhere else; what stands around
// them stays as its author wrote it.
func TestRewrite(t *testing.T) {
	replace := func(u Use) (string, int, bool) {
		switch {
		case u.Name == "stays":
			return "", 0, false
		case u.Name == "sub" && len(u.Parts) > 1 && u.Parts[0] == "outputs":
			return "(X." + u.Parts[1] + ")", 2, true
		case u.Name == "sub":
			return "{R}", 0, true
		}
		return u.Space + `["p.` + u.Name + `"]`, 0, true
	}
	for in, want := range map[string]string{
		"no names": "no names",
		"a ${{ inputs.goal }} b ${{ inputs.goal }}":               `a ${{ inputs["p.goal"] }} b ${{ inputs["p.goal"] }}`,
		"${{ tickets.survey.outputs.areas }}":                     `${{ tickets["p.survey"].outputs.areas }}`,
		"${{ tickets['survey'].outputs.areas ?? [] }}":            `${{ tickets["p.survey"].outputs.areas ?? [] }}`,
		"${{ tickets.sub.outputs.report ?? \"x\" }}":              `${{ (X.report) ?? "x" }}`,
		"${{ tickets.sub?.outputs?.report ?? \"x\" }}":            `${{ (X.report) ?? "x" }}`,
		"${{ tickets.sub.outputs[\"report\"] }}":                  `${{ (X.report) }}`,
		"${{ (tickets.sub).outputs.report }}":                     `${{ (X.report) }}`,
		"${{ ((tickets ) .sub).outputs.report }}":                 `${{ (X.report) }}`,
		"${{ len((tickets).sub) }}":                               `${{ len({R}) }}`,
		"${{ toJSON(tickets.sub) }}":                              `${{ toJSON({R}) }}`,
		"${{ any(tickets.change, .status == \"done\") }}":         `${{ any(tickets["p.change"], .status == "done") }}`,
		"${{ \"inputs.goal\" + inputs.goal }}":                    `${{ "inputs.goal" + inputs["p.goal"] }}`,
		"${{ inputs.list[inputs.n] + inputs.stays }}":             `${{ inputs["p.list"][inputs["p.n"]] + inputs.stays }}`,
		"${{ inputs.ä == 1 ? \"é\" + inputs.b : inputs.c }}":      `${{ inputs["p.ä"] == 1 ? "é" + inputs["p.b"] : inputs["p.c"] }}`,
		"${{ {\"inputs\": inputs.a, \"b\": each.value} }}":        `${{ {"inputs": inputs["p.a"], "b": each.value} }}`,
		"${{ filter(tickets.c, .key in inputs.l)[0].outputs.x }}": `${{ filter(tickets["p.c"], .key in inputs["p.l"])[0].outputs.x }}`,
	} {
		got, err := Reparse(in)
		require.NoError(t, err, in)
		require.Equal(t, want, got.Rewrite(replace), in)
	}
}

func TestExpressionOfTemplate(t *testing.T) {
	same := func(Use) (string, int, bool) { return "", 0, false }
	for in, want := range map[string]string{
		"":                        `("")`,
		"a \"b\"":                 `("a \"b\"")`,
		"${{ inputs.a ?? 1 }}":    `(inputs.a ?? 1)`,
		"a ${{ inputs.a }} b":     `("a " + string(inputs.a) + " b")`,
		"${{ inputs.a }}${{ 1 }}": `(string(inputs.a) + string(1))`,
	} {
		got, err := Reparse(in)
		require.NoError(t, err)
		require.Equal(t, want, got.Expression(same))
		_, err = Reparse("${{ " + got.Expression(same) + " }}")
		require.NoError(t, err)
	}
}

// Whatever an author wrote and the language takes, a rewriting that changes
// nothing gives the same source, and one that renames can be read again.
func FuzzRewrite(f *testing.F) {
	for _, s := range []string{"${{ inputs.a }}", "x ${{ tickets.a.outputs.b ?? tickets[\"c\"].status }} y", "${{ (tickets.a)?.outputs.b[inputs.i] }}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tmpl, err := Reparse(text)
		if err != nil {
			t.Skip()
		}
		require.Equal(t, text, tmpl.Rewrite(func(Use) (string, int, bool) { return "", 0, false }))
		for _, p := range tmpl.parts {
			if p.expression != nil && len(offences(p.expression.tree)) > 0 {
				t.Skip() // never rewritten: check refuses it
			}
		}
		renamed := tmpl.Rewrite(func(u Use) (string, int, bool) { return u.Space + "[" + Of("p."+u.Name).String() + "]", 0, true })
		if len(renamed) < maxSource {
			_, err = Reparse(renamed)
			require.NoError(t, err, renamed)
		}
	})
}
