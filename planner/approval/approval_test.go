package approval

import (
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/seed9cc7a46e/wf/planner"
)

var now = time.Date(2027, 1, 15, 12, 0, 0, 0, time.UTC)

func newSigner(t testing.TB) ssh.Signer {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	s, err := ssh.NewSignerFromKey(private)
	require.NoError(t, err)
	return s
}

func keyText(s ssh.Signer) string {
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(s.PublicKey())))
}

func operators(t testing.TB, lines ...string) Operators {
	t.Helper()
	ops, findings := ParseOperators("policies/operators", []byte(strings.Join(lines, "\n")+"\n"))
	require.Empty(t, findings)
	return ops
}

func payload() Payload {
	return Payload{
		Format: Format, Digest: "sha256:" + strings.Repeat("a", 64), Repository: "example/repo", Workflow: "ship-feature",
		Nonce: strings.Repeat("0f", 16), Groups: []string{"security"}, Expires: "2027-01-31T00:00:00Z", Signer: "alice@example.org",
	}
}

func wanted() Want {
	p := payload()
	return Want{Digest: p.Digest, Repository: p.Repository, Workflow: p.Workflow, Groups: []string{"security"}, Now: now}
}

func signed(t testing.TB, p Payload, s ssh.Signer) []byte {
	t.Helper()
	file, err := Sign(p, s)
	require.NoError(t, err)
	return file
}

func TestVerifyAccepts(t *testing.T) {
	alice := newSigner(t)
	ops := operators(t, `alice@example.org namespaces="wf-plan,wf-decision" `+keyText(alice)+` groups=security,release`)
	file := signed(t, payload(), alice)
	v := Verify(file, ops, wanted())
	require.True(t, v.OK(), v.Refusal.Detail)
	require.Equal(t, SSH, v.Approval.Kind)
	require.Equal(t, "alice@example.org", v.Approval.Signer)
	require.Equal(t, Fingerprint(alice.PublicKey()), v.Approval.Key)
	require.Equal(t, []string{"security"}, v.Approval.Groups)
	require.Equal(t, string(file), v.Approval.Text)
	require.True(t, strings.HasPrefix(string(file), "wf approval 1\n{\n  \"digest\": \"sha256:"))
}

// Each refusal has its own reason. PLAN-09, EVID-09
func TestVerifyRefusals(t *testing.T) {
	alice, mallory := newSigner(t), newSigner(t)
	good := `alice@example.org ` + keyText(alice) + ` groups=security`
	rows := []struct {
		name     string
		operator string
		signer   ssh.Signer
		payload  func(*Payload)
		want     func(*Want)
		reason   Reason
	}{
		{name: "altered plan", want: func(w *Want) { w.Digest = "sha256:" + strings.Repeat("b", 64) }, reason: AlteredPlan},
		{name: "another repository", want: func(w *Want) { w.Repository = "example/other" }, reason: WrongRepository},
		{name: "another workflow", want: func(w *Want) { w.Workflow = "other" }, reason: WrongWorkflow},
		{name: "expired", want: func(w *Want) { w.Now = time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC) }, reason: Expired},
		{name: "unknown signer", signer: mallory, reason: UnknownSigner},
		{name: "another's name", payload: func(p *Payload) { p.Signer = "bob@example.org" }, reason: UnknownSigner},
		{name: "key for another namespace", operator: `alice@example.org namespaces="git" ` + keyText(alice) + ` groups=security`, reason: KeyNotAllowed},
		{name: "key for decisions alone", operator: `alice@example.org namespaces="wf-decision" ` + keyText(alice) + ` groups=security`, reason: KeyNotAllowed},
		{name: "key not valid any more", operator: `alice@example.org valid-before="20270101Z" ` + keyText(alice) + ` groups=security`, reason: KeyNotAllowed},
		{name: "key not valid yet", operator: `alice@example.org valid-after="20270201Z" ` + keyText(alice) + ` groups=security`, reason: KeyNotAllowed},
		{name: "group not held", operator: `alice@example.org ` + keyText(alice), reason: GroupNotHeld},
		{name: "group not spoken for", payload: func(p *Payload) { p.Groups = []string{} }, reason: MissingGroup},
		{name: "another group asked", want: func(w *Want) { w.Groups = []string{"release", "security"} }, reason: MissingGroup},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			p, w, s, line := payload(), wanted(), alice, good
			if r.payload != nil {
				r.payload(&p)
			}
			if r.want != nil {
				r.want(&w)
			}
			if r.signer != nil {
				s = r.signer
			}
			if r.operator != "" {
				line = r.operator
			}
			v := Verify(signed(t, p, s), operators(t, line), w)
			require.Equal(t, r.reason, v.Refusal.Reason, v.Refusal.Detail)
			require.NotEmpty(t, v.Refusal.Detail)
		})
	}
}

