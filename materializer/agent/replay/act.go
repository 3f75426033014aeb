package replay

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed9cc7a46e/wf/materializer/agent"
	"github.com/seed9cc7a46e/wf/materializer/process"
)

// Session is what the process of a replayed unit was given.
type Session struct {
	UnitID   string // identity, as the runner set it
	Exchange string // $WF_UNIT
	Worktree string
	Env      []string // for commands that the script runs
	Stdin    io.Reader
	Stdout   io.Writer
	// Guard asks before a tool use, whose input is an object as tools take it.
	Guard func(id, tool string, input json.RawMessage) (allowed bool, reason string)
}

// Main carries out the steps in args[0], a file below the exchange folder, and
// gives the exit status.
func Main(s Session, args []string) int {
	a := &actor{Session: s, out: bufio.NewWriter(s.Stdout)}
	defer a.out.Flush()
	steps, err := a.load(args)
	if err != nil {
		a.emit(line{Event: agent.Ended, Text: err.Error(), Failed: true})
		return 64
	}
	a.emit(line{Event: agent.Began, Text: s.UnitID})
	for _, step := range steps {
		if exit, stop := a.do(step); stop {
			return exit
		}
	}
	a.emit(line{Event: agent.Ended, Cost: a.cost, Known: true})
	return 0
}

type actor struct {
	Session
	out  *bufio.Writer
	cost int64
	uses int
}

func (a *actor) load(args []string) ([]Step, error) {
	if len(args) != 1 {
		return nil, fmt.Errorf("%s takes the name of its steps file", Subcommand)
	}
	// The prompt is read to its end, as a real program does.
	if _, err := io.Copy(io.Discard, a.Stdin); err != nil {
		return nil, fmt.Errorf("reading the prompt: %w", err)
	}
	root, err := os.OpenRoot(a.Exchange)
	if err != nil {
		return nil, fmt.Errorf("exchange folder: %w", err)
	}
	defer root.Close()
	data, err := root.ReadFile(args[0])
	if err != nil {
		return nil, fmt.Errorf("steps: %w", err)
	}
	var steps []Step
	if err := json.Unmarshal(data, &steps); err != nil {
		return nil, fmt.Errorf("steps: %w", err)
	}
	return steps, nil
}

func (a *actor) emit(l line) {
	data, err := json.Marshal(l)
	if err != nil { // a line always marshals
		return
	}
	a.out.Write(append(data, '\n'))
	a.out.Flush()
}

// do carries out one step; stop says that the session ends here.
func (a *actor) do(s Step) (exit int, stop bool) {
	time.Sleep(time.Duration(s.DelayMillis) * time.Millisecond)
	if s.Says != "" {
		a.emit(line{Event: agent.Says, Text: s.Says})
	}
	a.work(s)
	a.report(s)
	switch {
	case s.Crash:
		a.out.Flush()
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			self.Kill()
		}
		select {}
	case s.Hang:
		select {}
	case s.Exit != nil:
		a.emit(line{Event: agent.Ended, Cost: a.cost, Known: true, Failed: *s.Exit != 0})
		return *s.Exit, true
	}
	return 0, false
}

// work does what tools do. What the sandbox or the guard refuses is told and
// passed over, as agents do.
func (a *actor) work(s Step) {
	if len(s.Run) > 0 {
		a.use("Bash", "command", quoted(s.Run), func() error { return a.run(s.Run) })
	}
	for _, e := range s.Edit {
		a.use("Write", "file_path", e.Path, func() error { return write(a.at(e.Path), e.Text) })
	}
	for _, e := range s.Unasked {
		if err := write(a.at(e.Path), e.Text); err != nil {
			a.emit(line{Event: agent.Says, Text: err.Error()})
		}
	}
	for _, path := range s.Delete {
		a.use("Bash", "command", quoted([]string{"rm", path}), func() error { return os.Remove(a.at(path)) })
	}
	if len(s.Section) > 0 {
		a.section(s.Section)
	}
}

