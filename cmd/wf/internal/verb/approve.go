package verb

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/seed9cc7a46e/wf/planner"
	"github.com/seed9cc7a46e/wf/planner/approval"
	"github.com/seed9cc7a46e/wf/planner/planfile"
)

// ReadPlan reads a plan file. Findings about a damaged one come with as much of
// the plan as can be shown.
func ReadPlan(e Env, name string) (planfile.File, error) {
	data, err := e.readUser(codeNoPlanFile, name, "make one with `wf plan NAME -o FILE`")
	if err != nil {
		return planfile.File{}, err
	}
	file, findings := planfile.Read(name, data)
	if len(findings) > 0 {
		exit := ExitFailure
		if findings.HasErrors() {
			exit = ExitStale
		}
		return file, &Refusal{Findings: findings, Sources: Sources{name: data}, Exit: exit}
	}
	return file, nil
}

// Signer is how an operator signs: a key file, or the keys of an ssh-agent.
type Signer struct {
	KeyFile    string
	AgentSock  string                 // SSH_AUTH_SOCK
	Passphrase func() ([]byte, error) // nil: nobody can be asked
}

// ApproveRequest says what to sign, and for how long.
type ApproveRequest struct {
	Plan    string // file
	Signer  Signer
	Expires time.Duration // 0: never
	Output  string        // file; "" keeps the approval in the repository's state alone
}

// Approvable is a plan that a person looks at before signing.
type Approvable struct {
	Plan   *planner.Plan
	Digest string
}

// Approve signs a plan. confirm is shown what is about to be signed and must
// say yes; it is the operator's word.
func Approve(ctx context.Context, e Env, req ApproveRequest, confirm func(Approvable) (bool, error)) (approval.Approval, error) {
	p, err := e.project(ctx)
	if err != nil {
		return approval.Approval{}, err
	}
	if err := p.outside(); err != nil {
		return approval.Approval{}, err
	}
	file, err := ReadPlan(e, req.Plan)
	if err != nil {
		return approval.Approval{}, err
	}
	if err := p.ofThisRepository(ctx, file.Plan); err != nil {
		return approval.Approval{}, err
	}
	if denials := file.Plan.Policy.Denials; len(denials) > 0 {
		return approval.Approval{}, refuse(ExitDenied, codeNoApproval, fmt.Sprintf("Policies deny this plan: %s", denials[0].Msg), "change the workflow or the policy, and plan again")
	}
	ops, err := p.operators(ctx, file.Plan.Base.Commit)
	if err != nil {
		return approval.Approval{}, err
	}
	signer, operator, err := e.signer(req.Signer, ops, approval.PlanNamespace)
	if err != nil {
		return approval.Approval{}, err
	}
	ok, err := confirm(Approvable{Plan: file.Plan, Digest: file.Digest})
	if err != nil {
		return approval.Approval{}, err
	}
	if !ok {
		return approval.Approval{}, refuse(ExitWaiting, codeNoApproval, "Nothing was signed.", "look at the plan with `wf show "+req.Plan+"` and approve it when it is right")
	}
	payload, err := e.payload(file, operator, req.Expires)
	if err != nil {
		return approval.Approval{}, err
	}
	text, err := approval.Sign(payload, signer)
	if err != nil {
		return approval.Approval{}, refuse(ExitFailure, codeKey, fmt.Sprintf("Signing failed: %v.", err), "try another key with --key")
	}
	verdict := approval.Verify(text, ops, approval.Want{Digest: file.Digest, Repository: file.Plan.Repository, Workflow: file.Plan.Workflow.Name, Now: e.Now()})
	if !verdict.OK() {
		return approval.Approval{}, refused(verdict.Refusal)
	}
	return verdict.Approval, p.keepApproval(req.Output, file, payload.Nonce, text)
}

func (p *project) keepApproval(output string, file planfile.File, nonce string, text []byte) error {
	if output != "" {
		if err := writeRefusal(output, writeNew(p.env.abs(output), text, true)); err != nil {
			return err
		}
	}
	state, err := p.state()
	if err != nil {
		return err
	}
	defer state.Close()
	data, err := planfile.Encode(file.Plan)
	if err != nil {
		return err
	}
	if err := state.SavePlan(hexOf(file.Digest), data); err != nil {
		return stateRefusal(err)
	}
	return stateRefusal(state.SaveApproval(hexOf(file.Digest), nonce, text))
}

func (e Env) payload(file planfile.File, operator approval.Operator, expires time.Duration) (approval.Payload, error) {
	nonce, err := newNonce()
	if err != nil {
		return approval.Payload{}, err
	}
	out := approval.Payload{
		Format: approval.Format, Digest: file.Digest, Repository: file.Plan.Repository, Workflow: file.Plan.Workflow.Name,
		Nonce: nonce, Groups: append([]string{}, operator.Groups...), Signer: operator.Names[0],
	}
	if expires > 0 {
		out.Expires = e.Now().UTC().Add(expires + time.Second).Truncate(time.Second).Format(time.RFC3339)
	}
	return out, nil
}

