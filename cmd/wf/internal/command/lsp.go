package command

import (
	"github.com/spf13/cobra"

	"github.com/seed9cc7a46e/wf/cmd/wf/internal/lsp"
	"github.com/seed9cc7a46e/wf/cmd/wf/internal/verb"
)

func lspCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "lsp",
		Short: "Language server for editors, over standard input and output",
		Long: `Lsp speaks the Language Server Protocol (3.17): findings while you type, completion of keys and names,
hover with types, go to definition, outline, formatting, and fixes. Your editor starts it; see docs/editors.md.
It ends with 0 after shutdown and exit, and with 1 when the editor goes away without them.`,
		Example: "  wf lsp",
		Args:    none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !lsp.Serve(cmd.Context(), a.Stdin, a.Stdout, a.Version) {
				return exit(verb.ExitFailure)
			}
			return nil
		},
	}
	c.Flags().Bool("stdio", true, "speak over standard input and output; there is no other way")
	return c
}
