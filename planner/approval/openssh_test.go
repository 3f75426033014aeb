package approval

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
)

// sshKeygen skips where OpenSSH is not installed, except in CI, where missing means a broken image.
func sshKeygen(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("ssh-keygen is needed in CI")
		}
		t.Skip("ssh-keygen is not installed")
	}
}

func program(t *testing.T, stdin []byte, name string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(context.Background(), name, args...)
	cmd.Stdin = bytes.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func makeKey(t *testing.T, kind, passphrase string) (file string, public string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "key")
	args := []string{"-q", "-t", kind, "-N", passphrase, "-C", "alice laptop", "-f", file}
	if kind == "rsa" {
		args = append(args, "-b", "2048")
	}
	out, err := program(t, nil, "ssh-keygen", args...)
	require.NoError(t, err, out)
	pub, err := os.ReadFile(file + ".pub")
	require.NoError(t, err)
	return file, strings.TrimSpace(string(pub))
}

func load(t *testing.T, file string) ssh.Signer {
	t.Helper()
	pem, err := os.ReadFile(file)
	require.NoError(t, err)
	s, err := LoadKey(pem, nil)
	require.NoError(t, err)
	return s
}

// What wf signs ssh-keygen verifies with the operators file as it is, and what
// ssh-keygen signs wf verifies, for each kind of key.
func TestOpenSSHBothWays(t *testing.T) {
	sshKeygen(t)
	for _, kind := range []string{"ed25519", "ecdsa", "rsa"} {
		t.Run(kind, func(t *testing.T) {
			key, public := makeKey(t, kind, "")
			dir := t.TempDir()
			line := `alice@example.org namespaces="wf-plan,wf-decision" ` + public + " groups=security\n"
			opsFile := filepath.Join(dir, "operators")
			require.NoError(t, os.WriteFile(opsFile, []byte(line), 0o600))
			ops := operators(t, line)

			file := signed(t, payload(), load(t, key))
			record, signature, found := bytes.Cut(file, []byte(beginLine))
			require.True(t, found)
			sigFile := filepath.Join(dir, "signature")
			require.NoError(t, os.WriteFile(sigFile, append([]byte(beginLine), signature...), 0o600))
			verify := []string{"-Y", "verify", "-f", opsFile, "-I", "alice@example.org", "-n", PlanNamespace, "-s", sigFile}
			out, err := program(t, record, "ssh-keygen", verify...)
			require.NoError(t, err, out)
			out, err = program(t, append(record, ' '), "ssh-keygen", verify...)
			require.Error(t, err, out)

			bytesToSign, err := SignedBytes(payload())
			require.NoError(t, err)
			message := filepath.Join(dir, "signed")
			require.NoError(t, os.WriteFile(message, bytesToSign, 0o600))
			out, err = program(t, nil, "ssh-keygen", "-q", "-Y", "sign", "-n", PlanNamespace, "-f", key, message)
			require.NoError(t, err, out)
			armoured, err := os.ReadFile(message + ".sig")
			require.NoError(t, err)
			v := Verify(append(bytesToSign, armoured...), ops, wanted())
			require.True(t, v.OK(), v.Refusal.Detail)

			require.NoError(t, os.Remove(message+".sig"))
			out, err = program(t, nil, "ssh-keygen", "-q", "-Y", "sign", "-n", "git", "-f", key, message)
			require.NoError(t, err, out)
			armoured, err = os.ReadFile(message + ".sig")
			require.NoError(t, err)
			require.Equal(t, WrongNamespace, Verify(append(bytesToSign, armoured...), ops, wanted()).Refusal.Reason)
		})
	}
}

func TestLoadKeyWithPassphrase(t *testing.T) {
	sshKeygen(t)
	file, public := makeKey(t, "ed25519", "correct horse")
	pem, err := os.ReadFile(file)
	require.NoError(t, err)
	s, err := LoadKey(pem, func() ([]byte, error) { return []byte("correct horse"), nil })
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(public, keyText(s)))
	_, err = LoadKey(pem, func() ([]byte, error) { return []byte("wrong"), nil })
	require.ErrorContains(t, err, "unlocking")
	_, err = LoadKey(pem, func() ([]byte, error) { return nil, errors.New("no terminal") })
	require.ErrorContains(t, err, "no terminal")
	_, err = LoadKey(pem, nil)
	require.ErrorContains(t, err, "ssh-agent")
	_, err = LoadKey([]byte("not a key"), nil)
	require.Error(t, err)
}

const agentStart = 10 * time.Second

// A key that lives in ssh-agent alone signs too.
func TestAgent(t *testing.T) {
	sshKeygen(t)
	if _, err := exec.LookPath("ssh-agent"); err != nil {
		t.Skip("ssh-agent is not installed")
	}
	file, public := makeKey(t, "ed25519", "")
	_, other := makeKey(t, "rsa", "")
	dir, err := os.MkdirTemp("", "wfagent") // a socket's path has at most 107 bytes
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	socket := filepath.Join(dir, "s")
	daemon := exec.Command("ssh-agent", "-D", "-a", socket)
	require.NoError(t, daemon.Start())
	t.Cleanup(func() {
		require.NoError(t, daemon.Process.Kill())
		require.Error(t, daemon.Wait())
	})
	var conn net.Conn
	require.Eventually(t, func() bool { conn, err = net.Dial("unix", socket); return err == nil }, agentStart, agentStart/500)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	add := exec.Command("ssh-add", "-q", file)
	add.Env = append(os.Environ(), "SSH_AUTH_SOCK="+socket)
	out, err := add.CombinedOutput()
	require.NoError(t, err, string(out))

	signers, err := AgentSigners(conn)
	require.NoError(t, err)
	ops := operators(t, "alice@example.org "+public+" groups=security")
	s, op, err := Choose(signers, ops, PlanNamespace)
	require.NoError(t, err)
	require.Equal(t, []string{"alice@example.org"}, op.Names)
	v := Verify(signed(t, payload(), s), ops, wanted())
	require.True(t, v.OK(), v.Refusal.Detail)
	_, _, err = Choose(signers, operators(t, "bob "+other), PlanNamespace)
	require.Error(t, err)
}