// newNonce makes an approval usable once. It is the one random number of wf,
// and enters no plan.
func newNonce() (string, error) {
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", fmt.Errorf("random number for the approval: %w", err)
	}
	return hex.EncodeToString(b[:]), nil
}

// signer finds a key that belongs to an operator.
func (e Env) signer(s Signer, ops approval.Operators, namespace string) (ssh.Signer, approval.Operator, error) {
	if ops.Empty() {
		return nil, approval.Operator{}, refuse(ExitFailure, codeKey, "The base commit names no operators, so that no signature could be checked.", "commit "+operatorsFile+" (an allowed_signers file) first, or decide at the terminal with `wf apply NAME`")
	}
	signers, err := e.signers(s)
	if err != nil {
		return nil, approval.Operator{}, err
	}
	signer, operator, err := approval.Choose(signers, ops, namespace)
	if err != nil {
		return nil, approval.Operator{}, refuse(ExitFailure, codeKey, fmt.Sprintf("No key at hand belongs to a person who may sign here: %s of the base commit has none of %s.", operatorsFile, fingerprints(signers)), "use the key of one of "+strings.Join(names(ops), ", ")+", or have your line committed to "+operatorsFile)
	}
	return signer, operator, nil
}

func (e Env) signers(s Signer) ([]ssh.Signer, error) {
	if s.KeyFile != "" {
		data, err := e.readUser(codeKey, s.KeyFile, "name the private key: --key ~/.ssh/id_ed25519")
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(string(data), "ssh-") || strings.HasPrefix(string(data), "ecdsa-") {
			return nil, refuseIn(ExitFailure, codeKey, s.KeyFile, "It is the public half of a key; signing needs the private one.", "name it: --key "+strings.TrimSuffix(s.KeyFile, ".pub"))
		}
		signer, err := approval.LoadKey(data, s.Passphrase)
		if err != nil {
			return nil, refuseIn(ExitFailure, codeKey, s.KeyFile, sentence(err.Error()), "name a private SSH key; for one with a passphrase, run wf at a terminal or use ssh-agent")
		}
		return []ssh.Signer{signer}, nil
	}
	if s.AgentSock == "" {
		return nil, refuse(ExitUsage, codeKey, "No key was named and no ssh-agent is running.", "name your key: --key ~/.ssh/id_ed25519")
	}
	conn, err := net.Dial("unix", s.AgentSock)
	if err != nil {
		return nil, refuse(ExitFailure, codeKey, "The ssh-agent at "+s.AgentSock+" does not answer.", "name your key: --key ~/.ssh/id_ed25519")
	}
	signers, err := approval.AgentSigners(conn)
	if err != nil {
		return nil, refuse(ExitFailure, codeKey, "The ssh-agent at "+s.AgentSock+" does not list its keys.", "name your key: --key ~/.ssh/id_ed25519")
	}
	return signers, nil
}

func fingerprints(signers []ssh.Signer) string {
	if len(signers) == 0 {
		return "no keys; the ssh-agent is empty"
	}
	out := make([]string, len(signers))
	for i, s := range signers {
		out[i] = ssh.FingerprintSHA256(s.PublicKey())
	}
	return strings.Join(out, ", ")
}

func names(ops approval.Operators) []string {
	var out []string
	for _, op := range ops.All() {
		out = append(out, op.Names...)
	}
	return out
}

// keyFlag is what the command of a decision needs behind it to be signed:
// nothing where nobody signs or an ssh-agent does; else the key of an operator
// among the user's own, and a placeholder where there is none.
func (p *project) keyFlag(ctx context.Context, commit string) (string, error) {
	ops, err := p.operators(ctx, commit)
	if err != nil || ops.Empty() || p.env.Getenv("SSH_AUTH_SOCK") != "" {
		return "", err
	}
	home := p.env.Getenv("HOME")
	keys, err := filepath.Glob(filepath.Join(home, ".ssh", "*.pub"))
	if err != nil || home == "" {
		return "--key FILE", nil // a home with signs of a pattern in its name has no keys to offer
	}
	for _, file := range keys {
		data, err := readRegular(file)
		if err != nil {
			continue
		}
		if key, _, _, _, err := ssh.ParseAuthorizedKey(data); err == nil {
			if _, ok := ops.ByKey(key); ok {
				return "--key ~/.ssh/" + strings.TrimSuffix(filepath.Base(file), ".pub"), nil
			}
		}
	}
	return "--key FILE", nil
}

// writeNew writes a file the user asked for; force replaces one that is there.
// A link is never written through.
func writeNew(path string, data []byte, force bool) error {
	if info, err := os.Lstat(path); err == nil {
		if !force {
			return fs.ErrExist
		}
		if !info.Mode().IsRegular() {
			return &unreadable{why: kindOf(info.Mode()) + ", and nothing is written through it"}
		}
	}
	temp, err := os.CreateTemp(filepath.Dir(path), "."+strings.TrimPrefix(filepath.Base(path), ".")+".*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	if _, err := temp.Write(data); err != nil {
		temp.Close()
		return err
	}
	if err := temp.Chmod(0o644); err != nil {
		temp.Close()
		return err
	}
	if err := errors.Join(temp.Sync(), temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}
