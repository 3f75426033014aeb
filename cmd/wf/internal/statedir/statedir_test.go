package statedir

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

const digest = "0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9"

// TestMain lets the test binary be the other process: one that takes a run's
// lock and holds it until its standard input ends.
func TestMain(m *testing.M) {
	if common := os.Getenv("STATEDIR_TEST_HOLD"); common != "" {
		os.Exit(hold(common, os.Getenv("STATEDIR_TEST_RUN")))
	}
	os.Exit(m.Run())
}

func hold(common, id string) int {
	d, err := Open(common)
	if err == nil {
		var r *Run
		if r, err = d.Run(id); err == nil {
			_, err = r.Lock()
		}
	}
	if err != nil {
		fmt.Println("refused", err)
		return 6
	}
	fmt.Println("held")
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	return 0
}

func state(t testing.TB) *Dir {
	t.Helper()
	d, err := Open(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { d.Close() })
	return d
}

func newRun(t testing.TB, d *Dir) *Run {
	t.Helper()
	r, err := d.NewRun(digest, []byte("plan"))
	require.NoError(t, err)
	return r
}

func TestPlansAreKeptByDigest(t *testing.T) {
	d := state(t)
	_, err := d.Plan(digest)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoError(t, d.SavePlan(digest, []byte("bytes")))
	require.NoError(t, d.SavePlan(digest, []byte("bytes")))
	got, err := d.Plan(digest)
	require.NoError(t, err)
	require.Equal(t, "bytes", string(got))
	all, err := d.Plans()
	require.NoError(t, err)
	require.Equal(t, []string{digest}, all)
	for _, bad := range []string{"", "../../etc/passwd", strings.ToUpper(digest), digest + "/x", digest[:63]} {
		require.Error(t, d.SavePlan(bad, nil), bad)
		_, err := d.Plan(bad)
		require.Error(t, err, bad)
	}
}

func TestApprovalsLieBesideTheirPlan(t *testing.T) {
	d := state(t)
	require.NoError(t, d.SaveApproval(digest, "nonce-0000000001", []byte("one")))
	require.NoError(t, d.SaveApproval(digest, "nonce-0000000002", []byte("two")))
	require.NoError(t, d.SaveApproval(strings.Repeat("f", 64), "nonce-0000000003", []byte("other")))
	got, err := d.Approvals(digest)
	require.NoError(t, err)
	require.Equal(t, [][]byte{[]byte("one"), []byte("two")}, got)
	require.Error(t, d.SaveApproval(digest, "../../../../x/yyyyyyyyy", nil))
}

// ISO-15, HUM-01: an approval is usable once, by many processes at once too.
func TestANonceIsUsedOnce(t *testing.T) {
	d := state(t)
	var won sync.Map
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			run := fmt.Sprintf("0a1b2c3d-%d", i+1)
			err := d.Consume("nonce-0123456789", run)
			if err == nil {
				won.Store(run, true)
				return
			}
			var used *UsedError
			if !errors.As(err, &used) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	var winner string
	n := 0
	won.Range(func(k, _ any) bool { winner, n = k.(string), n+1; return true })
	require.Equal(t, 1, n)
	require.NoError(t, d.Consume("nonce-0123456789", winner), "a run killed after consuming goes on")
	err := d.Consume("nonce-0123456789", "0a1b2c3d-99")
	require.ErrorContains(t, err, winner)
	require.Error(t, d.Consume("short", "x"))
}

func TestRunsAndAttempts(t *testing.T) {
	d := state(t)
	a, b := newRun(t, d), newRun(t, d)
	require.Equal(t, "0a1b2c3d-1", a.ID)
	require.Equal(t, "0a1b2c3d-2", b.ID)
	for range 8 {
		newRun(t, d)
	}
	require.NoError(t, os.Mkdir(filepath.Join(d.Path(), "runs", "notes"), 0o700))
	runs, err := d.Runs()
	require.NoError(t, err)
	require.Equal(t, "0a1b2c3d-10", runs[9].ID, "attempts are numbers, not words")
	open, err := d.Open(func(r *Run) (bool, error) { return r.Attempt != 3, nil })
	require.NoError(t, err)
	require.Len(t, open, 1)
	got, err := d.Run("0a1b2c3d-2")
	require.NoError(t, err)
	plan, err := got.Plan()
	require.NoError(t, err)
	require.Equal(t, "plan", string(plan))
	_, err = d.Run("0a1b2c3d-99")
	require.ErrorIs(t, err, fs.ErrNotExist)
	for _, bad := range []string{"", "..", "0a1b2c3d-0", "0a1b2c3d-01", "0a1b2c3d-+1", "0A1B2C3D-1", "0a1b2c3d-1/../.."} {
		_, err := d.Run(bad)
		require.Error(t, err, bad)
	}
}

