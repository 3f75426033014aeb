package guard

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/materializer/guard/hook"
)

// Record is one answer of the guard, as a line of the unit's record file. The
// file lies in the state, where no unit can write, and is only added to:
//
//	{"n":1,"event":"pre","id":"toolu_01","tool":"Bash","about":"git push --force","input":"sha256:…",
//	 "decision":"hard_deny","rule":"Bash(git push --force*)","layer":"built-in","reason":"…","at":"…"}
//
// The input itself is not kept: a Write holds whole files, and a transcript
// has it. A torn last line is one answer that was never given.
type Record struct {
	N       int        `json:"n"` // from 1
	Event   hook.Event `json:"event"`
	ID      string     `json:"id,omitempty"`
	Tool    string     `json:"tool,omitempty"`
	About   string     `json:"about,omitempty"` // the command, path or address, redacted and bounded
	Input   string     `json:"input,omitempty"` // digest
	Agent   string     `json:"agent,omitempty"`
	Session string     `json:"session,omitempty"`
	Ruling
	At string `json:"at"` // RFC 3339, UTC
}

// Limits of a record file.
const (
	maxAbout   = 500
	maxRecords = 100_000
)

func digest(input []byte) string {
	sum := sha256.Sum256(input)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// about is the one parameter that says what a use is about.
func about(u Use) string {
	var in map[string]json.RawMessage
	if json.Unmarshal(u.Input, &in) != nil {
		return ""
	}
	for _, key := range append(slices.Clone(firstParam(u.Tool)), "file_path", "path", "url", "query", "command") {
		if value, there, err := text(in, key); there && err == nil {
			return bounded(value, maxAbout)
		}
	}
	return ""
}

func firstParam(tool string) []string {
	params := toolParams[tool]
	return params[:min(len(params), 1)]
}

func bounded(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}

// ReadRecords reads a record file. A torn last line is left out.
func ReadRecords(name string) ([]Record, error) {
	f, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("guard records: %w", err)
	}
	defer f.Close()
	out, err := parseRecords(f)
	if err != nil {
		return nil, fmt.Errorf("guard records %s: %w", filepath.Base(name), err)
	}
	return out, nil
}

func parseRecords(r io.Reader) ([]Record, error) {
	var out []Record
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		var rec Record
		if err := json.Unmarshal(line, &rec); err != nil {
			return nil, fmt.Errorf("line %d: %w", len(out)+1, err)
		}
		out = append(out, rec)
	}
}

// Used is a tool use as the program's own stream told it.
type Used struct{ ID, Tool string }

// Reconciled is what comes of holding a stream against the records.
type Reconciled struct {
	Unguarded []string // uses without a record: the tool may have run unasked
	Denied    []string // what the guard refused, each with its reason
	Asks      []string // of those, what a person would have to be asked
}

// Reconcile holds each use of the stream against the records: programs let a
// tool run when its hook is missing, crashes or times out. A record covers one
// use of its tool.
func Reconcile(records []Record, uses []Used) Reconciled {
	var out Reconciled
	asked := map[Used]bool{}
	for _, r := range records {
		if r.Event != hook.Pre {
			continue
		}
		asked[Used{r.ID, r.Tool}] = true
		if r.Decision == Allow {
			continue
		}
		text := fmt.Sprintf("%s(%s): %s", r.Tool, r.About, r.Reason)
		if r.Rule != "" {
			text += fmt.Sprintf(" [%s, %s layer, %s]", r.Rule, r.Layer, r.Decision)
		}
		out.Denied = append(out.Denied, text)
		if r.Decision == Ask {
			out.Asks = append(out.Asks, text)
		}
	}
	for _, u := range uses {
		if !asked[u] {
			out.Unguarded = append(out.Unguarded, fmt.Sprintf("%s (%s)", u.Tool, u.ID))
			continue
		}
		delete(asked, u)
	}
	return out
}
