package expr

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// pageScope has the names that the pages use.
func pageScope(key, page string) (Scope, Type) {
	elem := of(String)
	if strings.Contains(page, "list<slug>") {
		elem = of(Slug)
	}
	scope := Scope{Field: key, Phase: RunPhase, Taint: Untrusted,
		Inputs:  []Field{{"goal", of(String)}, {"size", of(Int)}},
		Secrets: []string{"token"},
		Tickets: []TicketShape{
			{Name: "survey", Outputs: []Field{{"note", of(String)}, {"areas", ListOf(elem)}}},
			{Name: "report", Optional: true, Outputs: []Field{{"text", of(String)}}},
		},
		Each: &EachShape{Value: elem.AsUntrusted(), AtRun: true},
	}
	switch key {
	case "scope":
		scope.Phase, scope.Taint = PlanPhase, Clean
	case "key":
		scope.Taint = CleanPath
	case "when":
		return scope, of(Bool)
	}
	return scope, Type{}
}

var (
	block = regexp.MustCompile("(?s)## (Wrong|Right)\n\n```yaml\n(.*?)```")
	keyed = regexp.MustCompile(`(?m)^ +(brief|when|scope|key|for_each): (.*)$`)
)

// pageCodes gives the codes found in the scalars of a page's file.
func pageCodes(file string) []string {
	var out []string
	for _, m := range keyed.FindAllStringSubmatch(file, -1) {
		scope, want := pageScope(m[1], file)
		text := strings.TrimSuffix(strings.TrimPrefix(m[2], "["), "]")
		if q := text[:1]; (q == `"` || q == "'") && strings.HasSuffix(text, q) {
			text = strings.Trim(text, q)
		}
		_, found := check(text, scope, want)
		for _, f := range found {
			out = append(out, f.Code)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Every code has its page; the wrong file shows exactly it, the right one nothing.
func TestPagesShowTheirCodes(t *testing.T) {
	source, err := os.ReadFile("codes.go")
	require.NoError(t, err)
	codes := regexp.MustCompile(`diag\.Define\("(WF2\d\d)", diag\.\w+, "([^"]*)"\)`).FindAllStringSubmatch(string(source), -1)
	require.NotEmpty(t, codes)
	for _, c := range codes {
		raw, err := os.ReadFile(filepath.Join("..", "diag", "pages", c[1]+".md"))
		require.NoError(t, err)
		page := string(raw)
		require.True(t, strings.HasPrefix(page, "# "+c[1]+": "+c[2]+"\n\n"), c[1])
		require.Contains(t, page, "\n\nWhy: ", c[1])
		blocks := block.FindAllStringSubmatch(page, -1)
		require.Len(t, blocks, 2, c[1])
		require.Equal(t, []string{c[1]}, pageCodes(blocks[0][2]), c[1])
		require.Empty(t, pageCodes(blocks[1][2]), c[1])
	}
}