func (a *actor) report(s Step) {
	if s.Ask != "" {
		a.emit(line{Event: agent.Asks, Text: s.Ask})
	}
	if s.Blocked != "" {
		a.emit(line{Event: agent.Stuck, Text: s.Blocked})
	}
	if s.Cost > 0 {
		a.cost += int64(s.Cost)
		a.emit(line{Event: agent.Spent, Cost: a.cost, Known: true})
	}
	if s.Submit != nil {
		a.submit(*s.Submit)
	}
	if s.Raw != "" {
		a.out.WriteString(s.Raw + "\n")
		a.out.Flush()
	}
}

func (a *actor) at(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(a.Worktree, filepath.FromSlash(path))
}

// use tells the stream, asks the guard, and acts. Without a guard nothing is
// done: the runner would find a use that nobody was asked about.
func (a *actor) use(tool, param, value string, act func() error) {
	a.uses++
	id := fmt.Sprintf("use-%03d", a.uses)
	a.emit(line{Event: agent.Use, ID: id, Tool: tool, Text: value})
	if ok, reason := a.ask(id, tool, param, value); !ok {
		a.emit(line{Event: agent.Denied, ID: id, Tool: tool, Text: reason})
		return
	}
	if err := act(); err != nil {
		a.emit(line{Event: agent.Says, Text: fmt.Sprintf("%s %s: %v", tool, value, err)})
	}
}

func (a *actor) ask(id, tool, param, value string) (allowed bool, reason string) {
	if a.Guard == nil {
		return false, "no guard is there"
	}
	input, err := json.Marshal(map[string]string{param: value})
	if err != nil { // texts always marshal
		return false, err.Error()
	}
	return a.Guard(id, tool, input)
}

// quoted is argv as a shell would have to be told it.
func quoted(argv []string) string {
	out := make([]string, 0, len(argv))
	for _, arg := range argv {
		if arg == "" || strings.Trim(arg, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@") != "" {
			arg = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
		out = append(out, arg)
	}
	return strings.Join(out, " ")
}

func (a *actor) run(argv []string) error {
	result, err := process.Run(context.Background(), process.Spec{Argv: argv, Env: a.Env, Dir: a.Worktree, OutputCap: 64 << 10})
	if err != nil {
		return err
	}
	if result.Exit != 0 {
		return fmt.Errorf("exit %d: %s", result.Exit, strings.TrimSpace(string(result.Stderr)))
	}
	return nil
}

func write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o666)
}

// section adds text at the end of sections in the unit's copy of the ticket file.
func (a *actor) section(edits []Edit) {
	path := filepath.Join(a.Exchange, agent.TicketFile)
	data, err := os.ReadFile(path)
	if err == nil {
		for _, e := range edits {
			data = appendSection(data, e.Path, e.Text)
		}
		err = os.WriteFile(path, data, 0o666)
	}
	if err != nil {
		a.emit(line{Event: agent.Says, Text: err.Error()})
	}
}

// appendSection puts text before the heading that follows "## name"; where
// there is no such section it adds one, as an agent that ignores its brief would.
func appendSection(data []byte, name, text string) []byte {
	body := string(data)
	heading := "## " + name + "\n"
	_, after, found := strings.Cut("\n"+body, "\n"+heading)
	if !found {
		return []byte(strings.TrimRight(body, "\n") + "\n\n" + heading + "\n" + text + "\n")
	}
	section, rest, more := strings.Cut(after, "\n## ")
	before := body[:len(body)-len(after)]
	section = strings.TrimRight(section, "\n")
	if section != "" {
		section += "\n"
	}
	section += "\n" + text + "\n"
	if more {
		rest = "\n## " + rest
	}
	return []byte(before + section + rest)
}

func (a *actor) submit(s Submit) {
	data, err := json.Marshal(s)
	if err == nil {
		err = os.WriteFile(filepath.Join(a.Exchange, agent.OutputsFile), append(data, '\n'), 0o666)
	}
	if err != nil {
		a.emit(line{Event: agent.Says, Text: err.Error()})
	}
}
