package guard

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// unwrap looks through programs that only start another one, until the command
// that does something is found. More than one result: each is judged. A text
// that such a program hands to a shell is read as a script of its own.
func (t Table) unwrap(c command, depth int) ([]command, []script, error) {
	if depth > maxDepth {
		return nil, nil, errDepth
	}
	if len(c.words) == 0 {
		return []command{c}, nil, nil
	}
	if !c.words[0].known() {
		return nil, nil, errors.New("which program it starts cannot be told before it runs")
	}
	name := path.Base(c.words[0].text)
	c.words[0].text = name
	args := c.words[1:]
	switch {
	case slices.Contains(shells, name):
		return t.shell(c, args, depth)
	case name == "eval":
		return t.nested(c, joined(args), depth)
	case name == "trap" && len(args) > 1:
		return t.nested(c, args[0], depth)
	case name == "alias":
		return t.alias(c, args, depth)
	case name == "find":
		return t.find(c, args, depth)
	}
	if w, ok := wrappers[name]; ok {
		inner, found := w.inner(args)
		if !found {
			return []command{c}, nil, nil
		}
		next := c
		next.words = inner
		if w.appends {
			next.words = append(slices.Clone(inner), word{text: unknown})
		}
		if w.assigns {
			next = takeAssigns(next)
		}
		return t.unwrap(next, depth+1)
	}
	return []command{c}, nil, nil
}

var shells = []string{"sh", "bash", "dash", "zsh", "ksh", "ash", "mksh"}

// wrapper is a program whose arguments end in a command.
type wrapper struct {
	values  string // short options that take a value of their own word
	longs   []string
	skip    int  // operands before the command
	assigns bool // NAME=value may stand before the command
	appends bool // it adds arguments that cannot be told
}

var wrappers = map[string]wrapper{
	"env":     {values: "uCS", longs: []string{"--unset", "--chdir", "--split-string"}, assigns: true},
	"command": {}, "builtin": {}, "nohup": {}, "setsid": {}, "busybox": {}, "toybox": {}, "then": {}, "unbuffer": {},
	"exec":    {values: "a"},
	"nice":    {values: "n", longs: []string{"--adjustment"}},
	"ionice":  {values: "cnp", longs: []string{"--class", "--classdata"}},
	"stdbuf":  {values: "ioe", longs: []string{"--input", "--output", "--error"}},
	"time":    {values: "fo", longs: []string{"--format", "--output"}},
	"timeout": {values: "ks", longs: []string{"--kill-after", "--signal"}, skip: 1},
	"sudo":    {values: "ugpCDhRrTtU", assigns: true}, "doas": {values: "uC"},
	"chroot": {skip: 1}, "flock": {values: "wE", skip: 1}, "unshare": {}, "strace": {values: "eopsPa"},
	"xargs":    {values: "IELnPsda", longs: []string{"--replace", "--max-args", "--max-procs", "--delimiter", "--arg-file", "--max-lines"}, appends: true},
	"parallel": {values: "jNI", appends: true},
	"watch":    {values: "n", longs: []string{"--interval"}},
}

// inner gives the words of the command inside.
func (w wrapper) inner(args []word) ([]word, bool) {
	skip := w.skip
	for i := 0; i < len(args); i++ {
		a := args[i].text
		switch {
		case a == "--":
			i += skip
			return rest(args, i+1)
		case strings.HasPrefix(a, "--"):
			if slices.Contains(w.longs, a) {
				i++
			}
		case isOption(a):
			if last := a[len(a)-1:]; strings.Contains(w.values, last) && strings.IndexAny(a[1:], w.values) == len(a)-2 {
				i++
			}
		case w.assigns && isAssign(a):
			return rest(args, i)
		case skip > 0:
			skip--
		default:
			return rest(args, i)
		}
	}
	return nil, false
}

func rest(args []word, from int) ([]word, bool) {
	if from >= len(args) {
		return nil, false
	}
	return slices.Clone(args[from:]), true
}

