package worktree

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// maxOutput bounds what one git call may print. 256 MiB hold the file list of
// two million paths; more is refused, not cut.
const maxOutput = 256 << 20

// call is one git command.
type call struct {
	args  []string
	dir   string   // working folder; empty: the repository's scratch folder
	gitd  string   // --git-dir; empty: wf's private git folder
	tree  string   // --work-tree; empty: none
	index string   // GIT_INDEX_FILE; empty: none
	env   []string // further variables
	stdin []byte
	limit int      // bytes of output kept; 0: maxOutput, and more is an error
	real  bool     // gitd is the repository's own: no private object lending
	user  []string // what git may know of the user; not nil: the call may reach a remote
}

// reply is what a git command left.
type reply struct {
	out  []byte
	err  string // its words, trimmed: data for a message, never matched
	exit int
	cut  bool // out was cut at the limit
}

// switches is the second fence (see the package comment): what they turn off is
// not configured in the private git folder in the first place.
var switches = []string{
	"--no-pager", "--literal-pathspecs", "--no-replace-objects", "--no-optional-locks",
	"-c", "core.hooksPath=/dev/null",
	"-c", "core.fsmonitor=false",
	"-c", "core.untrackedCache=false",
	"-c", "core.splitIndex=false",
	"-c", "core.attributesFile=/dev/null",
	"-c", "core.excludesFile=/dev/null",
	"-c", "core.sshCommand=false",
	"-c", "core.askPass=false",
	"-c", "core.editor=false",
	"-c", "core.pager=cat",
	"-c", "core.quotePath=false",
	"-c", "core.alternateRefsCommand=",
	"-c", "core.symlinks=true",
	"-c", "core.fileMode=true",
	"-c", "core.logAllRefUpdates=false",
	"-c", "diff.external=",
	"-c", "credential.helper=",
	"-c", "commit.gpgSign=false",
	"-c", "tag.gpgSign=false",
	"-c", "gc.auto=0",
	"-c", "maintenance.auto=false",
	"-c", "protocol.allow=never",
	"-c", "protocol.ext.allow=never",
	"-c", "protocol.file.allow=never",
	"-c", "submodule.recurse=false",
	"-c", "checkout.workers=1",
	"-c", "merge.renames=true",
	"-c", "merge.directoryRenames=false",
	"-c", "merge.renormalize=false",
	"-c", "merge.conflictStyle=merge",
	"-c", "diff.algorithm=myers",
	"-c", "diff.renameLimit=1000",
	"-c", "worktree.useRelativePaths=false",
	"-c", "advice.detachedHead=false",
}

// environment is built anew: nothing of the caller's is passed on but the
// program path and the temp folder, which Options carry.
func environment(o Options) []string {
	env := []string{
		"PATH=" + o.Path, "HOME=/nonexistent", "XDG_CONFIG_HOME=/nonexistent", "LC_ALL=C", "LANGUAGE=", "TZ=UTC",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_ATTR_NOSYSTEM=1", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1",
		"GIT_ALLOW_PROTOCOL=none", "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=false", "SSH_ASKPASS=false",
		"GIT_EDITOR=false", "GIT_PAGER=cat",
	}
	if o.TempDir != "" {
		env = append(env, "TMPDIR="+o.TempDir)
	}
	return env
}

// git runs one command and gives its reply, whatever its exit. The error is of
// wf's own making: no git, a cancelled context, too much output.
func (r *Repo) git(ctx context.Context, c call) (reply, error) {
	argv := append([]string{r.opts.Program}, switches...)
	env := environment(r.opts)
	if c.user != nil {
		env = remoteEnvironment(r.opts, c.user)
	}
	if c.gitd == "" {
		if err := r.private(); err != nil {
			return reply{}, err
		}
		c.gitd = r.scratch
	}
	if !c.real {
		env = append(env, "GIT_OBJECT_DIRECTORY="+filepath.Join(r.common, "objects"))
	}
	if shallow := filepath.Join(r.common, "shallow"); exists(shallow) {
		env = append(env, "GIT_SHALLOW_FILE="+shallow)
	}
	argv = append(argv, "--git-dir="+c.gitd)
	if c.tree != "" {
		argv = append(argv, "--work-tree="+c.tree)
	}
	if c.index != "" {
		env = append(env, "GIT_INDEX_FILE="+c.index)
	}
	if c.dir == "" {
		c.dir = r.common
	}
	return runGit(ctx, c, append(argv, c.args...), append(env, c.env...))
}

