package planner

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Change is what differs between two plans of one workflow, in the order a
// reviewer asks: what may it do now that it could not, what does it cost, what
// no longer checks it, what bounds it less; then the rest.
type Change struct {
	Against string  `json:"against"` // digest of the older plan, or the ref it was made at
	Powers  []Delta `json:"powers"`  // effects, tools, models, network, environment, reads, protected paths
	Money   []Delta `json:"money"`
	Gates   []Delta `json:"gates"` // gates, acceptance, stages that judge, holds
	Limits  []Delta `json:"limits"`
	Tickets []Delta `json:"tickets"` // created, removed, and what else of them changed
	Rest    []Delta `json:"rest"`
}

// Delta is one difference. Sign is + for new, - for gone, ~ for changed. Looser
// means that the newer plan has more power, more cost, or less of a check.
type Delta struct {
	Sign   string `json:"sign" enum:"+,-,~"`
	Kind   string `json:"kind"`            // effect, tool, model, network, gate, limit …
	Where  string `json:"where,omitempty"` // role, address, or empty for the run
	Name   string `json:"name,omitempty"`
	Old    string `json:"old,omitempty"`
	New    string `json:"new,omitempty"`
	Looser bool   `json:"looser"`
}

// Empty reports whether nothing differs.
func (c Change) Empty() bool {
	return len(c.Powers)+len(c.Money)+len(c.Gates)+len(c.Limits)+len(c.Tickets)+len(c.Rest) == 0
}

// Looser gives every delta that loosens, powers first.
func (c Change) Looser() []Delta {
	var out []Delta
	for _, list := range [][]Delta{c.Powers, c.Money, c.Gates, c.Limits, c.Tickets, c.Rest} {
		for _, d := range list {
			if d.Looser {
				out = append(out, d)
			}
		}
	}
	return out
}

// Diff compares two plans. What only a digest or a notice shows is left out; a
// source that changed is named in Rest.
func Diff(old, new *Plan) Change {
	c := Change{
		Powers: powersDiff(old, new), Money: moneyDiff(old, new), Gates: gatesDiff(old, new),
		Limits: limitsDiff(old, new), Tickets: ticketsDiff(old, new), Rest: restDiff(old, new),
	}
	for _, list := range []*[]Delta{&c.Powers, &c.Money, &c.Gates, &c.Limits, &c.Tickets, &c.Rest} {
		*list = append([]Delta{}, *list...)
		slices.SortStableFunc(*list, func(a, b Delta) int { return cmp.Compare(rank(a), rank(b)) })
	}
	return c
}

// rank puts what loosens before what tightens, and keeps the order otherwise.
func rank(d Delta) int {
	if d.Looser {
		return 0
	}
	return 1
}

// sets compares two sets of names; more says that a new name loosens, less that a missing one does.
func sets(kind, where string, old, new []string, more, less bool) []Delta {
	if slices.Equal(old, new) {
		return nil
	}
	var out []Delta
	for _, n := range without(new, old) {
		out = append(out, Delta{Sign: "+", Kind: kind, Where: where, Name: n, Looser: more})
	}
	for _, n := range without(old, new) {
		out = append(out, Delta{Sign: "-", Kind: kind, Where: where, Name: n, Looser: less})
	}
	return out
}

// without gives, sorted, what of a list another does not hold.
func without(list, other []string) []string {
	has := make(map[string]bool, len(other))
	for _, n := range other {
		has[n] = true
	}
	return slices.DeleteFunc(sorted(list), func(n string) bool { return has[n] })
}

// sequence compares two lists whose order counts, where they hold the same names.
func sequence(kind, where, name string, old, new []string) []Delta {
	if slices.Equal(old, new) || !slices.Equal(sorted(old), sorted(new)) {
		return nil // equal, or sets has said what differs
	}
	return []Delta{{Sign: "~", Kind: kind, Where: where, Name: name, Old: strings.Join(old, ", "), New: strings.Join(new, ", "), Looser: true}}
}

// number compares two numbers; up says that a greater one loosens.
func number[T ~int | ~int64](kind, where, name string, old, new T, up bool, show func(T) string) []Delta {
	if old == new {
		return nil
	}
	return []Delta{{Sign: "~", Kind: kind, Where: where, Name: name, Old: show(old), New: show(new), Looser: new > old == up}}
}

func word(kind, where, name, old, new string, looser bool) []Delta {
	if old == new {
		return nil
	}
	return []Delta{{Sign: "~", Kind: kind, Where: where, Name: name, Old: old, New: new, Looser: looser}}
}

func digits[T ~int | ~int64](n T) string { return strconv.FormatInt(int64(n), 10) }