func isAssign(text string) bool {
	name, _, ok := strings.Cut(text, "=")
	return ok && name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// takeAssigns moves NAME=value words of env into the command's assignments.
func takeAssigns(c command) command {
	c.assigns = slices.Clone(c.assigns)
	for len(c.words) > 0 && isAssign(c.words[0].text) {
		name, value, _ := strings.Cut(c.words[0].text, "=")
		c.assigns = append(c.assigns, assign{name, value})
		c.words = c.words[1:]
	}
	return c
}

// joined is what eval makes of its arguments.
func joined(args []word) word {
	out := word{quoted: true}
	for i, a := range args {
		if i > 0 {
			out.text += " "
		}
		out.text += a.text
	}
	return out
}

// nested reads a text that a shell will read.
func (t Table) nested(c command, text word, depth int) ([]command, []script, error) {
	if depth >= maxDepth {
		return nil, nil, errDepth
	}
	if !text.known() {
		return nil, nil, fmt.Errorf("what %s runs cannot be told before it runs", c.words[0].text)
	}
	s, err := t.readScript(text.text, c.dir)
	if err != nil {
		return nil, nil, err
	}
	// Assignments in front hold inside too: GIT_DIR=… sh -c "git …".
	for i := range s.commands {
		s.commands[i].assigns = append(slices.Clone(c.assigns), s.commands[i].assigns...)
	}
	return nil, []script{s}, nil
}

// shell is sh -c TEXT, or a shell that reads its standard input.
func (t Table) shell(c command, args []word, depth int) ([]command, []script, error) {
	text := false
	for i, a := range args {
		switch {
		case strings.HasPrefix(a.text, "--"), a.text == "-":
		case strings.HasPrefix(a.text, "-") || strings.HasPrefix(a.text, "+"):
			text = text || strings.HasPrefix(a.text, "-") && strings.Contains(a.text, "c")
			if strings.HasSuffix(a.text, "o") && i+1 < len(args) {
				continue
			}
		case text:
			return t.nested(c, a, depth)
		case i > 0 && strings.HasSuffix(args[i-1].text, "o") && isOption(args[i-1].text):
		case a.text == "/dev/stdin" || !a.known():
			return nil, nil, errors.New("what a shell runs cannot be told before it runs")
		default:
			return []command{c}, nil, nil // a script file; the sandbox confines what it does
		}
	}
	switch {
	case text, !c.fed:
		return nil, nil, errors.New("a shell that reads its commands from elsewhere cannot be judged")
	default:
		return t.nested(c, word{text: c.stdin, quoted: true}, depth)
	}
}

func (t Table) alias(c command, args []word, depth int) ([]command, []script, error) {
	var scripts []script
	for _, a := range args {
		_, value, ok := strings.Cut(a.text, "=")
		if !ok {
			continue
		}
		_, s, err := t.nested(c, word{text: value, quoted: true}, depth)
		if err != nil {
			return nil, nil, err
		}
		scripts = append(scripts, s...)
	}
	return []command{c}, scripts, nil
}

// find starts programs, deletes and writes files by its own words.
func (t Table) find(c command, args []word, depth int) ([]command, []script, error) {
	out := []command{c}
	var scripts []script
	var places []word
	for _, a := range args {
		if strings.HasPrefix(a.text, "-") || a.text == "(" || a.text == "!" {
			break
		}
		places = append(places, a)
	}
	for i, a := range args {
		switch a.text {
		case "-delete":
			out = append(out, command{words: append([]word{{text: "rm"}, {text: "-rf"}}, places...), dir: c.dir, assigns: c.assigns})
		case "-exec", "-execdir", "-ok", "-okdir":
			inner := command{dir: c.dir, assigns: c.assigns}
			for _, w := range args[i+1:] {
				if w.text == ";" || w.text == "+" {
					break
				}
				if strings.Contains(w.text, "{}") {
					w = word{text: strings.ReplaceAll(w.text, "{}", unknown), quoted: true}
				}
				inner.words = append(inner.words, w)
			}
			more, texts, err := t.unwrap(inner, depth+1)
			if err != nil {
				return nil, nil, err
			}
			out, scripts = append(out, more...), append(scripts, texts...)
		}
	}
	return out, scripts, nil
}
