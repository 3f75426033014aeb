package hook

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// Ask puts one question to the runner behind a socket. An error means that
// there is no answer: the use must not take place.
func Ask(socket string, q Question, limit time.Duration) (Answer, error) {
	var a Answer
	if socket == "" {
		return a, errors.New("no guard is there: " + Variable + " is not set")
	}
	line, err := json.Marshal(q)
	if err != nil {
		return a, fmt.Errorf("the question cannot be written: %w", err)
	}
	if len(line) >= MaxInput {
		return a, fmt.Errorf("the question is longer than %d bytes", MaxInput)
	}
	conn, err := net.DialTimeout("unix", socket, limit)
	if err != nil {
		return a, fmt.Errorf("no guard answers: %w", err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(limit)); err != nil {
		return a, fmt.Errorf("no guard answers: %w", err)
	}
	if _, err := conn.Write(append(line, '\n')); err != nil {
		return a, fmt.Errorf("the guard does not listen: %w", err)
	}
	return readAnswer(conn)
}

func readAnswer(r io.Reader) (Answer, error) {
	line, err := bufio.NewReader(io.LimitReader(r, MaxInput)).ReadBytes('\n')
	if err != nil {
		return Answer{}, fmt.Errorf("the guard gave no answer: %w", err)
	}
	// Allowed is a pointer here: an answer without the word is not a yes.
	var a struct {
		Guard   int    `json:"guard"`
		Allowed *bool  `json:"allowed"`
		Reason  string `json:"reason"`
	}
	if err := json.Unmarshal(line, &a); err != nil {
		return Answer{}, fmt.Errorf("the guard's answer cannot be read: %w", err)
	}
	if a.Guard != Version || a.Allowed == nil {
		return Answer{}, errors.New("the guard's answer is of another version or says neither yes nor no")
	}
	return Answer{Guard: a.Guard, Allowed: *a.Allowed, Reason: a.Reason}, nil
}

// Main is `wf hook EVENT`: it reads the hook's input, asks, and gives the exit
// status. Nothing but a yes is 0. POL-01
func Main(args []string, socket string, stdin io.Reader, stderr io.Writer) (code int) {
	defer func() {
		if r := recover(); r != nil {
			code = refuse(stderr, fmt.Sprint("the hook failed: ", r))
		}
	}()
	if len(args) != 1 {
		return refuse(stderr, "usage: wf hook pre|post|stop, with the hook's JSON on standard input")
	}
	// Read in another goroutine: standard input that stays open must not hold
	// the program for ever.
	type read struct {
		data []byte
		err  error
	}
	got := make(chan read, 1)
	go func() {
		data, err := io.ReadAll(io.LimitReader(stdin, MaxInput+1))
		got <- read{data, err}
	}()
	select {
	case r := <-got:
		if r.err != nil {
			return refuse(stderr, "the hook's input cannot be read: "+r.err.Error())
		}
		return answer(Event(args[0]), r.data, socket, stderr)
	case <-time.After(Timeout):
		return refuse(stderr, "the hook's input did not end in time")
	}
}

func answer(event Event, data []byte, socket string, stderr io.Writer) int {
	q, err := Read(event, data)
	if err != nil {
		return refuse(stderr, err.Error())
	}
	a, err := Ask(socket, q, Timeout)
	if err != nil {
		return refuse(stderr, err.Error())
	}
	if !a.Allowed {
		return refuse(stderr, a.Reason)
	}
	return ExitAllowed
}

func refuse(stderr io.Writer, reason string) int {
	if reason = strings.TrimSpace(reason); reason == "" {
		reason = "refused without a reason"
	}
	if len(reason) > MaxReason {
		reason = strings.ToValidUTF8(reason[:MaxReason], "") + "…"
	}
	// A reason that cannot be written changes nothing: the use is refused.
	_, _ = io.WriteString(stderr, "wf guard: "+reason+"\n")
	return ExitRefused
}
