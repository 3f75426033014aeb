package policies

import (
	"flag"
	"io/fs"
	"os"
	"path"
	"testing"

	"github.com/open-policy-agent/opa/v1/format"
	"github.com/stretchr/testify/require"
)

var fmtRego = flag.Bool("fmt", false, "format the Rego of this folder instead of holding it")

// The Rego that people read and copy is formatted as `opa fmt` does it.
func TestRegoFormat(t *testing.T) {
	for _, root := range []string{"rego", "examples"} {
		require.NoError(t, fs.WalkDir(os.DirFS("."), root, func(p string, d fs.DirEntry, err error) error {
			if err != nil || path.Ext(p) != ".rego" {
				return err
			}
			have, err := os.ReadFile(p)
			require.NoError(t, err)
			want, err := format.Source(p, have)
			require.NoError(t, err)
			if *fmtRego {
				return os.WriteFile(p, want, 0o644)
			}
			require.Equal(t, string(want), string(have), "%s: go test ./policies -run TestRegoFormat -fmt", p)
			return nil
		}))
	}
}