func amount(m Money) string { return m.String() }

func seconds(n int64) string { return fmt.Sprintf("%ds", n) }

// both walks two lists by name: first what is new or in both, in the order of
// the newer, then what is gone.
func both[T any](old, new []T, name func(T) string, visit func(name string, before, after *T)) {
	before := make(map[string]*T, len(old))
	for i := range old {
		before[name(old[i])] = &old[i]
	}
	seen := make(map[string]bool, len(new))
	for i := range new {
		n := name(new[i])
		seen[n] = true
		visit(n, before[n], &new[i])
	}
	for i := range old {
		if n := name(old[i]); !seen[n] {
			visit(n, &old[i], nil)
		}
	}
}

func powersDiff(old, new *Plan) (out []Delta) {
	both(effectsOf(old), effectsOf(new), func(e EffectUse) string { return e.Effect }, func(name string, before, after *EffectUse) {
		switch {
		case before == nil:
			out = append(out, Delta{Sign: "+", Kind: "effect", Name: name, New: after.Tier, Looser: true})
		case after == nil:
			out = append(out, Delta{Sign: "-", Kind: "effect", Name: name, Old: before.Tier})
		default:
			out = append(out, sets("effect", name, before.By, after.By, true, false)...)
		}
	})
	both(old.Roles, new.Roles, func(r Role) string { return r.Name }, func(name string, before, after *Role) {
		none := Role{}
		if before == nil {
			before = &none
			out = append(out, Delta{Sign: "+", Kind: "role", Name: name, New: after.Mode + " on " + after.Adapter, Looser: true})
		}
		if after == nil {
			out = append(out, Delta{Sign: "-", Kind: "role", Name: name})
			return
		}
		out = append(out, roleDiff(name, before, after)...)
	})
	out = append(out, sets("protected path", "", old.Protected, new.Protected, false, true)...)
	out = append(out, sets("protected test", "", old.ProtectedExisting, new.ProtectedExisting, false, true)...)
	out = append(out, sandboxDiff(old, new)...)
	return append(out, policyDiff(old, new)...)
}

// effectsOf joins the rows of one effect: partial ones are named apart. Who
// causes it is named by role, and gates by the ticket as declared: one more
// ticket for a role that has the effect anyway is no new power of the role.
func effectsOf(p *Plan) []EffectUse {
	names := make(map[string]string, len(p.Tickets))
	for i := range p.Tickets {
		names[p.Tickets[i].ID] = p.Tickets[i].Name
	}
	var out []EffectUse
	for _, e := range p.Effects {
		if e.Partial {
			e.Effect += " (partial)"
		}
		i := slices.IndexFunc(out, func(o EffectUse) bool { return o.Effect == e.Effect })
		if i < 0 {
			i = len(out)
			out = append(out, EffectUse{Effect: e.Effect, Tier: e.Tier})
		}
		for _, by := range e.By {
			out[i].By = append(out[i].By, causer(by, names))
		}
	}
	for i := range out {
		out[i].By = slices.Compact(sorted(out[i].By))
	}
	return out
}

func causer(by string, names map[string]string) string {
	if id, gate, ok := strings.Cut(by, "/gate/"); ok {
		return "gate " + gate + " of " + names[id]
	}
	if id, what, ok := strings.Cut(by, "/"); ok && !strings.Contains(by, "@") {
		return what + " of " + names[id]
	}
	role, _, _ := strings.Cut(by, "@")
	return role
}

func roleDiff(name string, a, b *Role) (out []Delta) {
	if a.Name != "" {
		out = append(out, word("mode", name, "", a.Mode, b.Mode, b.Mode == "chat")...)
		out = append(out, word("adapter", name, "", a.Adapter, b.Adapter, a.Adapter == replay)...)
		out = append(out, word("model", name, "", a.Model, b.Model, true)...)
		out = append(out, word("instructions", name, "", a.Instructions, b.Instructions, false)...)
		out = append(out, word("instructions", name, "text", a.Text, b.Text, false)...)
		out = append(out, word("sandbox", name, "", a.Sandbox, b.Sandbox, weaker(a.Sandbox, b.Sandbox))...)
		out = append(out, number("children", name, "", a.Children, b.Children, true, digits)...)
		out = append(out, others("role", name, a, b, "mode", "adapter", "model", "instructions", "text", "sandbox", "children",
			"allow", "deny", "network", "fallback", "env", "secrets", "reads", "budget", "name")...)
	}
	out = append(out, sets("tool", name, a.Allow, b.Allow, true, false)...)
	out = append(out, sets("denied tool", name, a.Deny, b.Deny, false, true)...)
	out = append(out, sets("network", name, known(a.Network), known(b.Network), true, false)...)
	out = append(out, sets("fallback model", name, a.Fallback, b.Fallback, true, false)...)
	out = append(out, sequence("fallback model", name, "order", a.Fallback, b.Fallback)...)
	out = append(out, sets("secret", name, a.Secrets, b.Secrets, true, false)...)
	out = append(out, sets("environment", name, a.Env, b.Env, true, false)...)
	return append(out, sets("reads", name, a.Reads, b.Reads, true, false)...)
}

