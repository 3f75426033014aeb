package guard

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// gitPlaces are variables by which git is led to another repository.
var gitPlaces = []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_INDEX_FILE"}

// gitPrograms are variables by which git starts a program.
var gitPrograms = []string{"GIT_SSH_COMMAND", "GIT_SSH", "GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_ASKPASS", "GIT_PROXY_COMMAND", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS", "GIT_EXEC_PATH"}

// assigned judges variables that are set for a command: what leads git out of
// the unit's own worktree, or makes it start programs, is refused.
func (t Table) assigned(c command) error {
	for _, a := range c.assigns {
		switch {
		case slices.Contains(gitPlaces, a.name):
			if err := t.gitPlace(c.dir, a.value, a.name); err != nil {
				return err
			}
		case slices.Contains(gitPrograms, a.name) || strings.HasPrefix(a.name, "GIT_CONFIG_"):
			return fmt.Errorf("%s changes what git runs", a.name)
		}
	}
	return nil
}

func (t Table) gitPlace(dir, name, how string) error {
	if strings.Contains(name, unknown) || dir == "" {
		return fmt.Errorf("where %s leads git cannot be told before it runs", how)
	}
	p := t.placeOf(dir, t.home(name))
	if !t.within(p) && !p.own {
		return fmt.Errorf("%s leads git to %s, outside of the unit's worktree", how, p.path)
	}
	return nil
}

// plainGit takes git's own options away, so that rules see `git push` whatever
// stands between: -C, --git-dir, -c and the like.
func (t Table) plainGit(c command) (command, error) {
	words := c.words[1:]
	dir := c.dir
	for len(words) > 0 && strings.HasPrefix(words[0].text, "-") {
		opt, value, joined := strings.Cut(words[0].text, "=")
		takes := slices.Contains([]string{"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--exec-path", "--attr-source"}, opt)
		if takes && !joined && opt != "--exec-path" {
			if len(words) < 2 {
				return c, errors.New("a git option is without its value")
			}
			value, words = words[1].text, words[1:]
		}
		words = words[1:]
		var err error
		switch opt {
		case "-C":
			if err = t.gitPlace(dir, value, "git -C"); err == nil {
				dir = t.placeOf(dir, t.home(value)).path
			}
		case "--git-dir", "--work-tree":
			err = t.gitPlace(dir, value, opt)
		case "-c", "--config-env":
			err = gitSetting(value)
		case "--exec-path":
			if joined {
				err = errors.New("--exec-path changes what git runs")
			}
		}
		if err != nil {
			return c, err
		}
	}
	if len(words) > 0 && !words[0].known() {
		return c, errors.New("which git command it is cannot be told before it runs")
	}
	if len(words) > 1 && words[0].text == "config" {
		if err := gitConfig(words[1:]); err != nil {
			return c, err
		}
	}
	out := c
	out.dir = dir
	out.words = append([]word{c.words[0]}, words...)
	return out, nil
}

// gitConfig judges git config where it writes; with one name it only reads.
func gitConfig(args []word) error {
	var names []word
	for _, w := range args {
		if strings.HasPrefix(w.text, "--get") || w.text == "--list" || w.text == "-l" || w.text == "get" || w.text == "list" {
			return nil
		}
		if !isOption(w.text) && w.text != "set" {
			names = append(names, w)
		}
	}
	if len(names) < 2 {
		return nil
	}
	return gitSetting(names[0].text)
}

// gitSetting refuses settings by which git commands become others, or start
// programs.
func gitSetting(setting string) error {
	if strings.HasPrefix(setting, unknown) {
		return errors.New("which git setting it changes cannot be told before it runs")
	}
	name, _, _ := strings.Cut(strings.ToLower(setting), "=")
	for _, prefix := range []string{"alias.", "core.hookspath", "core.fsmonitor", "core.sshcommand", "core.pager", "core.editor", "core.worktree", "include.path", "includeif.", "filter.", "diff.external", "sequence.editor", "credential.", "gpg.", "protocol.ext", "remote.", "url."} {
		if strings.HasPrefix(name, prefix) {
			return fmt.Errorf("the git setting %s changes what git runs or where it goes", name)
		}
	}
	return nil
}

// variants are the forms a command is held against restricting rules in:
// bundled short options apart, paths as seen from the worktree.
func (t Table) variants(c command) [][]word {
	if len(c.words) == 0 {
		return nil
	}
	switch c.words[0].text {
	case "rm":
		return t.removals(c)
	case "git":
		return [][]word{c.words, unbundled(c.words)}
	}
	return [][]word{c.words}
}

// unbundled writes -uf as -u -f.
func unbundled(words []word) []word {
	out := make([]word, 0, len(words))
	for _, w := range words {
		if !isOption(w.text) || strings.HasPrefix(w.text, "--") || len(w.text) < 3 || strings.Contains(w.text, "=") || !w.known() {
			out = append(out, w)
			continue
		}
		for _, letter := range w.text[1:] {
			out = append(out, word{text: "-" + string(letter), quoted: true})
		}
	}
	return out
}

// removals writes each operand of a recursive rm as `rm -rf PATH`, whatever its
// options were: a path below the worktree or the unit's own folders as a
// relative one, anything else as an absolute one.
func (t Table) removals(c command) [][]word {
	recursive, operands := false, []word{}
	only := false
	for _, w := range c.words[1:] {
		switch {
		case w.text == "--" && !only:
			only = true
		case !only && strings.HasPrefix(w.text, "--"):
			recursive = recursive || strings.HasPrefix("--recursive", w.text) && len(w.text) > 3
		case !only && isOption(w.text):
			recursive = recursive || strings.ContainsAny(w.text, "rR")
		default:
			operands = append(operands, w)
		}
	}
	if !recursive {
		return [][]word{c.words}
	}
	var out [][]word
	for _, w := range operands {
		out = append(out, []word{{text: "rm"}, {text: "-rf"}, t.removed(c.dir, w)})
	}
	return out
}

func (t Table) removed(dir string, w word) word {
	switch {
	case strings.HasPrefix(w.text, "~"):
		return w
	case strings.HasPrefix(w.text, unknown):
		return word{text: unknown, quoted: true}
	case dir == "" && !strings.HasPrefix(w.text, "/"):
		return word{text: "/" + unknown, quoted: true} // it went somewhere that cannot be told
	}
	p := t.placeOf(dir, w.text)
	switch {
	case p.rel != "":
		return word{text: p.rel, quoted: true}
	case p.own:
		return word{text: "own/" + p.path[1:], quoted: true}
	}
	return word{text: p.path, quoted: true}
}
