package guard

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/seed9cc7a46e/wf/materializer/guard/hook"
)

// SocketName is the socket's name in its folder.
const SocketName = "s"

// maxSocket is the longest path a socket can have, in bytes: the smaller of
// Linux (108) and macOS (104), with its end.
const maxSocket = 103

// Fits reports whether a folder's path is short enough to hold a socket.
func Fits(dir string) bool { return len(dir)+1+len(SocketName) <= maxSocket }

// Options are what a unit's guard is served with.
type Options struct {
	Table   Table
	Dir     string // an empty folder for the socket, short enough (Fits)
	Records string // file in the state; it is added to
	Now     func() time.Time
	Redact  func([]byte) []byte      // known secrets out of what is stored; nil: none are known
	Resolve func(path string) string // of links; nil: none are followed
	Admit   func(pid int) bool       // whether a process is the unit's; nil: every caller is
	Timeout time.Duration            // of one question; 0: hook.Timeout
}

// Server answers the hooks of one unit. It decides by the table alone, writes
// each decision down before it is told, and refuses whatever goes wrong.
type Server struct {
	o        Options
	judge    *Judge
	listener *net.UnixListener
	slots    chan struct{}
	workers  sync.WaitGroup

	mu      sync.Mutex
	file    *os.File
	records []Record
	inputs  map[string]string // id to digest of its input
	broken  error             // a record could not be written: everything is refused
}

// Serve starts a unit's guard. Close ends it.
func Serve(o Options) (*Server, error) {
	judge, err := NewJudge(o.Table)
	if err != nil {
		return nil, err
	}
	judge.Resolve = o.Resolve
	if !Fits(o.Dir) {
		return nil, fmt.Errorf("guard: the path of %s is too long for a socket", o.Dir)
	}
	if o.Timeout == 0 {
		o.Timeout = hook.Timeout
	}
	s := &Server{o: o, judge: judge, slots: make(chan struct{}, 16), inputs: map[string]string{}}
	s.file, err = os.OpenFile(o.Records, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("guard records: %w", err)
	}
	s.listener, err = net.ListenUnix("unix", &net.UnixAddr{Name: s.Socket(), Net: "unix"})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("guard: %w", err), s.file.Close())
	}
	if err := os.Chmod(s.Socket(), 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("guard: %w", err), s.Close())
	}
	s.workers.Add(1)
	go s.accept()
	return s, nil
}

// Socket is the path that a unit finds in WF_GUARD.
func (s *Server) Socket() string { return filepath.Join(s.o.Dir, SocketName) }

// Close ends the guard: what is under way is answered first.
func (s *Server) Close() error {
	var errs []error
	if s.listener != nil {
		errs = append(errs, s.listener.Close())
	}
	s.workers.Wait()
	errs = append(errs, s.file.Close())
	return errors.Join(errs...)
}

// Records are the answers so far, in their order.
func (s *Server) Records() []Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Record{}, s.records...)
}

func (s *Server) accept() {
	defer s.workers.Done()
	for {
		conn, err := s.listener.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			// Out of descriptors, or a caller that went away: go on, not in a hurry.
			time.Sleep(10 * time.Millisecond)
			continue
		}
		s.slots <- struct{}{}
		s.workers.Add(1)
		go func() {
			defer func() { <-s.slots; s.workers.Done() }()
			s.serve(conn)
		}()
	}
}

// serve answers one question. A caller that does not ask in time, or not in
// the protocol, gets no for an answer.
func (s *Server) serve(conn *net.UnixConn) {
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(s.o.Timeout)); err != nil {
		return
	}
	a := s.answer(conn)
	a.Guard = hook.Version
	a.Reason = bounded(a.Reason, hook.MaxReason)
	line, err := json.Marshal(a)
	if err != nil {
		return // without an answer the client refuses
	}
	_, _ = conn.Write(append(line, '\n')) // a caller that went away is refused by its own client
}

func (s *Server) answer(conn *net.UnixConn) (a hook.Answer) {
	defer func() {
		if r := recover(); r != nil {
			a = hook.Answer{Reason: fmt.Sprint("the guard failed: ", r)}
		}
	}()
	q, err := readQuestion(conn)
	if err != nil {
		return hook.Answer{Reason: err.Error()}
	}
	// After reading: a caller that is turned away must be able to read why.
	if s.o.Admit != nil {
		pid, err := peer(conn)
		if err != nil || !s.o.Admit(pid) {
			return hook.Answer{Reason: "the caller is not a process of this unit"}
		}
	}
	return s.decide(q)
}

// readQuestion reads one line and checks it.
func readQuestion(r io.Reader) (hook.Question, error) {
	var q hook.Question
	line, err := bufio.NewReader(io.LimitReader(r, hook.MaxInput+1)).ReadBytes('\n')
	if len(line) > hook.MaxInput {
		return q, fmt.Errorf("the question is longer than %d bytes", hook.MaxInput)
	}
	if err != nil {
		return q, fmt.Errorf("the question has no end: %w", err)
	}
	if err := json.Unmarshal(line, &q); err != nil {
		return q, fmt.Errorf("the question cannot be read: %w", err)
	}
	return q, q.Check()
}

// decide judges a question, and records the answer before it is given.
func (s *Server) decide(q hook.Question) hook.Answer {
	u := Use{ID: q.ID, Tool: q.Tool, Input: q.Input, Cwd: q.Cwd, Agent: q.Agent}
	ruling := Ruling{Decision: Allow}
	if q.Event == hook.Pre {
		ruling = s.judge.Decide(u)
	}
	if err := s.record(q, u, ruling); err != nil {
		return hook.Answer{Reason: "the guard cannot record: " + err.Error()}
	}
	if ruling.Decision == Allow {
		return hook.Answer{Allowed: true, Reason: ruling.Reason}
	}
	return hook.Answer{Reason: told(ruling)}
}

// told is a refusal in words for the agent.
func told(r Ruling) string {
	text := r.Reason
	if r.Decision == Ask {
		text = "a person would have to allow this, and nobody can be asked now; the ticket waits for one: " + text
	}
	if r.Rule != "" {
		text += fmt.Sprintf(" (rule %s, %s layer)", r.Rule, r.Layer)
	}
	return text
}

var errChanged = errors.New("this tool use was asked about before with another input")

func (s *Server) record(q hook.Question, u Use, ruling Ruling) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return s.broken
	}
	if len(s.records) >= maxRecords {
		return fmt.Errorf("more than %d questions", maxRecords)
	}
	sum := digest(q.Input)
	if before, there := s.inputs[q.ID]; q.Event == hook.Pre && there && before != sum {
		return errChanged
	}
	r := Record{
		N: len(s.records) + 1, Event: q.Event, ID: bounded(q.ID, maxAbout), Tool: bounded(q.Tool, maxAbout), About: s.redacted(about(u)), Input: sum,
		Agent: bounded(q.Agent, maxAbout), Session: bounded(q.Session, maxAbout), Ruling: ruling, At: s.o.Now().UTC().Format(time.RFC3339Nano),
	}
	r.Reason = s.redacted(r.Reason)
	line, err := json.Marshal(r)
	if err == nil {
		_, err = s.file.Write(append(line, '\n'))
	}
	if err != nil {
		s.broken = err
		return err
	}
	if q.Event == hook.Pre {
		s.inputs[q.ID] = sum
	}
	s.records = append(s.records, r)
	return nil
}

func (s *Server) redacted(text string) string {
	if s.o.Redact == nil {
		return text
	}
	return string(s.o.Redact([]byte(text)))
}