func TestParallelNewRunsGetTheirOwnAttempt(t *testing.T) {
	d := state(t)
	var wg sync.WaitGroup
	ids := make([]string, 12)
	for i := range ids {
		wg.Go(func() {
			r, err := d.NewRun(digest, []byte("p"))
			if err != nil {
				t.Error(err)
				return
			}
			ids[i] = r.ID
		})
	}
	wg.Wait()
	seen := map[string]bool{}
	for _, id := range ids {
		require.False(t, seen[id], id)
		seen[id] = true
	}
}

func TestModesDoNotDependOnTheUmask(t *testing.T) {
	for _, mask := range []int{0, 0o777} {
		old := unix.Umask(mask)
		func() {
			defer unix.Umask(old)
			d, err := Open(mkdir(t))
			require.NoError(t, err)
			r := newRun(t, d)
			_, err = r.UnitDir("T-001/implement/1")
			require.NoError(t, err)
			require.NoError(t, r.WriteFile("units/T-001/implement/1/prompt", []byte("x")))
			l, err := r.Lock()
			require.NoError(t, err)
			require.NoError(t, l.Release())
			require.NoError(t, filepath.WalkDir(d.Path(), func(p string, e fs.DirEntry, err error) error {
				require.NoError(t, err)
				info, err := e.Info()
				require.NoError(t, err)
				want := fs.FileMode(fileMode)
				if e.IsDir() {
					want = dirMode
				}
				require.Equal(t, want, info.Mode().Perm(), "%s under umask %o", p, mask)
				return nil
			}))
		}()
	}
}

// mkdir makes a folder before the umask closes everything.
func mkdir(t *testing.T) string {
	dir, err := os.MkdirTemp("", "statedir")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o700))
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// ISO-03: no link planted in the state is followed, out of it or within it.
func TestPlantedLinksAreNotFollowed(t *testing.T) {
	d := state(t)
	r := newRun(t, d)
	victim := newRun(t, d)
	outside := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "f"), []byte("secret"), 0o600))
	plant := func(target, rel string) {
		p := filepath.Join(d.Path(), rel)
		require.NoError(t, os.RemoveAll(p))
		require.NoError(t, os.Symlink(target, p))
	}
	run := "runs/" + r.ID
	plant(filepath.Join(outside, "f"), run+"/plan.wfplan")
	plant(filepath.Join(outside, "new"), run+"/lock")
	plant(outside, run+"/units")
	plant("../"+victim.ID+"/evidence", run+"/evidence")
	plant(filepath.Join(outside, "f"), "plans/"+digest+planExt)
	plant(filepath.Join(outside, "nonce"), "nonces/nonce-0123456789")

	var link *LinkError
	_, err := r.Plan()
	require.ErrorAs(t, err, &link)
	_, err = r.Lock()
	require.ErrorAs(t, err, &link)
	_, err = r.UnitDir("T-001/implement/1")
	require.ErrorAs(t, err, &link)
	require.ErrorAs(t, r.WriteFile("units/f", []byte("x")), &link)
	require.ErrorAs(t, r.WriteFile("evidence/f", []byte("x")), &link)
	_, err = r.ReadFile("units/f")
	require.ErrorAs(t, err, &link)
	require.ErrorAs(t, d.SavePlan(digest, []byte("x")), &link)
	require.ErrorAs(t, d.Consume("nonce-0123456789", r.ID), &link)
	for _, bad := range []string{"../x", "/etc/passwd", "units/../../x", "."} {
		require.Error(t, r.WriteFile(bad, nil), bad)
		_, err := r.UnitDir(bad)
		require.Error(t, err, bad)
	}
	entries, err := os.ReadDir(outside)
	require.NoError(t, err)
	require.Len(t, entries, 1)
	require.Equal(t, "secret", slurp(t, filepath.Join(outside, "f")))

	common := t.TempDir()
	require.NoError(t, os.Symlink(outside, filepath.Join(common, Name)))
	_, err = Open(common)
	require.ErrorAs(t, err, &link)
}

