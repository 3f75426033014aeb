package process

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// A program chooses its own name: nothing in it may move the fields.
func FuzzParseStat(f *testing.F) {
	f.Add("a) R 1 1 1 (b")
	f.Add("sh")
	f.Fuzz(func(t *testing.T, name string) {
		line := fmt.Sprintf("42 (%s) S 7 8 9 0 -1 0 0 0 0 0 0 0 0 0 0 0 0 0 12345 0 0", name)
		e, err := parseStat(42, []byte(line))
		require.NoError(t, err)
		require.Equal(t, entry{id: Identity{42, 12345, bootID()}, parent: 7, group: 8, session: 9}, e)
	})
}

func FuzzParseStatGarbage(f *testing.F) {
	f.Add([]byte("1 (x) S"))
	f.Add([]byte(""))
	f.Fuzz(func(t *testing.T, b []byte) {
		if e, err := parseStat(1, b); err != nil {
			require.Equal(t, entry{}, e)
		}
	})
}
