// Package slug turns titles into parts of addresses.
package slug

import "strings"

// Lower gives the title in lower case.
func Lower(title string) string { return strings.ToLower(title) }
