package evidence

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/materializer/process"
	"github.com/seed9cc7a46e/wf/materializer/sandbox"
)

// Key names what a gate's outcome depends on: the candidate's tree, the start
// commit, protected files, the gate, the environment. Where an earlier record
// that is Pass or Fail has the same key, the gate would say the same. It is ""
// for a gate that depends on more than can be named: one that reaches the
// network, or has no tree.
func Key(h Host, j Job) string {
	if j.Tree == "" || j.Gate.Check == "" && j.reach() != sandbox.None {
		return ""
	}
	parts := []string{"wf-gate 1", j.Tree, j.Start, text(j.Gate), environment(h, j), text(sorted(j.Protected)), text(sorted(j.MayChange))}
	if j.Gate.Check == "no_hedging" {
		parts = append(parts, text(j.Texts))
	}
	return Digest([]byte(text(parts)))
}

// baselineKey names what the outcome on the start commit depends on.
func baselineKey(h Host, j Job) string {
	return text([]string{j.Start, text(j.Gate), environment(h, j)})
}

// environment is the digest of what surrounds a gate: what confines it, PATH and
// the fixed variables, and the bytes of the program that it starts (for go also
// its toolchain's version). Equal digests mean equal surroundings; other
// programs that it starts are covered by PATH alone.
func environment(h Host, j Job) string {
	if j.Gate.Check != "" {
		return Digest([]byte("wf-environment 1 check " + j.Gate.Check))
	}
	parts := []string{"wf-environment 1", string(h.Sandbox.Backend), string(h.Sandbox.Floor), string(h.Sandbox.Network(j.reach())), h.Path}
	parts = append(parts, text(sorted(h.Env)))
	if words := argv(j); len(words) > 0 {
		parts = append(parts, tool(h, words[0])...)
	}
	return Digest([]byte(text(parts)))
}

// tool identifies a program by its bytes. One with a slash lies in the tree.
func tool(h Host, program string) []string {
	if strings.Contains(program, "/") {
		return []string{program, "in the tree"}
	}
	path, err := process.LookPath(program, "", []string{"PATH=" + h.Path})
	if err != nil {
		return []string{program, "not found"}
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	out := []string{program, fileDigest(path)}
	if program == "go" {
		out = append(out, fileDigest(filepath.Join(filepath.Dir(filepath.Dir(path)), "VERSION")))
	}
	return out
}

func fileDigest(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return "unreadable"
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "unreadable"
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }

// text writes a value so that no two differ only in where their parts end.
func text(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error() // plans and lists of strings always encode
	}
	return string(data)
}
