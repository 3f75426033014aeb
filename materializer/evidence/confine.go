package evidence

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/materializer/process"
	"github.com/seed9cc7a46e/wf/materializer/sandbox"
	"github.com/seed9cc7a46e/wf/planner"
)

// attempt is what is to run in a gate's folders: the gate itself, or what fills its cache.
type attempt struct {
	argv    []string
	env     []planner.EnvVar
	gocache string   // instead of the gate's own
	program string   // GOCACHEPROG; "": go keeps its cache itself
	reads   []string // what it may read beyond what all gates may
}

// argv is the command as it is run.
func argv(j Job) []string {
	switch {
	case j.Gate.Shell != "":
		return []string{j.Gate.Shell, "-c", j.Gate.Script}
	case isGoTest(j.Gate):
		if kind, _ := countsBy(j.Gate); kind == "go" {
			return withJSON(j.Gate.Argv)
		}
	}
	return j.Gate.Argv
}

// reach is how far a gate's network goes; -1 is one this wf cannot confine to.
func (j Job) reach() sandbox.Reach {
	switch {
	case len(j.Gate.Network) == 0 || slices.Equal(j.Gate.Network, []string{"none"}):
		return sandbox.None
	case slices.Equal(j.Gate.Network, []string{"open"}):
		return sandbox.Open
	}
	return -1
}

// confine gives the process of a gate in posture gate. why says what keeps it from running.
func confine(h Host, j Job, p places, a attempt) (spec process.Spec, why string) {
	if len(a.argv) == 0 {
		return spec, "it has no command"
	}
	dir, why := workdir(j, p)
	if why != "" {
		return spec, why
	}
	reach := j.reach()
	if reach < 0 {
		return spec, "this wf cannot confine a network to " + strings.Join(j.Gate.Network, ", ") + "; it can give none or open"
	}
	if a.gocache == "" {
		a.gocache = p.gocache
	}
	spec, err := sandbox.Wrap(h.Self, h.Sandbox, sandbox.Spec{
		Posture: sandbox.Gate, Argv: a.argv, Env: variables(h, p, a), WorkDir: dir, Home: p.home, Temp: p.temp,
		ReadOnly: slices.Concat(h.Reads, a.reads), ReadWrite: []string{p.tree, p.cache, a.gocache}, Network: sandbox.Network{Reach: reach},
		Hidden:   append([]string{j.Repo.CommonDir(), j.Repo.Root()}, h.Hidden...),
		Required: h.Floor != "" && h.Floor != sandbox.FloorNone, Floor: h.Floor,
	})
	if err != nil {
		return process.Spec{}, notStarted(err)
	}
	return spec, ""
}

// workdir finds the gate's folder without leaving its tree.
func workdir(j Job, p places) (dir, why string) {
	if j.Gate.Workdir == "" || j.Gate.Workdir == "." {
		return p.tree, ""
	}
	root, err := os.OpenRoot(p.tree)
	if err != nil {
		return "", err.Error()
	}
	defer root.Close()
	name := filepath.FromSlash(j.Gate.Workdir)
	if info, err := root.Stat(name); err != nil || !info.IsDir() {
		return "", fmt.Sprintf("its workdir %s is no folder of the commit", shown(j.Gate.Workdir))
	}
	return filepath.Join(p.tree, name), ""
}

// variables is the whole environment of a gate. Where a name comes twice the
// later value counts, and only it is passed on: programs differ in which they take.
func variables(h Host, p places, a attempt) []string {
	all := slices.Concat(h.Env, []string{"PATH=" + h.Path, "HOME=" + p.home, "TMPDIR=" + p.temp, "GOCACHE=" + a.gocache, "XDG_CACHE_HOME=" + p.cache})
	if a.program != "" {
		all = append(all, "GOCACHEPROG="+a.program)
	}
	for _, v := range a.env {
		all = append(all, v.Name+"="+v.Value)
	}
	last := map[string]int{}
	for i, v := range all {
		name, _, _ := strings.Cut(v, "=")
		last[name] = i
	}
	var out []string
	for i, v := range all {
		if name, _, _ := strings.Cut(v, "="); last[name] == i {
			out = append(out, v)
		}
	}
	return out
}

func notStarted(err error) string {
	reason, ok := process.ReasonOf(err)
	switch {
	case errors.Is(err, sandbox.ErrBelowFloor):
		return err.Error()
	case ok && reason == process.NotFound:
		return "its program was not found: " + err.Error()
	case ok && reason == process.Permission:
		return "its program may not be run: " + err.Error()
	}
	return "it could not be started: " + err.Error()
}