func TestVerifyNamespace(t *testing.T) {
	alice := newSigner(t)
	ops := operators(t, "alice@example.org "+keyText(alice)+" groups=security")
	d, err := SignDecision(decision(), alice)
	require.NoError(t, err)
	require.Equal(t, WrongNamespace, Verify(d, ops, wanted()).Refusal.Reason)
	_, refusal := VerifyDecision(signed(t, payload(), alice), ops, WantDecision{Run: "R-1", Head: "h", Now: now})
	require.Equal(t, WrongNamespace, refusal.Reason)
}

// Whatever byte of an approval is changed, it is refused.
func TestEveryByteCounts(t *testing.T) {
	alice := newSigner(t)
	ops := operators(t, "alice@example.org "+keyText(alice)+" groups=security")
	file := signed(t, payload(), alice)
	for i := range file {
		for _, bit := range []byte{0x01, 0x20, 0x80} {
			changed := append([]byte{}, file...)
			changed[i] ^= bit
			require.False(t, Verify(changed, ops, wanted()).OK(), "byte %d ^ %#x", i, bit)
		}
		require.False(t, Verify(file[:i], ops, wanted()).OK(), "cut at %d", i)
	}
	require.False(t, Verify(append([]byte{}, append(file, '\n')...), ops, wanted()).OK())
	require.False(t, Verify([]byte(strings.ReplaceAll(string(file), "\n", "\r\n")), ops, wanted()).OK())
}

func TestAlteredRecordIsNamed(t *testing.T) {
	alice := newSigner(t)
	ops := operators(t, "alice@example.org "+keyText(alice)+" groups=security")
	file := strings.Replace(string(signed(t, payload(), alice)), "2027-01-31", "2037-01-31", 1)
	require.Equal(t, Altered, Verify([]byte(file), ops, wanted()).Refusal.Reason)
}

func TestSignRefusesWhatCannotBeRead(t *testing.T) {
	alice := newSigner(t)
	for name, change := range map[string]func(*Payload){
		"digest":  func(p *Payload) { p.Digest = "sha256:zz" },
		"nonce":   func(p *Payload) { p.Nonce = "" },
		"groups":  func(p *Payload) { p.Groups = []string{"b", "a"} },
		"twice":   func(p *Payload) { p.Groups = []string{"a", "a"} },
		"nil":     func(p *Payload) { p.Groups = nil },
		"group":   func(p *Payload) { p.Groups = []string{"A b"} },
		"expires": func(p *Payload) { p.Expires = "2027-01-31" },
		"zone":    func(p *Payload) { p.Expires = "2027-01-31T00:00:00+02:00" },
		"signer":  func(p *Payload) { p.Signer = "*" },
		"format":  func(p *Payload) { p.Format = 2 },
		"place":   func(p *Payload) { p.Repository = "" },
	} {
		p := payload()
		change(&p)
		_, err := Sign(p, alice)
		require.Error(t, err, name)
	}
}

func decision() Decision {
	return Decision{Format: Format, Run: "R-1", Head: "h1", Choice: "answer", Target: "T-003", Text: "Use <b> & \"c\"", Nonce: strings.Repeat("0a", 8), Signer: "alice@example.org"}
}

func TestDecisions(t *testing.T) {
	alice := newSigner(t)
	ops := operators(t, "alice@example.org "+keyText(alice))
	file, err := SignDecision(decision(), alice)
	require.NoError(t, err)
	got, refusal := VerifyDecision(file, ops, WantDecision{Run: "R-1", Head: "h1", Now: now})
	require.True(t, refusal.OK(), refusal.Detail)
	require.Equal(t, decision(), got)
	for reason, want := range map[Reason]WantDecision{
		WrongRun:  {Run: "R-2", Head: "h1", Now: now},
		WrongHead: {Run: "R-1", Head: "h2", Now: now},
	} {
		got, refusal := VerifyDecision(file, ops, want)
		require.Equal(t, reason, refusal.Reason)
		require.Zero(t, got)
	}
	bad := decision()
	bad.Choice = "merge"
	_, err = SignDecision(bad, alice)
	require.Error(t, err)
}

