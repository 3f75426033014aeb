package evidence

import (
	"context"
	"fmt"

	"github.com/seed9cc7a46e/wf/materializer/sandbox"
)

func run(ctx context.Context, h Host, j Job) (Record, []byte, error) {
	began := h.Now()
	rec := Record{Format: 1, Name: j.Record, Gate: j.Gate.Name, Check: j.Gate.Check, Commit: j.Commit, Tree: j.Tree, Start: j.Start, Tests: -1, MinTests: j.Gate.MinTests, Sandbox: string(h.Sandbox.Backend), Environment: environment(h, j), Key: Key(h, j)}
	var output []byte
	var err error
	if j.Gate.Check != "" {
		rec.Sandbox = "none needed"
		output, err = check(ctx, j, &rec)
	} else {
		output, err = command(ctx, h, j, j.Commit, &rec)
	}
	if err == nil {
		err = ctx.Err()
	}
	rec.Millis = h.Now().Sub(began).Milliseconds()
	if err == nil {
		err = compare(ctx, h, j, &rec)
	}
	if err != nil {
		return Record{}, nil, fmt.Errorf("gate %s: %w", j.Record, err)
	}
	output = j.redact(output)
	rec.Reason = sentence(rec.Reason)
	rec.Output = Digest(output)
	return rec, output, nil
}

func (j Job) redact(data []byte) []byte {
	if j.Redact == nil {
		return data
	}
	return j.Redact(data)
}

// compare asks, when a gate failed, how the start commit fares in it. A gate
// that reaches the network is not run a second time only to know more.
func compare(ctx context.Context, h Host, j Job, rec *Record) error {
	if rec.Outcome != Fail || j.ExpectFail || h.Caches == nil || j.Gate.Check != "" || j.reach() != sandbox.None || j.Start == "" {
		return nil
	}
	if j.Commit == j.Start {
		rec.Baseline = rec.Outcome
		return nil
	}
	outcome, err := h.Caches.baseline(ctx, baselineKey(h, j), func() (Outcome, error) {
		start := Record{}
		b := j
		b.Record += "#start"
		_, err := command(ctx, h, b, j.Start, &start)
		return start.Outcome, err
	})
	if err != nil {
		return err
	}
	rec.Baseline = outcome
	if outcome == Fail {
		rec.Reason = sentence(rec.Reason) + " (it fails on the start commit too, which is no excuse)"
	}
	return nil
}

// command runs a gate's program in a throwaway checkout of a commit.
func command(ctx context.Context, h Host, j Job, commit string, rec *Record) ([]byte, error) {
	p, err := makePlaces(h)
	defer p.remove()
	if err != nil {
		return nil, err
	}
	if err := checkout(ctx, j, commit, p); err != nil {
		return nil, err
	}
	shared, err := seed(ctx, h, j, p)
	if err != nil {
		return nil, err
	}
	kind, arg := countsBy(j.Gate)
	if kind == "junit" {
		if err := clearReports(p.tree, j.Gate.Workdir, arg); err != nil {
			return nil, err
		}
	}
	rec.Argv = argv(j)
	spec, why := confine(h, j, p, attempt{argv: rec.Argv, env: j.Gate.Env, reads: present(shared)})
	if why != "" {
		rec.Outcome, rec.Reason = Broken, p.hide(why)
		return nil, nil
	}
	return execute(ctx, h, spec, j, p, rec)
}

func present(path string) []string {
	if path == "" {
		return nil
	}
	return []string{path}
}
