package diag

import (
	"embed"
	"io/fs"
	"slices"
	"strings"
)

//go:embed pages/*.md
var pages embed.FS

// Page gives the page of a code as Markdown; the error is fs.ErrNotExist where
// there is none.
func Page(code string) (string, error) {
	data, err := pages.ReadFile("pages/" + code + ".md")
	return string(data), err
}

// Pages lists the codes that have a page, sorted.
func Pages() ([]string, error) {
	entries, err := fs.ReadDir(pages, "pages")
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		out = append(out, strings.TrimSuffix(e.Name(), ".md"))
	}
	slices.Sort(out)
	return out, nil
}
