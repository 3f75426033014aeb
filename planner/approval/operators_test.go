package approval

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
)

func TestParseOperators(t *testing.T) {
	a, b := newSigner(t), newSigner(t)
	text := "# who may approve\n\n" +
		`alice@example.org,alice namespaces="wf-plan,wf-decision",valid-after="20270101Z",valid-before="20280101120000Z" ` + keyText(a) + " laptop groups=security,release,security\r\n" +
		`"bob" ` + keyText(b) + "\n"
	ops, findings := ParseOperators("policies/operators", []byte(text))
	require.Empty(t, findings)
	require.False(t, ops.Empty())
	list := ops.All()
	require.Len(t, list, 2)
	require.Equal(t, []string{"alice@example.org", "alice"}, list[0].Names)
	require.Equal(t, []string{"release", "security"}, list[0].Groups)
	require.Equal(t, []string{"wf-plan", "wf-decision"}, list[0].Namespaces)
	require.Equal(t, time.Date(2028, 1, 1, 12, 0, 0, 0, time.UTC), list[0].ValidBefore)
	require.Equal(t, 3, list[0].Line)
	require.Equal(t, []string{"bob"}, list[1].Names)
	require.True(t, ops.HasGroup("release"))
	require.True(t, ops.HasGroup(AnyOperator))
	require.False(t, ops.HasGroup("legal"))
}

// A line that cannot be read lets nobody in, and says where and why.
func TestParseOperatorsFindings(t *testing.T) {
	key := keyText(newSigner(t))
	weak, err := rsa.GenerateKey(rand.Reader, 1024)
	require.NoError(t, err)
	weakKey, err := ssh.NewPublicKey(&weak.PublicKey)
	require.NoError(t, err)
	rows := map[string]struct{ text, code string }{
		"no key":            {"alice", "WF560"},
		"not a key":         {"alice ssh-ed25519 AAAA", "WF560"},
		"unknown option":    {"alice no-touch-required " + key, "WF561"},
		"authority":         {"alice cert-authority " + key, "WF561"},
		"local time":        {`alice valid-before="20270101" ` + key, "WF561"},
		"no time":           {`alice valid-before="soonZ" ` + key, "WF561"},
		"wild namespace":    {`alice namespaces="*" ` + key, "WF561"},
		"wild name":         {"*@example.org " + key, "WF562"},
		"negated name":      {"!alice,bob " + key, "WF562"},
		"weak key":          {"alice " + strings.TrimSpace(string(ssh.MarshalAuthorizedKey(weakKey))), "WF563"},
		"key twice":         {"alice " + key + "\nbob " + key, "WF564"},
		"misspelt groups":   {"alice " + key + " group=security", "WF565"},
		"groups with colon": {"alice " + key + " groups:security", "WF565"},
		"empty group":       {"alice " + key + " groups=", "WF565"},
		"nobody":            {"# nobody yet\n", "WF566"},
		"empty":             {"", "WF566"},
	}
	for name, r := range rows {
		t.Run(name, func(t *testing.T) {
			ops, findings := ParseOperators("policies/operators", []byte(r.text))
			require.True(t, ops.Empty())
			require.Len(t, findings, 1)
			require.Equal(t, r.code, findings[0].Code, findings[0].Detail)
			require.Equal(t, "policies/operators", findings[0].Range.File)
			require.Positive(t, findings[0].Range.Start.Line)
		})
	}
}

func FuzzParseOperators(f *testing.F) {
	f.Add([]byte("alice " + keyText(newSigner(f)) + " groups=security\n"))
	f.Add([]byte(`"a b" namespaces="x",valid-after="20270101Z" ssh-rsa AAAA`))
	f.Fuzz(func(t *testing.T, data []byte) {
		ops, findings := ParseOperators("o", data)
		require.Equal(t, ops.Empty(), findings.HasErrors())
		for _, op := range ops.All() {
			for _, n := range op.Names {
				require.Regexp(t, principalForm(), n)
			}
			_, ok := ops.ByKey(op.Key)
			require.True(t, ok)
		}
	})
}

func FuzzVerify(f *testing.F) {
	// One key for all workers of the fuzzer, so that what one finds another can repeat.
	alice, err := ssh.NewSignerFromKey(ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)))
	require.NoError(f, err)
	ops, _ := ParseOperators("o", []byte("alice@example.org "+keyText(alice)+" groups=security\n"))
	good := signed(f, payload(), alice)
	f.Add(good)
	f.Add([]byte("wf approval 1\n{}\n" + beginLine + "U1NIU0lH\n" + endLine))
	f.Fuzz(func(t *testing.T, data []byte) {
		require.Equal(t, string(data) == string(good), Verify(data, ops, wanted()).OK())
		VerifyDecision(data, ops, WantDecision{Now: now})
	})
}
