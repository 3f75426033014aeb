package evidence

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// maxReason is how long a reason may be, in bytes.
const maxReason = 400

// terminalCodes move cursors and set colours.
var terminalCodes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("\x1b\\[[0-9;:?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|\x1b[@-_]")
})

// sentence makes one line that cannot do anything to a terminal out of what a
// program wrote: what is invisible is written out.
func sentence(text string) string {
	if len(text) > 8*maxReason {
		text = text[:8*maxReason]
	}
	text = terminalCodes().ReplaceAllString(strings.ToValidUTF8(text, "\uFFFD"), "")
	text = strings.Join(strings.Fields(text), " ")
	var b strings.Builder
	for _, r := range text {
		if b.Len() > maxReason {
			b.WriteString(" …")
			break
		}
		if unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		fmt.Fprintf(&b, "\\u%04x", r)
	}
	return b.String()
}

// shown is a path as a reader may see it: quoted where it holds anything odd.
func shown(path string) string {
	if quoted := strconv.Quote(path); len(quoted) != len(path)+2 || strings.TrimSpace(path) != path {
		return quoted
	}
	return path
}

func lastLine(output []byte) string {
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	return lines[len(lines)-1]
}
