package command

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed9cc7a46e/wf/cmd/wf/internal/verb"
)

func schemaCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "schema [" + strings.Join(verb.SchemaNames, " | ") + "]",
		Short: "The JSON Schema of a kind of file, for editors and other tools",
		Long: `Schema prints the JSON Schema (draft 7) of a kind of file; of workflows without an argument.
A schema sees keys, words and forms. Names, types and rules across files are for ` + "`wf validate`" + ` and ` + "`wf lsp`" + `.`,
		Example:   "  wf schema > workflow.schema.json\n  wf schema settings",
		Args:      atMostOne("a kind of file"),
		ValidArgs: verb.SchemaNames,
		RunE: func(_ *cobra.Command, args []string) error {
			name := verb.SchemaNames[0]
			if len(args) == 1 {
				name = args[0]
			}
			if !slices.Contains(verb.SchemaNames, name) {
				return usagef("there is no schema of %q; there are %s", name, strings.Join(verb.SchemaNames, ", "))
			}
			text, err := verb.Schema(name)
			if err != nil {
				return err
			}
			_, err = a.Stdout.Write(text)
			return err
		},
	}
}