func slurp(t *testing.T, p string) string {
	data, err := os.ReadFile(p)
	require.NoError(t, err)
	return string(data)
}

// other starts a process that holds the run's lock.
func other(t *testing.T, d *Dir, id string) (*exec.Cmd, string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "STATEDIR_TEST_HOLD="+filepath.Dir(d.Path()), "STATEDIR_TEST_RUN="+id)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { in.Close(); _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	return cmd, strings.TrimSpace(line)
}

func TestOneProcessCarriesOutARun(t *testing.T) {
	d := state(t)
	r := newRun(t, d)
	first, said := other(t, d, r.ID)
	require.Equal(t, "held", said)
	_, said = other(t, d, r.ID)
	require.Contains(t, said, fmt.Sprintf("held by process %d", first.Process.Pid))

	_, err := r.Lock()
	var locked *LockedBy
	require.ErrorAs(t, err, &locked)
	require.Equal(t, first.Process.Pid, locked.Holder.Process.PID)
	require.True(t, locked.Holder.Alive)
	h, held, err := r.Holder()
	require.NoError(t, err)
	require.True(t, held && h.Alive)
	require.ErrorAs(t, r.ForceUnlock(), &locked, "a living holder keeps it")
	require.ErrorAs(t, r.Remove(), &locked)

	require.NoError(t, first.Process.Kill())
	_ = first.Wait()
	l, err := r.Lock()
	require.NoError(t, err, "a killed runner leaves no lock behind")
	require.NoError(t, l.Release())
	_, held, err = r.Holder()
	require.NoError(t, err)
	require.False(t, held)
}

// A child that inherited the lock outlives its runner.
func TestForceUnlockFromADeadHolder(t *testing.T) {
	d := state(t)
	r := newRun(t, d)
	l, err := r.Lock()
	require.NoError(t, err)
	dead := exec.Command("true")
	require.NoError(t, dead.Run())
	_, err = l.file.WriteAt([]byte(fmt.Sprintf(`{"process":{"pid":%d,"start":1,"boot":"x"}}`+"\n%200s", dead.Process.Pid, "")), 0)
	require.NoError(t, err)
	_, err = r.Lock()
	require.ErrorContains(t, err, "has ended")
	require.NoError(t, r.ForceUnlock())
	mine, err := r.Lock()
	require.NoError(t, err)
	require.NoError(t, mine.Release())
	require.NoError(t, r.ForceUnlock(), "nothing to do")
}

func TestTheLockOfAnUnknownHolderIsNotForced(t *testing.T) {
	d := state(t)
	r := newRun(t, d)
	l, err := r.Lock()
	require.NoError(t, err)
	defer l.Release()
	require.NoError(t, l.file.Truncate(0))
	var locked *LockedBy
	require.ErrorAs(t, r.ForceUnlock(), &locked)
}

func TestRemoveTakesEverything(t *testing.T) {
	d := state(t)
	r, keep := newRun(t, d), newRun(t, d)
	require.NoError(t, r.WriteFile("evidence/T-001/implement/1/out", []byte("x")))
	require.NoError(t, r.Remove())
	require.NoFileExists(t, r.Path())
	entries, err := os.ReadDir(filepath.Join(d.Path(), "runs"))
	require.NoError(t, err)
	require.Len(t, entries, 1)
	_, err = d.Run(keep.ID)
	require.NoError(t, err)
	next, err := d.NextAttempt(digest)
	require.NoError(t, err)
	require.Equal(t, 3, next)
}

func TestPermissionDeniedIsSaid(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write anywhere")
	}
	common := t.TempDir()
	require.NoError(t, os.Chmod(common, 0o500))
	defer os.Chmod(common, 0o700)
	_, err := Open(common)
	require.ErrorIs(t, err, fs.ErrPermission)
	require.ErrorContains(t, err, common)
}
