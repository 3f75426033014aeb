package gocache

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Subcommand is the hidden name under which cmd/wf calls Main.
const Subcommand = "__gocache"

// Program is the value of GOCACHEPROG for a fill: self is the path of the wf
// binary, run and own the caches' folders. It is "" where a path cannot be
// written in the quoting of go; then there is no way to the operator's cache.
// A go before 1.24 does not look at the variable.
func Program(self, run, own string) string {
	words := []string{self, Subcommand, run, own}
	for i, w := range words {
		switch {
		case w == "":
			return ""
		case !strings.Contains(w, "'"):
			words[i] = "'" + w + "'"
		case !strings.Contains(w, `"`):
			words[i] = `"` + w + `"`
		default:
			return ""
		}
	}
	return strings.Join(words, " ")
}

// request and response are go's protocol (go doc cmd/go/internal/cacheprog).
type request struct {
	ID                 int64
	Command            string
	ActionID, OutputID []byte
	BodySize           int64
}

type response struct {
	ID            int64
	Err           string     `json:",omitempty"`
	KnownCommands []string   `json:",omitempty"`
	Miss          bool       `json:",omitempty"`
	OutputID      []byte     `json:",omitempty"`
	Size          int64      `json:",omitempty"`
	Time          *time.Time `json:",omitempty"`
	DiskPath      string     `json:",omitempty"`
}

// Main is the body of the hidden subcommand: args are the run's cache, which it
// writes, and the operator's, which it reads. It answers go on stdout until
// stdin ends. The result is the exit status; complaints go to stderr.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer, now func() time.Time) int {
	if len(args) != 2 {
		fmt.Fprintln(stderr, "wf gocache: this subcommand is wf's own")
		return 2
	}
	if err := serve(dir(args[0]), dir(args[1]), stdin, stdout, now); err != nil {
		fmt.Fprintf(stderr, "wf gocache: %v\n", err)
		return 1
	}
	return 0
}

func serve(run, own dir, stdin io.Reader, stdout io.Writer, now func() time.Time) error {
	in, out := json.NewDecoder(stdin), bufio.NewWriter(stdout)
	answer := func(r response) error { return errors.Join(json.NewEncoder(out).Encode(r), out.Flush()) }
	if err := answer(response{KnownCommands: []string{"get", "put", "close"}}); err != nil {
		return err
	}
	for {
		var q request
		if err := in.Decode(&q); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read a request: %w", err)
		}
		var body []byte
		if q.Command == "put" && q.BodySize > 0 {
			if err := in.Decode(&body); err != nil {
				return fmt.Errorf("read a body: %w", err)
			}
		}
		r := reply(run, own, q, body, now())
		r.ID = q.ID
		if err := answer(r); err != nil || q.Command == "close" {
			return err
		}
	}
}

func reply(run, own dir, q request, body []byte, now time.Time) response {
	switch {
	case q.Command == "close":
		return response{}
	case len(q.ActionID) != idSize:
		return response{Err: "an action has another length"}
	case q.Command == "get":
		return get(run, own, q)
	case q.Command == "put" && len(q.OutputID) == idSize && int64(len(body)) == q.BodySize:
		return put(run, q, body, now)
	}
	return response{Err: "this is no request that wf knows"}
}

func get(run, own dir, q request) response {
	e, ok := run.entry(q.ActionID)
	if !ok || !run.holds(e) {
		e, ok = run.take(own, q.ActionID)
	}
	if !ok {
		return response{Miss: true}
	}
	return response{OutputID: e.output, Size: e.size, Time: &e.at, DiskPath: run.file(e.output, "d")}
}

func put(run dir, q request, body []byte, now time.Time) response {
	e := entry{q.OutputID, int64(len(body)), now}
	if err := run.put(q.ActionID, e, bytes.NewReader(body)); err != nil {
		return response{Err: err.Error()}
	}
	return response{DiskPath: run.file(e.output, "d")}
}
