package worktree

import (
	"context"
	"slices"
	"strings"
)

// ClaimRef makes a ref on a remote that must not exist there, pointing at a
// blob of text. Of any number of callers one wins: the remote compares and
// swaps. The answer is "" for whoever holds it, also when asked again with the
// same text, and else the first line of what the holder wrote. env is what git
// may know of the user, since a remote needs their keys; of the repository's
// own configuration nothing counts but the remote's address.
func (r *Repo) ClaimRef(ctx context.Context, remote, ref, text string, env []string) (by string, err error) {
	url, err := r.remoteURL(ctx, remote)
	if err != nil {
		return "", err
	}
	made, err := r.must(ctx, call{args: []string{"hash-object", "-w", "--stdin"}, stdin: []byte(text)})
	if err != nil {
		return "", err
	}
	mine := line(made)
	pushed, err := r.git(ctx, talk(env, "push", "--quiet", "--no-verify", "--force-with-lease="+ref+":", url, mine+":"+ref))
	if err != nil || pushed.exit == 0 {
		return "", err
	}
	got, err := r.git(ctx, talk(env, "ls-remote", "--quiet", url, ref))
	if err != nil {
		return "", err
	}
	theirs, _, found := strings.Cut(line(got.out), "\t")
	switch {
	case got.exit != 0 || !found:
		return "", &Error{Kind: Remote, What: "use up the approval on " + remote, Why: firstLine(pushed.err), Hint: "make the remote reachable and writable"}
	case theirs == mine:
		return "", nil
	}
	return r.holder(ctx, url, ref, theirs, env), nil
}

// holder reads what the winner wrote; where it cannot be read, that there is one
// says enough.
func (r *Repo) holder(ctx context.Context, url, ref, blob string, env []string) string {
	const unknown = "another run"
	if got, err := r.git(ctx, talk(env, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", url, ref)); err != nil || got.exit != 0 {
		return unknown
	}
	got, err := r.git(ctx, call{args: []string{"cat-file", "blob", blob}, limit: 4 << 10})
	if err != nil || got.exit != 0 || line(got.out) == "" {
		return unknown
	}
	return firstLine(string(got.out))
}

func (r *Repo) remoteURL(ctx context.Context, remote string) (string, error) {
	got, err := r.git(ctx, r.real(r.gitDir, "config", "--get", "remote."+remote+".url"))
	if err != nil {
		return "", err
	}
	url := line(got.out)
	if got.exit != 0 || url == "" || strings.HasPrefix(url, "-") {
		return "", &Error{Kind: Remote, What: "use up the approval on " + remote, Why: "the repository has no such remote", Hint: "add it: git remote add " + remote + " URL"}
	}
	return url, nil
}

// talk is a call that may reach a remote, by the transports people use.
func talk(env []string, args ...string) call {
	more := []string{
		"-c", "protocol.allow=user", "-c", "protocol.ext.allow=never", "-c", "protocol.file.allow=always",
		"-c", "protocol.ssh.allow=always", "-c", "protocol.https.allow=always", "-c", "protocol.http.allow=always", "-c", "protocol.git.allow=always",
	}
	return call{args: append(more, args...), user: append([]string{}, env...)}
}

// remoteEnvironment has the user's own keys and settings beside what
// environment gives; nobody is asked for a password.
func remoteEnvironment(o Options, user []string) []string {
	env := []string{
		"PATH=" + o.Path, "LC_ALL=C", "LANGUAGE=", "TZ=UTC", "GIT_ATTR_NOSYSTEM=1", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1",
		"GIT_ALLOW_PROTOCOL=file:ssh:https:http:git", "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=false", "SSH_ASKPASS=false", "GIT_EDITOR=false", "GIT_PAGER=cat",
	}
	if o.TempDir != "" {
		env = append(env, "TMPDIR="+o.TempDir)
	}
	if !slices.ContainsFunc(user, func(v string) bool { return strings.HasPrefix(v, "GIT_SSH_COMMAND=") }) {
		env = append(env, "GIT_SSH_COMMAND=ssh -o BatchMode=yes")
	}
	return append(env, user...)
}

func firstLine(text string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(first)
}
