package verb

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// What the system says becomes words with a place and the documented exit.
func TestSystemRefusal(t *testing.T) {
	at := func(err error) error { return &fs.PathError{Op: "open", Path: "/x/y", Err: err} }
	for name, c := range map[string]struct {
		err        error
		code, said string
	}{
		"full":      {at(syscall.ENOSPC), "WF607", "Writing failed because the disk is full."},
		"quota":     {at(syscall.EDQUOT), "WF607", "Writing failed because the disk is full."},
		"refused":   {at(syscall.EACCES), "WF608", "The system does not let wf read or write there."},
		"read-only": {at(syscall.EROFS), "WF608", "It lies on a file system that can only be read."},
		"missing":   {at(syscall.ENOENT), "WF635", "There is no such file."},
		"folder":    {at(syscall.EISDIR), "WF635", "It is a folder."},
		"not one":   {at(syscall.ENOTDIR), "WF635", "A part of its path is a file and no folder."},
		"circle":    {at(syscall.ELOOP), "WF635", "Its links lead round in a circle."},
		"long":      {at(syscall.ENAMETOOLONG), "WF635", "Its name is longer than the system takes."},
		"escape":    {at(errors.New("path escapes from parent")), "WF635", "It is a link that leads out of the repository."},
		"rename":    {&os.LinkError{Op: "rename", Old: "/x/z", New: "/x/y", Err: syscall.EACCES}, "WF608", "The system does not let wf read or write there."},
	} {
		var r *Refusal
		require.ErrorAs(t, systemRefusal(c.err), &r, name)
		require.Equal(t, ExitFailure, r.Exit)
		require.Len(t, r.Findings, 1)
		require.Equal(t, c.code, r.Findings[0].Code, name)
		require.Equal(t, c.said, r.Findings[0].Detail, name)
		require.Equal(t, "/x/y", r.Findings[0].Range.File, name)
		require.NotEmpty(t, r.Findings[0].Hint, name)
	}
	require.NoError(t, systemRefusal(nil))
	plain := errors.New("a fault of wf")
	require.Equal(t, plain, systemRefusal(plain), "what names no file is no finding")
}

func TestReadRegular(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a")
	require.NoError(t, os.WriteFile(file, []byte("text"), 0o600))
	require.NoError(t, os.Symlink(file, filepath.Join(dir, "link")))
	require.NoError(t, os.Symlink("round", filepath.Join(dir, "round")))
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	require.NoError(t, os.Truncate(file, 4))
	big := filepath.Join(dir, "big")
	require.NoError(t, os.WriteFile(big, nil, 0o600))
	require.NoError(t, os.Truncate(big, maxFile+1))
	for name, want := range map[string]string{
		"a": "", "link": "", "none": "there is no such file", ".": "it is a folder", "pipe": "it is a pipe and no file",
		"a/b": "a part of its path is a file and no folder", "round": "its links lead round in a circle", "big": "it is larger than 64 MB",
	} {
		data, err := readRegular(filepath.Join(dir, name))
		if want == "" {
			require.NoError(t, err, name)
			require.Equal(t, "text", string(data))
			continue
		}
		require.Error(t, err, name)
		require.Equal(t, want, whyNot(err), name)
	}
}

// A file is there whole or not at all, and nothing is written through a link.
func TestWriteNew(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "p.wfplan")
	require.NoError(t, writeNew(file, []byte("one"), true))
	require.ErrorIs(t, writeNew(file, []byte("two"), false), fs.ErrExist)
	require.NoError(t, writeNew(file, []byte("two"), true))
	victim, link := filepath.Join(dir, "victim"), filepath.Join(dir, "link")
	require.NoError(t, os.WriteFile(victim, []byte("mine"), 0o600))
	require.NoError(t, os.Symlink(victim, link))
	require.Error(t, writeNew(link, []byte("two"), true))
	require.Error(t, writeNew(dir, []byte("two"), true))
	require.Error(t, writeNew(filepath.Join(dir, "none", "p"), []byte("two"), true))
	data, err := os.ReadFile(victim)
	require.NoError(t, err)
	require.Equal(t, "mine", string(data))
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	require.NoError(t, err)
	require.Empty(t, left, "no temporary file stays")
}

func TestBlank(t *testing.T) {
	for text, want := range map[string]bool{"": true, "\n \t\r\n": true, "# a\n  # b": true, "a: 1": false, "#\n- x": false} {
		require.Equal(t, want, blank([]byte(text)), "%q", text)
	}
}
