package evidence

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed9cc7a46e/wf/materializer/process"
	"github.com/seed9cc7a46e/wf/materializer/sandbox"
)

// maxOutput is how many bytes of a gate's output are kept: its head and its tail.
const maxOutput = 1 << 20

func run(ctx context.Context, h Host, j Job) (Record, []byte, error) {
	began := h.Now()
	rec := Record{Format: 1, Name: j.Record, Gate: j.Gate.Name, Check: j.Gate.Check, Commit: j.Commit, Tree: j.Tree, Start: j.Start, Tests: -1, MinTests: j.Gate.MinTests, Sandbox: string(h.Sandbox.Backend)}
	var output []byte
	var err error
	if j.Gate.Check != "" {
		rec.Sandbox = "none needed"
		output, err = check(ctx, j, &rec)
	} else {
		output, err = command(ctx, h, j, &rec)
	}
	if err != nil {
		return Record{}, nil, fmt.Errorf("gate %s: %w", j.Record, err)
	}
	if j.ExpectFail {
		expectFailure(&rec)
	}
	if j.Redact != nil {
		output = j.Redact(output)
	}
	rec.Output, rec.Millis = Digest(output), h.Now().Sub(began).Milliseconds()
	return rec, output, nil
}

// expectFailure turns pass and fail around, for a stage that writes tests
// first. Broken stays broken: a test that could not run proves nothing.
func expectFailure(rec *Record) {
	switch rec.Outcome {
	case Pass:
		rec.Outcome, rec.Reason = Fail, "it passed, and a failure was expected: the new tests prove nothing"
	case Fail:
		rec.Outcome, rec.Reason = Pass, "it failed, as expected: "+rec.Reason
	}
}

// places are a gate's folders, all below the host's scratch folder and gone afterwards.
type places struct{ root, tree, home, temp, cache, gocache string }

func makePlaces(h Host) (places, error) {
	if err := os.MkdirAll(h.Scratch, 0o700); err != nil {
		return places{}, err
	}
	root, err := os.MkdirTemp(h.Scratch, "gate-")
	if err != nil {
		return places{}, err
	}
	p := places{root: root, tree: filepath.Join(root, "tree"), home: filepath.Join(root, "home"), temp: filepath.Join(root, "tmp"), cache: filepath.Join(root, "cache")}
	p.gocache = filepath.Join(p.cache, "go")
	for _, dir := range []string{p.tree, p.home, p.temp, p.cache, p.gocache} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return p, err
		}
	}
	return p, nil
}

// command runs a gate's program in a throwaway checkout of the candidate.
func command(ctx context.Context, h Host, j Job, rec *Record) ([]byte, error) {
	p, err := makePlaces(h)
	defer removeAll(p.root)
	if err != nil {
		return nil, err
	}
	if err := j.Repo.Checkout(ctx, j.Commit, p.tree); err != nil {
		return nil, err
	}
	if err := protect(ctx, j, p.tree); err != nil {
		return nil, err
	}
	before, err := seed(ctx, h, j, p)
	if err != nil {
		return nil, err
	}
	rec.Baseline = before.Outcome
	spec, why := confine(h, j, p)
	rec.Argv = argv(j)
	rec.Environment = Digest([]byte(strings.Join(append([]string{h.Path, string(h.Sandbox.Backend)}, h.Env...), "\n")))
	if why != "" {
		rec.Outcome, rec.Reason = Broken, why
		return nil, nil
	}
	output, err := execute(ctx, spec, j, rec)
	if rec.Outcome == Fail && rec.Baseline == Fail {
		rec.Reason += " (it failed on the start commit too, which is no excuse)"
	}
	return output, err
}

func removeAll(dir string) {
	if dir == "" {
		return
	}
	// Module caches and careless tests leave folders that cannot be written.
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(dir) // what stays lies in a scratch folder that clean removes
}

func argv(j Job) []string {
	if j.Gate.Shell != "" {
		return []string{j.Gate.Shell, "-c", j.Gate.Script}
	}
	return j.Gate.Argv
}

