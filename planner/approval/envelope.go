package approval

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"
)

// The .wfsig file is text in two parts: the signed bytes, then the armoured SSH
// signature over exactly those bytes.
//
//	wf approval 1
//	{
//	  "digest": "sha256:…",
//	  …
//	}
//	-----BEGIN SSH SIGNATURE-----
//	U1NIU0lH…
//	-----END SSH SIGNATURE-----
//
// OpenSSH verifies it too, with the operators file as it is:
//
//	sed '/^-----BEGIN/,$d' p.wfsig > signed
//	sed -n '/^-----BEGIN/,$p' p.wfsig > signature
//	ssh-keygen -Y verify -f policies/operators -I alice -n wf-plan -s signature < signed
//
// and `ssh-keygen -Y sign -n wf-plan -f KEY signed` makes a signature that may
// stand there. A detached signature file was rejected: two files part on their
// way to CI. Every byte counts: what decodes to the same signature but is
// spelt otherwise (line ends, padding bits, text after the end) is refused.
const (
	beginLine = "-----BEGIN SSH SIGNATURE-----\n"
	endLine   = "-----END SSH SIGNATURE-----\n"
)

// maxFile bounds what is read: an RSA key of 16,384 bits needs 6 KB.
const maxFile = 64 << 10

func join(signed []byte, sig *sshsig.Signature) []byte {
	return append(bytes.Clone(signed), sshsig.Armor(sig)...)
}

// split cuts a file into its signed bytes and its signature.
func split(file []byte) ([]byte, *sshsig.Signature, error) {
	if len(file) > maxFile {
		return nil, nil, fmt.Errorf("it is larger than %d bytes", maxFile)
	}
	signed, rest, ok := bytes.Cut(file, []byte(beginLine))
	if !ok || len(signed) == 0 || signed[len(signed)-1] != '\n' {
		return nil, nil, errors.New("it holds no SSH signature")
	}
	body, ok := bytes.CutSuffix(rest, []byte(endLine))
	if !ok {
		return nil, nil, errors.New("its signature has no end, or text follows it")
	}
	blob, err := dearmour(string(body))
	if err != nil {
		return nil, nil, err
	}
	sig, err := parseSignature(blob)
	return signed, sig, err
}

// dearmour reads base64 of one spelling: full lines of equal width and a last
// one that is not longer, each ended by a line feed.
func dearmour(body string) ([]byte, error) {
	lines := strings.SplitAfter(body, "\n")
	if lines[len(lines)-1] != "" || len(lines) < 2 {
		return nil, errors.New("its signature ends inside a line")
	}
	lines = lines[:len(lines)-1]
	var all strings.Builder
	for i, line := range lines {
		if last := i == len(lines)-1; len(line) < 2 || len(line) > len(lines[0]) || !last && len(line) != len(lines[0]) {
			return nil, errors.New("the lines of its signature are not of one width")
		}
		all.WriteString(strings.TrimSuffix(line, "\n"))
	}
	if strings.ContainsAny(all.String(), "\r\n") {
		return nil, errors.New("its signature has line ends that are no line feeds")
	}
	blob, err := base64.StdEncoding.Strict().DecodeString(all.String())
	if err != nil {
		return nil, fmt.Errorf("its signature is not base64: %w", err)
	}
	return blob, nil
}

func parseSignature(blob []byte) (*sshsig.Signature, error) {
	sig, err := sshsig.ParseSignature(blob)
	if err != nil {
		return nil, fmt.Errorf("its signature cannot be read: %w", err)
	}
	if !bytes.Equal(sig.Marshal(), blob) {
		return nil, errors.New("its signature is not in canonical form")
	}
	return sig, nil
}

// touched reports whether a security key was touched for the signature; true
// for keys that have no such thing.
func touched(sig *sshsig.Signature) bool {
	const userPresent = 1
	switch sig.PublicKey.Type() {
	case ssh.KeyAlgoSKED25519, ssh.KeyAlgoSKECDSA256:
		return len(sig.Signature.Rest) > 0 && sig.Signature.Rest[0]&userPresent != 0
	}
	return true
}
