package process

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is kept is the first and the last half, however the bytes arrive.
func FuzzKept(f *testing.F) {
	f.Add([]byte("hello world"), int64(4), 3)
	f.Add([]byte(""), int64(1), 1)
	f.Fuzz(func(t *testing.T, data []byte, limit int64, step int) {
		if limit <= 0 || limit > 1<<16 || step <= 0 {
			t.Skip()
		}
		k := newKept(limit)
		for rest := data; len(rest) > 0; {
			n := min(step, len(rest))
			_, _ = k.Write(rest[:n])
			rest = rest[n:]
		}
		half := int((limit + 1) / 2)
		if len(data) <= 2*half {
			require.Equal(t, string(data), string(k.bytes()))
			require.Zero(t, k.dropped())
			return
		}
		out := k.bytes()
		require.True(t, bytes.HasPrefix(out, data[:half]))
		require.True(t, bytes.HasSuffix(out, data[len(data)-half:]))
		require.EqualValues(t, len(data)-2*half, k.dropped())
	})
}
