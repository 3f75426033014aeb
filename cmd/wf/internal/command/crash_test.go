package command

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/cmd/wf/internal/verb"
)

// faulty is a stream that breaks wf from within.
type faulty struct{}

func (faulty) Write([]byte) (int, error) { panic("broken from within") }

func TestAFaultOfWfItselfIsNoBareTrace(t *testing.T) {
	var said bytes.Buffer
	code := Main(Process{Args: []string{"version"}, Stdin: bytes.NewReader(nil), Stdout: faulty{}, Stderr: &said, Soft: context.Background(), Hard: context.Background(), Version: "v1"})
	require.Equal(t, verb.ExitFailure, code)
	require.Regexp(t, `^wf: a fault of wf itself stopped this command`, said.String())
	require.Contains(t, said.String(), "wf v1: broken from within")
	require.Contains(t, said.String(), "command.go:")
}
