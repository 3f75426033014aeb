package approval

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/planner"
)

// An ask needs its group and its number of people; one person is one, with
// however many keys or names.
func TestSuffice(t *testing.T) {
	by := func(name, key string, groups ...string) Approval {
		return Approval{Kind: SSH, Signer: name, Key: key, Groups: groups}
	}
	alice, bob, carol := by("alice", "k1", "security"), by("bob", "k2", "security", "release"), by("carol", "k3")
	ask := func(from string, n int) planner.Ruling {
		return planner.Ruling{Rule: "wf.x.ask", From: from, Approvers: n}
	}
	rows := []struct {
		name      string
		asks      []planner.Ruling
		approvals []Approval
		reason    Reason
		needed    int
	}{
		{name: "no ask", approvals: []Approval{carol}, needed: 1},
		{name: "nobody", reason: MissingGroup},
		{name: "the group", asks: []planner.Ruling{ask("security", 0)}, approvals: []Approval{alice}, needed: 1},
		{name: "another group", asks: []planner.Ruling{ask("release", 0)}, approvals: []Approval{alice, carol}, reason: MissingGroup},
		{name: "any operator", asks: []planner.Ruling{ask(AnyOperator, 0)}, approvals: []Approval{carol}, needed: 1},
		{name: "two people", asks: []planner.Ruling{ask("security", 2)}, approvals: []Approval{carol, alice, bob}, needed: 3},
		{name: "one of two", asks: []planner.Ruling{ask("security", 2)}, approvals: []Approval{alice, carol}, reason: TooFew},
		{name: "two any", asks: []planner.Ruling{ask(AnyOperator, 2)}, approvals: []Approval{alice, carol}, needed: 2},
		{name: "one person twice", asks: []planner.Ruling{ask("security", 2)}, approvals: []Approval{alice, alice}, reason: TooFew},
		{name: "one person with two keys", asks: []planner.Ruling{ask("security", 2)}, approvals: []Approval{alice, by("alice", "k9", "security")}, reason: TooFew},
		{name: "one key with two names", asks: []planner.Ruling{ask("security", 2)}, approvals: []Approval{alice, by("al", "k1", "security")}, reason: TooFew},
		{name: "one person joined by a third approval", asks: []planner.Ruling{ask("security", 2)},
			approvals: []Approval{alice, by("al", "k9", "security"), by("alice", "k9", "security")}, reason: TooFew},
		{name: "two groups by one person", asks: []planner.Ruling{ask("security", 0), ask("release", 0)}, approvals: []Approval{bob}, needed: 1},
		{name: "more than needed", asks: []planner.Ruling{ask("security", 0)}, approvals: []Approval{alice, bob, carol}, needed: 1},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			require.Equal(t, r.reason, Suffice(r.asks, r.approvals).Reason)
			if r.needed > 0 {
				got := Needed(r.asks, r.approvals)
				require.Len(t, got, r.needed)
				require.True(t, Suffice(r.asks, got).OK())
			}
		})
	}
}

// A plan from an old commit brings back nobody who was taken out since, and
// nobody gets a group, a name or a time back.
func TestWithin(t *testing.T) {
	alice, bob, carol := newSigner(t), newSigner(t), newSigner(t)
	base := operators(t, "alice,al "+keyText(alice)+" groups=release,security", "bob "+keyText(bob), `carol namespaces="wf-plan" `+keyText(carol))
	require.Equal(t, base.All(), base.Within(Operators{}).All(), "HEAD names nobody")
	require.Equal(t, base.All(), Operators{}.Within(base).All(), "the base names nobody: then HEAD's signatures are needed")

	now := operators(t, `alice valid-before="20270201Z" `+keyText(alice)+" groups=security", `carol namespaces="wf-decision" `+keyText(carol))
	got := base.Within(now)
	require.Len(t, got.All(), 1)
	op := got.All()[0]
	require.Equal(t, []string{"alice"}, op.Names)
	require.Equal(t, []string{"security"}, op.Groups)
	require.Equal(t, time.Date(2027, 2, 1, 0, 0, 0, 0, time.UTC), op.ValidBefore)

	p := payload()
	p.Signer, p.Groups = "bob", []string{}
	want := wanted()
	want.Groups = nil
	require.True(t, Verify(signed(t, p, bob), base, want).OK())
	require.Equal(t, Revoked, Verify(signed(t, p, bob), got, want).Refusal.Reason)
	require.Equal(t, UnknownSigner, Verify(signed(t, p, newSigner(t)), got, want).Refusal.Reason)
}
