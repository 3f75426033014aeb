package planner

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/seed9cc7a46e/wf/dsl"
)

// Defaults of the language.
const (
	defaultConcurrency = 4
	defaultDepth       = 1
	defaultChildren    = 5
	defaultBounces     = 2
	defaultRetries     = 1
	defaultTimeout     = 2 * time.Hour
	defaultStage       = 30 * time.Minute
	defaultGate        = 10 * time.Minute
	defaultReady       = time.Minute
	defaultNotify      = 30 * time.Second
)

// resolveLimits takes the workflow's limits, lowered by the settings'. Units are
// settled later, when they are counted.
func (m *maker) resolveLimits() {
	l, in := &m.plan.Limits, m.wf.Limits
	budget, set := m.money(in.Budget, m.vars)
	l.Budget = Money(m.lower("budget", int64(budget), origin(set && in.Budget.Set)))
	whole := func(name string, s dsl.Scalar, fallback int) int {
		return int(m.lower(name, int64(m.whole(s, m.vars, fallback)), origin(s.Set)))
	}
	l.Concurrency = whole("concurrency", in.Concurrency, defaultConcurrency)
	l.Depth = whole("depth", in.Depth, defaultDepth)
	l.Children = whole("children", in.Children, defaultChildren)
	l.Bounces = whole("bounces", in.Bounces, defaultBounces)
	l.Retries = whole("retries", in.Retries, defaultRetries)
	l.Units = m.whole(in.Units, m.vars, 0)
	l.TimeoutSeconds = m.lower("timeout", m.seconds(in.Timeout, m.vars, defaultTimeout), origin(in.Timeout.Set))
	m.resolveWidth()
	m.checkLimits()
}

func origin(set bool) string {
	if set {
		return "workflow"
	}
	return "default"
}

// lower notes a limit and its origin: the settings' only where they lower it.
func (m *maker) lower(name string, value int64, from string) int64 {
	if top, ok := m.cap(name); ok && top < value {
		value, from = top, "settings"
	}
	m.originate(name, from)
	return value
}

// cap is the settings' number for a limit: micro-dollars of money, seconds of a duration.
func (m *maker) cap(name string) (int64, bool) { return capOf(m.wf.Settings, name) }

func capOf(s dsl.Settings, name string) (int64, bool) {
	l, ok := s.Limit(name)
	if !ok {
		return 0, false
	}
	if micros, isMoney := l.Value.Money(); isMoney {
		return micros, true
	}
	if d, isLength := l.Value.Duration(); isLength {
		return int64(d / time.Second), true
	}
	return l.Value.Int()
}

func (m *maker) originate(name, from string) {
	m.plan.Limits.Origins = append(m.plan.Limits.Origins, LimitOrigin{Limit: name, Origin: from})
	slices.SortFunc(m.plan.Limits.Origins, func(a, b LimitOrigin) int { return cmp.Compare(a.Limit, b.Limit) })
}

func (m *maker) resolveWidth() {
	l, from := &m.plan.Limits, origin(m.wf.Limits.Width.Set)
	l.Width = orWord(m.text(m.wf.Limits.Width, m.vars), "medium")
	agents := dsl.WidthAgents(l.Width)
	if agents == 0 {
		m.find(codeLimitRange, m.wf.Limits.Width.Range, fmt.Sprintf("The width is %q.", l.Width), "Say small, medium, large, unlimited or a number.")
	}
	if top, ok := m.wf.Settings.Limit("width"); ok {
		if word, _ := top.Value.Text(); dsl.WidthAgents(word) < agents {
			l.Width, agents, from = word, dsl.WidthAgents(word), "settings"
		}
	}
	if l.WidthAgents = agents; l.Width == "unlimited" {
		l.WidthAgents = 0
	}
	m.originate("width", from)
}

func (m *maker) checkLimits() {
	l, in := m.plan.Limits, m.wf.Limits
	for _, c := range []struct {
		name               string
		value, least, most int
		at                 dsl.Scalar
	}{
		{"concurrency", l.Concurrency, 1, 10_000, in.Concurrency}, {"depth", l.Depth, 0, 100, in.Depth},
		{"children", l.Children, 0, 10_000, in.Children}, {"bounces", l.Bounces, 0, 1_000, in.Bounces},
		{"retries", l.Retries, 0, 1_000, in.Retries}, {"units", l.Units, 0, 10_000_000, in.Units},
	} {
		if c.value < c.least || c.value > c.most {
			m.find(codeLimitRange, c.at.Range, fmt.Sprintf("limits.%s is %d; it must be between %d and %d.", c.name, c.value, c.least, c.most), "")
		}
	}
	if l.TimeoutSeconds <= 0 {
		m.find(codeLimitRange, in.Timeout.Range, "limits.timeout is 0: nothing could run.", "")
	}
}
