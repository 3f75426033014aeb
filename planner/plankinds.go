package planner

// Review is what a ticket of kind review has of its own. Its one stage has the
// reviewers; its gates are the axes.
type Review struct {
	Axes        []Axis   `json:"axes"`
	Confirm     *Confirm `json:"confirm,omitempty"`
	MaxFindings int      `json:"maxFindings"`
}

// Axis says of a gate of a review whether it is gated: a failure then blocks, and
// what could not run holds. One that is not gated is only told.
type Axis struct {
	Name  string `json:"name"`
	Gated bool   `json:"gated"`
}

// Confirm says which findings another reviewer must confirm.
type Confirm struct {
	By      string `json:"by" enum:"any_other"`
	AtLeast string `json:"atLeast" enum:"P0,P1,P2,P3"` // of this priority and graver
}

// Within bounds what a ticket of kind proposal may ask for. The sub-plan has a
// digest and an approval of its own, and stays inside.
type Within struct {
	Roles     []string   `json:"roles"`
	Pipelines []Pipeline `json:"pipelines"`
	Scope     []string   `json:"scope"`
	Effects   []string   `json:"effects"` // in the order of EffectList
	Budget    Money      `json:"budget"`
	Units     int        `json:"units"`
}

// Pipeline is one that proposed tickets may go through; they bring no gates.
type Pipeline struct {
	Name   string  `json:"name"`
	Stages []Stage `json:"stages"`
}

// Checkout is what a ticket sees in place of its base.
type Checkout struct {
	Commit     string   `json:"commit"`
	Submodules bool     `json:"submodules"`
	LFS        bool     `json:"lfs"`
	Sparse     []string `json:"sparse"`
}

// Notify is a command that hears of a ticket's statuses. Its failure changes nothing.
type Notify struct {
	Argv           []string `json:"argv"`
	On             []string `json:"on"`
	TimeoutSeconds int64    `json:"timeoutSeconds"`
	Network        []string `json:"network"`
}

// Workers are the roles whose units run in the stage.
func (s Stage) Workers() []string {
	if len(s.Reviewers) > 0 {
		return s.Reviewers
	}
	return []string{s.Role}
}