// must is git for commands whose only good exit is 0.
func (r *Repo) must(ctx context.Context, c call) ([]byte, error) {
	got, err := r.git(ctx, c)
	if err != nil {
		return nil, err
	}
	if got.exit != 0 {
		return nil, r.failed(c, got)
	}
	return got.out, nil
}

// real is a call on the repository's own git folder: refs, worktrees and facts,
// never file content. GIT_COMMON_DIR is set, so that a commondir file rewritten
// by a unit leads nowhere.
func (r *Repo) real(gitd string, args ...string) call {
	return call{args: args, gitd: gitd, real: true, env: []string{"GIT_COMMON_DIR=" + r.common}}
}

// failed classes an exit other than 0 by asking the system, not by reading
// git's words, which change with version and language.
func (r *Repo) failed(c call, got reply) error {
	e := &Error{Kind: Failed, What: "git " + c.command(), Why: got.err}
	switch {
	case full(r.common) || full(c.tree):
		e.Kind, e.Hint = DiskFull, "free some space and run the command again; nothing was lost"
	case unix.Access(r.common, unix.W_OK) != nil || unix.Access(filepath.Join(r.common, "objects"), unix.W_OK) != nil:
		e.Kind, e.Hint = Permission, "give this user write access to "+r.common
	}
	return e
}

// command is the git command of a call, past the settings before it.
func (c call) command() string {
	i := 0
	for i+2 < len(c.args) && c.args[i] == "-c" {
		i += 2
	}
	return c.args[i]
}

// full reports whether the disk under a path has less than 64 KiB left for this user.
func full(path string) bool {
	var st unix.Statfs_t
	if path == "" || unix.Statfs(path, &st) != nil {
		return false
	}
	return st.Blocks > 0 && uint64(st.Bavail)*uint64(st.Bsize) < 64<<10
}

// private makes sure that wf's own git folder is as wf writes it. It is compared
// before each call: without a sandbox a unit could have written to it. A wf that
// writes another configuration needs another name for the folder (Open).
func (r *Repo) private() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	config := r.privateConfig()
	if got, err := os.ReadFile(filepath.Join(r.scratch, "config")); err == nil {
		if !bytes.Equal(got, config) {
			return &Error{Kind: Tampering, What: r.scratch, Why: "its configuration is not the one wf wrote", Hint: "find out who changed it, then remove the folder; wf makes it again"}
		}
		return r.noExtras()
	}
	for _, dir := range []string{"", "refs", "indexes"} {
		if err := os.MkdirAll(filepath.Join(r.scratch, dir), 0o700); err != nil {
			return ioError("make wf's git folder", err)
		}
	}
	for _, f := range []struct {
		name string
		data []byte
	}{{"HEAD", []byte("ref: refs/heads/none\n")}, {"config", config}} {
		if err := writeFile(filepath.Join(r.scratch, f.name), f.data); err != nil {
			return ioError("make wf's git folder", err)
		}
	}
	return nil
}

// noExtras refuses what would widen the private configuration.
func (r *Repo) noExtras() error {
	for _, name := range []string{"info", "hooks", "config.worktree", "commondir", "objects"} {
		if exists(filepath.Join(r.scratch, name)) {
			return &Error{Kind: Tampering, What: r.scratch, Why: fmt.Sprintf("it holds %q, which wf never writes", name), Hint: "find out who made it, then remove the folder; wf makes it again"}
		}
	}
	return nil
}

func (r *Repo) privateConfig() []byte {
	if r.format == "sha1" {
		return []byte("[core]\n\trepositoryformatversion = 0\n\tbare = false\n")
	}
	return []byte("[core]\n\trepositoryformatversion = 1\n\tbare = false\n[extensions]\n\tobjectformat = " + r.format + "\n")
}

// line strips the newline git ends one value with; a path may hold others.
func line(out []byte) string { return strings.TrimSuffix(string(out), "\n") }

// fields splits NUL-ended output.
func fields(out []byte) []string {
	text := strings.TrimSuffix(string(out), "\x00")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\x00")
}
