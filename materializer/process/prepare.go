//go:build linux || darwin

package process

import (
	"errors"
	"os"
	"os/exec"
	"strings"
)

// prepare turns a Spec into a command that is ready to start.
func prepare(spec Spec) (*Handle, error) {
	if len(spec.Argv) == 0 {
		return nil, &StartError{BadSpec, `""`, errors.New("no program given")}
	}
	if !validMarker(spec.Marker) {
		return nil, &StartError{BadSpec, spec.Argv[0], errors.New("the marker may hold letters, digits and the signs ._-/: alone")}
	}
	if err := folder(spec); err != nil {
		return nil, err
	}
	path, err := LookPath(spec.Argv[0], spec.Dir, spec.Env)
	if err != nil {
		return nil, err
	}
	attr, err := attributes(spec)
	if err != nil {
		return nil, &StartError{BadSpec, path, err}
	}
	h := &Handle{
		spec: spec, known: map[int]Identity{},
		exited: make(chan struct{}), done: make(chan struct{}),
		cmd: &exec.Cmd{
			Path: path, Args: spec.Argv, Env: environment(spec), Dir: spec.Dir,
			ExtraFiles: spec.ExtraFiles, SysProcAttr: attr,
		},
	}
	h.streams, err = attach(h.cmd, spec)
	if err != nil {
		return nil, &StartError{Other, path, err}
	}
	return h, nil
}

func folder(spec Spec) error {
	if spec.Dir == "" {
		return nil
	}
	info, err := os.Stat(spec.Dir)
	if err == nil && !info.IsDir() {
		err = errors.New("not a folder")
	}
	if err != nil {
		return &StartError{BadFolder, spec.Argv[0], err}
	}
	return nil
}

// environment is never nil: exec would take nil for "inherit everything".
func environment(spec Spec) []string {
	env := make([]string, 0, len(spec.Env)+1)
	for _, one := range spec.Env {
		if spec.Marker == "" || !strings.HasPrefix(one, MarkerVariable+"=") {
			env = append(env, one)
		}
	}
	if spec.Marker != "" {
		env = append(env, MarkerVariable+"="+spec.Marker)
	}
	return env
}

func validMarker(marker string) bool {
	for _, r := range marker {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		if !letter && !strings.ContainsRune("._-/:", r) {
			return false
		}
	}
	return true
}
