package sandbox

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever lies on the descriptor, an order is complete or an error.
func FuzzReadOrder(f *testing.F) {
	good, err := json.Marshal(order{Program: "/bin/sh", Argv: []string{"sh"}, Grants: []Grant{{Path: "/"}}})
	require.NoError(f, err)
	f.Add(good)
	f.Add([]byte("{}"))
	f.Add([]byte(""))
	f.Fuzz(func(t *testing.T, b []byte) {
		o, err := readOrder(bytes.NewReader(b))
		if err != nil {
			return
		}
		require.NotEmpty(t, o.Program)
		require.NotEmpty(t, o.Argv)
		require.NotEmpty(t, o.Grants)
	})
}

func TestReadOrderIsBounded(t *testing.T) {
	_, err := readOrder(bytes.NewReader(make([]byte, maxOrder+2)))
	require.ErrorContains(t, err, "longer than")
}
