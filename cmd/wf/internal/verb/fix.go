package verb

import (
	"context"
	"maps"
	"slices"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// Fixed is what Fix changed, and what it left.
type Fixed struct {
	Files []Formatted // changed, by name
	Left  Validated
}

// maxRounds bounds how often mended files are read again: an edit can uncover
// what stood behind it, and each round must change something.
const maxRounds = 10

// Fix makes the edits that findings carry, of two that overlap the first, reads
// again and goes on until there are none; then it writes each changed file in
// one step. What is not edited stays byte for byte, comments and line ends too.
func Fix(ctx context.Context, e Env, names []string) (Fixed, error) {
	p, err := e.project(ctx)
	if err != nil {
		return Fixed{}, err
	}
	files, err := p.named(names)
	if err != nil {
		return Fixed{}, err
	}
	before := Sources{}
	p.tree.over = map[string][]byte{}
	left := p.validate(ctx, files)
	for range maxRounds {
		changed := false
		for _, name := range edited(left.Findings) {
			data, err := p.tree.ReadFile(name)
			if err != nil {
				return Fixed{}, systemRefusal(err)
			}
			after, made := left.Findings.Apply(name, data)
			if len(made) == 0 || string(after) == string(data) {
				continue
			}
			if _, have := before[name]; !have {
				before[name] = data
			}
			p.tree.over[name], changed = after, true
		}
		if !changed {
			break
		}
		left = p.validate(ctx, files)
	}
	out := Fixed{Left: left}
	at := Env{Dir: p.repo.Root()}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		f := Formatted{Name: name, Before: before[name], After: p.tree.over[name]}
		if err := WriteFormatted(at, f); err != nil {
			return out, err
		}
		out.Files = append(out.Files, f)
	}
	return out, ctx.Err()
}

// edited names the files that findings have an edit for, each once, in order.
func edited(fs diag.Findings) []string {
	seen := map[string]bool{}
	for _, f := range fs {
		if f.Edit != nil {
			seen[f.Edit.Range.File] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}
