package evidence

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed9cc7a46e/wf/materializer/process"
	"github.com/seed9cc7a46e/wf/materializer/sandbox"
)

// grace is the time a gate has between being asked to end and being killed.
const grace = 2 * time.Second

// execute runs the gate and reads what came of it. The error is the caller's
// context: a stopped gate says nothing.
func execute(ctx context.Context, h Host, spec process.Spec, j Job, p places, rec *Record) ([]byte, error) {
	count := counterFor(j.Gate, j.Redact)
	var out stream
	if count != nil {
		out.each = count.line
	}
	spec.Stdout, spec.Stderr = &out, &out
	result, err := start(ctx, h, spec, j)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		rec.Outcome, rec.Reason = Broken, p.hide(notStarted(err))
		return nil, nil
	}
	out.end()
	output := out.kept.bytes()
	rec.Exit, rec.Signal, rec.TimedOut, rec.OutputCut = result.Exit, result.Signal, result.TimedOut, out.kept.cut
	judge(j, rec, result, tally(j, p, count), told(j, p, count, output))
	return output, nil
}

func start(ctx context.Context, h Host, spec process.Spec, j Job) (process.Result, error) {
	if limit := time.Duration(j.Gate.TimeoutSeconds) * time.Second; limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	spec.Grace, spec.Marker = grace, Marker(h, j.Record)
	return process.Run(ctx, spec)
}

// counted is what became of counting tests.
type counted struct {
	ran, skipped int    // ran is -1 where tests are not counted
	why          string // what keeps the numbers from being known
}

func tally(j Job, p places, count counter) counted {
	kind, arg := countsBy(j.Gate)
	c := counted{ran: -1}
	switch {
	case kind == "junit":
		c.ran, c.skipped, c.why = countReports(p.tree, j.Gate.Workdir, arg)
	case count != nil:
		c.ran, c.skipped, c.why = count.result()
	case kind != "":
		c.why = "this wf does not count by " + kind
	}
	if c.why != "" {
		c.ran = -1
	}
	return c
}

// told is the part of the output that says most, as a reader may see it.
func told(j Job, p places, count counter, output []byte) string {
	if count != nil {
		if text := count.telling(); text != "" {
			return p.hide(text)
		}
	}
	return p.hide(string(j.redact([]byte(lastLine(output)))))
}

// crashes are signals that a program brings on itself; others come from outside.
var crashes = []string{"SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGTRAP"}

// judge turns an ending into an outcome. Nothing but status 0, with enough
// tests where they are counted, is a pass.
func judge(j Job, rec *Record, r process.Result, c counted, said string) {
	rec.Tests = c.ran
	rec.Outcome, rec.Reason = ended(j, r, said)
	if rec.Outcome != Pass {
		return
	}
	switch {
	case c.why != "":
		rec.Outcome, rec.Reason = Broken, "its tests could not be counted: "+c.why
	case c.ran == 0 && c.skipped > 0:
		rec.Outcome, rec.Reason = Broken, fmt.Sprintf("all %d tests were skipped", c.skipped)
	case j.Gate.MinTests > 0 && c.ran < j.Gate.MinTests:
		rec.Outcome, rec.Reason = Broken, fmt.Sprintf("%d tests ran, at least %d must", max(c.ran, 0), j.Gate.MinTests)
	case c.ran >= 0:
		rec.Reason = fmt.Sprintf("exit 0, %d tests", c.ran)
		if c.skipped > 0 {
			rec.Reason += fmt.Sprintf(", %d more skipped", c.skipped)
		}
	}
}

// ended reads how the program ended, before tests are looked at.
func ended(j Job, r process.Result, said string) (Outcome, string) {
	switch {
	case r.TimedOut:
		return Broken, fmt.Sprintf("it did not end within %d seconds", j.Gate.TimeoutSeconds)
	case slices.Contains(crashes, r.Signal):
		return Fail, strings.TrimSuffix("it crashed with "+r.Signal+": "+said, ": ")
	case r.Signal != "":
		return Broken, "it was ended by " + r.Signal
	case r.Exit == sandbox.ExitNotConfined || r.Exit == sandbox.ExitNotRunnable || r.Exit == sandbox.ExitNotFound:
		return Broken, strings.TrimSuffix(fmt.Sprintf("it could not run (exit %d): %s", r.Exit, said), ": ")
	case r.Exit != 0:
		return Fail, strings.TrimSuffix(fmt.Sprintf("exit %d: %s", r.Exit, said), ": ")
	case len(r.Survivors) > 0:
		return Broken, "a process it started could not be ended"
	case !r.OK():
		return Broken, "its output could not be read to the end"
	}
	return Pass, "exit 0"
}
