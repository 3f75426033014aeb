// Package statedir defines where plans, approvals and runs lie: a folder inside
// the common git folder, shared by all worktrees, never committed, out of reach
// of `git clean` and of confined units.
//
// Enter with Open, which gives a Dir. Dir.Plan and Dir.SavePlan keep plans by
// digest, Dir.Consume uses up an approval's nonce, Dir.NewRun and Dir.Run give a
// Run, Run.Lock makes this process its only runner.
//
//	<common git folder>/wf/
//	  plans/<digest>.wfplan
//	  approvals/<digest>-<nonce>.wfsig
//	  nonces/<nonce>                     made once, with O_EXCL: single use
//	  claims/<nonce>                     what this clone claims the nonce with on a remote
//	  runs/<digest, 8>-<attempt>/
//	    plan.wfplan                      the plan, byte for byte
//	    journal.jsonl
//	    lock                             flock, and who holds it
//	    units/ evidence/
//
// Every access goes through an os.Root of that folder, so that no link planted
// in it leads out; files are replaced in one step; folders have mode 0700 and
// files 0600 whatever the umask.
package statedir

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/google/renameio/v2"
	"golang.org/x/sys/unix"
)

// Name is the folder's name inside the common git folder.
const Name = "wf"

const (
	dirMode  = 0o700
	fileMode = 0o600
)

// Dir is one repository's state folder.
type Dir struct {
	root *os.Root
	path string
}

// Open opens the state folder of a common git folder, and makes it where it is
// missing. The folder itself must not be a link.
func Open(commonDir string) (*Dir, error) {
	p := filepath.Join(commonDir, Name)
	if err := os.Mkdir(p, dirMode); err == nil {
		if err := syncDir(commonDir); err != nil {
			return nil, fmt.Errorf("make the state folder: %w", err)
		}
	} else if !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("make the state folder: %w", err)
	}
	info, err := os.Lstat(p)
	if err != nil {
		return nil, fmt.Errorf("open the state folder: %w", err)
	}
	if !info.IsDir() {
		return nil, &LinkError{Path: p}
	}
	root, err := os.OpenRoot(p)
	if err != nil {
		return nil, fmt.Errorf("open the state folder: %w", err)
	}
	d := &Dir{root: root, path: p}
	for _, sub := range []string{".", "plans", "approvals", "nonces", "claims", "runs"} {
		if err := d.mkdir(sub); err != nil {
			return nil, errors.Join(err, root.Close())
		}
	}
	return d, nil
}

// Close releases the folder.
func (d *Dir) Close() error { return d.root.Close() }

// Path is the state folder, absolute when the common git folder was.
func (d *Dir) Path() string { return d.path }

// LinkError says that something in the state folder is a link, or another thing
// that wf does not put there. wf does not follow it.
type LinkError struct{ Path string }

// Error says what to do about it.
func (e *LinkError) Error() string {
	return fmt.Sprintf("%s is a link or not what wf keeps there; wf does not follow it: look where it leads and who made it, then remove it", e.Path)
}

// mkdir makes one folder below the state folder, private, and durable with its
// name. An existing one gets its mode back; a link in its place is refused.
func (d *Dir) mkdir(rel string) error {
	if err := d.noLinks(rel); err != nil {
		return err
	}
	err := d.root.Mkdir(rel, dirMode)
	made := err == nil
	if err != nil && !errors.Is(err, fs.ErrExist) && rel != "." {
		return fmt.Errorf("make %s: %w", d.abs(rel), err)
	}
	info, err := d.root.Lstat(rel)
	if err != nil {
		return fmt.Errorf("make %s: %w", d.abs(rel), err)
	}
	if !info.IsDir() {
		return &LinkError{Path: d.abs(rel)}
	}
	if info.Mode().Perm() != dirMode {
		if err := d.root.Chmod(rel, dirMode); err != nil {
			return fmt.Errorf("make %s private: %w", d.abs(rel), err)
		}
	}
	if made {
		return d.sync(path.Dir(rel))
	}
	return nil
}

// read gives a file's bytes; a link is refused, not followed.
func (d *Dir) read(rel string) ([]byte, error) {
	if err := d.noLinks(rel); err != nil {
		return nil, err
	}
	f, err := d.root.OpenFile(rel, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", d.abs(rel), err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, &LinkError{Path: d.abs(rel)}
	}
	return io.ReadAll(f)
}

// write replaces a file in one step, durable with its name.
func (d *Dir) write(rel string, data []byte) error {
	if err := d.noLinks(rel); err != nil {
		return err
	}
	err := renameio.WriteFile(rel, data, fileMode, renameio.WithRoot(d.root), renameio.IgnoreUmask())
	if err != nil {
		return fmt.Errorf("write %s: %w", d.abs(rel), err)
	}
	return d.sync(path.Dir(rel))
}

// noLinks refuses a path in which any part is a link. os.Root keeps links from
// leading out; this keeps them from leading from one run into another.
func (d *Dir) noLinks(rel string) error {
	at := "."
	for p := range strings.SplitSeq(rel, "/") {
		at = path.Join(at, p)
		info, err := d.root.Lstat(at)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("look at %s: %w", d.abs(at), err)
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return &LinkError{Path: d.abs(at)}
		}
	}
	return nil
}

// sync makes the names in a folder durable.
func (d *Dir) sync(rel string) error {
	f, err := d.root.Open(rel)
	if err != nil {
		return fmt.Errorf("sync %s: %w", d.abs(rel), err)
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		return fmt.Errorf("sync %s: %w", d.abs(rel), err)
	}
	return nil
}