// known leaves out what is no network: none.
func known(network []string) []string {
	return slices.DeleteFunc(slices.Clone(network), func(n string) bool { return n == "none" })
}

func sandboxDiff(old, new *Plan) []Delta {
	a, b := floorOf(old), floorOf(new)
	return word("sandbox floor", "", "", a, b, weaker(a, b))
}

// weaker reports whether floor b confines less than floor a.
func weaker(a, b string) bool {
	order := []string{floorNone, floorLandlock, floorNamespace}
	return slices.Index(order, b) < slices.Index(order, a)
}

func floorOf(p *Plan) string {
	for _, r := range p.Requirements {
		if r.Kind == "sandbox" {
			return r.Name
		}
	}
	return floorNone
}

func moneyDiff(old, new *Plan) (out []Delta) {
	out = append(out, number("budget", "", "limit of the run", old.Limits.Budget, new.Limits.Budget, true, amount)...)
	out = append(out, number("cost", "", "at most", Money(old.Bounds.Cost.Value), Money(new.Bounds.Cost.Value), true, amount)...)
	out = append(out, number("cost", "", "without a refusal", old.Bounds.CostNoBounce, new.Bounds.CostNoBounce, true, amount)...)
	both(old.Roles, new.Roles, func(r Role) string { return r.Name }, func(name string, a, b *Role) {
		if a != nil && b != nil {
			out = append(out, number("budget", name, "one unit", a.Budget, b.Budget, true, amount)...)
		}
	})
	both(old.Tickets, new.Tickets, func(t Ticket) string { return t.Address }, func(name string, a, b *Ticket) {
		if a != nil && b != nil && !(a.Budget == old.Limits.Budget && b.Budget == new.Limits.Budget) {
			out = append(out, number("budget", name, "ticket", a.Budget, b.Budget, true, amount)...)
		}
	})
	return out
}

func limitsDiff(old, new *Plan) (out []Delta) {
	a, b := old.Limits, new.Limits
	for _, l := range []struct {
		name     string
		old, new int
	}{
		{"units", a.Units, b.Units}, {"concurrency", a.Concurrency, b.Concurrency}, {"depth", a.Depth, b.Depth}, {"children", a.Children, b.Children},
		{"bounces", a.Bounces, b.Bounces}, {"retries", a.Retries, b.Retries},
	} {
		out = append(out, number("limit", "", l.name, l.old, l.new, true, digits)...)
	}
	out = append(out, word("width", "", "", a.Width, b.Width, b.WidthAgents == 0 || a.WidthAgents != 0 && b.WidthAgents > a.WidthAgents)...)
	out = append(out, number("limit", "", "timeout", a.TimeoutSeconds, b.TimeoutSeconds, true, seconds)...)
	out = append(out, includesDiff(old, new)...)
	out = append(out, others("limit", "", &a, &b, "budget", "units", "concurrency", "depth", "children", "bounces", "retries", "width", "widthAgents", "timeoutSeconds", "origins")...)
	for _, l := range []struct {
		name     string
		old, new Bound
	}{
		{"tickets", old.Bounds.Tickets, new.Bounds.Tickets}, {"agents", old.Bounds.Agents, new.Bounds.Agents},
		{"units", old.Bounds.Units, new.Bounds.Units}, {"at once", old.Bounds.AtOnce, new.Bounds.AtOnce},
	} {
		out = append(out, number("bound", "", l.name, l.old.Value, l.new.Value, true, digits)...)
		out = append(out, kept(l.name, l.old, l.new)...)
	}
	out = append(out, kept("cost", old.Bounds.Cost, new.Bounds.Cost)...)
	return append(out, number("bound", "", "pairs of tickets that may write one path", old.Conflicts.Total, new.Conflicts.Total, true, digits)...)
}

// kept compares how a bound is kept.
func kept(name string, a, b Bound) []Delta {
	order := []string{declares, metered, enforced}
	return word("bound", "", name+" is", a.Kept, b.Kept, slices.Index(order, b.Kept) < slices.Index(order, a.Kept))
}

func short(digest string) string { return digest[:min(len(digest), len("sha256:")+12)] }