func TestMissingGroups(t *testing.T) {
	security := Approval{Kind: SSH, Groups: []string{"security"}}
	release := Approval{Kind: SSH, Groups: []string{"release"}}
	require.Equal(t, []string{"release"}, MissingGroups([]Approval{security}, []string{"security", "release"}))
	require.Empty(t, MissingGroups([]Approval{security, release}, []string{"security", "release", AnyOperator}))
}

func TestTerminalCountsOnlyWithoutOperators(t *testing.T) {
	plan := &planner.Plan{Repository: "r", Workflow: planner.WorkflowRef{Name: "w"}, Policy: planner.Judgement{Asks: []planner.Ruling{{From: "security"}, {From: "security"}}}}
	a, refusal := AtTerminal(plan, "d", "n", "user", Operators{})
	require.True(t, refusal.OK())
	require.Equal(t, TTY, a.Kind)
	require.Equal(t, []string{"security"}, a.Groups)
	_, refusal = AtTerminal(plan, "d", "n", "user", operators(t, "alice "+keyText(newSigner(t))))
	require.Equal(t, TerminalRefused, refusal.Reason)
}

func TestAutoApprovable(t *testing.T) {
	paid := planner.Agent{Adapter: "claude", Units: 2, Budget: 3 * planner.USD}
	rows := []struct {
		name    string
		plan    planner.Plan
		ceiling planner.Money
		ok      bool
	}{
		{"local effects", planner.Plan{Effects: []planner.EffectUse{{Effect: "fs.write", Tier: "local"}, {Effect: "process.exec", Tier: "local"}}}, 0, true},
		{"replay calls nothing", planner.Plan{Agents: []planner.Agent{{Adapter: "replay", Units: 9, Budget: planner.USD}}, Effects: []planner.EffectUse{{Effect: "model.call", Tier: "external"}}, Bounds: planner.Bounds{Cost: planner.Bound{Value: 99}}}, 0, true},
		{"paid model", planner.Plan{Agents: []planner.Agent{paid}, Bounds: planner.Bounds{Cost: planner.Bound{Value: int64(10 * planner.USD)}}}, 0, false},
		{"paid within the ceiling", planner.Plan{Agents: []planner.Agent{paid}, Bounds: planner.Bounds{Cost: planner.Bound{Value: int64(10 * planner.USD)}}}, 6 * planner.USD, true},
		{"paid above the ceiling", planner.Plan{Agents: []planner.Agent{paid}, Bounds: planner.Bounds{Cost: planner.Bound{Value: int64(10 * planner.USD)}}}, 6*planner.USD - 1, false},
		{"no ceiling of its own", planner.Plan{Agents: []planner.Agent{{Adapter: "codex", Units: 1}}, Bounds: planner.Bounds{Cost: planner.Bound{Value: 5}}}, 4, false},
		{"cost only declared", planner.Plan{Agents: []planner.Agent{paid}, Bounds: planner.Bounds{Cost: planner.Bound{Kept: "declared"}}}, planner.USD, false},
		{"shared effect", planner.Plan{Effects: []planner.EffectUse{{Effect: "secret.read", Tier: "shared"}}}, 99 * planner.USD, false},
		{"external effect", planner.Plan{Effects: []planner.EffectUse{{Effect: "network.egress", Tier: "external"}}}, 99 * planner.USD, false},
		{"open ask", planner.Plan{Policy: planner.Judgement{Asks: []planner.Ruling{{Rule: "wf.audit.ask", From: "security"}}}}, 99 * planner.USD, false},
		{"denied", planner.Plan{Policy: planner.Judgement{Denials: []planner.Ruling{{Rule: "wf.limits.deny"}}}}, 99 * planner.USD, false},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			ok, why := AutoApprovable(&r.plan, r.ceiling)
			require.Equal(t, r.ok, ok, why)
			require.Equal(t, r.ok, why == "")
			_, refusal := Automatic(&r.plan, "d", "n", r.ceiling)
			require.Equal(t, r.ok, refusal.OK())
		})
	}
}

func ExampleSignedBytes() {
	b, err := SignedBytes(Payload{
		Format: 1, Digest: "sha256:" + strings.Repeat("0", 64), Repository: "example/repo", Workflow: "ship", Nonce: strings.Repeat("0", 16),
		Groups: []string{}, Signer: "alice",
	})
	fmt.Print(string(b), err)
	// Output:
	// wf approval 1
	// {
	//   "digest": "sha256:0000000000000000000000000000000000000000000000000000000000000000",
	//   "format": 1,
	//   "groups": [],
	//   "nonce": "0000000000000000",
	//   "repository": "example/repo",
	//   "signer": "alice",
	//   "workflow": "ship"
	// }
	// <nil>
}