func (d *Dir) abs(rel string) string { return filepath.Join(d.path, filepath.FromSlash(rel)) }

func syncDir(p string) error {
	f, err := os.Open(p)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

var (
	digestForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{64}$`) })
	nonceForm  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9A-Za-z_-]{16,128}$`) })
)

// SavePlan keeps a plan under its digest. Saving the same bytes again changes nothing.
func (d *Dir) SavePlan(digest string, data []byte) error {
	rel, err := planName(digest)
	if err != nil {
		return err
	}
	return d.write(rel, data)
}

// Plan gives a saved plan's bytes; the error wraps fs.ErrNotExist when there is
// none. The caller checks that they have the digest.
func (d *Dir) Plan(digest string) ([]byte, error) {
	rel, err := planName(digest)
	if err != nil {
		return nil, err
	}
	return d.read(rel)
}

// Plans lists the digests of the saved plans, sorted.
func (d *Dir) Plans() ([]string, error) {
	names, err := d.list("plans")
	var digests []string
	for _, n := range names {
		if base := n[:max(0, len(n)-len(planExt))]; n == base+planExt && digestForm().MatchString(base) {
			digests = append(digests, base)
		}
	}
	return digests, err
}

const planExt = ".wfplan"

func planName(digest string) (string, error) {
	if !digestForm().MatchString(digest) {
		return "", fmt.Errorf("%q is not a plan digest: 64 hex digits are", digest)
	}
	return "plans/" + digest + planExt, nil
}

// SaveApproval keeps an approval's bytes beside its plan.
func (d *Dir) SaveApproval(digest, nonce string, data []byte) error {
	if !digestForm().MatchString(digest) || !nonceForm().MatchString(nonce) {
		return fmt.Errorf("%q, %q are not a plan digest and a nonce", digest, nonce)
	}
	return d.write("approvals/"+digest+"-"+nonce+".wfsig", data)
}

// Approvals gives the bytes of every approval kept for a plan, by nonce.
func (d *Dir) Approvals(digest string) ([][]byte, error) {
	names, err := d.list("approvals")
	if err != nil {
		return nil, err
	}
	var all [][]byte
	for _, n := range names {
		if len(n) <= 65 || n[:65] != digest+"-" {
			continue
		}
		data, err := d.read("approvals/" + n)
		if err != nil {
			return nil, err
		}
		all = append(all, data)
	}
	return all, nil
}

// UsedError says that a nonce was consumed before, and for what.
type UsedError struct {
	Nonce string
	For   string // the run that used it up
}

// Error says what to do: approvals are usable once.
func (e *UsedError) Error() string {
	return fmt.Sprintf("the approval was used by run %s; an approval is good for one run: approve again", e.For)
}

// Consume uses up a nonce for a run, durably, or answers *UsedError. The same
// run may ask again: a run that was killed between consuming and beginning goes on.
func (d *Dir) Consume(nonce, run string) error {
	if !nonceForm().MatchString(nonce) {
		return fmt.Errorf("%q is not a nonce", nonce)
	}
	rel := "nonces/" + nonce
	if err := d.noLinks(rel); err != nil {
		return err
	}
	taken, err := d.claim(rel, run)
	if err != nil || taken {
		return err
	}
	by, err := d.read(rel)
	if err != nil {
		return err
	}
	if string(by) == run+"\n" {
		return nil
	}
	return &UsedError{Nonce: nonce, For: string(trimNewline(by))}
}

// ClaimText is what this clone claims a nonce for a run with on a remote: the
// run, then a word that no other clone has. It is the same each time it is
// asked for, so that a claim which a kill cut short is known as its own.
func (d *Dir) ClaimText(nonce, run string) (string, error) {
	if !nonceForm().MatchString(nonce) {
		return "", fmt.Errorf("%q is not a nonce", nonce)
	}
	rel := "claims/" + nonce
	if _, err := d.claim(rel, "run "+run+"\n"+rand.Text()); err != nil {
		return "", err
	}
	text, err := d.read(rel)
	return string(text), err
}

// Used tells which run used a nonce up.
func (d *Dir) Used(nonce string) (run string, used bool, err error) {
	if !nonceForm().MatchString(nonce) {
		return "", false, fmt.Errorf("%q is not a nonce", nonce)
	}
	by, err := d.read("nonces/" + nonce)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	return string(trimNewline(by)), err == nil, err
}

// claim makes a file that must not exist, complete from its first moment: the
// content is written under another name and linked, so that a kill in between
// cannot leave a nonce used by nobody.
func (d *Dir) claim(rel, text string) (bool, error) {
	tmp := rel + "." + rand.Text() + ".tmp"
	if err := d.write(tmp, []byte(text+"\n")); err != nil {
		return false, err
	}
	defer d.root.Remove(tmp)
	err := d.root.Link(tmp, rel)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("use up %s: %w", d.abs(rel), err)
	}
	return true, d.sync(path.Dir(rel))
}

func trimNewline(b []byte) []byte {
	if n := len(b); n > 0 && b[n-1] == '\n' {
		return b[:n-1]
	}
	return b
}

// list gives the names in a folder, sorted.
func (d *Dir) list(rel string) ([]string, error) {
	entries, err := fs.ReadDir(d.root.FS(), rel)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", d.abs(rel), err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, nil
}
