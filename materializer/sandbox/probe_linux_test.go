package sandbox

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProbeSaysWhatItFound(t *testing.T) {
	f := hostFacts(t)
	require.Equal(t, Landlock, f.Backend)
	require.GreaterOrEqual(t, f.LandlockABI, 1)
	require.Equal(t, f.LandlockABI >= 6, f.Signals)
	require.NotEmpty(t, f.Notes)
	require.Equal(t, f, hostFacts(t), "two probes differ")
}

func TestProbeOfAProgramThatIsNotWf(t *testing.T) {
	for _, self := range []string{"/bin/true", "/no/such/program"} {
		f := Probe(t.Context(), self)
		require.Equal(t, Unconfined, f.Backend)
		require.Equal(t, FloorNone, f.Floor)
		require.Contains(t, f.Notes[0], "No sandbox")
	}
}
