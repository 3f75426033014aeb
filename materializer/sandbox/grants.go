package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/materializer/process"
)

// resolve checks the paths of a Spec and follows their links once, here, where
// nothing inside the sandbox can change them any more.
func (s Spec) resolve() (Spec, error) {
	var errs []error
	one := func(what, path string) string {
		resolved, err := follow(path)
		if err != nil {
			errs = append(errs, fmt.Errorf("sandbox: %s: %w", what, err))
		} else if clean := filepath.Clean(path); clean != resolved {
			s.links = append(s.links, Link{clean, resolved})
		}
		return resolved
	}
	many := func(what string, paths []string) []string {
		var out []string
		for _, p := range paths {
			out = append(out, one(what, p))
		}
		return out
	}
	s.WorkDir, s.Home, s.Temp = one("work folder", s.WorkDir), one("home", s.Home), one("temp", s.Temp)
	s.ReadOnly, s.ReadWrite = many("read-only", s.ReadOnly), many("writable", s.ReadWrite)
	s.Hidden = s.hidden()
	if len(s.Argv) == 0 {
		return s, errors.Join(append(errs, errors.New("sandbox: no program given"))...)
	}
	if err := errors.Join(errs...); err != nil {
		return s, err
	}
	return s, s.findProgram()
}

// findProgram keeps the path that the program is found at, since some behave
// by their name, and follows its links for the grant.
func (s *Spec) findProgram() error {
	program, err := process.LookPath(s.Argv[0], s.WorkDir, s.Env)
	if err != nil {
		return err
	}
	s.program, err = follow(program)
	if err != nil {
		return fmt.Errorf("sandbox: program: %w", err)
	}
	if s.program != program {
		s.links = append(s.links, Link{program, s.program})
	}
	s.path = program
	return nil
}

func follow(path string) (string, error) {
	if !filepath.IsAbs(path) {
		return "", fmt.Errorf("%q is not absolute", path)
	}
	return filepath.EvalSymlinks(path)
}

// hidden follows links where the path exists; one that does not exist yet is
// hidden under the name it has.
func (s Spec) hidden() []string {
	var out []string
	for _, p := range s.Hidden {
		if r, err := follow(p); err == nil {
			out = append(out, r)
			continue
		}
		out = append(out, filepath.Clean(p))
	}
	return out
}

// grants lists everything the program may reach, hidden paths cut out.
func (s Spec) grants() ([]Grant, error) {
	all := s.writable()
	for _, g := range all {
		if below(s.Hidden, g.Path) != "" {
			return nil, fmt.Errorf("sandbox: writable %s would open %s, which is hidden", g.Path, below(s.Hidden, g.Path))
		}
	}
	for _, g := range s.readable() {
		if slices.Contains(s.Hidden, g.Path) {
			return nil, fmt.Errorf("sandbox: %s is both granted and hidden", g.Path)
		}
		parts, err := byParts(g, deeper(s.Hidden, g.Path))
		if err != nil {
			return nil, err
		}
		all = append(all, parts...)
	}
	for _, g := range SystemPaths() {
		parts, err := byParts(g, s.Hidden)
		if err != nil {
			return nil, err
		}
		all = append(all, parts...)
	}
	return all, nil
}

// deeper gives the hidden paths below a granted one. Those above it do not
// count: whoever grants a folder inside a hidden one by name means it.
func deeper(hidden []string, granted string) []string {
	var out []string
	for _, h := range hidden {
		if inside(granted, h) {
			out = append(out, h)
		}
	}
	return out
}

func (s Spec) writable() []Grant {
	paths := append([]string{s.Home, s.Temp}, s.ReadWrite...)
	if s.Posture != Read {
		paths = append(paths, s.WorkDir)
	}
	var out []Grant
	for _, p := range paths {
		out = append(out, Grant{Path: p, Write: true})
	}
	return out
}

func (s Spec) readable() []Grant {
	out := []Grant{{Path: s.program}, {Path: s.WorkDir}}
	for _, p := range s.ReadOnly {
		out = append(out, Grant{Path: p})
	}
	return out
}

// byParts splits a grant around what is hidden. Landlock only adds rights
// downwards, so that a hidden path below a granted one would stay open.
func byParts(g Grant, hidden []string) ([]Grant, error) {
	resolved, err := filepath.EvalSymlinks(g.Path)
	if errors.Is(err, fs.ErrNotExist) && g.Optional {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("sandbox: grant: %w", err)
	}
	if within(hidden, resolved) {
		return nil, nil
	}
	g.Path = resolved
	if below(hidden, resolved) == "" {
		return []Grant{g}, nil
	}
	entries, err := os.ReadDir(resolved)
	if err != nil {
		return nil, fmt.Errorf("sandbox: split a grant: %w", err)
	}
	var out []Grant
	for _, e := range entries {
		if e.Type()&fs.ModeSymlink != 0 {
			continue // whoever made it must not choose what is granted
		}
		parts, err := byParts(Grant{Path: filepath.Join(resolved, e.Name()), Write: g.Write, Optional: true}, hidden)
		if err != nil {
			return nil, err
		}
		out = append(out, parts...)
	}
	return out, nil
}

// aliases lists the links by which grants are known outside, for a backend
// that builds a root folder of its own.
func (s Spec) aliases() []Link {
	out := append([]Link{}, s.links...)
	for _, g := range SystemPaths() {
		resolved, err := filepath.EvalSymlinks(g.Path)
		if err == nil && resolved != g.Path {
			out = append(out, Link{g.Path, resolved})
		}
	}
	return append(out, deviceLinks...)
}

// within tells whether path is, or lies in, one of the folders.
func within(folders []string, path string) bool {
	for _, f := range folders {
		if inside(f, path) {
			return true
		}
	}
	return false
}

// below gives the first of the paths that lies in folder, or is it.
func below(paths []string, folder string) string {
	for _, p := range paths {
		if inside(folder, p) {
			return p
		}
	}
	return ""
}

func inside(folder, path string) bool {
	return path == folder || folder == "/" || strings.HasPrefix(path, folder+"/")
}
