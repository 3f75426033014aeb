package guard

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/glob"
)

// place is a path as a use names it, resolved.
type place struct {
	path string // absolute and clean
	rel  string // below the worktree, slash-separated; "" outside of it
	own  bool   // in one of the unit's own folders, or a device that is no file
}

// harmless are places that a redirection may name and that keep nothing.
var harmless = []string{"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/tty", "/dev/zero"}

// placeOf resolves a name against a folder, by its text alone.
func (t Table) placeOf(dir, name string) place {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return t.at(filepath.Clean(path))
}

func (t Table) at(path string) place {
	p := place{path: path}
	if rest, ok := strings.CutPrefix(path, t.Worktree+"/"); ok {
		p.rel = filepath.ToSlash(rest)
	}
	p.own = slices.Contains(harmless, path) || strings.HasPrefix(path, "/dev/fd/")
	for _, dir := range t.Own {
		p.own = p.own || strings.HasPrefix(path, dir+"/")
	}
	return p
}

// within reports whether the place is in the worktree, or is it.
func (t Table) within(p place) bool { return p.rel != "" || p.path == t.Worktree }

// allows matches a path pattern anchored at the worktree: allow src/** is that
// one folder, any depth is spelled **/src/**. POL-08
func (r rule) allowsPath(p place) bool {
	if strings.HasPrefix(r.pattern, "/") {
		return r.globs[0].Match(strings.TrimPrefix(p.path, "/"))
	}
	return p.rel != "" && r.globs[0].Match(p.rel)
}

// forbidsPath matches at any depth, and outside of the worktree too. POL-08
func (r rule) forbidsPath(p place) bool {
	if strings.HasPrefix(r.pattern, "/") {
		return r.globs[0].Match(strings.TrimPrefix(p.path, "/"))
	}
	for _, g := range r.globs {
		if p.rel != "" && g.Match(p.rel) || g.Match(strings.TrimPrefix(p.path, "/")) {
			return true
		}
	}
	return false
}

// mayMeet reports whether a name with shell wildcards can become a path that
// the rule forbids. Only names with literal text in front of the wildcard are
// asked: `*.json` is not a way to say credentials.json.
func (r rule) mayMeet(rel string) bool {
	last := rel[strings.LastIndexByte(rel, '/')+1:]
	at := strings.IndexAny(last, "*?[")
	if at < 2 {
		return false
	}
	g, err := glob.Compile(rel)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(r.globs, func(p glob.Pattern) bool { _, ok := glob.Intersects(g, p); return ok })
}