// confine gives the process of a gate in posture gate. why says what keeps it from running.
func confine(h Host, j Job, p places) (process.Spec, string) {
	dir := p.tree
	if j.Gate.Workdir != "" {
		dir = filepath.Join(p.tree, filepath.FromSlash(j.Gate.Workdir))
		root, err := os.OpenRoot(p.tree)
		if err != nil {
			return process.Spec{}, err.Error()
		}
		defer root.Close()
		if info, err := root.Stat(filepath.FromSlash(j.Gate.Workdir)); err != nil || !info.IsDir() {
			return process.Spec{}, fmt.Sprintf("its workdir %s is no folder of the commit", j.Gate.Workdir)
		}
	}
	reach := sandbox.None
	if len(j.Gate.Network) > 0 && j.Gate.Network[0] == "open" {
		reach = sandbox.Open
	}
	env := append([]string{}, h.Env...)
	env = append(env, "PATH="+h.Path, "HOME="+p.home, "TMPDIR="+p.temp, "GOCACHE="+p.gocache, "XDG_CACHE_HOME="+p.cache)
	if counter(j.Gate) == countGo {
		env = append(env, "GOFLAGS=-json")
	}
	for _, v := range j.Gate.Env {
		env = append(env, v.Name+"="+v.Value)
	}
	spec, err := sandbox.Wrap(h.Self, h.Sandbox, sandbox.Spec{
		Posture: sandbox.Gate, Argv: argv(j), Env: env, WorkDir: dir, Home: p.home, Temp: p.temp,
		ReadOnly: h.Reads, ReadWrite: []string{p.tree, p.cache, p.gocache}, Network: sandbox.Network{Reach: reach},
	})
	if err != nil {
		return process.Spec{}, notStarted(err)
	}
	return spec, ""
}

func notStarted(err error) string {
	switch reason, ok := process.ReasonOf(err); {
	case ok && reason == process.NotFound:
		return "its program was not found: " + err.Error()
	case ok && reason == process.Permission:
		return "its program may not be run: " + err.Error()
	}
	return "it could not be started: " + err.Error()
}

// execute runs the gate and reads what came of it.
func execute(ctx context.Context, spec process.Spec, j Job, rec *Record) ([]byte, error) {
	limit := time.Duration(j.Gate.TimeoutSeconds) * time.Second
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	var out capped
	spec.Stdout, spec.Stderr, spec.Grace = &out, &out, 2*time.Second
	spec.Marker = "wf-gate:" + j.Record
	result, err := process.Run(ctx, spec)
	if err != nil {
		rec.Outcome, rec.Reason = Broken, notStarted(err)
		return nil, nil
	}
	output := out.bytes()
	rec.Exit, rec.Signal, rec.TimedOut, rec.OutputCut = result.Exit, result.Signal, result.TimedOut, out.cut
	judge(j, rec, result, output)
	if errors.Is(ctx.Err(), context.Canceled) {
		return nil, ctx.Err()
	}
	return output, nil
}

// judge turns an ending into an outcome. Nothing but status 0, with enough
// tests where they are counted, is a pass.
func judge(j Job, rec *Record, r process.Result, output []byte) {
	rec.Tests = tests(j.Gate, output)
	switch {
	case r.TimedOut:
		rec.Outcome, rec.Reason = Broken, fmt.Sprintf("it did not end within %d seconds", j.Gate.TimeoutSeconds)
	case r.Signal != "":
		rec.Outcome, rec.Reason = Broken, "it was ended by "+r.Signal
	case r.Exit == sandbox.ExitNotConfined || r.Exit == sandbox.ExitNotRunnable || r.Exit == sandbox.ExitNotFound:
		rec.Outcome, rec.Reason = Broken, fmt.Sprintf("it could not run (exit %d): %s", r.Exit, lastLine(output))
	case r.Exit != 0:
		rec.Outcome, rec.Reason = Fail, fmt.Sprintf("exit %d: %s", r.Exit, telling(j.Gate, output))
	case j.Gate.MinTests > 0 && rec.Tests < j.Gate.MinTests:
		rec.Outcome, rec.Reason = Broken, fmt.Sprintf("%d tests ran, at least %d must", max(rec.Tests, 0), j.Gate.MinTests)
	default:
		rec.Outcome, rec.Reason = Pass, passed(rec.Tests)
	}
}

func passed(tests int) string {
	if tests < 0 {
		return "exit 0"
	}
	return fmt.Sprintf("exit 0, %d tests", tests)
}

func lastLine(output []byte) string {
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	return lines[len(lines)-1]
}
