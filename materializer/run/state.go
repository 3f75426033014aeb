package run

import (
	"encoding/json"
	"fmt"
	"iter"

	"github.com/seed9cc7a46e/wf/dsl/expr"
	"github.com/seed9cc7a46e/wf/planner"
)

// State is a run as its events left it. It is changed by Fold alone; what Decide
// works out beside it (queues, evaluated commands) follows from it.
type State struct {
	run   ledger
	plan  *planner.Plan
	nodes []*node // in the order they came to be: the plan's, then children
	byID  map[string]*node

	roles  map[string]*planner.Role
	inputs expr.Value
	byName map[string][]*node // plan tickets of one declared name

	dirty  []*node
	writes queue // tickets with a Record, in ID order
	works  queue // tickets with another command, in ID order
	gates  queue // tickets with gates to run, first built first
	ready  queue // tickets that could start a unit: longest way left, then ID
	live   int   // sessions that hold a slot
	counts map[Status]int
	asked  map[string]*node // questions, by ID
	scope  expr.Scope       // the names that expressions of every ticket see
}

// ledger is the run's own part of the state.
type ledger struct {
	Started  *Started      `json:"started,omitempty"`
	Spent    planner.Money `json:"spent"`
	Reserved planner.Money `json:"reserved"`
	Units    int           `json:"units"`
	Seq      int           `json:"seq"`      // grows with each candidate
	Stopping bool          `json:"stopping"` // a person said stop; lifted by Resumed
	Closed   *Closed       `json:"closed,omitempty"`
	Stopped  string        `json:"stopped,omitempty"`
	Alarms   []string      `json:"alarms,omitempty"`
	Facts    []HostFact    `json:"facts,omitempty"`
	Events   int           `json:"events"`
	Resumed  int           `json:"resumed"`
}

// New gives the state of a run that has not begun.
func New(plan *planner.Plan) *State {
	s := &State{plan: plan, byID: map[string]*node{}, byName: map[string][]*node{}, counts: map[Status]int{}, asked: map[string]*node{}}
	for i := range plan.Tickets {
		s.addPlanned(uint64(i), &plan.Tickets[i])
	}
	s.link()
	s.include()
	s.prepare()
	return s
}

func (s *State) addPlanned(i uint64, t *planner.Ticket) {
	n := &node{plan: t, order: i << 24}
	n.Ticket = Ticket{ID: t.ID, Address: t.Address, Name: t.Name, Key: t.Key, Status: Waiting, Round: 1, Title: t.Title}
	if len(t.Stages) > 0 {
		n.Stage = t.Stages[0].Name
	}
	s.byName[t.Name] = append(s.byName[t.Name], n)
	s.add(n)
}

func (s *State) add(n *node) {
	n.inWork, n.inWrite, n.inGate, n.inReady = -1, -1, -1, -1
	s.nodes = append(s.nodes, n)
	s.byID[n.ID] = n
	s.counts[n.Status]++
	s.touch(n)
}

func (s *State) link() {
	for _, e := range s.plan.Edges {
		from, to := s.byID[e.From], s.byID[e.To]
		if from == nil || to == nil || from == to {
			continue
		}
		to.needs = append(to.needs, need{from, e.Settled, e.Optional})
		from.dependants = append(from.dependants, to)
	}
	s.rank()
}

// rank gives each ticket the number of stages on the longest way after it.
func (s *State) rank() {
	left := make(map[*node]int, len(s.nodes))
	var free []*node
	for _, n := range s.nodes {
		if left[n] = len(n.dependants); left[n] == 0 {
			free = append(free, n)
		}
	}
	for len(free) > 0 {
		n := free[len(free)-1]
		free = free[:len(free)-1]
		for _, up := range n.needs {
			up.from.rank = max(up.from.rank, n.rank+len(n.plan.Stages))
			if left[up.from]--; left[up.from] == 0 {
				free = append(free, up.from)
			}
		}
	}
}

func (s *State) prepare() {
	s.roles = make(map[string]*planner.Role, len(s.plan.Roles))
	for i := range s.plan.Roles {
		s.roles[s.plan.Roles[i].Name] = &s.plan.Roles[i]
	}
	entries := make([]expr.Entry, len(s.plan.Inputs))
	for i, in := range s.plan.Inputs {
		entries[i] = expr.Entry{Key: in.Name, Value: in.Value}
	}
	s.inputs = expr.OfMap(entries)
	s.scope = s.baseScope()
	byOrder := func(a, b *node) bool { return a.order < b.order }
	s.writes = queue{less: byOrder, place: func(n *node) *int { return &n.inWrite }}
	s.works = queue{less: byOrder, place: func(n *node) *int { return &n.inWork }}
	s.gates = queue{less: func(a, b *node) bool { return a.Current.Seq < b.Current.Seq },
		place: func(n *node) *int { return &n.inGate }}
	s.ready = queue{less: func(a, b *node) bool {
		if a.readyAt != b.readyAt {
			return a.readyAt > b.readyAt
		}
		return a.order < b.order
	}, place: func(n *node) *int { return &n.inReady }}
}

