package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// privateRoot moves into a root folder that holds the grants and nothing else.
// It needs a mount namespace of our own. Landlock still applies on top. What
// the mounts add: sockets with a path (ssh-agent) cannot be connected to, and
// modes and owners of files outside cannot be changed, both of which Landlock
// leaves open; and names outside are not seen.
func privateRoot(grants []Grant, links []Link, dir string) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_SLAVE, ""); err != nil {
		return fmt.Errorf("private root: %w", err)
	}
	trees, err := openTrees(grants)
	if err != nil {
		return fmt.Errorf("private root: %w", err)
	}
	// Any folder will do to build in: the mount is seen by us alone, and what
	// it covers is open already.
	const base = "/usr"
	if err := unix.Mount("tmpfs", base, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755"); err != nil {
		return fmt.Errorf("private root: %w", err)
	}
	for _, t := range trees {
		if err := t.place(base); err != nil {
			return fmt.Errorf("private root: %s: %w", t.Path, err)
		}
	}
	for _, l := range links {
		if err := l.place(base); err != nil {
			return fmt.Errorf("private root: %s: %w", l.Path, err)
		}
	}
	if err := enter(base, dir); err != nil {
		return fmt.Errorf("private root: %w", err)
	}
	return nil
}

// tree is a copy of the mount of a grant, not yet placed.
type tree struct {
	Grant
	fd     int
	folder bool
	onTop  bool // an outer grant holds its place already
}

// openTrees copies the mounts of all grants before anything covers them. A
// grant that an outer one already gives is left out.
func openTrees(grants []Grant) ([]tree, error) {
	sorted := slices.Clone(grants)
	slices.SortStableFunc(sorted, func(a, b Grant) int { return strings.Compare(a.Path, b.Path) })
	var trees []tree
	for _, g := range sorted {
		outer := covering(trees, g.Path)
		if outer != nil && (outer.Write || !g.Write) {
			continue
		}
		t, err := openTree(g)
		if passOver(g, err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("grant %s: %w", g.Path, err)
		}
		t.onTop = outer != nil
		trees = append(trees, t)
	}
	return trees, nil
}

// covering gives the innermost tree that path lies in.
func covering(trees []tree, path string) *tree {
	for i := len(trees) - 1; i >= 0; i-- {
		if inside(trees[i].Path, path) {
			return &trees[i]
		}
	}
	return nil
}

func openTree(g Grant) (tree, error) {
	fd, err := openGrant(g.Path)
	if err != nil {
		return tree{}, err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return tree{}, err
	}
	copied, err := unix.OpenTree(fd, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE|unix.AT_EMPTY_PATH)
	if err != nil {
		return tree{}, err
	}
	t := tree{Grant: g, fd: copied, folder: st.Mode&unix.S_IFMT == unix.S_IFDIR}
	if g.Write {
		return t, nil
	}
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	return t, unix.MountSetattr(copied, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr)
}

// place puts the tree where it was, below base.
func (t tree) place(base string) error {
	defer unix.Close(t.fd)
	target := filepath.Join(base, t.Path)
	if !t.onTop {
		if err := t.mountPoint(target); err != nil {
			return err
		}
	}
	at, err := openGrant(target)
	if err != nil {
		return err
	}
	defer unix.Close(at)
	return unix.MoveMount(t.fd, "", at, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH)
}

func (t tree) mountPoint(target string) error {
	if t.folder {
		return os.MkdirAll(target, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(target, os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	return f.Close()
}

// place makes the link unless its place is taken: it then lies in a grant and
// is there anyway, or something real is.
func (l Link) place(base string) error {
	target := filepath.Join(base, l.Path)
	if _, err := os.Lstat(target); err == nil {
		return nil
	}
	parent := filepath.Dir(target)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	err := os.Symlink(l.To, target)
	if errors.Is(err, unix.EROFS) {
		return nil // inside a grant that lost the link since
	}
	return err
}

// enter makes base the root, without a way back, and goes to dir.
func enter(base, dir string) error {
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(unix.AT_FDCWD, base, 0, &attr); err != nil {
		return err
	}
	if err := unix.Chdir(base); err != nil {
		return err
	}
	// The old root is put on top of the new one, and taken off.
	if err := unix.PivotRoot(".", "."); err != nil {
		return err
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return err
	}
	return unix.Chdir(dir)
}
