package approval

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// Sign gives the text of a .wfsig file: p, signed for the namespace wf-plan.
func Sign(p Payload, signer ssh.Signer) ([]byte, error) { return sign(p, signer) }

// SignDecision gives the text of a decision record: d, signed for wf-decision.
func SignDecision(d Decision, signer ssh.Signer) ([]byte, error) { return sign(d, signer) }

func sign[R record](r R, signer ssh.Signer) ([]byte, error) {
	signed, err := encode(r)
	if err != nil {
		return nil, fmt.Errorf("signing: %w", err)
	}
	sig, err := sshsig.Sign(bytes.NewReader(signed), signer, sshsig.HashSHA512, r.namespace())
	if err != nil {
		return nil, fmt.Errorf("signing with %s: %w", Fingerprint(signer.PublicKey()), err)
	}
	return join(signed, sig), nil
}

// SignedBytes gives what a signature of p is made over, for `ssh-keygen -Y sign`.
func SignedBytes(p Payload) ([]byte, error) { return encode(p) }

// Fingerprint is the key's name in messages: "SHA256:" and base64.
func Fingerprint(k ssh.PublicKey) string { return ssh.FingerprintSHA256(k) }

// LoadKey reads a private key (OpenSSH or PEM). passphrase is asked only when
// the key has one; nil means that nobody can be asked.
func LoadKey(pem []byte, passphrase func() ([]byte, error)) (ssh.Signer, error) {
	signer, err := ssh.ParsePrivateKey(pem)
	var locked *ssh.PassphraseMissingError
	if err == nil {
		return signer, nil
	}
	if !errors.As(err, &locked) {
		return nil, fmt.Errorf("reading the private key: %w", err)
	}
	if passphrase == nil {
		return nil, errors.New("the private key has a passphrase and nobody can be asked for it; add it to ssh-agent")
	}
	words, err := passphrase()
	if err != nil {
		return nil, fmt.Errorf("asking for the passphrase: %w", err)
	}
	signer, err = ssh.ParsePrivateKeyWithPassphrase(pem, words)
	if err != nil {
		return nil, fmt.Errorf("unlocking the private key: %w", err)
	}
	return signer, nil
}

// AgentSigners lists the keys of an ssh-agent over an open connection to its socket.
func AgentSigners(conn io.ReadWriter) ([]ssh.Signer, error) {
	signers, err := agent.NewClient(conn).Signers()
	if err != nil {
		return nil, fmt.Errorf("asking ssh-agent for its keys: %w", err)
	}
	return signers, nil
}

// Choose gives the first of the signers whose key belongs to an operator who
// may sign for namespace, with that operator.
func Choose(signers []ssh.Signer, ops Operators, namespace string) (ssh.Signer, Operator, error) {
	for _, s := range signers {
		if op, ok := ops.ByKey(s.PublicKey()); ok && op.allows(namespace) {
			return s, op, nil
		}
	}
	return nil, Operator{}, fmt.Errorf("none of %d keys belongs to an operator who may sign for %s", len(signers), namespace)
}