// saved is the form of a State outside this process.
type saved struct {
	Rules   int       `json:"rules"`
	Run     *ledger   `json:"run"`
	Tickets []*Ticket `json:"tickets"`
}

// MarshalJSON gives the state's bytes: equal states give equal bytes.
func (s *State) MarshalJSON() ([]byte, error) {
	out := saved{Rules: Rules, Run: &s.run, Tickets: make([]*Ticket, len(s.nodes))}
	for i, n := range s.nodes {
		out.Tickets[i] = &n.Ticket
	}
	return json.Marshal(out)
}

// Restore reads a state that MarshalJSON wrote, for the same plan.
func Restore(plan *planner.Plan, raw []byte) (*State, error) {
	var in saved
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, fmt.Errorf("run state: %w", err)
	}
	if in.Rules != Rules || in.Run == nil {
		return nil, fmt.Errorf("run state: rules version %d, this program has %d", in.Rules, Rules)
	}
	s := New(plan)
	s.run = *in.Run
	s.counts = map[Status]int{}
	for _, t := range in.Tickets {
		if err := s.restore(t); err != nil {
			return nil, err
		}
	}
	if len(s.nodes) != len(in.Tickets) {
		return nil, fmt.Errorf("run state: %d tickets, the plan has %d", len(in.Tickets), len(s.nodes))
	}
	for _, n := range s.nodes {
		s.recount(n)
	}
	return s, nil
}

func (s *State) restore(t *Ticket) error {
	if t == nil {
		return fmt.Errorf("run state: an empty ticket")
	}
	if n := s.byID[t.ID]; n != nil {
		n.Ticket = *t
		s.counts[t.Status]++
		return nil
	}
	parent := s.byID[t.Parent]
	if parent == nil {
		return fmt.Errorf("run state: ticket %s is not in the plan", t.ID)
	}
	n := s.child(parent, t.Index)
	n.Ticket = *t
	s.add(n)
	return nil
}

// recount works out again what follows from a restored ticket.
func (s *State) recount(n *node) {
	if u := n.Current; u != nil && (u.Phase == PhaseReserved || u.Phase == PhaseLaunched) {
		s.live++
	}
	for _, q := range n.Asked {
		if q.ID != "" {
			s.asked[q.ID] = n
		}
	}
	if n.parent != nil {
		n.parent.kids.count(n.Status, 1)
	}
}

// Run gives the run's identity, as Started said; the zero Started before.
func (s *State) Run() Started {
	if s.run.Started == nil {
		return Started{}
	}
	return *s.run.Started
}

// Plan is the plan that the run carries out.
func (s *State) Plan() *planner.Plan { return s.plan }

// Ticket gives a copy of one ticket, by ID.
func (s *State) Ticket(id string) (Ticket, bool) {
	n := s.byID[id]
	if n == nil {
		return Ticket{}, false
	}
	return n.Ticket, true
}

// Planned gives what the plan says of a ticket: of a child, what it says of its template.
func (s *State) Planned(id string) (*planner.Ticket, bool) {
	n := s.byID[id]
	if n == nil {
		return nil, false
	}
	return n.plan, true
}

// Tickets gives copies of all tickets in ID order: a template, then its children.
func (s *State) Tickets() iter.Seq[Ticket] {
	return func(yield func(Ticket) bool) {
		for _, n := range s.nodes[:len(s.plan.Tickets)] {
			if !yield(n.Ticket) {
				return
			}
			for _, id := range n.Children {
				if !yield(s.byID[id].Ticket) {
					return
				}
			}
		}
	}
}

// Totals are the run's counters.
type Totals struct {
	Spent    planner.Money // settled
	Reserved planner.Money // held for units that have not ended
	Units    int           // sessions started
	Live     int           // sessions that hold a slot now
	Events   int
	Stopping bool
	Closed   bool
	Exit     int // of Closed
}

// Totals gives the run's counters.
func (s *State) Totals() Totals {
	t := Totals{Spent: s.run.Spent, Reserved: s.run.Reserved, Units: s.run.Units, Live: s.live,
		Events: s.run.Events, Stopping: s.run.Stopping, Closed: s.run.Closed != nil}
	if t.Closed {
		t.Exit = s.run.Closed.Exit
	}
	return t
}

// Outputs gives the workflow's outputs, once the run is closed.
func (s *State) Outputs() expr.Value {
	if s.run.Closed == nil {
		return expr.Value{}
	}
	return s.run.Closed.Outputs
}

// Question is the ID of the n-th question from now, from 1: Q-001. Units ask
// without knowing of each other, so the engine numbers what they ask.
func (s *State) Question(n int) string { return fmt.Sprintf("Q-%03d", len(s.asked)+n) }

// Alarms are what fitted nothing, oldest first.
func (s *State) Alarms() []string { return s.run.Alarms }

// Facts are the last preflight's.
func (s *State) Facts() []HostFact { return s.run.Facts }
