package process

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// bootID is read once: it cannot change while we run.
var bootID = sync.OnceValue(func() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
})

func self() Identity {
	id, err := identify(os.Getpid())
	if err != nil {
		return Identity{PID: os.Getpid()}
	}
	return id
}

func identify(pid int) (Identity, error) {
	e, err := lookup(pid)
	return e.id, err
}

// lookup reads one row of the process table.
func lookup(pid int) (entry, error) {
	if pid <= 0 {
		return entry{}, fmt.Errorf("process %d: %w", pid, os.ErrNotExist)
	}
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return entry{}, fmt.Errorf("process %d: %w", pid, os.ErrNotExist)
	}
	return parseStat(pid, b)
}

// parseStat reads /proc/PID/stat. The name in its second field may hold spaces
// and parentheses, so that counting starts at the last ')'.
func parseStat(pid int, b []byte) (entry, error) {
	end := bytes.LastIndexByte(b, ')')
	if end < 0 {
		return entry{}, fmt.Errorf("process %d: stat without a name", pid)
	}
	f := strings.Fields(string(b[end+1:]))
	const state, parent, group, session, start = 0, 1, 2, 3, 19
	if len(f) <= start {
		return entry{}, fmt.Errorf("process %d: stat has %d fields", pid, len(f))
	}
	e := entry{id: Identity{PID: pid, Boot: bootID()}, dead: f[state] == "Z" || f[state] == "X"}
	var errs [4]error
	e.parent, errs[0] = strconv.Atoi(f[parent])
	e.group, errs[1] = strconv.Atoi(f[group])
	e.session, errs[2] = strconv.Atoi(f[session])
	e.id.Start, errs[3] = strconv.ParseUint(f[start], 10, 64)
	for _, err := range errs {
		if err != nil {
			return entry{}, fmt.Errorf("process %d: stat: %w", pid, err)
		}
	}
	return e, nil
}

// table reads every row that can be seen, in order of pid.
func table() ([]entry, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, fmt.Errorf("process table: %w", err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("process table: %w", err)
	}
	var all []entry
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if e, err := lookup(pid); err == nil { // else it ended while we looked
			all = append(all, e)
		}
	}
	sortEntries(all)
	return all, nil
}

// marked tells whether the process started with this marker in its environment.
func marked(pid int, marker string) bool {
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	if err != nil {
		return false
	}
	want := []byte(MarkerVariable + "=" + marker)
	for one := range bytes.SplitSeq(b, []byte{0}) {
		if bytes.Equal(one, want) {
			return true
		}
	}
	return false
}

// holdsMount tells whether a process in another mount namespace than ours has
// something mounted at or below folder.
func holdsMount(pid int, folder string) bool {
	ours, err := os.Readlink("/proc/self/ns/mnt")
	if err != nil {
		return false
	}
	theirs, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "ns", "mnt"))
	if err != nil || theirs == ours {
		return false
	}
	table, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "mountinfo"))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(table)) {
		fields := strings.Fields(line)
		if len(fields) < 5 {
			continue
		}
		at := unescapeMount(fields[4])
		if at == folder || strings.HasPrefix(at, folder+"/") {
			return true
		}
	}
	return false
}

// unescapeMount undoes what proc(5) does to space, tab, newline and backslash.
func unescapeMount(text string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(text)
}
