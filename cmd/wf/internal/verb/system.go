package verb

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// maxFile bounds what is read of a file that somebody else may have made.
const maxFile = 64 << 20

// systemRefusal gives what a machine refuses a finding with a way out; an error
// that names no file passes through.
func systemRefusal(err error) error {
	if err == nil {
		return nil
	}
	where := pathOf(err)
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return refuseIn(ExitFailure, codeDiskFull, where, "Writing failed because the disk is full.", "make room and run the command again; nothing recorded was lost")
	case errors.Is(err, syscall.EROFS):
		return refuseIn(ExitFailure, codePermission, where, "It lies on a file system that can only be read.", "run wf where the repository can be written")
	case errors.Is(err, fs.ErrPermission):
		return refuseIn(ExitFailure, codePermission, where, "The system does not let wf read or write there.", "give yourself the right to, and run the command again")
	case where != "":
		return refuseIn(ExitFailure, codeBadFile, where, sentence(whyNot(err)), "mend that, and run the command again")
	}
	return err
}

// writeRefusal is about a file the user asked wf to write.
func writeRefusal(name string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return refuseIn(ExitFailure, codeDiskFull, name, "Writing it failed because the disk is full.", "make room and run the command again; what was there before is still there")
	case errors.Is(err, fs.ErrPermission):
		return refuseIn(ExitFailure, codePermission, name, "You may not write there.", "name a file in a folder of yours")
	case errors.Is(err, fs.ErrNotExist):
		return refuseIn(ExitFailure, codeNotWritten, name, "Its folder does not exist.", "make the folder first, or name another one")
	}
	return refuseIn(ExitFailure, codeNotWritten, name, sentence(whyNot(err)), "name another file")
}

// pathOf is the file that a system error is about, "" where it names none.
func pathOf(err error) string {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Path
	case errors.As(err, &link):
		return link.New
	}
	return ""
}

// whyNot says in words why the system refused a file.
func whyNot(err error) string {
	var known *unreadable
	var path *fs.PathError
	switch {
	case errors.As(err, &known):
		return known.why
	case errors.Is(err, fs.ErrNotExist):
		return "there is no such file"
	case errors.Is(err, fs.ErrPermission):
		return "you may not read it"
	case errors.Is(err, syscall.EISDIR):
		return "it is a folder"
	case errors.Is(err, syscall.ENOTDIR):
		return "a part of its path is a file and no folder"
	case errors.Is(err, syscall.ELOOP):
		return "its links lead round in a circle"
	case errors.Is(err, syscall.ENAMETOOLONG):
		return "its name is longer than the system takes"
	case strings.Contains(err.Error(), "escapes from parent"): // os.Root has no type for it
		return "it is a link that leads out of the repository"
	case errors.As(err, &path):
		return path.Err.Error()
	}
	return err.Error()
}

// unreadable is why a file cannot be read, in words.
type unreadable struct {
	why string
	err error
}

func (u *unreadable) Error() string { return u.why }

// Unwrap gives what the system said.
func (u *unreadable) Unwrap() error { return u.err }

// kindOf says what a file is that is no regular file.
func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "it is a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "it is a pipe and no file"
	case mode&fs.ModeSocket != 0:
		return "it is a socket and no file"
	case mode&fs.ModeDevice != 0:
		return "it is a device and no file"
	}
	return "it is no regular file"
}

// readUser reads a file that the user named. A pipe somebody left lying there
// would wait for ever, so that only the shell's own are read: <(…) and -.
func (e Env) readUser(code diag.Code, name, hint string) ([]byte, error) {
	data, err := readRegular(e.abs(name))
	if err != nil {
		return nil, refuseIn(ExitFailure, code, name, sentence(whyNot(err)), hint)
	}
	return data, nil
}

func readRegular(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	shell := strings.HasPrefix(path, "/dev/fd/") || path == "/dev/stdin" || strings.HasPrefix(path, "/proc/self/fd/")
	if !info.Mode().IsRegular() && !shell {
		return nil, &unreadable{why: kindOf(info.Mode())}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		return nil, &unreadable{why: tooLarge()}
	}
	return data, err
}

func tooLarge() string { return fmt.Sprintf("it is larger than %d MB", maxFile>>20) }

// sentence makes a finding's detail of a reason.
func sentence(text string) string {
	if text == "" {
		return text
	}
	return diag.Capital(strings.TrimSuffix(text, ".")) + "."
}
