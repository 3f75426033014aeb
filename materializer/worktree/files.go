package worktree

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"

	"github.com/google/renameio/v2"
	"golang.org/x/sys/unix"
)

// writeFile replaces a file in one step, with a mode that no umask changes.
func writeFile(path string, data []byte) error {
	return renameio.WriteFile(path, data, 0o600, renameio.IgnoreUmask())
}

// syncDir makes the names in a folder durable.
func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// readNoFollow reads a regular file and refuses a link, so that a planted link
// is never taken for what it points at.
func readNoFollow(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, &os.PathError{Op: "read", Path: path, Err: unix.EINVAL}
	}
	return io.ReadAll(f)
}
