package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// RPT-04: twelve writers at once, no lock, no claim lost or mixed.
func TestClaimsFromManyWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "inbox")
	var wg sync.WaitGroup
	for w := range 12 {
		wg.Go(func() {
			for i := range 50 {
				claim := fmt.Sprintf(`{"w":%d,"i":%d,"pad":"%s"}`, w, i, strings.Repeat("x", 1000*w))
				if err := AppendClaim(path, []byte(claim)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	c, err := ReadClaims(path, 0)
	require.NoError(t, err)
	require.Len(t, c.Lines, 600)
	require.Zero(t, c.Bad)
	again, err := ReadClaims(path, c.Next)
	require.NoError(t, err)
	require.Empty(t, again.Lines)
}

func TestATornClaimSpoilsNoOther(t *testing.T) {
	path := filepath.Join(t.TempDir(), "inbox")
	require.NoError(t, os.WriteFile(path, []byte("\n{\"torn\":"), 0o600))
	c, err := ReadClaims(path, 0)
	require.NoError(t, err)
	require.Equal(t, int64(1), c.Next, "a line that may still grow is left")
	require.NoError(t, AppendClaim(path, []byte(`{"ok":1}`)))
	c, err = ReadClaims(path, c.Next)
	require.NoError(t, err)
	require.Len(t, c.Lines, 1)
	require.Equal(t, 1, c.Bad)
}

func TestClaimsAreBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "inbox")
	require.NoError(t, AppendClaim(path, []byte(`"`+strings.Repeat("x", MaxClaim-4)+`"`)))
	require.ErrorContains(t, AppendClaim(path, []byte(`"`+strings.Repeat("x", MaxClaim-3)+`"`)), "bytes")
	require.ErrorContains(t, AppendClaim(path, []byte("{\n}")), "one line")
	require.ErrorContains(t, AppendClaim(path, []byte("hello")), "JSON")
	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("y", 3*MaxClaim)), 0o600))
	c, err := ReadClaims(path, 0)
	require.NoError(t, err)
	require.Equal(t, 1, c.Bad, "an endless line is skipped")
	require.Equal(t, int64(3*MaxClaim), c.Next)
}

func TestAPlantedInboxIsNotFollowed(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "secret"), []byte("{\"key\":1}\n"), 0o600))
	link, fifo := filepath.Join(dir, "link"), filepath.Join(dir, "fifo")
	require.NoError(t, os.Symlink("secret", link))
	require.NoError(t, unix.Mkfifo(fifo, 0o600))
	for _, p := range []string{link, fifo} {
		_, err := ReadClaims(p, 0)
		require.Error(t, err)
		require.Error(t, AppendClaim(p, []byte(`{}`)))
	}
	c, err := ReadClaims(filepath.Join(dir, "none"), 7)
	require.NoError(t, err)
	require.Equal(t, int64(7), c.Next)
	_, err = ReadClaims(filepath.Join(dir, "secret"), 100)
	require.ErrorContains(t, err, "was cut")
}

func FuzzReadClaims(f *testing.F) {
	f.Add([]byte("\n{}\n{\"a\":"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c := split(data, 10)
		require.LessOrEqual(t, c.Next, int64(10+len(data)))
		for _, l := range c.Lines {
			require.NotContains(t, string(l), "\n")
		}
	})
}
