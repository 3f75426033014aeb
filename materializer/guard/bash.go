package guard

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/glob"
)

// bash judges a shell text: each command in it, each file it redirects to.
func (j *Judge) bash(u Use, in map[string]json.RawMessage) Ruling {
	text, there, err := text(in, "command")
	if err != nil || !there || strings.TrimSpace(text) == "" || strings.ContainsRune(text, 0) {
		return denied("Bash is without a command that can be read")
	}
	if found := secretIn(text); found != "" {
		return Ruling{Decision: HardDeny, Reason: "the command holds " + found + "; secrets reach a unit by its environment alone"}
	}
	s, err := j.t.readScript(text, j.folder(u))
	if err != nil {
		return denied(err.Error())
	}
	w := &walk{j: j, in: in}
	w.script(s, 0)
	return w.result()
}

// walk gathers the rulings of all parts of a text; the strongest counts.
type walk struct {
	j     *Judge
	in    map[string]json.RawMessage
	out   Ruling
	parts int
}

func (w *walk) take(r Ruling) {
	if w.out.Decision == "" || r.stronger(w.out) {
		w.out = r
	}
}

func (w *walk) result() Ruling {
	if w.out.Decision == "" {
		return denied("the text runs nothing")
	}
	return w.out
}

func (w *walk) script(s script, depth int) {
	for _, r := range s.writes {
		w.redirected("Write", r)
	}
	for _, r := range s.reads {
		w.redirected("Read", r)
	}
	for _, c := range s.commands {
		if w.parts++; w.parts > maxParts {
			w.take(denied("the text has more commands than are judged"))
			return
		}
		w.command(c, depth)
	}
}

// redirected judges a redirection as a use of Write or Read of its own.
func (w *walk) redirected(tool string, r write) {
	switch {
	case !r.target.known():
		w.take(denied("which file it redirects cannot be told before it runs"))
		return
	case r.dir == "" && !strings.HasPrefix(r.target.text, "/"):
		w.take(denied("in which folder it redirects cannot be told before it runs"))
		return
	}
	p := w.j.t.placeOf(r.dir, w.j.t.home(r.target.text))
	if tool == "Read" {
		if out := w.j.named([]place{p}); out.Decision != "" {
			w.take(out)
		}
		return
	}
	w.take(w.j.path(tool, []place{p}, map[string]json.RawMessage{}))
}

func (w *walk) command(c command, depth int) {
	if len(c.words) > maxWords {
		w.take(denied("the command has more words than are judged"))
		return
	}
	if err := w.j.t.assigned(c); err != nil {
		w.take(denied(err.Error()))
		return
	}
	// The program as it was started is judged too: a rule may be about sudo.
	if inner, scripts, err := w.j.t.unwrap(c, depth); err != nil {
		w.take(denied(err.Error()))
	} else {
		for _, one := range inner {
			w.simple(one)
		}
		for _, s := range scripts {
			w.script(s, depth+1)
		}
	}
	if len(c.words) > 0 {
		w.take(w.restricted(c))
	}
}

// simple judges one command that is no wrapper.
func (w *walk) simple(c command) {
	if err := w.j.t.assigned(c); err != nil {
		w.take(denied(err.Error()))
		return
	}
	if len(c.words) == 0 {
		w.take(Ruling{Decision: Allow, Reason: "it only sets variables"})
		return
	}
	if w.j.isUnitVerb(c) {
		w.take(Ruling{Decision: Allow, Rule: "wf unit", Reason: "a verb every unit has"})
		return
	}
	if c.words[0].text == "git" {
		plain, err := w.j.t.plainGit(c)
		if err != nil {
			w.take(denied(err.Error()))
			return
		}
		w.take(w.restricted(plain))
		c = plain
	}
	w.take(w.restricted(c))
	w.take(w.j.secretFiles(c))
	w.take(w.permitted(c))
}

// isUnitVerb knows `wf unit VERB`, by which programs without MCP deliver. MODE-11
func (j *Judge) isUnitVerb(c command) bool {
	return len(c.words) > 2 && c.words[0].text == "wf" && c.words[1].text == "unit" && slices.Contains(j.t.Verbs, c.words[2].text)
}

// restricted holds all forms of a command against deny and ask.
func (w *walk) restricted(c command) Ruling {
	out := w.j.forbidden("Bash", w.in, func(r rule) bool {
		return slices.ContainsFunc(w.j.t.variants(c), r.words.forbids)
	})
	if out.Decision == "" {
		return Ruling{Decision: Allow}
	}
	if slices.ContainsFunc(c.words, func(w word) bool { return !w.known() }) {
		out.Reason += " (a part of the command cannot be told before it runs)"
	}
	return out
}

// permitted asks whether the role has the command.
func (w *walk) permitted(c command) Ruling {
	for _, r := range w.j.allow {
		switch {
		case !r.names("Bash"):
		case r.param != "" && r.allowsParam(w.in), r.param == "" && (r.pattern == "" || r.words.allows(c.words)):
			return Ruling{Decision: Allow, Rule: r.text}
		}
	}
	return w.j.absent("Bash")
}

// printers only print their words: naming a file is not touching it.
var printers = []string{"echo", "printf", "true", "false", ":", "test", "["}

// secretFiles judges the words of a command that name files which no tool may
// read: `cat .env` is a use of Read. It sees plain names only; the sandbox
// keeps what it must. POL-24
func (j *Judge) secretFiles(c command) Ruling {
	out := Ruling{Decision: Allow}
	if slices.Contains(printers, c.words[0].text) {
		return out
	}
	dir := c.dir
	if dir == "" {
		dir = j.t.Worktree
	}
	for _, w := range c.words[1:] {
		for _, name := range names(w) {
			if r := j.named([]place{j.t.placeOf(dir, j.t.home(name))}); r.Decision != "" && r.stronger(out) {
				out = r
			}
		}
	}
	return out
}

// names are the file names a word can hold: itself, and what follows = or @ or
// the colon of rev:path.
func names(w word) []string {
	text := strings.ReplaceAll(w.text, unknown, "x")
	out := []string{}
	for _, sep := range []string{"", "=", "@", ":"} {
		name := text
		if sep != "" {
			_, after, ok := strings.Cut(text, sep)
			if !ok {
				continue
			}
			name = after
		}
		if name != "" && !strings.HasPrefix(name, "-") && len(name) < glob.MaxLength {
			out = append(out, name)
		}
	}
	return out
}

// named holds places against what no tool may read or write. Rules about a
// whole tool do not count here: a role without Read may still run programs.
func (j *Judge) named(places []place) Ruling {
	var out Ruling
	if j.Resolve != nil {
		for _, p := range slices.Clone(places) {
			if real := j.Resolve(p.path); real != p.path {
				places = append(places, j.t.at(real))
			}
		}
	}
	for _, r := range j.rules {
		if r.param != "" || r.pattern == "" || r.tool != "Read" {
			continue
		}
		hit := slices.ContainsFunc(places, func(p place) bool { return r.forbidsPath(p) || p.rel != "" && r.mayMeet(p.rel) })
		if found := r.ruling(); hit && (out.Decision == "" || found.stronger(out)) {
			out = found
		}
	}
	return out
}

func anyGlob(patterns []string, rel string) bool {
	set, err := glob.CompileSet(patterns)
	return err == nil && set.Match(path.Clean(rel))
}
