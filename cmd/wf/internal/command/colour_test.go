package command

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The flag stands above the environment, NO_COLOR above what forces colour, and
// both above the terminal.
func TestColour(t *testing.T) {
	for env, want := range map[string][2]bool{ // without a terminal, and at one
		"":                              {false, true},
		"NO_COLOR=1":                    {false, false},
		"NO_COLOR=":                     {false, true},
		"FORCE_COLOR=1":                 {true, true},
		"FORCE_COLOR=0":                 {false, false},
		"CLICOLOR_FORCE=1":              {true, true},
		"CLICOLOR_FORCE=0":              {false, true},
		"CLICOLOR=0":                    {false, false},
		"CLICOLOR=1":                    {false, true},
		"TERM=dumb":                     {false, false},
		"NO_COLOR=1 FORCE_COLOR=1":      {false, false},
		"CLICOLOR=0 CLICOLOR_FORCE=1":   {true, true},
		"TERM=dumb CLICOLOR_FORCE=true": {true, true},
	} {
		for i, terminal := range []bool{false, true} {
			a := &app{Process: Process{Environ: strings.Fields(env), Terminal: terminal}, color: "auto"}
			require.Equal(t, want[i], a.coloured(), "%q, terminal %v", env, terminal)
			a.color = "always"
			require.True(t, a.coloured(), env)
			a.color = "never"
			require.False(t, a.coloured(), env)
		}
	}
}
