package evidence

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// EVID-08: what defines and judges the work comes from the start commit.
func TestProtectedFilesComeFromTheStart(t *testing.T) {
	h := newHouse(t, map[string]string{
		"check.sh": "#!/bin/sh\nexit 1\n", "test/deep/a": "right", "link": "->test/deep/a", "Makefile": "right", "free": "1", "sub/x": "right",
		".gitattributes": "*.bat eol=crlf\n", "run.bat": "right\n",
	})
	judge := `set -e
test -x check.sh; ! ./check.sh
test "$(cat test/deep/a)" = right; test "$(readlink link)" = test/deep/a; test -f Makefile; test "$(cat Makefile)" = right
test ! -L sub; test "$(cat sub/x)" = right; test "$(cat free)" = 2; test "$(od -An -c run.bat | tr -d ' \n')" = 'right\r\n'`
	for name, files := range map[string]map[string]string{
		"changed":              {"check.sh": "exit 0", "test/deep/a": "wrong", "link": "->free", "Makefile": "wrong", "sub/x": "wrong", "run.bat": "wrong\n"},
		"deleted":              {"check.sh": "-", "test": "-", "link": "-", "Makefile": "-", "sub": "-", "run.bat": "-"},
		"other kinds":          {"check.sh": "->free", "test/deep/a": "->../../free", "link": "a file", "Makefile": "-", "Makefile/x/y": "a folder"},
		"a file for a folder":  {"test": "a file", "sub": "a file"},
		"a link for a folder":  {"sub": "->other", "other/x": "wrong", "test": "->/etc"},
		"executable bit alone": {"check.sh": "exit 1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			files["free"] = "2"
			j := h.job(h.candidate(files), sh(judge))
			j.Protected = []string{"check.sh", "test/**", "link", "Makefile", "sub/**", "**/*.bat"}
			rec, out := h.run(j)
			require.Equal(t, Pass, rec.Outcome, "%s\n%s", rec.Reason, out)
			if name == "changed" {
				j.MayChange = []string{"Makefile"}
				rec, _ = h.run(j)
				require.Equal(t, Fail, rec.Outcome, "may_change lifts it")
			}
		})
	}
}

// Root may write anything, so another user has to show that removal works.
func TestUnwritablePlacesAreRemoved(t *testing.T) {
	root := filepath.Join(t.TempDir(), "gate")
	require.NoError(t, os.MkdirAll(filepath.Join(root, "a", "b"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, "a", "b", "c"), nil, 0o400))
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self, "remove-places", root)
	if os.Getuid() == 0 {
		copied := filepath.Join(root, "self")
		data, err := os.ReadFile(self)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(copied, data, 0o755))
		const nobody = 65534
		cmd = exec.Command(copied, "remove-places", root)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		for at := filepath.Dir(root); at != filepath.Clean(os.TempDir()) && at != "/"; at = filepath.Dir(at) {
			require.NoError(t, os.Chmod(at, 0o777))
		}
		for _, p := range []string{"", "a", "a/b", "a/b/c", "self"} {
			require.NoError(t, os.Lchown(filepath.Join(root, p), nobody, nobody))
		}
	}
	require.NoError(t, os.Chmod(filepath.Join(root, "a", "b"), 0))
	require.NoError(t, os.Chmod(filepath.Join(root, "a"), 0o500))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.NoDirExists(t, root)
}
