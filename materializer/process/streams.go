//go:build linux || darwin

package process

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"reflect"
	"time"
)

// drain is how long we read on after everything we could find has ended: the
// bytes already in a pipe, and no more.
const drain = 2 * time.Second

// streams are our ends of the pipes to a program. They are made here and not
// by exec, whose Wait would wait for a pipe that a stranger inherited.
type streams struct {
	theirs   []*os.File // closed once the program has its copies
	in       *os.File
	source   io.Reader
	outs     []*copying
	out, err *kept // nil where the Spec names a writer
}

type copying struct {
	from *os.File
	to   io.Writer
	done chan struct{}
	err  error
}

func attach(cmd *exec.Cmd, spec Spec) (*streams, error) {
	s := &streams{}
	out, errOut := spec.Stdout, spec.Stderr
	if out == nil {
		s.out = newKept(spec.OutputCap)
		out = s.out
	}
	if errOut == nil {
		s.err = newKept(spec.OutputCap)
		errOut = s.err
	}
	if err := s.attachAll(cmd, spec.Stdin, out, errOut); err != nil {
		s.abandon()
		return nil, err
	}
	return s, nil
}

func (s *streams) attachAll(cmd *exec.Cmd, in io.Reader, out, errOut io.Writer) error {
	stdout, err := s.output(out)
	if err != nil {
		return err
	}
	cmd.Stdout, cmd.Stderr = stdout, stdout
	if !same(out, errOut) {
		stderr, err := s.output(errOut)
		if err != nil {
			return err
		}
		cmd.Stderr = stderr
	}
	return s.input(cmd, in)
}

// same tells whether two writers are one. Comparing interfaces panics when
// they hold something that cannot be compared.
func same(a, b io.Writer) bool {
	ta, tb := reflect.TypeOf(a), reflect.TypeOf(b)
	return ta == tb && ta.Comparable() && a == b
}

func (s *streams) output(to io.Writer) (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s.theirs = append(s.theirs, w)
	s.outs = append(s.outs, &copying{from: r, to: to, done: make(chan struct{})})
	return w, nil
}

func (s *streams) input(cmd *exec.Cmd, in io.Reader) error {
	if in == nil {
		return nil // exec opens the empty file
	}
	if f, ok := in.(*os.File); ok {
		cmd.Stdin = f
		return nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	s.theirs = append(s.theirs, r)
	s.in, s.source = w, in
	cmd.Stdin = r
	return nil
}

// begin starts copying, after the program has its own descriptors.
func (s *streams) begin() {
	closeAll(s.theirs)
	if s.in != nil {
		go func() {
			// A program need not read all of it: a broken pipe is no failure.
			_, _ = io.Copy(s.in, s.source)
			s.in.Close()
		}()
	}
	for _, c := range s.outs {
		go c.run()
	}
}

// run delivers until the pipe ends. When the writer fails it reads on, so that
// the program is not killed for our trouble, and the first error is kept.
func (c *copying) run() {
	defer close(c.done)
	_, err := io.Copy(c.to, c.from)
	if err == nil || errors.Is(err, os.ErrClosed) {
		return
	}
	c.err = err
	_, _ = io.Copy(io.Discard, c.from)
}

// end waits for the last bytes. It never waits for a stranger: after drain the
// pipes are closed on our side.
func (s *streams) end(r *Result) {
	if s.in != nil {
		s.in.Close()
	}
	late := s.waitOutputs()
	for _, c := range s.outs {
		c.from.Close()
		<-c.done
		if c.err != nil && r.OutputErr == nil {
			r.OutputErr = c.err
		}
	}
	if late && r.OutputErr == nil {
		r.OutputErr = errors.New("the output is still held open by a process that could not be ended")
	}
	for _, k := range []*kept{s.out, s.err} {
		r.Truncated = r.Truncated || k != nil && k.dropped() > 0
	}
	if s.out != nil {
		r.Stdout = s.out.bytes()
	}
	if s.err != nil {
		r.Stderr = s.err.bytes()
	}
}

func (s *streams) waitOutputs() (late bool) {
	timer := time.NewTimer(drain)
	defer timer.Stop()
	for _, c := range s.outs {
		select {
		case <-c.done:
		case <-timer.C:
			return true
		}
	}
	return false
}

// abandon closes everything when the program did not start.
func (s *streams) abandon() {
	closeAll(s.theirs)
	if s.in != nil {
		s.in.Close()
	}
	for _, c := range s.outs {
		c.from.Close()
	}
}
